// One subscription's life at Stripe, of which billing hears by events in any order, repeated and lost. However it heard
// of it, it stands in the end as one that asked Stripe once, at the end.

import { expect } from "vitest";
import { reportProgress } from "../../scripts/assurance/sample.ts";
import type { FakeEvent, FakeSubscription } from "./stripe-account.ts";
import { type StripeWorld, sessionOf } from "./stripe-world.ts";
import { createWorld } from "./vector/world.ts";

const dayMs = 86_400_000;
type Random = () => number;

/** What may happen to a subscription at Stripe. */
const turns: readonly ((stripe: StripeWorld, subscription: FakeSubscription) => void)[] = [
  ({ account }, { customer }) => {
    account.customer(customer).isDeclined = true;
  },
  ({ account }, { customer }) => {
    account.customer(customer).isDeclined = false;
  },
  ({ clock, account }) => {
    clock.pass(8 * dayMs);
    account.tick();
  },
  ({ clock, account }) => {
    clock.pass(30 * dayMs);
    account.tick();
  },
  ({ account }, subscription) => {
    const open = [...account.invoices.values()].find(
      (invoice) => invoice.subscription === subscription.id && invoice.status === "open",
    );
    if (open !== undefined) account.settle(open, "paid");
  },
  ({ account }, subscription) => {
    if (subscription.status === "past_due") account.giveUp(subscription);
  },
  ({ account }, { id, status }) => {
    if (status !== "canceled") account.updateSubscription(id, { cancel_at_period_end: "true" });
  },
  ({ account }, { id, status }) => {
    if (status !== "canceled") account.updateSubscription(id, { cancel_at_period_end: "false" });
  },
];

/** A small generator of numbers from 0 to below 1 (mulberry32). */
function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Tries this many shuffles, in each of the worlds at the same time. Returns how many there were. */
export async function tryShuffles(
  worlds: readonly StripeWorld[],
  { n, seed }: { readonly n: number; readonly seed: number },
): Promise<number> {
  let [next, done] = [0, 0];
  const work = async (stripe: StripeWorld) => {
    for (let i = next++; i < n; i = next++) {
      await tryShuffle(stripe, seeded(seed * 1_000_003 + i), `shuffle ${i} of seed ${seed}`);
      done += 1;
      reportProgress(done);
    }
  };
  await Promise.all(worlds.map(work));
  return done;
}

async function tryShuffle(stripe: StripeWorld, random: Random, name: string): Promise<void> {
  const { account, fake, clock } = stripe;
  clock.set(new Date("2026-01-31T10:30:00Z"));
  const [heard, asked] = [await createWorld(stripe.database), await createWorld(stripe.database)];
  const { url } = await stripe.billing.checkout(heard.caller, { plan: random() < 0.5 ? "growth" : "enterprise" });
  fake.takeEvents();
  const subscription = account.pay(sessionOf(url));
  if (subscription === undefined) throw new Error("the payment went through");
  let waiting: FakeEvent[] = [];
  const hear = async (event: FakeEvent) => {
    // What the job does that the event adds. A repeated event adds none.
    if ((await stripe.deliver(event)) === "queued") await stripe.jobs.sync.converge(heard.orgId);
  };
  for (let turn = 0; turn < 6; turn++) {
    turns[Math.floor(random() * turns.length)]?.(stripe, subscription);
    for (const event of fake.takeEvents()) {
      if (random() < 0.3) continue;
      waiting.push(event);
      if (random() < 0.2) waiting.push(event);
    }
    waiting = waiting.toSorted(() => random() - 0.5);
    while (waiting.length > 0 && random() < 0.4) {
      const [next] = waiting.splice(0, 1);
      if (next !== undefined) await hear(next);
    }
  }
  for (const event of waiting) await hear(event);
  // Where the last was lost, the daily comparison makes up for it.
  await stripe.jobs.sync.converge(heard.orgId);
  await stripe.database.systemTransaction(heard.orgId, (tx) =>
    tx.sql("update subscription set customer_id = null where org_id = ?", [tx.orgId]),
  );
  await stripe.database.systemTransaction(asked.orgId, (tx) =>
    tx.sql(
      `insert into subscription (org_id, provider, status, plan, anchor_day, cancel_at_period_end, payment_fails, revision,
         created_at, updated_at, customer_id) values (?, 'stripe', 'none', 'free', 1, false, false, 0, ?, ?, ?)`,
      [tx.orgId, tx.now, tx.now, subscription.customer],
    ),
  );
  await stripe.jobs.sync.converge(asked.orgId);
  expect(await standingOf(stripe, heard.orgId), name).toEqual(await standingOf(stripe, asked.orgId));
  account.forget(subscription.customer);
}

/** All that callers see of how it stands, but for what they were told on the way. */
async function standingOf(stripe: StripeWorld, orgId: string) {
  const caller = { orgId } as Parameters<StripeWorld["billing"]["summary"]>[0]; // nothing else is read of it
  const { orgId: _, notices: __, ...summary } = await stripe.billing.summary(caller);
  const [invoices] = await stripe.billing.invoices(caller, { limit: 200, offset: 0 });
  return { summary, invoices: invoices.map(({ invoice }) => [invoice.providerId, invoice.status]).sort() };
}

// Billing at Stripe, by its real library against a stand-in on a socket. It has never been run against Stripe itself.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isAssurance, reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import type { Reconciliation } from "../../../../src/domain/billing/provider-upkeep.ts";
import { beginSubscription } from "../../../../src/domain/billing/subscription.ts";
import { findOpenIntent } from "../../../../src/store/billing/billing-intent.ts";
import { findSubscription } from "../../../../src/store/billing/subscription.ts";
import { pinnedVersion, type StripeFault, signedEvent } from "../../../harness/fake-stripe.ts";
import type { FakeSubscription } from "../../../harness/stripe-account.ts";
import { tryShuffles } from "../../../harness/stripe-shuffle.ts";
import { createStripeWorld, type StripeWorld, sessionOf } from "../../../harness/stripe-world.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const dayMs = 86_400_000;
const start = new Date("2026-01-31T10:30:00Z");

describe("a subscription at Stripe", () => {
  let stripe: StripeWorld;
  let world: World;

  beforeAll(async () => {
    stripe = await createStripeWorld();
  });

  beforeEach(async () => {
    stripe.clock.set(start);
    stripe.fake.failWith(() => undefined);
    stripe.fake.takeEvents();
    world = await createWorld(stripe.database);
  });

  afterAll(() => stripe.close());

  const summary = () => stripe.billing.summary(world.caller);
  const invoices = async () => (await stripe.billing.invoices(world.caller, { limit: 50, offset: 0 }))[0];
  const checkout = async (plan: "growth" | "enterprise" = "growth") =>
    sessionOf((await stripe.billing.checkout(world.caller, { plan })).url);
  const buy = async (plan: "growth" | "enterprise" = "growth"): Promise<FakeSubscription> => {
    const bought = stripe.account.pay(await checkout(plan));
    if (bought === undefined) throw new Error("the payment went through");
    await stripe.sync.converge(world.orgId);
    return bought;
  };
  const passes = async (days: number) => {
    stripe.clock.pass(days * dayMs);
    stripe.account.tick();
    await stripe.sync.converge(world.orgId);
    await stripe.jobs.billing.advance();
    return summary();
  };
  const callsOf = (name: string) => stripe.fake.calls.filter((call) => call.name === name);
  const openIntent = () => stripe.database.read(world.orgId, findOpenIntent);

  it("is bought on Stripe's page, and in force once Stripe says so", async () => {
    const page = await stripe.billing.checkout(world.caller, {
      plan: "growth",
      successUrl: "https://guard.example.com/done",
    });
    expect(page).toMatchObject({ provider: "stripe", url: expect.stringContaining("https://checkout.stripe.com/") });
    expect(await summary()).toMatchObject({ plan: "free", status: "none" });
    expect(callsOf("POST /v1/checkout/sessions").at(-1)).toMatchObject({
      key: `checkout:${page.id}`,
      params: {
        client_reference_id: world.orgId,
        success_url: "https://guard.example.com/done",
        cancel_url: "https://guard.example.com/",
        subscription_data: { metadata: { policy_guard_org: world.orgId, policy_guard_plan: "growth" } },
      },
      headers: { "stripe-version": pinnedVersion },
    });
    expect(callsOf("POST /v1/checkout/sessions").at(-1)?.headers).not.toHaveProperty("x-stripe-client-telemetry");
    const session = sessionOf(page.url);
    expect(stripe.account.pay(session, { isDeclined: true })).toBeUndefined();
    stripe.account.pay(session);
    await stripe.sync.converge(world.orgId);
    expect(await summary()).toMatchObject({ plan: "growth", status: "active", provider: "stripe", limit: 250_000 });
    expect(await invoices()).toMatchObject([
      {
        invoice: { status: "paid", totalMinor: 4_900, currency: "USD", provider: "stripe", pageKey: null },
        lines: [{ amountMinor: 4_900 }],
      },
    ]);
    await expect(stripe.billing.checkout(world.caller, { plan: "growth" })).rejects.toThrow("there is a subscription");
  });

  it("has prices of Stripe's own, and sells what has one", async () => {
    const plans = await stripe.billing.plans(world.caller);
    expect(plans.map(({ id, price, canCheckout }) => [id, price?.amountMinor ?? null, canCheckout])).toEqual([
      ["free", null, false],
      ["growth", 4_900, true],
      ["enterprise", 49_000, true],
    ]);
  });

  it("grows at once for what Stripe asks, and a declined card changes nothing", async () => {
    const bought = await buy();
    stripe.account.customer(bought.customer).isDeclined = true;
    await expect(stripe.billing.changePlan(world.caller, { plan: "enterprise" })).rejects.toThrow("declined");
    expect(await summary()).toMatchObject({ plan: "growth" });
    expect(await openIntent()).toBeNull();
    stripe.account.customer(bought.customer).isDeclined = false;
    expect(await stripe.billing.changePlan(world.caller, { plan: "enterprise" })).toMatchObject({ plan: "enterprise" });
    const [newest] = await invoices();
    expect(newest?.lines).toMatchObject([{ isProration: true, amountMinor: 44_100 }]);
    const keys = callsOf(`POST /v1/subscriptions/${bought.id}`).map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
    expect(keys.every((key) => key?.startsWith(`change:${world.orgId}:`))).toBe(true);
  });

  it("shrinks with the next period, by a schedule at Stripe, which the current plan takes back", async () => {
    const bought = await buy("enterprise");
    const waiting = await stripe.billing.changePlan(world.caller, { plan: "growth" });
    expect(waiting).toMatchObject({ plan: "enterprise", pendingPlan: "growth" });
    expect(await stripe.billing.changePlan(world.caller, { plan: "enterprise" })).toMatchObject({ pendingPlan: null });
    expect(bought.schedule).toBeNull();
    await stripe.billing.changePlan(world.caller, { plan: "growth" });
    expect(await passes(30)).toMatchObject({ plan: "growth", pendingPlan: null, status: "active", limit: 250_000 });
    expect(bought.price).toBe("price_growth");
    expect((await invoices())[0]?.invoice.totalMinor).toBe(4_900);
  });

  it("may be canceled while a smaller plan waits, and again taken back", async () => {
    await buy("enterprise");
    await stripe.billing.changePlan(world.caller, { plan: "growth" });
    expect(await stripe.billing.cancel(world.caller, { atPeriodEnd: true })).toMatchObject({
      ...{ status: "canceled", cancelAtPeriodEnd: true, pendingPlan: null },
    });
    expect(await stripe.billing.changePlan(world.caller, { plan: "enterprise" })).toMatchObject({ status: "active" });
    await stripe.billing.cancel(world.caller, { atPeriodEnd: true });
    expect(await passes(29)).toMatchObject({ plan: "enterprise", status: "canceled" });
    expect(await passes(1)).toMatchObject({ plan: "free", status: "none", provider: "none" });
    // Whoever has left may come back, as the same customer.
    const again = await buy();
    expect(await summary()).toMatchObject({ plan: "growth", status: "active" });
    expect(
      [...stripe.account.subscriptions.values()].filter(({ customer }) => customer === again.customer),
    ).toHaveLength(2);
  });

  it("ends at once when that is wanted", async () => {
    await buy();
    expect(await stripe.billing.cancel(world.caller, { atPeriodEnd: false })).toMatchObject({
      status: "none",
      plan: "free",
    });
    await expect(stripe.billing.cancel(world.caller, { atPeriodEnd: false })).rejects.toThrow("no subscription");
  });

  it("has a grace time from the first unpaid invoice, which no second failure makes longer", async () => {
    const bought = await buy();
    stripe.account.customer(bought.customer).isDeclined = true;
    const owing = await passes(30);
    expect(owing).toMatchObject({ status: "past_due", plan: "growth", billingBlocked: false });
    const graceEndsAt = new Date(stripe.clock.now().getTime() + 7 * dayMs);
    expect(owing.graceEndsAt).toEqual(graceEndsAt);
    expect(owing.notices.filter(({ kind }) => kind === "payment_failed")).toHaveLength(1);
    stripe.account.bill(bought, 100, { isPaid: false });
    expect(await passes(6)).toMatchObject({ status: "past_due", graceEndsAt });
    expect(await passes(1)).toMatchObject({ status: "blocked", billingBlocked: true, graceEndsAt: null });
    // Looking again changes nothing.
    expect(await passes(3)).toMatchObject({ status: "blocked" });
    stripe.account.customer(bought.customer).isDeclined = false;
    for (const invoice of stripe.account.invoices.values())
      if (invoice.subscription === bought.id && invoice.status === "open") stripe.account.settle(invoice, "paid");
    expect(await passes(0)).toMatchObject({ status: "active", billingBlocked: false });
  });

  it("is blocked when Stripe gives up, and stays so after its end until the debt is settled", async () => {
    const bought = await buy();
    stripe.account.customer(bought.customer).isDeclined = true;
    await passes(30);
    stripe.account.giveUp(bought);
    expect(await passes(0)).toMatchObject({ status: "blocked" });
    stripe.account.end(bought);
    expect(await passes(0)).toMatchObject({ status: "blocked", plan: "growth" });
    const open = [...stripe.account.invoices.values()].find(
      ({ status, subscription }) => status === "open" && subscription === bought.id,
    );
    if (open === undefined) throw new Error("there is a debt");
    stripe.account.settle(open, "uncollectible");
    expect(await passes(0)).toMatchObject({ status: "blocked" });
    stripe.account.settle(open, "void");
    expect(await passes(0)).toMatchObject({ status: "none", plan: "free", billingBlocked: false });
  });

  it.each(["429", "500", "500-after", "reset", "reset-after"] as const)(
    "reaches what was wanted although a call fails (%s), whichever call it is",
    async (fault: StripeFault) => {
      const bought = await buy("enterprise");
      await stripe.billing.changePlan(world.caller, { plan: "growth" });
      const wish = { plan: "enterprise" } as const;
      // Each call of this change, the reading ones too. A lost connection is dialled twice at once.
      for (let failing = 1; failing <= 4; failing++) {
        stripe.fake.failWith((_, count) => (count === failing || count === failing + 1 ? fault : undefined));
        const result = await stripe.billing.changePlan(world.caller, wish).catch((error: Error) => error.message);
        stripe.fake.failWith(() => undefined);
        if (typeof result === "string") {
          expect(result).toContain("does not answer as it should");
          stripe.clock.pass(2 * 3_600_000);
          await stripe.jobs.changes.sweep();
        }
        expect(await openIntent()).toBeNull();
        expect(await summary()).toMatchObject({ plan: "enterprise", pendingPlan: null });
        expect(bought.schedule).toBeNull();
        await stripe.billing.changePlan(world.caller, { plan: "growth" });
        expect(await summary()).toMatchObject({ pendingPlan: "growth" });
      }
    },
  );

  it("is not charged twice by a change whose answer was lost", async () => {
    await buy();
    const before = stripe.account.invoices.size;
    stripe.fake.failWith(({ name, params }) =>
      name.startsWith("POST /v1/subscriptions/") && params.items ? "reset-after" : undefined,
    );
    await expect(stripe.billing.changePlan(world.caller, { plan: "enterprise" })).rejects.toThrow("does not answer");
    stripe.fake.failWith(() => undefined);
    // The person asks again: what is open is finished first.
    expect(await stripe.billing.changePlan(world.caller, { plan: "enterprise" })).toMatchObject({ plan: "enterprise" });
    expect(stripe.account.invoices.size).toBe(before + 1);
  });

  it("finishes what a crash left before the first call", async () => {
    const bought = await buy();
    await stripe.database.transaction(world.caller, async (tx) => {
      const subscription = await findSubscription(tx);
      if (subscription === null) throw new Error("there is a subscription");
      await stripe.changes.add(tx, subscription, { kind: "cancel" });
    });
    expect(await stripe.jobs.changes.sweep()).toBe(0);
    stripe.clock.pass(61_000);
    expect(await stripe.jobs.changes.sweep()).toBe(1);
    expect(bought.cancel_at_period_end).toBe(true);
    expect(await summary()).toMatchObject({ status: "canceled" });
  });

  it("has one open page, however many checkouts race, and nobody pays twice", async () => {
    const first = await checkout();
    const second = await checkout();
    expect(stripe.account.pay(first)).toBeUndefined();
    const races = await Promise.allSettled(Array.from({ length: 6 }, () => checkout()));
    const opened = races.flatMap((race) => (race.status === "fulfilled" ? [race.value] : []));
    expect(stripe.account.pay(second)).toBeUndefined();
    const paid = [...stripe.account.sessions.keys()].flatMap((id) => stripe.account.pay(id) ?? []);
    const mine = paid.filter(({ metadata }) => metadata.policy_guard_org === world.orgId);
    expect(opened.length).toBeGreaterThan(0);
    expect(mine).toHaveLength(1);
    for (const race of races) if (race.status === "rejected") expect(String(race.reason)).toContain("was quicker");
  });

  it("that was paid a moment before a new checkout is not bought again", async () => {
    const paid = await checkout();
    stripe.account.pay(paid);
    await expect(checkout()).rejects.toThrow("was quicker");
    expect(await summary()).toMatchObject({ plan: "growth", status: "active" });
    expect([...stripe.account.sessions.values()].filter(({ status }) => status === "open")).toEqual([]);
  });

  it("goes back to this installation only", async () => {
    for (const foreign of ["https://evil.example/", "https://guard.example.com.evil.example/", "javascript:alert(1)"]) {
      await expect(stripe.billing.checkout(world.caller, { plan: "growth", successUrl: foreign })).rejects.toThrow();
      await expect(stripe.billing.openPortal(world.caller, { returnUrl: foreign })).rejects.toThrow();
    }
  });

  it("has Stripe's portal, once there is a customer", async () => {
    await expect(stripe.billing.openPortal(world.caller, {})).rejects.toThrow("begin with a checkout");
    await buy();
    expect(await stripe.billing.openPortal(world.caller, {})).toMatchObject({
      ...{ provider: "stripe", url: expect.stringContaining("https://billing.stripe.com/") },
    });
  });

  it("keeps an old price of its plan, and with an unknown price everything as it is", async () => {
    const bought = await buy();
    bought.price = "price_growthofold";
    expect(await passes(0)).toMatchObject({ plan: "growth" });
    bought.price = "price_foreign";
    bought.metadata = {};
    await expect(stripe.sync.converge(world.orgId)).rejects.toThrow("price_foreign");
    expect(await summary()).toMatchObject({ plan: "growth", status: "active" });
  });

  it("tells the operator of a second subscription, and counts the first", async () => {
    const bought = await buy();
    stripe.clock.pass(1_000);
    const second = stripe.account.subscribe(bought.customer, "price_enterprise");
    await stripe.sync.converge(world.orgId);
    expect(stripe.surplus.at(-1)).toEqual([second.id]);
    expect(await summary()).toMatchObject({ plan: "growth" });
  });

  it("takes the place of one that was bought on the local pages", async () => {
    await stripe.database.systemTransaction(world.orgId, (tx) => beginSubscription(tx, "growth", stripe.options));
    expect(await summary()).toMatchObject({ plan: "growth", provider: "stub" });
    await buy();
    expect(await summary()).toMatchObject({ plan: "growth", provider: "stripe", status: "active" });
  });

  it("does not override a plan that the operator holds", async () => {
    const bought = await buy();
    await stripe.database.systemTransaction(world.orgId, (tx) =>
      tx.sql(
        "update organization set operator_plan = 'enterprise', operator_plan_until = ?, plan = 'enterprise' where id = ?",
        [new Date(start.getTime() + 90 * dayMs), world.orgId],
      ),
    );
    stripe.account.end(bought);
    expect(await passes(0)).toMatchObject({ plan: "enterprise", provider: "operator" });
  });
});

describe("events of Stripe", () => {
  let stripe: StripeWorld;
  let world: World;

  beforeAll(async () => {
    stripe = await createStripeWorld();
  });

  beforeEach(async () => {
    stripe.clock.set(start);
    stripe.fake.takeEvents();
    world = await createWorld(stripe.database);
  });

  afterAll(() => stripe.close());

  const summary = () => stripe.billing.summary(world.caller);
  const buy = async () => {
    const { url } = await stripe.billing.checkout(world.caller, { plan: "growth" });
    const bought = stripe.account.pay(sessionOf(url));
    if (bought === undefined) throw new Error("the payment went through");
    return bought;
  };
  const jobs = async () => {
    const client = await stripe.urls.openWitness();
    const { rows } = await client.query(
      "select count(*)::int as n from graphile_worker.jobs where task_identifier = 'apply-provider-event' and key = $1",
      [`apply-provider-event/${world.orgId}`],
    );
    await client.end();
    return rows[0].n;
  };

  it("wake one job, however many there are and however often they come", async () => {
    await buy();
    const [first, ...others] = stripe.fake.takeEvents().filter(({ type }) => type !== "customer.created");
    if (first === undefined) throw new Error("a purchase has events");
    expect(await stripe.deliver(first)).toBe("queued");
    expect(await stripe.deliver(first)).toBe("repeated");
    for (const other of others) expect(await stripe.deliver(other)).toBe("queued");
    expect(others.length).toBeGreaterThan(1);
    expect(await jobs()).toBe(1);
    expect(await summary()).toMatchObject({ plan: "free" });
    await stripe.jobs.sync.converge(world.orgId);
    expect(await summary()).toMatchObject({ plan: "growth", status: "active" });
  });

  it("are refused unless one of the secrets has signed exactly these bytes in the last five minutes", async () => {
    await buy();
    const [event] = stripe.fake.takeEvents().slice(1);
    if (event === undefined) throw new Error("a purchase has events");
    const at = stripe.clock.now();
    const { body, signature } = signedEvent(event, { at });
    const altered = Buffer.from(body.toString("utf8").replace(event.id, "evt_other"));
    const refused = "no signature of these bytes";
    await expect(stripe.events.receive(altered, signature)).rejects.toThrow(refused);
    await expect(stripe.events.receive(Buffer.concat([body, Buffer.from(" ")]), signature)).rejects.toThrow(refused);
    await expect(stripe.events.receive(body, "")).rejects.toThrow(refused);
    await expect(stripe.events.receive(body, "t=1,v1=zz")).rejects.toThrow(refused);
    await expect(stripe.deliver(event, { secret: "whsec_ofsomebody" })).rejects.toThrow(refused);
    await expect(stripe.deliver(event, { at: new Date(at.getTime() - 301_000) })).rejects.toThrow(refused);
    expect(await jobs()).toBe(0);
    // While one secret replaces the other, both are good.
    expect(await stripe.deliver(event, { secret: "whsec_theformerone" })).toBe("queued");
    // A replay of bytes that were taken once: too late it is refused, in time it changes nothing.
    stripe.clock.pass(200_000);
    expect(await stripe.events.receive(body, signature)).toBe("repeated");
    stripe.clock.pass(200_000);
    await expect(stripe.events.receive(body, signature)).rejects.toThrow(refused);
  });

  it("of other customers, and of nobody, change nothing", async () => {
    stripe.account.subscribe(stripe.account.createCustomer().id, "price_growth");
    const events = stripe.fake.takeEvents();
    for (const event of events) expect(await stripe.deliver(event)).toBe("foreign");
    const without = {
      id: "evt_x",
      object: "event",
      type: "balance.available",
      created: 1,
      data: { object: {} },
    } as const;
    expect(await stripe.deliver(without)).toBe("foreign");
    expect(await jobs()).toBe(0);
  });

  it("that are shuffled, repeated and lost leave the same state as those that came in order", async () => {
    // Worlds do not share a clock, so several can be at work.
    const others = await Promise.all(Array.from({ length: isAssurance() ? 3 : 0 }, () => createStripeWorld()));
    reportSample({ n: await tryShuffles([stripe, ...others], sampleOf({ n: 4, seed: 1 })), failures: 0 });
    for (const other of others) await other.close();
  });

  it("that never came are made up for once a day, and when the operator asks", async () => {
    const bought = await buy();
    stripe.fake.takeEvents();
    const since = new Date(start.getTime() - dayMs);
    const own = ({ changed }: Reconciliation) => changed.filter(({ orgId }) => orgId === world.orgId);
    expect(own(await stripe.jobs.upkeep.replay(since, { isDryRun: true }))).toMatchObject([
      { after: { plan: "growth" } },
    ]);
    expect(await summary()).toMatchObject({ plan: "free" });
    expect(own(await stripe.jobs.upkeep.replay(since))).toHaveLength(1);
    expect(await summary()).toMatchObject({ plan: "growth" });
    stripe.account.end(bought);
    const ended = [{ before: { plan: "growth" }, after: { plan: "free", status: "none" } }];
    expect(own(await stripe.jobs.upkeep.reconcile({ isDryRun: true }))).toMatchObject(ended);
    expect(own(await stripe.jobs.upkeep.reconcile())).toMatchObject(ended);
    expect(own(await stripe.jobs.upkeep.reconcile())).toEqual([]);
  });

  it("and subscriptions end with their organization", async () => {
    const bought = await buy();
    await stripe.sync.converge(world.orgId);
    await stripe.jobs.upkeep.end(bought.customer, [...stripe.account.sessions.keys()]);
    expect(bought.status).toBe("canceled");
    // The job may run twice.
    await stripe.jobs.upkeep.end(bought.customer, []);
  });
});

describe("a trial at Stripe", () => {
  let stripe: StripeWorld;

  beforeAll(async () => {
    stripe = await createStripeWorld({ stripeTrialDays: 14 });
  });

  afterAll(() => stripe.close());

  it("ends with a payment, or without a way to pay as none, and there is one for each organization", async () => {
    const world = await createWorld(stripe.database);
    const begin = async (hasMethod: boolean) => {
      const { url } = await stripe.billing.checkout(world.caller, { plan: "growth" });
      stripe.account.pay(sessionOf(url), { hasMethod });
      await stripe.sync.converge(world.orgId);
      return stripe.billing.summary(world.caller);
    };
    const trialEndsAt = new Date(stripe.clock.now().getTime() + 14 * dayMs);
    expect(await begin(false)).toMatchObject({ status: "trialing", plan: "growth", trialEndsAt });
    stripe.clock.pass(14 * dayMs);
    stripe.account.tick();
    await stripe.sync.converge(world.orgId);
    expect(await stripe.billing.summary(world.caller)).toMatchObject({
      status: "none",
      plan: "free",
      trialEndsAt: null,
    });
    expect(await begin(true)).toMatchObject({ status: "active", trialEndsAt: null });
  });

  it("becomes active with the first payment", async () => {
    const world = await createWorld(stripe.database);
    const { url } = await stripe.billing.checkout(world.caller, { plan: "enterprise" });
    stripe.account.pay(sessionOf(url));
    stripe.clock.pass(14 * dayMs);
    stripe.account.tick();
    await stripe.sync.converge(world.orgId);
    expect(await stripe.billing.summary(world.caller)).toMatchObject({
      status: "active",
      plan: "enterprise",
      trialEndsAt: null,
    });
  });
});

// Subscriptions against a model of what the documentation says: random calls, payments, operators, clocks, races and
// crashes. `npm run assurance -- billing` tries many more.

import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { seededRandom } from "../../../../../runtime/engine/authoring/seeded-random.ts";
import { isAssurance, reportSample, sampleOf } from "../../../../../scripts/assurance/sample.ts";
import { Billing, type BillingOptions } from "../../../../../src/domain/billing/billing.ts";
import { BillingUpkeep } from "../../../../../src/domain/billing/billing-upkeep.ts";
import { LocalPages } from "../../../../../src/domain/billing/local-page.ts";
import type { Plan } from "../../../../../src/domain/billing/plan.ts";
import { readPrices } from "../../../../../src/domain/billing/price.ts";
import { PasswordHasher } from "../../../../../src/domain/identity/password-hash.ts";
import { Operator } from "../../../../../src/domain/operator/operator.ts";
import { Organizations } from "../../../../../src/domain/tenancy/organization.ts";
import { Fault } from "../../../../../src/kit/fault/fault.ts";
import type { Caller } from "../../../../../src/kit/rpc/context.ts";
import { type Database, openDatabase } from "../../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../../harness/database.ts";
import { eventually } from "../../../../harness/eventually.ts";
import { createMovedClock, type MovedClock } from "../../../../harness/moved-clock.ts";
import { pageOf } from "../../../../harness/vector/billing-step.ts";
import { adminCaller } from "../../../../harness/vector/world.ts";
import * as model from "./billing-model.ts";

const { n, seed } = sampleOf({ n: 4, seed: 2 });
const stepsPerRun = 12;
/** Runs at the same time, each on a database of its own. */
const lanes = isAssurance() ? 6 : 1;
const dayMs = 86_400_000;
const audit = { action: "billing.portal", requestId: "test", address: "" };
const common: BillingOptions = {
  ...{ mode: "stub", prices: readPrices(["growth=4900", "enterprise=49000"]), graceMs: model.graceMs, trialDays: 0 },
  ...{ mailer: undefined, publicUrl: "https://guard.example.com" },
};

/** A database with its own clock, and one organization after the other in it. */
interface Lane {
  readonly clock: MovedClock;
  readonly urls: TestDatabase;
  readonly database: Database;
  readonly worker: Database;
  readonly witness: pg.Client;
}

let opened: Lane[] = [];

beforeAll(async () => {
  for (let i = 0; i < lanes; i++) {
    const [clock, urls] = [createMovedClock(), await createTestDatabase()];
    const database = await openDatabase({ url: urls.applicationUrl, poolSize: 3, clock });
    const worker = await openDatabase({ url: urls.workerUrl, poolSize: 2, clock });
    opened = [...opened, { clock, urls, database, worker, witness: await urls.openWitness() }];
  }
});

afterAll(async () => {
  for (const { database, worker, witness, urls } of opened) {
    await Promise.all([database.close(), worker.close(), witness.end()]);
    await urls.drop();
  }
});

interface Move {
  readonly name: string;
  readonly step: model.Step;
  readonly run: () => Promise<unknown>;
}

type PortalAction = Parameters<LocalPages["act"]>[1];

/** Everything that may happen to one organization. */
class Player {
  readonly #lane: Lane;
  readonly #caller: Caller;
  readonly #random: () => number;
  readonly #billing: Billing;
  readonly #pages: LocalPages;
  readonly #operator: Operator;
  readonly #upkeep: BillingUpkeep;
  readonly #trialDays: number;

  constructor(lane: Lane, caller: Caller, random: () => number) {
    this.#trialDays = random() < 0.3 ? 14 : 0;
    const options = { ...common, trialDays: this.#trialDays };
    this.#lane = lane;
    this.#caller = caller;
    this.#random = random;
    this.#billing = new Billing(lane.database, options);
    this.#pages = new LocalPages(lane.database, options);
    this.#upkeep = new BillingUpkeep(lane.worker, lane.clock, options);
    this.#operator = new Operator(lane.database, new PasswordHasher(), {
      ...{ actor: "operator:ada", isDryRun: false, defaultPlan: "free", graceMs: model.graceMs },
    });
  }

  next({ status, fails }: model.BillingState): Move {
    const what = this.#random();
    // What is rare otherwise: a first purchase that leads anywhere, a renewal that fails, and what comes of it.
    if (this.#random() < 0.4) {
      if (status === "none") return this.#buy();
      if (status === "active") return this.#press(fails ? "skip_ahead" : "decline_payments");
      if (status === "past_due" || status === "blocked") return this.#press(this.#pick("skip_ahead", "pay_invoices"));
    }
    if (what < 0.25) return this.#buy();
    if (what < 0.37) return this.#change();
    if (what < 0.43) return this.#cancel();
    if (what < 0.7) return this.#portal();
    if (what < 0.85) return this.time();
    return this.#operate();
  }

  /** Time passes, and one or two workers do what is due. */
  time(): Move {
    this.#lane.clock.pass(Math.floor(this.#random() ** 2 * 40 * dayMs));
    const workers = this.#random() < 0.3 ? 2 : 1;
    const run = () => Promise.all(Array.from({ length: workers }, () => this.#upkeep.advance()));
    return { name: `time, ${workers} workers`, step: model.pass, run };
  }

  #pick<T>(...values: readonly [T, ...T[]]): T {
    return values[Math.floor(this.#random() * values.length)] ?? values[0];
  }

  #plan(): Plan {
    return this.#pick<Plan>("growth", "enterprise", "growth", "enterprise", "free");
  }

  #buy(): Move {
    const [plan, isPaid, twice] = [this.#plan(), this.#random() < 0.8, this.#random() < 0.2];
    const run = async () => {
      const page = pageOf((await this.#billing.checkout(this.#caller, { plan })).url);
      const confirm = () => this.#pages.confirm(page, isPaid ? "paid" : "declined", audit);
      // A person who presses the button twice pays once.
      const results = await Promise.allSettled(twice && isPaid ? [confirm(), confirm()] : [confirm()]);
      const failed = results.filter(({ status }) => status === "rejected");
      if (failed.length === results.length) throw failed[0]?.status === "rejected" ? failed[0].reason : undefined;
    };
    return {
      name: `buy ${plan}${isPaid ? "" : ", declined"}${twice ? ", twice" : ""}`,
      step: model.checkout(plan, isPaid, this.#trialDays),
      run,
    };
  }

  #change(): Move {
    const [plan, when] = [this.#plan(), this.#pick(undefined, "now" as const, "period_end" as const)];
    const run = () => this.#billing.changePlan(this.#caller, { plan, when });
    return { name: `change to ${plan} ${when ?? ""}`, step: model.change(plan, when), run };
  }

  #cancel(): Move {
    const atPeriodEnd = this.#random() < 0.6;
    const run = () => this.#billing.cancel(this.#caller, { atPeriodEnd });
    return { name: `cancel ${atPeriodEnd ? "with the period" : "now"}`, step: model.cancel(atPeriodEnd), run };
  }

  #portal(): Move {
    return this.#press(
      this.#pick<PortalAction>("pay_invoices", "decline_payments", "accept_payments", "skip_ahead", "skip_ahead"),
    );
  }

  #press(action: PortalAction): Move {
    const run = async () =>
      this.#pages.act(pageOf((await this.#billing.openPortal(this.#caller, {})).url), action, audit);
    return { name: action, step: model.portal(action), run };
  }

  #operate(): Move {
    const { orgId } = this.#caller;
    const what = this.#random();
    if (what < 0.3) return { name: "block", step: model.block, run: () => this.#operator.block(orgId, "why") };
    if (what < 0.7) return { name: "unblock", step: model.unblock, run: () => this.#operator.unblock(orgId, "why") };
    const [plan, days] = [this.#pick<Plan>("free", "growth", "enterprise"), this.#random() < 0.6 ? 10 : undefined];
    const until =
      days === undefined ? undefined : new Date(this.#lane.clock.now().getTime() + days * dayMs).toISOString();
    const run = () => this.#operator.setPlan(orgId, plan, { until });
    return {
      name: `set-plan ${plan} ${until ?? ""}`,
      step: model.setPlan(plan, days === undefined ? null : days * dayMs),
      run,
    };
  }
}

/** What is seen of an organization. */
async function observe({ database }: Lane, caller: Caller) {
  const billing = new Billing(database, common);
  const summary = await billing.summary(caller);
  const [invoices] = await billing.invoices(caller, { limit: 200, offset: 0 });
  const at = (date: Date | null) => date?.getTime() ?? null;
  const numbers = invoices.map(({ invoice }) => Number(invoice.number.slice(-6))).sort((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  return {
    plan: summary.plan,
    status: summary.status,
    billingBlocked: summary.billingBlocked,
    currentPeriodEnd: at(summary.currentPeriodEnd),
    trialEndsAt: at(summary.trialEndsAt),
    graceEndsAt: at(summary.graceEndsAt),
    cancelAtPeriodEnd: summary.cancelAtPeriodEnd,
    pendingPlan: summary.pendingPlan,
    invoices: invoices.length,
    open: invoices.filter(({ invoice }) => invoice.status === "open").length,
  };
}

/** The connections of control plane and worker break, as when their processes die. */
function crash({ witness }: Lane): Promise<unknown> {
  return witness.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
}

async function play(
  lane: Lane,
  random: () => number,
): Promise<{ crashes: number; torn: number; visited: ReadonlySet<string> }> {
  lane.clock.set(new Date(Date.UTC(2026, Math.floor(random() * 12), 1 + Math.floor(random() * 31), 10, 30)));
  const { id } = await new Organizations(lane.database).create({ name: "Test" });
  const caller = adminCaller(id);
  const player = new Player(lane, caller, random);
  let state = model.newState();
  const told: string[] = [];
  let [crashes, torn] = [0, 0];
  const visited = new Set<string>();
  for (let step = 0; step < stepsPerRun; step++) {
    lane.clock.pass(1);
    const move = player.next(state);
    const now = lane.clock.now().getTime();
    const after = { ...state };
    const isTaken = move.step(after, now);
    const isCrash = random() < 0.08;
    told.push(`${lane.clock.now().toISOString()} ${move.name}${isCrash ? ", crash" : ""}: ${isTaken ? "yes" : "no"}`);
    const running = move.run().then(
      () => ({ isDone: true, error: undefined }),
      (error: unknown) => ({ isDone: false, error }),
    );
    if (isCrash) {
      crashes += 1;
      await new Promise((resolve) => setTimeout(resolve, random() * 120));
      await crash(lane);
    }
    const { isDone, error } = await running;
    const observed = await eventually(() => observe(lane, caller));
    const [before, wanted] = [model.seen(state), model.seen(isTaken ? after : state)];
    if (!isCrash && isDone !== isTaken) throw new Error(`${told.join("\n")}\nwas ${isDone ? "done" : error}`);
    if (!isCrash && error !== undefined && !(error instanceof Fault)) throw error;
    // A change that was answered is there; one whose answer was lost is there or not, and never half of it.
    const isLost = isCrash && !isDone && JSON.stringify(observed) === JSON.stringify(before);
    if (isLost) torn += 1;
    else expect(observed, told.join("\n")).toEqual(wanted);
    if (isTaken && !isLost) state = after;
    visited.add(state.status);
    // The worker comes back in a minute; what was due and is not done yet is done then.
    if (isLost && move.step === model.pass) {
      const again = player.time();
      await eventually(again.run);
      again.step(state, lane.clock.now().getTime());
    }
  }
  return { crashes, torn, visited };
}

it("subscriptions do what the documentation says, whatever happens to them", async () => {
  let failures = 0;
  let [crashes, torn] = [0, 0];
  let next = 0;
  const visits: Record<string, number> = {};
  await Promise.all(
    opened.map(async (lane) => {
      for (let run = next++; run < n; run = next++) {
        try {
          const result = await play(lane, seededRandom(seed * 100_003 + run));
          crashes += result.crashes;
          torn += result.torn;
          for (const status of result.visited) visits[`runs_with_${status}`] = (visits[`runs_with_${status}`] ?? 0) + 1;
        } catch (error) {
          failures += 1;
          console.error(`run ${run} of seed ${seed}: ${error}`);
        }
      }
    }),
  );
  reportSample({ n, failures, figures: { crashes, changes_lost_whole: torn, ...visits } });
  expect(failures).toBe(0);
});

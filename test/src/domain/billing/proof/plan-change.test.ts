// Quota leases while the plan changes in the middle of a month: up, down and up again, with 50 runtimes that make
// evaluations, lose their streams and crash. Whatever happens, no more is covered or granted than the limit or, after a
// fall of the limit, than there was at the fall. `npm run assurance -- billing-quota` tries many more schedules.

import { afterAll, beforeAll, expect, it } from "vitest";
import { seededRandom } from "../../../../../runtime/engine/authoring/seeded-random.ts";
import { isAssurance, reportSample, sampleOf } from "../../../../../scripts/assurance/sample.ts";
import { remainingQuota } from "../../../../../src/domain/billing/quota.ts";
import { putInForce } from "../../../../../src/domain/billing/standing.ts";
import { addPlaygroundUsage, addUsage } from "../../../../../src/store/billing/usage.ts";
import { type Database, openDatabase } from "../../../../../src/store/connection/database.ts";
import { lockBilling } from "../../../../../src/store/tenancy/organization.ts";
import { createTestDatabase, type TestDatabase } from "../../../../harness/database.ts";
import { createMovedClock } from "../../../../harness/moved-clock.ts";
import { readCounters, SimulatedRuntime } from "../../../../harness/process/quota-world.ts";
import { createWorld, type World } from "../../../../harness/vector/world.ts";

const fleet = 50;
const { n, seed } = sampleOf({ n: 1, seed: 1 });
const [steps, changeShare] = isAssurance() ? [120, 0.06] : [16, 0.3];
/** The limit of growth here, near enough to that of free that every schedule reaches both. */
const growthLimit = 12_000;
const freeLimit = 10_000;

const clock = createMovedClock();
let urls: TestDatabase;
let database: Database;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 8, clock });
});

afterAll(async () => {
  await database.close();
  await urls.drop();
});

/** The bound as the organization's history makes it. */
class Bound {
  readonly #world: World;
  limit = freeLimit;
  changes = 0;
  /** Covered, playground and outstanding at the last fall. */
  #atFall = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** What is covered or granted. */
  async level(): Promise<number> {
    const months = await readCounters(database, this.#world.orgId);
    return Math.max(0, ...months.map((m) => m.evaluations - m.overage + m.playground + m.outstanding));
  }

  async excess(): Promise<number> {
    return Math.max(0, (await this.level()) - Math.max(this.limit, this.#atFall));
  }

  async change(): Promise<void> {
    const isUp = this.limit === freeLimit;
    const evaluationsLimit = isUp ? growthLimit : null;
    await database.systemTransaction(this.#world.orgId, async (tx) => {
      await lockBilling(tx);
      await putInForce(tx, { plan: isUp ? "growth" : "free", evaluationsLimit, billingBlocked: false });
    });
    this.limit = isUp ? growthLimit : freeLimit;
    this.changes += 1;
    if (!isUp) this.#atFall = await this.level();
  }
}

async function play(world: World): Promise<void> {
  await database.systemTransaction(world.orgId, async (tx) => {
    const quota = await remainingQuota(tx);
    if (quota === null || quota.room >= 1) await addPlaygroundUsage(tx);
  });
}

async function trySchedule(random: () => number) {
  clock.set(new Date("2026-11-12T10:00:00Z"));
  const world = await createWorld(database);
  const bound = new Bound(world);
  const used = 8_500 + Math.floor(random() * 1_500);
  await database.systemTransaction(world.orgId, (tx) => addUsage(tx, new Map([["2026-11-01", used]])));
  const runtimes = Array.from({ length: fleet }, () => new SimulatedRuntime(world, database, clock));
  for (const runtime of runtimes) runtime.connect();
  const one = () => runtimes[Math.floor(random() ** 2 * fleet)];
  let worst = 0;
  for (let step = 0; step < steps; step++) {
    const [runtime, ...others] = [one(), one(), one(), one()];
    if (runtime === undefined) throw new Error("a runtime of the fleet");
    const what = random();
    if (what < 0.05) runtime.crash();
    else if (what < 0.12) runtime.cut();
    else if (what < 0.2) clock.pass(random() * 90_000);
    else if (what < 0.22) await play(world);
    else if (!runtime.isConnected && random() < 0.5) runtime.connect();
    // The change, when there is one, comes first: the bound is measured at it, and what races with it are the leases
    // that it calls back.
    if (random() < changeShare) await bound.change();
    const isAnswerLost = random() < 0.05;
    const isAckLost = random() < 0.05;
    await Promise.all([runtime.status({ isAnswerLost }), ...others.map((other) => other?.status())]);
    for (let i = Math.floor(random() * 120); i > 0; i--) runtime.evaluate();
    clock.pass(Math.floor(random() * 2_000));
    await Promise.all([runtime.report({ isAckLost }), ...others.map((other) => other?.report())]);
    worst = Math.max(worst, await bound.excess());
  }
  for (const runtime of runtimes) {
    runtime.connect();
    while (runtime.waiting > 0) await runtime.report();
  }
  worst = Math.max(worst, await bound.excess());
  const stored = (await readCounters(database, world.orgId)).reduce((sum, month) => sum + month.evaluations, 0);
  const made = runtimes.reduce((sum, runtime) => sum + runtime.made, 0);
  const refused = runtimes.reduce((sum, runtime) => sum + runtime.refused, 0);
  return { worst, lost: used + made - stored, refused, changes: bound.changes };
}

it("50 runtimes never get more than the plan allows or allowed at its last fall, when it goes up and down", async () => {
  let failures = 0;
  let [refused, changes] = [0, 0];
  for (let i = 0; i < n; i++) {
    const result = await trySchedule(seededRandom(seed * 100_003 + i));
    refused += result.refused;
    changes += result.changes;
    if (result.worst > 0 || result.lost !== 0) {
      failures += 1;
      console.error(`schedule ${i} of seed ${seed}: ${JSON.stringify(result)}`);
    }
  }
  reportSample({ n, failures, figures: { plan_changes: changes } });
  expect(failures).toBe(0);
  // Else the schedules do not come near the limits, or the plan stays, and they show nothing.
  expect(refused).toBeGreaterThan(0);
  expect(changes).toBeGreaterThan(1);
});

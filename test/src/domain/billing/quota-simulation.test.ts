// Quota leases under crashes, partitions, lost answers and the end of a month: whatever happens, the control plane has
// never granted more than the plan. `npm run assurance -- quota` tries many more schedules.

import { afterAll, beforeAll, expect, it } from "vitest";
import { seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { remainingQuota } from "../../../../src/domain/billing/quota.ts";
import { addPlaygroundUsage, addUsage } from "../../../../src/store/billing/usage.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { readCounters, SimulatedRuntime } from "../../../harness/process/quota-world.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const limit = 10_000;
const fleet = 50;
const steps = 160;
const { n, seed } = sampleOf({ n: 1, seed: 1 });

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

/** The most that was ever granted beyond the plan at a commit; 0 is the promise. */
async function excess(world: World): Promise<number> {
  const months = await readCounters(database, world.orgId);
  return Math.max(0, ...months.map((m) => m.evaluations - m.overage + m.playground + m.outstanding - limit));
}

async function play(world: World): Promise<void> {
  await database.systemTransaction(world.orgId, async (tx) => {
    const quota = await remainingQuota(tx);
    if (quota === null || quota.room >= 1) await addPlaygroundUsage(tx);
  });
}

async function trySchedule(random: () => number): Promise<{ worst: number; refused: number; lost: number }> {
  clock.set(new Date(random() < 0.5 ? "2026-11-30T23:56:00Z" : "2026-11-12T10:00:00Z"));
  const world = await createWorld(database);
  const used = 7_000 + Math.floor(random() * 3_000);
  await database.systemTransaction(world.orgId, (tx) => addUsage(tx, new Map([["2026-11-01", used]])));
  const runtimes = Array.from({ length: fleet }, () => new SimulatedRuntime(world, database, clock));
  for (const runtime of runtimes) runtime.connect();
  let worst = 0;
  for (let step = 0; step < steps; step++) {
    // A few runtimes have most of the traffic.
    const runtime = runtimes[Math.floor(random() ** 2 * fleet)];
    if (runtime === undefined) throw new Error("a runtime of the fleet");
    const what = random();
    if (what < 0.05) runtime.crash();
    else if (what < 0.12) runtime.cut();
    else if (what < 0.18) clock.pass(random() * 90_000);
    else if (what < 0.2) await play(world);
    else if (!runtime.isConnected && random() < 0.5) runtime.connect();
    // Statuses and reports of several runtimes at the same time: their transactions race for real.
    const others = Array.from({ length: 3 }, () => runtimes[Math.floor(random() * fleet)]);
    const isAnswerLost = random() < 0.05;
    const isAckLost = random() < 0.05;
    await Promise.all([runtime.status({ isAnswerLost }), ...others.map((other) => other?.status())]);
    for (let i = Math.floor(random() * 120); i > 0; i--) runtime.evaluate();
    await Promise.all([runtime.report({ isAckLost }), ...others.map((other) => other?.report())]);
    worst = Math.max(worst, await excess(world));
  }
  for (const runtime of runtimes) {
    runtime.connect();
    while (runtime.waiting > 0) await runtime.report();
  }
  worst = Math.max(worst, await excess(world));
  const stored = (await readCounters(database, world.orgId)).reduce((sum, month) => sum + month.evaluations, 0);
  const made = runtimes.reduce((sum, runtime) => sum + runtime.made, 0);
  return { worst, refused: runtimes.reduce((sum, { refused }) => sum + refused, 0), lost: used + made - stored };
}

it("50 runtimes never get more than the plan when things break, and every evaluation is counted once", async () => {
  let failures = 0;
  let refused = 0;
  for (let i = 0; i < n; i++) {
    const result = await trySchedule(seededRandom(seed * 100_003 + i));
    refused += result.refused;
    if (result.worst > 0 || result.lost !== 0) {
      failures += 1;
      console.error(`schedule ${i} of seed ${seed}: ${JSON.stringify(result)}`);
    }
  }
  reportSample({ n, failures });
  expect(failures).toBe(0);
  // Else the schedules do not come near the limit, and show nothing.
  expect(refused).toBeGreaterThan(0);
});

// Runs whose workers die as by a power cut. Waiting for the sweep would take two minutes each time; so the test adds
// the jobs itself, as the sweep does.

import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { wakeRun } from "../../../src/domain/run/run.ts";
import { Erasures } from "../../../src/domain/telemetry/erasure.ts";
import { type Database, openDatabase } from "../../../src/store/connection/database.ts";
import { runBound } from "../../../src/store/core/bulk.ts";
import { RunRow } from "../../../src/store/run/run.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { eventually } from "../../harness/eventually.ts";
import { startWorkerProcess } from "../../harness/process/worker-process.ts";
import { testMasterKey, testSealer } from "../../harness/sealer.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";
import { evaluation } from "../../src/domain/telemetry/evaluation.ts";

const { n } = sampleOf({ n: 1, seed: 1 });
/** Traces of one person: an erasure takes a step for each two hundred. */
const traces = 6_000;

let urls: TestDatabase;
let database: Database;
let world: World;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
  world = await createWorld(database);
});

afterAll(async () => {
  await database.close();
  await urls.drop();
});

const startWorker = () =>
  startWorkerProcess({ DATABASE_WORKER_URL: urls.workerUrl, POLICY_GUARD_MASTER_KEY: testMasterKey });

async function addTraces(userId: string): Promise<void> {
  const record = Buffer.from(toBinary(EvaluationRecordSchema, evaluation({ userId })));
  await database.systemTransaction(world.orgId, (tx) =>
    runBound(
      tx,
      `insert into trace (org_id, id, created_at, project_id, environment, user_id, stage, outcome, would_be_outcome,
         bundle_version, latency_us, capture, received_at, record, form)
       select $1, gen_random_uuid(), now() - n * interval '1 second', $2, 'dev', $3, 1, 1, 1, 1, 1, 1, now(), $4, 1
       from generate_series(1, $5::int) as n`,
      [world.orgId, world.projectId, userId, record, traces],
    ),
  );
}

it("lets a run reach everything once, however often its worker is killed", async () => {
  const erasures = new Erasures(database, testSealer);
  let kills = 0;
  let wrong = 0;
  while (kills < n) {
    const userId = randomUUID();
    await addTraces(userId);
    const { run } = await erasures.create(world.caller, { userId, traceIds: [] }, "");
    const read = () =>
      database.read(world.orgId, (tx) => tx.em.findOneOrFail(RunRow, { orgId: world.orgId, id: run.id }));
    // Some die before the first step, some in the middle, and the last one of each run may live.
    for (let killed = 0; killed < 5 && kills < n; killed += 1) {
      const worker = await startWorker();
      const { done } = await read();
      await eventually(async () => expect((await read()).done).toBeGreaterThan(done));
      await sleep(randomInt(40));
      await worker.kill();
      kills += 1;
      if ((await read()).state === "succeeded") break;
      await database.systemTransaction(world.orgId, (tx) => wakeRun(tx, run.id));
    }
    const worker = await startWorker();
    const ended = await eventually(async () => {
      const row = await read();
      expect(row.finishedAt).not.toBeNull();
      return row;
    });
    await worker.stop();
    const { erased } = await erasures.get(world.caller, run.id);
    const [left] = await database.read(world.orgId, (tx) =>
      tx.sql<{ n: number }>("select count(*)::int as n from trace where user_id = ?", [userId]),
    );
    if (ended.state !== "succeeded" || erased.traces !== traces || left?.n !== 0) wrong += 1;
  }
  reportSample({ n: kills, failures: wrong });
  expect(wrong).toBe(0);
});

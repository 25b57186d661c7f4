// What a worker does, when a test asks for it: tests of pages watch what they show before and after.

import { pino } from "pino";
import { ownAnalysis } from "../../../src/domain/analysis/own-analysis.ts";
import { SigningKeys } from "../../../src/domain/bundle/signing-keys.ts";
import { QueueFill } from "../../../src/domain/measure/annotation/queue-fill.ts";
import { BenchmarkRun } from "../../../src/domain/measure/benchmark/benchmark-run.ts";
import { CalibrationRun } from "../../../src/domain/measure/calibration/calibration-run.ts";
import { sampleSeals } from "../../../src/domain/measure/dataset/dataset-sample.ts";
import { ReplayRun } from "../../../src/domain/replay/replay-run.ts";
import { RunWorker } from "../../../src/domain/run/run-worker.ts";
import { CheckpointSigning } from "../../../src/domain/telemetry/checkpoint-signing.ts";
import { systemClock } from "../../../src/kit/process/clock.ts";
import { type Database, openDatabase } from "../../../src/store/connection/database.ts";
import type { TestControlPlane } from "../process/control-plane.ts";
import { testSealer } from "../sealer.ts";

/** Works once for an organization. */
export interface TestWorker {
  /** Works on every run that waits, to its end. Returns how many there were. */
  workOnRuns(): Promise<number>;
  fillQueue(): Promise<void>;
  /** Signs a checkpoint of the log of evidence. */
  signLog(): Promise<void>;
}

/** Does the work of a worker for the organization, with a connection of its own. */
export async function withWorker<T>(
  plane: TestControlPlane,
  orgId: string,
  work: (worker: TestWorker) => Promise<T>,
): Promise<T> {
  const database = await openDatabase({ url: plane.urls.workerUrl, poolSize: 1 });
  try {
    return await work(workerOn(database, orgId));
  } finally {
    await database.close();
  }
}

function workerOn(database: Database, orgId: string): TestWorker {
  const [seals, analysis] = [sampleSeals(testSealer), ownAnalysis()];
  const kinds = {
    benchmark: new BenchmarkRun({ database, seals, analysis }),
    calibration: new CalibrationRun({ database, seals, analysis }),
    replay: new ReplayRun({ database, sealer: testSealer, analysis }),
  };
  const runs = new RunWorker(database, { kinds, clock: systemClock, log: pino({ level: "silent" }) });
  const isOpen = async (id: string) => {
    const text = "select id from run where org_id = ? and id = ? and finished_at is null";
    const open = await database.read(orgId, (tx) => tx.sql(text, [orgId, id]));
    return open.length > 0;
  };
  return {
    async workOnRuns() {
      const text = "select id from run where org_id = ? and finished_at is null order by created_at";
      const waiting = await database.read(orgId, (tx) => tx.sql<{ id: string }>(text, [orgId]));
      // A job works for five seconds and adds itself again, which a busy machine makes of the smallest run.
      for (const { id } of waiting) while (await isOpen(id)) await runs.work({ org_id: orgId, run_id: id });
      return waiting.length;
    },
    fillQueue: () => new QueueFill(database, systemClock, testSealer).fillOrganization(orgId),
    async signLog() {
      await new CheckpointSigning(database, new SigningKeys(database, testSealer), systemClock).sign(orgId);
    },
  };
}

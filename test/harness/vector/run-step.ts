// Steps of vectors about runs: what a worker does.

import { pino } from "pino";
import { RunWorker } from "../../../src/domain/run/run-worker.ts";
import { ErasureRun } from "../../../src/domain/telemetry/erasure-run.ts";
import { openDatabase } from "../../../src/store/connection/database.ts";
import { testSealer } from "../sealer.ts";
import type { SceneStep } from "./scene-step.ts";

/** Steps about runs; see scene.ts. */
export const runSteps: Readonly<Record<string, SceneStep>> = {
  $work: async ({ run_id }, { plane, clock }, { orgId }) => {
    const database = await openDatabase({ url: plane.urls.workerUrl, poolSize: 1, clock });
    try {
      const kinds = { erasure: new ErasureRun(testSealer) };
      await new RunWorker(database, { kinds, clock, log: pino({ level: "silent" }) }).work({
        org_id: orgId,
        run_id: String(run_id),
      });
      return {};
    } finally {
      await database.close();
    }
  },
};

// Steps of vectors about runs: what a worker does.

import { pino } from "pino";
import { ownAnalysis } from "../../../src/domain/analysis/own-analysis.ts";
import { SigningKeys } from "../../../src/domain/bundle/signing-keys.ts";
import { BenchmarkRun } from "../../../src/domain/measure/benchmark/benchmark-run.ts";
import { CalibrationRun } from "../../../src/domain/measure/calibration/calibration-run.ts";
import { eraseSamplesAbout } from "../../../src/domain/measure/dataset/dataset-erasure.ts";
import { sampleSeals } from "../../../src/domain/measure/dataset/dataset-sample.ts";
import { ReplayRun } from "../../../src/domain/replay/replay-run.ts";
import { RunWorker } from "../../../src/domain/run/run-worker.ts";
import { CheckpointSigning } from "../../../src/domain/telemetry/checkpoint-signing.ts";
import { ErasureRun } from "../../../src/domain/telemetry/erasure-run.ts";
import { beginEpoch } from "../../../src/domain/telemetry/evidence-epoch.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { openDatabase } from "../../../src/store/connection/database.ts";
import { testSealer } from "../sealer.ts";
import { stillClock } from "../still-clock.ts";
import type { SceneStep } from "./scene-step.ts";

/** Steps about runs; see scene.ts. */
export const runSteps: Readonly<Record<string, SceneStep>> = {
  $work: async ({ run_id }, { plane, clock }, { orgId }) => {
    const database = await openDatabase({ url: plane.urls.workerUrl, poolSize: 1, clock });
    try {
      const analysis = ownAnalysis();
      const kinds = {
        erasure: new ErasureRun(testSealer, eraseSamplesAbout),
        benchmark: new BenchmarkRun({ database, seals: sampleSeals(testSealer), analysis }),
        calibration: new CalibrationRun({ database, seals: sampleSeals(testSealer), analysis }),
        replay: new ReplayRun({ database, sealer: testSealer, analysis }),
      };
      await new RunWorker(database, { kinds, clock: stillClock, log: pino({ level: "silent" }) }).work({
        org_id: orgId,
        run_id: String(run_id),
      });
      return {};
    } finally {
      await database.close();
    }
  },
  $afterRestore: async ({ reason }, { plane }, { orgId }) => {
    const audit = { action: "evidence.begin_epoch", requestId: newId(), address: "" };
    const credential = { id: "operator", label: "operator:ada" };
    await plane.database.transaction({ orgId, credential, audit }, (tx) => beginEpoch(tx, String(reason)));
    return {};
  },
  $checkpoint: async (_request, { plane, clock }, { orgId }) => {
    const database = await openDatabase({ url: plane.urls.workerUrl, poolSize: 1, clock });
    try {
      await new CheckpointSigning(database, new SigningKeys(database, testSealer), clock).sign(orgId);
      return {};
    } finally {
      await database.close();
    }
  },
};

// Benchmarks: the samples of a dataset judged by the policy of W, from the rows to the results, as a worker does it,
// against the engine alone on the same texts. Both in one process, and the database beside it: the CPU time is that of
// the process, and then also with that of the database. `--quick` takes fewer samples.

import type { JsonValue } from "@bufbuild/protobuf";
import { pino } from "pino";
import { ownAnalysis } from "../src/domain/analysis/own-analysis.ts";
import { Benchmarks } from "../src/domain/measure/benchmark/benchmark.ts";
import { BenchmarkRun } from "../src/domain/measure/benchmark/benchmark-run.ts";
import { noTarget } from "../src/domain/measure/benchmark/benchmark-target.ts";
import { sampleSeals } from "../src/domain/measure/dataset/dataset-sample.ts";
import { RunWorker } from "../src/domain/run/run-worker.ts";
import { systemClock } from "../src/kit/process/clock.ts";
import { createSealer, parseMasterKeys } from "../src/platform/seal.ts";
import { type Database, openDatabase } from "../src/store/connection/database.ts";
import { adminCaller } from "../test/harness/vector/world.ts";
import { newTexts } from "./load/bodies.ts";
import { importDataset, samplesOf } from "./load/datasets.ts";
import { workLoadEngine } from "./load/engine.ts";
import { startServer } from "./load/http.ts";
import { workLoadPolicy } from "./load/policy.ts";
import { type Bench, measure, timed } from "./measure.ts";
import type { BenchControlPlane } from "./server/control-plane.ts";
import { startBenchDatabase } from "./server/database.ts";

/** Measures benchmarks. */
export const benchmarkBench: Bench = async ({ isQuick }) => {
  const texts = newTexts(isQuick ? 4 : 16);
  const server = await startBenchDatabase();
  const plane = await startServer<BenchControlPlane>("control-plane", server.applicationUrl);
  const database = await openDatabase({ url: server.applicationUrl, poolSize: 2 });
  const workerDatabase = await openDatabase({ url: server.workerUrl, poolSize: 2 });
  try {
    const { id: datasetId } = await importDataset(plane.told, "texts", samplesOf(texts));
    const run = benchmarkOnce({ database, workerDatabase, plane: plane.told, datasetId });
    const engine = workLoadEngine();
    const base = "engine alone";
    return await measure([
      { name: base, run: () => timed(texts, 1, engine) },
      { name: "benchmark, a sample", against: base, run: () => counted(texts.length, run, () => 0) },
      {
        name: "the same, with the CPU time of the database",
        against: base,
        run: () => counted(texts.length, run, () => server.cpuSeconds()),
      },
    ]);
  } finally {
    plane.child.kill();
    await Promise.all([database.close(), workerDatabase.close()]);
    await server.stop();
  }
};

function benchmarkOnce({
  database,
  workerDatabase,
  plane,
  datasetId,
}: {
  readonly database: Database;
  readonly workerDatabase: Database;
  readonly plane: BenchControlPlane;
  readonly datasetId: string;
}): () => Promise<void> {
  const analysis = ownAnalysis();
  const seals = sampleSeals(createSealer({ masterKeys: parseMasterKeys(plane.masterKey) }));
  const kinds = { benchmark: new BenchmarkRun({ database: workerDatabase, seals, analysis }) };
  const worker = new RunWorker(workerDatabase, { kinds, clock: systemClock, log: pino({ level: "silent" }) });
  const benchmarks = new Benchmarks({ database, clock: systemClock, analysis });
  const caller = {
    ...adminCaller(plane.orgId),
    audit: { action: "benchmark.create", requestId: "", address: "" },
  };
  const document = JSON.parse(JSON.stringify(workLoadPolicy())) as JsonValue; // plain data
  return async () => {
    const { run } = await benchmarks.create(caller, {
      ...{ datasetId, version: undefined, target: { ...noTarget, document }, filter: {} },
      positive: { labels: ["attack"], outcomeAtLeast: "FLAG", labelMap: {} },
      ...{ seed: 0, sweep: false, scope: {}, asOf: undefined },
    });
    for (;;) {
      await worker.work({ org_id: plane.orgId, run_id: run.id });
      const { run: now } = await benchmarks.get(caller, run.id);
      if (now.state === "succeeded") return;
      if (now.finishedAt != null) throw new Error(`the benchmark has ${now.state}: ${now.errorMessage}`);
    }
  };
}

async function counted(operations: number, work: () => Promise<void>, moreCpuSeconds: () => number) {
  const cpuBefore = process.cpuUsage();
  const moreBefore = moreCpuSeconds();
  const startedAtMs = performance.now();
  await work();
  const seconds = (performance.now() - startedAtMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { operations, seconds, cpuSeconds: (user + system) / 1e6 + moreCpuSeconds() - moreBefore };
}

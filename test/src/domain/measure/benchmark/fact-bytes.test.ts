// What samples say of themselves and what others upload about them may be of any size: it is bounded in bytes before it
// is in memory. Limits are small here. And what comes of the samples does not depend on who measures.

import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Reason } from "../../../../../gen/policyguard/common/v1/reason_pb.ts";
import type { Analysis } from "../../../../../src/domain/analysis/analysis.ts";
import { ownAnalysis } from "../../../../../src/domain/analysis/own-analysis.ts";
import { Benchmarks } from "../../../../../src/domain/measure/benchmark/benchmark.ts";
import { heldBytes } from "../../../../../src/domain/measure/benchmark/benchmark-fact.ts";
import { BenchmarkRun } from "../../../../../src/domain/measure/benchmark/benchmark-run.ts";
import { noTarget } from "../../../../../src/domain/measure/benchmark/benchmark-target.ts";
import { PredictionUploads } from "../../../../../src/domain/measure/benchmark/prediction-upload.ts";
import { sampleSeals } from "../../../../../src/domain/measure/dataset/dataset-sample.ts";
import { RunWorker } from "../../../../../src/domain/run/run-worker.ts";
import { systemClock } from "../../../../../src/kit/process/clock.ts";
import { countFactBytes } from "../../../../../src/store/measure/benchmark/benchmark-result.ts";
import { sharedAnalysis } from "../../../../harness/analysis.ts";
import { addDataset, callsOf, startGateWorld } from "../../../../harness/gate-world.ts";
import { testSealer } from "../../../../harness/sealer.ts";
import { stillClock } from "../../../../harness/still-clock.ts";
import { adminCaller } from "../../../../harness/vector/world.ts";

/** Of ten samples; two predictions with twenty long spans each exceed it. */
const maxFactBytes = 8_000;
const analysis = ownAnalysis();
const signal = new AbortController().signal;

let scene: Awaited<ReturnType<typeof startGateWorld>>;
beforeAll(async () => {
  scene = await startGateWorld();
});
afterAll(() => scene.stop());

/** An organization with ten samples, and what works with them within this limit. */
async function withSamples(limit: number) {
  const world = await scene.newWorld();
  const call = callsOf(scene.plane.baseUrl, world);
  const datasetId = await addDataset(call, { attacks: 5, innocent: 5 });
  const { body } = await call("GET", `org:/datasets/${datasetId}/samples`);
  const ids: string[] = body.samples.map(({ id }: { id: string }) => id);
  const { database } = scene.plane;
  const seals = sampleSeals(testSealer);
  const benchmarks = new Benchmarks({ database, clock: systemClock, analysis, maxFactBytes: limit });
  const uploads = new PredictionUploads({ database, seals, analysis, benchmarks, maxFactBytes: limit });
  const caller = { ...adminCaller(world.orgId), audit: { action: "benchmark.create", requestId: "", address: "" } };
  const create = async (target: Partial<typeof noTarget>) =>
    (
      await benchmarks.create(caller, {
        ...{ datasetId, version: undefined, target: { ...noTarget, ...target }, filter: {} },
        positive: { labels: ["attack"], outcomeAtLeast: "FLAG", labelMap: {} },
        ...{ seed: 0, sweep: false, scope: {}, asOf: undefined },
      })
    ).run.id;
  const upload = (id: string, lines: readonly object[], isFinal = true) => {
    const file = Buffer.from(lines.map((line) => JSON.stringify(line)).join("\n"));
    return uploads.upload(caller, id, { file: piecesOf(file), isFinal, signal });
  };
  /** Works as a worker with this limit. */
  const work = async (runId: string, most: number, by: Analysis = analysis) => {
    const parts = { database: scene.database, seals, analysis: by, maxFactBytes: most };
    const kinds = { benchmark: new BenchmarkRun(parts) };
    const worker = new RunWorker(scene.database, { kinds, clock: stillClock, log: pino({ level: "silent" }) });
    await worker.work({ org_id: world.orgId, run_id: runId });
    return (await benchmarks.get(caller, runId)).run;
  };
  return { ids, benchmarks, caller, create, upload, work };
}

async function* piecesOf(file: Uint8Array): AsyncGenerator<Uint8Array> {
  yield file;
}

const predictions = { predictions: { name: "other", version: null } };
const label = "x".repeat(128);
/** So many spans with labels as long as they may be. */
const spans = (n: number) => Array.from({ length: n }, (_, at) => ({ start: at, end: at + 1, label }));

describe("facts of a benchmark", () => {
  it("are refused line by line where labels and spans take more room than a line has", async () => {
    const { ids, create, upload } = await withSamples(10 ** 6);
    const id = await create(predictions);
    const { accepted, problems, hasBegun } = await upload(id, [
      { sample_id: ids[0], outcome: "BLOCK", spans: spans(200) },
      { sample_id: ids[1], outcome: "BLOCK", spans: spans(100) },
    ]);
    expect({ accepted, hasBegun }).toEqual({ accepted: 1, hasBegun: false });
    expect(problems).toMatchObject([{ line: 1, sampleId: ids[0], code: "too_long" }]);
  });

  it("count for more where a character takes two bytes of memory", () => {
    expect(heldBytes("a".repeat(100))).toBe(100);
    const wide = `${"a".repeat(100)}😀`;
    expect(heldBytes(wide)).toBeGreaterThanOrEqual(2 * wide.length);
  });

  it("are refused above the limit of a benchmark, and those that take the place of others do not add up", async () => {
    const { ids, create, upload } = await withSamples(maxFactBytes);
    const id = await create(predictions);
    const large = (at: number) => ({ sample_id: ids[at], outcome: "BLOCK", spans: spans(20) });
    for (let again = 0; again < 4; again++) expect((await upload(id, [large(0)], false)).accepted).toBe(1);
    const tooMuch = upload(id, [large(1), large(2)], false);
    await expect(tooMuch).rejects.toMatchObject({ reason: Reason.LIMIT_REACHED, extra: { limit: maxFactBytes } });
    // What is too large is replaced, and then there is room.
    const small = ids.map((sample_id) => ({ sample_id, outcome: "ALLOW" }));
    expect(await upload(id, small)).toMatchObject({ accepted: 10, hasBegun: true });
  });

  it("are not read by a step, nor by a comparison, that would hold more than the limit", async () => {
    const { caller, create, work } = await withSamples(maxFactBytes);
    const target = { detector: { use: "injection", parameters: {} } };
    const first = await create(target);
    expect(await work(first, 1_000)).toMatchObject({ state: "failed", errorCode: "limit_reached" });
    const [second, third] = [await create(target), await create(target)];
    for (const id of [second, third]) expect((await work(id, maxFactBytes)).state).toBe("succeeded");
    // Either has room, and both together have none.
    const { database } = scene.plane;
    const bytes = await database.read(caller.orgId, (tx) => countFactBytes(tx, [second]));
    const parts = { database, clock: systemClock, analysis };
    const narrow = new Benchmarks({ ...parts, maxFactBytes: Math.ceil(1.5 * bytes) });
    const compared = narrow.compare(caller, second, { with: third, commonSamples: false });
    await expect(compared).rejects.toMatchObject({ reason: Reason.LIMIT_REACHED });
    const { compared: same } = await new Benchmarks(parts).compare(caller, second, {
      with: third,
      commonSamples: false,
    });
    expect(same).toMatchObject({ common: 10, overall: { onlyRight: 0, onlyWrong: 0 } });
  });
});

describe("results of a benchmark", () => {
  it("are the same to the byte, whichever process judges and measures", async () => {
    const { benchmarks, caller, create, work } = await withSamples(10 ** 6);
    const target = { detector: { use: "injection", parameters: {} } };
    const digests: (string | undefined)[] = [];
    for (const by of [analysis, sharedAnalysis()]) {
      const id = await create(target);
      expect((await work(id, 10 ** 6, by)).state).toBe("succeeded");
      digests.push((await benchmarks.get(caller, id)).progress.measured?.resultDigest);
    }
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(digests[1]).toBe(digests[0]);
  });
});

// Predictions of others, as they are uploaded: each becomes the result of its sample at once, by the same measures as
// what the product judges itself. The run waits for the last of them.

import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../../kit/fault/fault.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Database } from "../../../store/connection/database.ts";
import { addBenchmarkResults, countFactBytes } from "../../../store/measure/benchmark/benchmark-result.ts";
import { samplesWithoutResult } from "../../../store/measure/dataset/dataset-sample.ts";
import { lockHeldRun, releaseRun } from "../../../store/run/run.ts";
import type { Analysis } from "../../analysis/analysis.ts";
import { wakeRun } from "../../run/run.ts";
import type { TextSeals } from "../../sealed-text.ts";
import { readVersion } from "../dataset/dataset-sample.ts";
import { readRecords } from "../dataset/import-record.ts";
import { type Benchmark, type Benchmarks, requireBenchmark } from "./benchmark.ts";
import { heldBytes, maxFactBytes, tooManyBytes } from "./benchmark-fact.ts";
import { benchmarkSpecOf } from "./benchmark-spec.ts";
import { type PredictionLine, type PredictionProblem, readPrediction } from "./prediction-line.ts";
import { resultOf, textOf } from "./sample-result.ts";

/** Predictions that one transaction stores: their samples are read whole, and each may have 256 KiB. */
const linesAtOnce = 100;
const maxListed = 1_000;

/** What came of an upload. */
export interface PredictionUpload {
  readonly accepted: number;
  readonly rejected: number;
  /** Whether the benchmark has begun. */
  readonly hasBegun: boolean;
  /** In the order of their lines. */
  readonly problems: readonly PredictionProblem[];
  /** The samples about which nothing was said so far; undefined before the last lines. */
  readonly missing: { readonly ids: readonly string[]; readonly count: number } | undefined;
  readonly benchmark: Benchmark;
}

/** What uploads work with. */
export interface PredictionUploadParts {
  readonly database: Database;
  readonly seals: TextSeals;
  readonly analysis: Analysis;
  readonly benchmarks: Benchmarks;
  /** Bytes that the facts of one benchmark have at most. Default: 256 MiB. */
  readonly maxFactBytes?: number;
}

/** Takes predictions. */
export class PredictionUploads {
  readonly #parts: PredictionUploadParts;

  constructor(parts: PredictionUploadParts) {
    this.#parts = parts;
  }

  /** Takes the lines of a file. With `isFinal`, and if none was refused, the benchmark begins. */
  async upload(
    caller: Caller,
    id: string,
    {
      file,
      isFinal,
      signal,
    }: { readonly file: AsyncIterable<Uint8Array>; readonly isFinal: boolean; readonly signal: AbortSignal },
  ): Promise<PredictionUpload> {
    const { database, benchmarks } = this.#parts;
    const { spec } = await benchmarks.get(caller, id);
    const tally = { accepted: 0, rejected: 0 };
    const problems: PredictionProblem[] = [];
    const refuse = (more: readonly PredictionProblem[]) => {
      tally.rejected += more.length;
      problems.push(...more.slice(0, maxListed - problems.length));
    };
    let batch: PredictionLine[] = [];
    let storedBytes = await this.#storedBytes(caller, id);
    const store = async () => {
      const { unknown, bytes } = await this.#store(caller, id, batch);
      tally.accepted += batch.length - unknown.length;
      refuse(unknown);
      batch = [];
      storedBytes = await this.#checkedBytes(caller, id, storedBytes + bytes);
    };
    for await (const records of readRecords(file, "jsonl")) {
      for (const record of records) {
        const read = readPrediction(record);
        if ("code" in read) refuse([read]);
        else batch.push(read);
        if (batch.length >= linesAtOnce) await store();
      }
    }
    await store();
    // A body that broke off may look like one that has ended; the call is over by then.
    signal.throwIfAborted();
    const hasBegun = isFinal && tally.rejected === 0;
    const missing = await database.transaction(caller, async (tx) => {
      requireHeld(await lockHeldRun(tx, id));
      if (hasBegun) {
        await releaseRun(tx, id);
        await wakeRun(tx, id);
      }
      tx.changed({ resource: `benchmark/${id}`, before: null, after: { ...tally, final: hasBegun } });
      const { datasetId, version, filter } = spec;
      const measured = { datasetId, filter: { ...filter, version }, runId: id };
      return isFinal ? samplesWithoutResult(tx, measured, maxListed) : undefined;
    });
    problems.sort((a, b) => a.line - b.line);
    return { ...tally, hasBegun, problems, missing, benchmark: await benchmarks.get(caller, id) };
  }

  #storedBytes({ orgId }: Caller, id: string): Promise<number> {
    return this.#parts.database.read(orgId, (tx) => countFactBytes(tx, [id]));
  }

  /** Throws LIMIT_REACHED when there is too much. Lines that took the place of others were counted beside them. */
  async #checkedBytes(caller: Caller, id: string, atMost: number): Promise<number> {
    const { maxFactBytes: max = maxFactBytes } = this.#parts;
    if (atMost <= max) return atMost;
    const bytes = await this.#storedBytes(caller, id);
    if (bytes > max) throw tooManyBytes(max);
    return bytes;
  }

  /** Stores results. Returns the lines whose sample is not among those that the benchmark measures. */
  async #store(
    caller: Caller,
    id: string,
    batch: readonly PredictionLine[],
  ): Promise<{ readonly unknown: readonly PredictionProblem[]; readonly bytes: number }> {
    if (batch.length === 0) return { unknown: [], bytes: 0 };
    const { database, seals, analysis } = this.#parts;
    // Of several lines about a sample the last one counts.
    const lines = new Map(batch.map((line) => [line.sampleId, line]));
    const { spec, samples } = await database.read(caller.orgId, async (tx) => {
      const run = await requireBenchmark(tx, caller, id);
      const { datasetId, version, filter, ...rest } = benchmarkSpecOf(JSON.parse(run.spec));
      const of = { seals, datasetId, filter: { ...filter, version, ids: [...lines.keys()] } };
      return { spec: rest, samples: await readVersion(tx, of, { limit: lines.size }) };
    });
    const question = {
      ...{ target: undefined, agentId: undefined, nowMs: 0 },
      samples: samples.map(({ row, content }) => ({ id: row.sampleId, content: textOf(content) })),
    };
    const judged = await analysis.run("judgeSamples", question, { orgId: caller.orgId });
    const results = samples.map((sample, at) => {
      const prediction = lines.get(sample.row.sampleId)?.prediction ?? null;
      const hasKeyword = judged[at]?.hasKeyword ?? false;
      return resultOf(sample, { id: sample.row.sampleId, prediction, hasKeyword }, spec.positive);
    });
    await database.systemTransaction(caller.orgId, async (tx) => {
      requireHeld(await lockHeldRun(tx, id));
      await addBenchmarkResults(tx, id, results);
    });
    const known = new Set(samples.map(({ row }) => row.sampleId));
    const unknown = batch.flatMap(({ line, sampleId }): PredictionProblem[] => {
      if (known.has(sampleId)) return [];
      const message = "the benchmark measures no such sample: it is not in this version, or the filter leaves it out";
      return [{ line, sampleId, code: "unknown_sample", message }];
    });
    return { unknown, bytes: results.reduce((sum, { fact }) => sum + heldBytes(fact), 0) };
  }
}

function requireHeld(isHeld: boolean): void {
  if (isHeld) return;
  throw new Fault(
    Reason.CONFLICT,
    "the benchmark takes no predictions: its target is another one, or it has begun, ended or was canceled",
  );
}

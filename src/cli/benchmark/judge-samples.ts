// Asks judges about the samples of a dataset, and uploads what they say: never a text.

import type { Benchmark } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import type { DatasetSplit } from "../../../gen/policyguard/control/v1/dataset_pb.ts";
import type { Sample as SampleMessage } from "../../../gen/policyguard/control/v1/dataset_sample_pb.ts";
import type { BackendFinding } from "../../../runtime/engine/backend/backend.ts";
import { refusal } from "../failure.ts";
import type { Organization } from "../server.ts";
import type { Judge } from "./judge.ts";
import { type JudgeCalls, type JudgeFailure, openJudge } from "./judge-call.ts";
import { PredictionUpload } from "./prediction-upload.ts";

/** Samples that all judges are asked about before the next ones are read. */
const samplesAtOnce = 64;
/** What is uploaded at once. */
const upload = { lines: 1_000, bytes: 8 * 2 ** 20 };
/** Failures in a row after which a judge is not asked any more: a run of thousands must end. */
const maxFailuresInRow = 25;
const maxLabels = 32;
const maxSpans = 200;

/**
 * Why nothing is known of a sample: the judge gave no answer, was not asked any more, or there is no text to ask about.
 */
export type Unanswered = JudgeFailure | "given_up" | "no_text";

/** A judge at work on its benchmark. */
export interface Seat {
  readonly judge: Judge;
  readonly benchmark: Benchmark;
  /** Samples that it was asked about and answered. */
  answered: number;
  /** Samples without an answer, by the reason. */
  readonly unanswered: Map<Unanswered, number>;
  /** What was wrong first, for people. */
  firstProblem: string | undefined;
}

/** Which samples are asked about. */
export interface AskedSamples {
  readonly datasetId: string;
  readonly version: number;
  readonly split: DatasetSplit | undefined;
}

/** A sample as judges are asked about it. */
interface Sample {
  readonly id: string;
  readonly texts: readonly string[];
  /** The segment of each text. */
  readonly segments: readonly number[];
}

/** A seat for a judge whose benchmark waits for predictions. */
export function newSeat(judge: Judge, benchmark: Benchmark): Seat {
  return { judge, benchmark, answered: 0, unanswered: new Map(), firstProblem: undefined };
}

/** Asks all judges about all samples; then their benchmarks begin. */
export async function askJudges(
  server: Organization,
  seats: readonly Seat[],
  { datasetId, version, split }: AskedSamples,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const inTurn = takeTurns();
  const working = seats.map((seat) => new SeatAtWork(server, { seat, env, inTurn }));
  try {
    // Page by page: however slow judges are, no call takes long.
    for (let after: string | undefined; ; ) {
      const page = { orgId: server.orgId, datasetId, version, split, after, limit: samplesAtOnce };
      const { samples } = await server.datasets.listSamples(page);
      await Promise.all(working.map((each) => each.judge(samples.map(textsOf))));
      if (samples.length < samplesAtOnce) break;
      after = samples.at(-1)?.id;
    }
    await Promise.all(working.map((each) => each.finish()));
  } finally {
    for (const each of working) each.close();
  }
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

// The server takes a few uploads of an organization at once, and refuses more.
function takeTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

function textsOf({ id, text, segments }: SampleMessage): Sample {
  const all = text === undefined ? segments.map((segment) => segment.text) : [text];
  const told = all.map((each, segment) => ({ each, segment })).filter(({ each }) => each !== "");
  return { id, texts: told.map(({ each }) => each), segments: told.map(({ segment }) => segment) };
}

/** Asks one judge, and sends what it says. */
class SeatAtWork {
  readonly #seat: Seat;
  readonly #calls: JudgeCalls;
  readonly #upload: PredictionUpload;
  readonly #inTurn: InTurn;
  #held: string[] = [];
  #heldBytes = 0;
  #failuresInRow = 0;

  constructor(
    server: Organization,
    { seat, env, inTurn }: { readonly seat: Seat; readonly env: NodeJS.ProcessEnv; readonly inTurn: InTurn },
  ) {
    this.#seat = seat;
    this.#inTurn = inTurn;
    this.#calls = openJudge(seat.judge, env);
    this.#upload = new PredictionUpload(server, seat.benchmark.id);
  }

  /** Asks about some samples. */
  async judge(samples: readonly Sample[]): Promise<void> {
    const lines: string[] = [];
    const waiting = samples.entries();
    const work = async () => {
      for (const [at, sample] of waiting) lines[at] = `${JSON.stringify(await this.#say(sample))}\n`;
    };
    await Promise.all(Array.from({ length: this.#calls.atOnce }, work));
    for (const line of lines) this.#heldBytes += line.length;
    this.#held.push(...lines);
    if (this.#held.length >= upload.lines || this.#heldBytes >= upload.bytes) await this.#send();
  }

  /** Sends the rest, and begins the benchmark. */
  async finish(): Promise<void> {
    await this.#send();
    const { rejected, errors } = this.#upload;
    const [first] = errors;
    if (rejected > 0) {
      const why = `the server took ${rejected} of its predictions not: ${first?.message ?? ""}`;
      throw refusal("predictions_refused", `${this.#seat.judge.key}: ${why}`);
    }
    await this.#inTurn(() => this.#upload.begin());
  }

  close(): void {
    this.#calls.close();
  }

  async #send(): Promise<void> {
    if (this.#held.length === 0) return;
    const [bytes, lines] = [Buffer.from(this.#held.join("")), this.#held.length];
    this.#held = [];
    this.#heldBytes = 0;
    await this.#inTurn(() => this.#upload.send({ bytes, lines }));
  }

  async #say(sample: Sample) {
    if (sample.texts.length === 0) return this.#nothing(sample, "no_text");
    if (this.#failuresInRow >= maxFailuresInRow) return this.#nothing(sample, "given_up");
    const beganMs = performance.now();
    const answer = await this.#calls.ask(sample.texts);
    const latencyUs = Math.round((performance.now() - beganMs) * 1_000);
    if ("failure" in answer) {
      this.#failuresInRow += 1;
      this.#seat.firstProblem ??= answer.why;
      return this.#nothing(sample, answer.failure);
    }
    this.#failuresInRow = 0;
    this.#seat.answered += 1;
    return { sample_id: sample.id, ...said(answer.findings, sample, this.#seat.judge), latency_us: latencyUs };
  }

  #nothing({ id }: Sample, why: Unanswered) {
    const { unanswered } = this.#seat;
    unanswered.set(why, (unanswered.get(why) ?? 0) + 1);
    return { sample_id: id, error: why };
  }
}

/** What findings mean for a sample. */
function said(findings: readonly (readonly BackendFinding[])[], { segments }: Sample, judge: Judge) {
  const { categories, threshold } = judge;
  const counting = findings
    .flatMap((each, at) => each.map((finding) => ({ ...finding, segment: segments[at] ?? 0 })))
    .flatMap((finding) => {
      const label = categories === undefined ? finding.label : ownValue(categories, finding.label);
      return label === undefined ? [] : [{ ...finding, label: storable(label) }];
    })
    .sort((a, b) => b.score - a.score);
  const found = counting.filter(({ score }) => score >= threshold);
  const spans = found.flatMap(({ segment, start, end, label }) =>
    start === undefined || end === undefined ? [] : [{ segment, start, end, label }],
  );
  return {
    outcome: found.length > 0 ? "BLOCK" : "ALLOW",
    score: counting[0]?.score ?? 0,
    labels: [...new Set(found.map(({ label }) => label))].slice(0, maxLabels),
    spans: spans.slice(0, maxSpans),
  };
}

function ownValue(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

// A judge may say anything; a database keeps no NUL and no half of a surrogate pair.
function storable(label: string): string {
  return label.toWellFormed().replaceAll("\0", "\ufffd");
}

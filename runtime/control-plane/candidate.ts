// The candidate is a version that is evaluated beside the active one and never enforced. Its evaluations come from a
// short queue and run one at a time, after the answers have gone out; a busy runtime skips some, and counts them. A
// candidate can neither slow down an answer nor fail one. Its outcomes are counted, and a few differences are named; no
// text leaves the runtime this way. Both are compared without overrides, which end by themselves: a rule that one keeps
// in shadow would otherwise hide what a change of it blocks.

import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Bundle } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import {
  type BundleReference,
  BundleReferenceSchema,
  type CandidateOutcome,
  CandidateOutcomeSchema,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Outcome } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type CandidateTally, CandidateTallySchema } from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import type { ActivationPayload, CandidateReference } from "../../src/kit/bundle/statement-payload.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import type { Clock } from "../../src/kit/process/clock.ts";
import type { EngineBuilder } from "../bundle/active-bundle.ts";
import { rejectionText } from "../bundle/rejection.ts";
import { type ContentCheck, verifyContent } from "../bundle/verify.ts";
import { makeSwappable, prepare } from "../bundle/warm-up.ts";
import type { Engine } from "../engine/engine.ts";
import type { Evaluation } from "../engine/evaluate/evaluation.ts";

/** Max evaluations that wait for the candidate. */
const queueLimit = 32;
/** Max differences of one tally. */
const sampleLimit = 20;

/** The candidate, compiled. */
export interface LoadedCandidate {
  readonly engine: Engine;
  readonly reference: BundleReference;
}

/** Options of a candidate runner. */
export interface CandidateRunnerOptions {
  /** Fetches the candidate of the environment. */
  readonly fetch: (signal: AbortSignal) => Promise<Bundle>;
  /** The keys, scope and limits that its manifest and content are checked against. */
  readonly check: () => Omit<ContentCheck, "bundle">;
  readonly instanceId: string;
  readonly builder: EngineBuilder;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Waiting {
  /** What the active version says without overrides. */
  readonly active: () => Evaluation;
  readonly evaluate: (candidate: LoadedCandidate) => Evaluation;
}

/** Evaluates candidates, and counts. */
export class CandidateRunner {
  readonly #options: CandidateRunnerOptions;
  readonly #end = new AbortController();
  #wanted: CandidateReference | undefined;
  #loaded: LoadedCandidate | undefined;
  /** Whether the wanted one is neither loaded nor on its way. */
  #isFailed = false;
  #queue: Waiting[] = [];
  #isBusy = false;
  #tally = newTally();

  constructor(options: CandidateRunnerOptions) {
    this.#options = options;
  }

  /** The candidate that is evaluated now; undefined when there is none, or when this runtime takes no part in it. */
  get current(): LoadedCandidate | undefined {
    const isOver =
      this.#wanted !== undefined && Date.parse(this.#wanted.expires_at) <= this.#options.clock.now().getTime();
    return isOver ? undefined : this.#loaded;
  }

  /** Follows the candidate that the activation in force names. */
  follow({ candidate }: Pick<ActivationPayload, "candidate">): void {
    const wanted = candidate !== undefined && this.#takesPart(candidate) ? candidate : undefined;
    if (wanted?.digest === this.#wanted?.digest && wanted?.version === this.#wanted?.version) {
      this.#wanted = wanted;
      if (wanted !== undefined && this.#isFailed) void this.#load(wanted);
      return;
    }
    this.#wanted = wanted;
    this.#loaded = undefined;
    this.#isFailed = false;
    this.#queue = [];
    this.#tally = newTally();
    if (wanted !== undefined) void this.#load(wanted);
  }

  /** Queues an evaluation of the active version for the candidate, for when the process has nothing else to do. */
  consider(active: Waiting["active"], evaluate: Waiting["evaluate"]): void {
    if (this.current === undefined) return;
    if (this.#queue.length >= queueLimit) {
      this.#tally.skipped += 1;
      return;
    }
    this.#queue.push({ active, evaluate });
    if (this.#isBusy) return;
    this.#isBusy = true;
    setImmediate(() => this.#next());
  }

  /** The candidate's outcome at once, for a caller that asked for full detail. Undefined when it fails. */
  judge(active: Waiting["active"], evaluate: Waiting["evaluate"]): CandidateOutcome | undefined {
    const candidate = this.current;
    const pair = candidate && this.#compare(candidate, { active, evaluate });
    if (candidate === undefined || pair === undefined) return undefined;
    const changed = pair.candidate !== pair.active;
    return create(CandidateOutcomeSchema, { version: candidate.reference.version, outcome: pair.candidate, changed });
  }

  /** The counts since the last call; undefined when nothing was counted. */
  takeTally(): CandidateTally | undefined {
    const { pairs, samples, skipped, failed, loadFailure } = this.#tally;
    const isEmpty = pairs.size === 0 && skipped === 0 && failed === 0 && loadFailure === "";
    if (this.#wanted === undefined || isEmpty) return undefined;
    this.#tally = newTally();
    const { version, digest } = this.#wanted;
    const counts = { skipped, failed, pairs: [...pairs.values()], samples, loadFailure };
    return create(CandidateTallySchema, { version, digest, ...counts });
  }

  /** Aborts a load, and empties the queue. */
  stop(): void {
    this.#end.abort();
    this.#queue = [];
  }

  /**
   * The share consists of the same runtimes for the whole life of a candidate, and of others for the next candidate.
   */
  #takesPart({ digest, percent }: CandidateReference): boolean {
    const hash = createHash("sha256").update(`${this.#options.instanceId}:${digest}`).digest();
    return hash.readUInt32BE(0) % 100 < percent;
  }

  async #load(wanted: CandidateReference): Promise<void> {
    const { fetch, check, builder, log } = this.#options;
    this.#isFailed = false;
    let bundle: Bundle | undefined;
    try {
      bundle = await fetch(this.#end.signal);
      const found = await verifyContent({ ...check(), bundle }, wanted.digest);
      const engine = await builder.build(found);
      await prepare(engine, { isWanted: () => this.#wanted?.digest === wanted.digest });
      await makeSwappable(engine);
      if (this.#wanted?.digest !== wanted.digest) return;
      const { version, digest } = wanted;
      this.#loaded = { engine, reference: create(BundleReferenceSchema, { version, digest }) };
      log.info({ version: wanted.version }, "candidate is evaluated beside the active version");
    } catch (err) {
      if (this.#end.signal.aborted || this.#wanted?.digest !== wanted.digest) return;
      // The next refresh of the activation tries again.
      this.#isFailed = true;
      // A fetch that fails is about the network, not about the candidate.
      if (bundle !== undefined) this.#tally.loadFailure = rejectionText(err);
      log.warn({ err, version: wanted.version }, "the candidate could not be loaded");
    }
  }

  #next(): void {
    const waiting = this.#queue.shift();
    const candidate = this.current;
    if (waiting === undefined || candidate === undefined) {
      this.#isBusy = false;
      return;
    }
    this.#compare(candidate, waiting);
    setImmediate(() => this.#next());
  }

  #compare(candidate: LoadedCandidate, { active, evaluate }: Waiting): Pair | undefined {
    try {
      return this.#count(active(), evaluate(candidate));
    } catch {
      this.#tally.failed += 1;
      return undefined;
    }
  }

  #count(active: Evaluation, other: Evaluation): Pair {
    const pair = { active: active.response.outcome, candidate: other.response.outcome };
    const key = `${pair.active} ${pair.candidate}`;
    const { pairs, samples } = this.#tally;
    pairs.set(key, { ...pair, count: (pairs.get(key)?.count ?? 0) + 1 });
    if (pair.active === pair.candidate || samples.length >= sampleLimit) return pair;
    const { evaluationId } = active.response;
    const createdAt = timestampFromDate(this.#options.clock.now());
    samples.push({ ...pair, evaluationId, rule: other.decidedByRule, createdAt });
    return pair;
  }
}

interface Pair {
  readonly active: Outcome;
  readonly candidate: Outcome;
}

function newTally() {
  return {
    pairs: new Map<string, Pair & { readonly count: number }>(),
    samples: [] as (Pair & {
      readonly evaluationId: string;
      readonly rule: string;
      readonly createdAt: ReturnType<typeof timestampFromDate>;
    })[],
    skipped: 0,
    failed: 0,
    loadFailure: "",
  };
}

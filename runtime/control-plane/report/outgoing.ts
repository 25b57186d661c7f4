// What one stream sends of the spool, in order. Where the environment samples traces, records that are not in the sample
// are counted into a tally, which goes out with the others every ten seconds. Counting happens here and not when an
// evaluation is made: until the control plane has committed the counts, the records wait in the spool, so that a killed
// runtime counts them again and loses none.

import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { BatchSchema, GapSchema } from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { BoundedCache } from "../../../src/kit/process/bounded-cache.ts";
import { TallyBuilder } from "../../../src/kit/tally/tally.ts";
import { isInRollout } from "../../engine/policy-plan/rollout.ts";
import type { Spool } from "../spool/spool.ts";
import type { Window } from "./window.ts";

/** Max records of one batch, and their bytes. */
export const batchLimits = { maxRecords: 256, maxBytes: 1024 * 1024 };
/** Records that are read at once where most are only counted. */
const readLimits = { maxRecords: 1_024, maxBytes: 1024 * 1024 };
/**
 * Max batches that are not acknowledged. With 256 records each, the control plane holds 2,048 records of one runtime.
 */
const windowBatches = 8;
/** Evaluations that one tally counts at most, and the different keys that it may have before the last of them. */
const maxCounted = 65_536;
const maxCells = 4_096;
/** How long counts wait for further ones. */
const collectMs = 10_000;
/** The same where an evaluation was blocked: webhooks wait for it. */
const blockedMs = 1_000;
/** Counted evaluations whose ids are kept, so that a repeated call counts once. */
const rememberedIds = 16_384;

/** A message that carries a part of the spool. */
export type OutgoingMessage =
  | { readonly case: "batch"; readonly value: MessageInitShape<typeof BatchSchema> & { readonly lastSeq: number } }
  | { readonly case: "gap"; readonly value: MessageInitShape<typeof GapSchema> & { readonly lastSeq: number } };

/** The ids of evaluations that were counted lately, by which a repeated call is known. */
export class CountedIds {
  readonly #seqs = new BoundedCache<string, number>({ maxEntries: rememberedIds });

  /** Whether the evaluation with this sequence number is the first of its id. */
  isFirst(id: string, seq: number): boolean {
    const known = this.#seqs.get(id);
    if (known === undefined) this.#seqs.set(id, seq);
    // The same one is read again when a stream broke.
    return known === undefined || known >= seq;
  }
}

/** Options of what a stream sends. */
export interface OutgoingOptions {
  readonly spool: Spool;
  readonly window: Window;
  readonly counted: CountedIds;
  /** Whether records may be left out at present. */
  readonly maySample: () => boolean;
  /** Whether what is collected has to go out now. */
  readonly isEnding: () => boolean;
  /** Milliseconds from some moment on. */
  readonly nowMs: () => number;
}

/** What one stream sends of the spool. */
export class Outgoing {
  readonly #options: OutgoingOptions;
  #collected: Collected | undefined;
  #flushedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  /** The next message; undefined when nothing is to be sent now. */
  next(): Promise<OutgoingMessage | undefined> {
    if (this.#options.maySample()) return this.#nextSampled();
    return this.#collected === undefined ? this.#nextWhole() : Promise.resolve(this.#flush());
  }

  async #nextWhole(): Promise<OutgoingMessage | undefined> {
    const { spool, window } = this.#options;
    const unsent = spool.firstSeq + spool.depth() - window.nextSeq;
    const mayStart = window.inFlight === 0 || (window.inFlight < windowBatches && unsent >= batchLimits.maxRecords);
    const part = mayStart ? await spool.read(window.nextSeq, batchLimits) : undefined;
    if (part === undefined) return undefined;
    window.sent(part.lastSeq);
    if (part.kind === "gap") return { case: "gap", value: { ...part } };
    const { firstSeq, lastSeq } = part;
    const records = part.records.map((bytes) => fromBinary(EvaluationRecordSchema, bytes));
    return { case: "batch", value: { firstSeq, lastSeq, records, bootId: bootOf(records, part.bootId) } };
  }

  async #nextSampled(): Promise<OutgoingMessage | undefined> {
    const { spool, window } = this.#options;
    if (window.inFlight >= windowBatches) return undefined;
    for (;;) {
      const collected = this.#collected;
      const part = await spool.read((collected?.lastSeq ?? window.nextSeq - 1) + 1, readLimits);
      if (part === undefined) return this.#isDue() ? this.#flush() : undefined;
      if (collected !== undefined && (part.kind === "gap" || part.bootId !== collected.bootId)) return this.#flush();
      // Records whose boot is not known could be counted twice.
      if (part.kind === "gap" || part.bootId === "") return this.#nextWhole();
      const into = collected ?? new Collected(part.firstSeq, part.bootId, this.#options.nowMs());
      this.#collected = into;
      part.records.every((bytes, index) => {
        into.add(part.firstSeq + index, bytes, this.#options.counted);
        return !into.isFull;
      });
      if (into.isFull) return this.#flush();
    }
  }

  #isDue(): boolean {
    const { window, isEnding } = this.#options;
    const collected = this.#collected;
    if (collected === undefined) return false;
    if (isEnding()) return true;
    if (!collected.hasCounts) return window.inFlight === 0;
    const waitedMs = this.#options.nowMs() - Math.max(collected.sinceMs, this.#flushedAtMs);
    return waitedMs >= (collected.hasBlocked ? blockedMs : collectMs);
  }

  #flush(): OutgoingMessage | undefined {
    const collected = this.#collected;
    if (collected === undefined) return undefined;
    this.#collected = undefined;
    this.#flushedAtMs = this.#options.nowMs();
    this.#options.window.sent(collected.lastSeq);
    return { case: "batch", value: collected.toMessage() };
  }
}

/** Records of one boot that are sent together, and counts of those that are not sent. */
class Collected {
  readonly bootId: string;
  readonly sinceMs: number;
  lastSeq: number;
  hasBlocked = false;
  readonly #firstSeq: number;
  readonly #records: EvaluationRecord[] = [];
  readonly #tally = new TallyBuilder();
  #sizeBytes = 0;

  constructor(firstSeq: number, bootId: string, nowMs: number) {
    this.bootId = bootId;
    this.sinceMs = nowMs;
    this.#firstSeq = firstSeq;
    this.lastSeq = firstSeq - 1;
  }

  /** Whether there are evaluations that are only counted. */
  get hasCounts(): boolean {
    return this.lastSeq - this.#firstSeq + 1 > this.#records.length;
  }

  /** Nothing more may be added. */
  get isFull(): boolean {
    return (
      this.#records.length >= batchLimits.maxRecords ||
      this.#sizeBytes >= batchLimits.maxBytes ||
      this.lastSeq - this.#firstSeq + 1 >= maxCounted ||
      this.#tally.cells >= maxCells
    );
  }

  add(seq: number, bytes: Uint8Array, counted: CountedIds): void {
    const record = fromBinary(EvaluationRecordSchema, bytes);
    this.lastSeq = seq;
    if (isSent(record)) {
      this.#records.push(record);
      this.#sizeBytes += bytes.byteLength;
      this.hasBlocked ||= record.outcome === Outcome.BLOCK;
    } else if (counted.isFirst(record.evaluationId.toLowerCase(), seq)) {
      const createdAtMs = record.createdAt === undefined ? 0 : timestampDate(record.createdAt).getTime();
      this.#tally.add(record, { createdAtMs, agent: record.agentId, isOverage: false });
    }
  }

  toMessage() {
    return {
      ...{ firstSeq: this.#firstSeq, lastSeq: this.lastSeq, records: this.#records },
      ...(this.hasCounts
        ? { bootId: this.bootId, tally: this.#tally.toTally() }
        : { bootId: bootOf(this.#records, this.bootId) }),
    };
  }
}

/** The id of an evaluation decides, so that each runtime decides alike. */
function isSent({ evaluationId, samplingPercent }: EvaluationRecord): boolean {
  return samplingPercent === 0 || isInRollout("trace sampling", evaluationId.toLowerCase(), samplingPercent);
}

/** The boot of records of which one may be left out another time; "" for others, which are known by their ids. */
function bootOf(records: readonly EvaluationRecord[], bootId: string): string {
  return records.some(({ samplingPercent }) => samplingPercent !== 0) ? bootId : "";
}

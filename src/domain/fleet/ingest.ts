// Stores the evaluations that runtimes report. They arrive at least once and are stored exactly once. Each batch is one
// transaction in which the keys decide which evaluations are new; everything else (traces, metered usage, counts,
// agents, events) happens for the new ones only. A batch is acknowledged after its commit.

import type { EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { notFound, validationFailed } from "../../kit/fault/fault.ts";
import { isUuid } from "../../kit/process/id.ts";
import type { Sealer } from "../../platform/seal.ts";
import { addUsage } from "../../store/billing/usage.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { addGaps, type NewGap } from "../../store/fleet/reporting-gap.ts";
import { countInstanceEvaluations, type InstanceKey } from "../../store/fleet/runtime-instance.ts";
import { findAgentKeys, touchAgents } from "../../store/project/agent.ts";
import { shareEnvironment } from "../../store/project/environment.ts";
import { claimKeys, readPayloadHashes } from "../../store/telemetry/evaluation-key.ts";
import { insertTraces } from "../../store/telemetry/trace.ts";
import { addRollups } from "../../store/telemetry/trace-rollup.ts";
import { insertTexts, type SealedText } from "../../store/telemetry/trace-text.ts";
import { spendQuota } from "../billing/quota-spend.ts";
import { publishEvents } from "../event/event.ts";
import { blockedEvent } from "../telemetry/blocked-event.ts";
import { erasedAmong } from "../telemetry/erased-subject.ts";
import {
  type AcceptedRecord,
  acceptRecord,
  clockSkewMs,
  type Refusal,
  withoutSubject,
} from "../telemetry/trace-record.ts";
import { addTally, lastUseOfAgents, tallyMonths, tallyRollups } from "../telemetry/trace-tally.ts";
import { type TraceSeal, TraceSeals } from "../telemetry/trace-text.ts";

/** The sender of a report: the scope of its credential, and the id that the process gave itself. */
export interface IngestSource extends InstanceKey {
  readonly orgId: string;
}

/** Consecutive evaluations from a runtime's spool. */
export interface IngestBatch {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly records: readonly EvaluationRecord[];
}

/** The result of a batch. */
export interface IngestResult {
  readonly stored: number;
  /** Evaluations that were stored before. */
  readonly duplicates: number;
  /** Those of the duplicates whose content differs from the stored one. The stored one stays. */
  readonly conflicts: number;
  readonly refused: Readonly<Record<Refusal, number>>;
}

/** Stores evaluations and notes gaps. */
export class Ingest {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #seals: TraceSeals;
  readonly #onResult: (result: IngestResult) => void;

  /** `onResult` is called for each batch after its commit. */
  constructor(
    database: Database,
    { sealer, onResult }: { readonly sealer: Sealer; readonly onResult: (result: IngestResult) => void },
  ) {
    this.#database = database;
    this.#sealer = sealer;
    this.#seals = new TraceSeals(sealer);
    this.#onResult = onResult;
  }

  /** Stores the batch. Once this resolves it is committed. */
  async ingest(source: IngestSource, batch: IngestBatch): Promise<IngestResult> {
    checkSequence(batch);
    const result = await this.#database.systemTransaction(source.orgId, async (tx) => {
      await requireSharedEnvironment(tx, source);
      const seal = await this.#seals.forWriting(tx);
      return storeBatch(tx, { sealer: this.#sealer, seal }, source, batch);
    });
    this.#onResult(result);
    return result;
  }

  /** Records that evaluations are lost. */
  async noteGap(source: IngestSource, gap: NewGap): Promise<void> {
    checkSequence(gap);
    if (!isCount(gap.count)) throw validationFailed([{ field: "count", message: "expected a whole number" }]);
    const reason = gap.reason.replaceAll("\0", "");
    await this.#database.systemTransaction(source.orgId, async (tx) => {
      await requireSharedEnvironment(tx, source);
      const losses = await addGaps(tx, source, [{ ...gap, reason }]);
      await addTally(tx, source, { traces: [], losses });
    });
  }
}

async function storeBatch(
  tx: Transaction,
  { sealer, seal }: { readonly sealer: Sealer; readonly seal: TraceSeal },
  source: IngestSource,
  batch: IngestBatch,
): Promise<IngestResult> {
  const { accepted, refused, gaps } = sift(batch, tx.now);
  const losses = await addGaps(tx, source, gaps);
  const { fresh, known } = await claim(tx, accepted, seal);
  const traces = await withAgentKeys(tx, source.projectId, await withoutErased(tx, sealer, fresh));
  await insertTraces(tx, source, traces);
  await insertTexts(tx, sealedTexts(traces, seal));
  if (traces.length > 0) await countInstanceEvaluations(tx, source, traces.length);
  await publishEvents(
    tx,
    "evaluation.blocked",
    traces.flatMap((trace) => blockedEvent(source, trace) ?? []),
  );
  // Rows that all runtimes of the organization share come last, so that they are locked only briefly.
  await touchAgents(tx, source.projectId, lastUseOfAgents(traces));
  await addUsage(tx, tallyMonths(traces));
  const overage = await spendQuota(tx, source, traces);
  await addRollups(tx, tallyRollups(source, traces));
  await addTally(tx, source, { traces, overage, losses });
  return { stored: fresh.length, duplicates: known.length, conflicts: await countConflicts(tx, known, seal), refused };
}

/**
 * Separates the records that may be stored from those that may not. Each refused one is recorded as a gap, so that the
 * number of missing ones is known.
 */
function sift({ firstSeq, lastSeq, records }: IngestBatch, now: Date) {
  const accepted: AcceptedRecord[] = [];
  const refused: Record<Refusal, number> = { invalid: 0, too_old: 0, in_future: 0 };
  const gaps: NewGap[] = [];
  const isContiguous = lastSeq - firstSeq + 1 === records.length;
  records.forEach((record, index) => {
    const result = acceptRecord(record, now);
    if (typeof result !== "string") {
      accepted.push(result);
      return;
    }
    refused[result] += 1;
    if (isContiguous) extendGaps(gaps, firstSeq + index, result);
  });
  if (!isContiguous) {
    for (const [reason, count] of Object.entries(refused)) {
      if (count > 0) gaps.push({ firstSeq, lastSeq, count, reason });
    }
  }
  return { accepted, refused, gaps };
}

function extendGaps(gaps: NewGap[], seq: number, reason: Refusal): void {
  const last = gaps.at(-1);
  if (last?.reason === reason && last.lastSeq === seq - 1) {
    gaps[gaps.length - 1] = { ...last, lastSeq: seq, count: last.count + 1 };
  } else {
    gaps.push({ firstSeq: seq, lastSeq: seq, count: 1, reason });
  }
}

/** Separates the new evaluations from those that were stored before or came earlier in the same batch. */
async function claim(tx: Transaction, accepted: readonly AcceptedRecord[], seal: TraceSeal) {
  const firsts = new Map<string, AcceptedRecord>();
  for (const record of accepted) if (!firsts.has(record.id)) firsts.set(record.id, record);
  const keys = [...firsts.values()].map((record) => ({
    evaluationId: record.id,
    createdAt: record.createdAt,
    payloadHash: seal.payloadHash(record),
  }));
  const newIds = await claimKeys(tx, keys);
  const isFresh = (record: AcceptedRecord) => newIds.has(record.id) && firsts.get(record.id) === record;
  return { fresh: accepted.filter(isFresh), known: accepted.filter((record) => !isFresh(record)) };
}

async function countConflicts(tx: Transaction, known: readonly AcceptedRecord[], seal: TraceSeal): Promise<number> {
  if (known.length === 0) return 0;
  const ids = known.map((record) => record.id);
  const hashes = await readPayloadHashes(tx, ids);
  return known.filter((record) => hashes.get(record.id)?.equals(seal.payloadHash(record)) !== true).length;
}

function sealedTexts(traces: readonly AcceptedRecord[], seal: TraceSeal): SealedText[] {
  return traces.flatMap(({ id, createdAt, text }) =>
    text === null ? [] : [{ id, createdAt, sealed: seal.sealText(id, text) }],
  );
}

/** Evaluations of somebody who was erased after they were made lose person and text before they are stored. */
async function withoutErased(
  tx: Transaction,
  sealer: Sealer,
  records: readonly AcceptedRecord[],
): Promise<readonly AcceptedRecord[]> {
  const erased = await erasedAmong(tx, sealer, records, { skewMs: clockSkewMs });
  return erased.size === 0
    ? records
    : records.map((record) => (erased.has(record.reported) ? withoutSubject(record, tx.now) : record));
}

/** Applications may name an agent by its id; it is stored by its key. An id that no agent has counts as a key. */
async function withAgentKeys(
  tx: Transaction,
  projectId: string,
  records: readonly AcceptedRecord[],
): Promise<readonly AcceptedRecord[]> {
  const ids = new Set(records.flatMap(({ agentKey }) => (agentKey !== null && isUuid(agentKey) ? [agentKey] : [])));
  if (ids.size === 0) return records;
  const keys = await findAgentKeys(tx, projectId, [...ids]);
  return records.map((record) => {
    const key = keys.get(record.agentKey?.toLowerCase() ?? "");
    return key === undefined ? record : { ...record, agentKey: key };
  });
}

// Locked against deletion until the commit: whoever deletes the environment or its project waits, and purges these too.
async function requireSharedEnvironment(tx: Transaction, source: IngestSource): Promise<void> {
  if (!(await shareEnvironment(tx, source.projectId, source.environment))) throw notFound("environment");
}

function checkSequence({ firstSeq, lastSeq }: { readonly firstSeq: number; readonly lastSeq: number }): void {
  if (isCount(firstSeq) && isCount(lastSeq) && firstSeq <= lastSeq) return;
  throw validationFailed([{ field: "first_seq", message: "expected whole numbers with first_seq <= last_seq" }]);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

// Stores the evaluations that runtimes report. They arrive at least once and are stored exactly once. Each batch is one
// transaction in which the keys decide which evaluations are new; everything else (traces, metered usage, counts,
// agents, events) happens for the new ones only. A batch is acknowledged after its commit.

import type { EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { Tally, TallyMinute } from "../../../gen/policyguard/policy/v1/tally_pb.ts";
import { notFound, validationFailed } from "../../kit/fault/fault.ts";
import { isUuid } from "../../kit/process/id.ts";
import type { Sealer } from "../../platform/seal.ts";
import { addUsage, addUsageAtEnd } from "../../store/billing/usage.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { advanceReportBoot, type BootKey, lockReportBoot, type Span } from "../../store/fleet/report-boot.ts";
import { addGaps, type NewGap } from "../../store/fleet/reporting-gap.ts";
import { countInstanceEvaluations, type InstanceKey } from "../../store/fleet/runtime-instance.ts";
import { findAgentKeys, touchAgents } from "../../store/project/agent.ts";
import { shareEnvironment } from "../../store/project/environment.ts";
import { claimKeys, readPayloadHashes } from "../../store/telemetry/evaluation-key.ts";
import { insertTraces } from "../../store/telemetry/trace.ts";
import { addRollups } from "../../store/telemetry/trace-rollup.ts";
import { insertTexts, type SealedText } from "../../store/telemetry/trace-text.ts";
import { type QuotaTerms, readQuotaTerms } from "../../store/tenancy/organization.ts";
import { monthlyLimit } from "../billing/plan.ts";
import { chargeCounted, spendQuota } from "../billing/quota-spend.ts";
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
import {
  addCounted,
  addTally,
  beginOf,
  countedMonths,
  countedUseOfAgents,
  lastUseOfAgents,
  tallyMonths,
  tallyRollups,
} from "../telemetry/trace-tally.ts";
import { type TraceSeal, TraceSeals } from "../telemetry/trace-text.ts";
import { acceptTally } from "./reported-tally.ts";

/** The sender of a report: the scope of its credential, and the id that the process gave itself. */
export interface IngestSource extends InstanceKey {
  readonly orgId: string;
}

/** Consecutive evaluations from a runtime's spool. */
export interface IngestBatch {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly records: readonly EvaluationRecord[];
  /** The boot of the runtime that numbered them; empty where none is left out, ever. */
  readonly bootId?: string;
  /** Counts of those that are not in `records`. */
  readonly tally?: Tally | undefined;
}

/** The result of a batch. */
export interface IngestResult {
  readonly stored: number;
  /** Evaluations that were counted and have no record. */
  readonly counted: number;
  /** Everything up to this sequence number is committed. Less than the batch's last one: send the rest anew. */
  readonly takenSeq: number;
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
      const seal = await this.#seals.forWriting(tx);
      return takeBatch(tx, { sealer: this.#sealer, seal }, source, batch);
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
      addTally(tx, source, { traces: [], losses });
    });
  }
}

interface Sealing {
  readonly sealer: Sealer;
  readonly seal: TraceSeal;
}

/**
 * Takes a batch once. Records have ids by which they are stored once; counts have none, so of a boot that counts, what
 * was taken before is known by its sequence numbers.
 */
async function takeBatch(
  tx: Transaction,
  sealing: Sealing,
  source: IngestSource,
  batch: IngestBatch,
): Promise<IngestResult> {
  const { bootId = "" } = batch;
  if (bootId === "" && batch.tally === undefined) {
    await requireSharedEnvironment(tx, source);
    return storeBatch(tx, { ...sealing, terms: await readQuotaTerms(tx) }, source, batch);
  }
  if (!isUuid(bootId)) {
    const message = "expected a UUID: without a boot, nobody can tell whether a tally was added before";
    throw validationFailed([{ field: "boot_id", message }]);
  }
  const boot: BootKey = { ...source, bootId: bootId.toLowerCase() };
  const locked = await lockReportBoot(tx, boot);
  if (locked === undefined) throw notFound("environment");
  const { takenSeq, terms } = locked;
  const isWhole = isContiguous(batch) && batch.tally === undefined;
  const left = isWhole ? after(batch, takenSeq) : takenSeq < batch.firstSeq ? batch : undefined;
  if (left === undefined) {
    const isKnown = takenSeq >= batch.lastSeq;
    return {
      ...nothingTaken,
      duplicates: isKnown ? batch.records.length : 0,
      takenSeq: isKnown ? batch.lastSeq : takenSeq,
    };
  }
  const result = await storeBatch(tx, { ...sealing, terms }, source, left);
  advanceReportBoot(tx, boot, { lastSeq: left.lastSeq, sampled: spanOf(left.tally?.minutes ?? []) });
  return { ...result, duplicates: result.duplicates + batch.records.length - left.records.length };
}

const nothingTaken = { stored: 0, counted: 0, conflicts: 0, refused: { invalid: 0, too_old: 0, in_future: 0 } };

function isContiguous({ firstSeq, lastSeq, records }: IngestBatch): boolean {
  return lastSeq - firstSeq + 1 === records.length;
}

/** The records of a batch without omissions after this sequence number; undefined when there are none. */
function after(batch: IngestBatch, seq: number): IngestBatch | undefined {
  const known = Math.max(0, seq - batch.firstSeq + 1);
  if (known >= batch.records.length) return undefined;
  return { ...batch, firstSeq: batch.firstSeq + known, records: batch.records.slice(known) };
}

/** When the evaluations of these minutes were made. */
function spanOf(minutes: readonly TallyMinute[]): Span | undefined {
  const begins = minutes.map((minute) => beginOf(minute).getTime());
  if (begins.length === 0) return undefined;
  return { since: new Date(Math.min(...begins)), until: new Date(Math.max(...begins) + 59_999) };
}

async function storeBatch(
  tx: Transaction,
  { sealer, seal, terms }: Sealing & { readonly terms: QuotaTerms },
  source: IngestSource,
  batch: IngestBatch,
): Promise<IngestResult> {
  const { accepted, refused: refusedRecords, gaps } = sift(batch, tx.now);
  const tally = acceptTally(batch.tally, roomFor(batch), tx.now);
  const minutes = await withAgentKeysOfMinutes(tx, source.projectId, tally.minutes);
  const refused = added(refusedRecords, tally.refused);
  const losses = await addGaps(tx, source, batch.tally === undefined ? gaps : gapsOf(batch, refused));
  const { fresh, known } = await claim(tx, accepted, seal);
  const traces = await withAgentKeys(tx, source.projectId, await withoutErased(tx, sealer, fresh));
  await insertTraces(tx, source, traces);
  await insertTexts(tx, sealedTexts(traces, seal));
  const evaluations = traces.length + tally.evaluations;
  if (evaluations > 0) countInstanceEvaluations(tx, source, evaluations);
  await publishEvents(
    tx,
    "evaluation.blocked",
    traces.flatMap((trace) => blockedEvent(source, trace) ?? []),
  );
  // Rows that all runtimes of the organization share come last, so that they are locked only briefly.
  touchAgents(tx, source.projectId, latest(lastUseOfAgents(traces), countedUseOfAgents(minutes)));
  const { overage, beyondPlan } = await charge(tx, source, { traces, minutes, terms });
  await addRollups(tx, tallyRollups(source, traces));
  addTally(tx, source, { traces, overage, losses });
  addCounted(tx, source, minutes, beyondPlan);
  return {
    ...{ stored: fresh.length, counted: tally.evaluations, takenSeq: batch.lastSeq },
    ...{ duplicates: known.length, conflicts: await countConflicts(tx, known, seal), refused },
  };
}

/**
 * Counts evaluations in their months. Where a plan may limit them, the months are locked first, and its terms are read
 * anew under the lock. On a plan without a limit nothing is read: should it change meanwhile, everything of this batch
 * was made before that, and is not charged either way.
 */
async function charge(
  tx: Transaction,
  source: IngestSource,
  made: {
    readonly traces: readonly AcceptedRecord[];
    readonly minutes: readonly TallyMinute[];
    readonly terms: QuotaTerms;
  },
) {
  const { traces, minutes, terms } = made;
  const usage = summed(tallyMonths(traces), countedMonths(minutes));
  if (monthlyLimit(terms) === null) {
    addUsageAtEnd(tx, usage);
    return { overage: new Set<AcceptedRecord>(), beyondPlan: new Set<TallyMinute>() };
  }
  await addUsage(tx, usage);
  return { overage: await spendQuota(tx, source, traces), beyondPlan: await chargeCounted(tx, minutes) };
}

/** How many evaluations a batch can have besides its records. */
function roomFor({ firstSeq, lastSeq, records }: IngestBatch): number {
  return Math.max(0, lastSeq - firstSeq + 1 - records.length);
}

function added(a: Readonly<Record<Refusal, number>>, b: Readonly<Record<Refusal, number>>): Record<Refusal, number> {
  return { invalid: a.invalid + b.invalid, too_old: a.too_old + b.too_old, in_future: a.in_future + b.in_future };
}

/** What was refused of a batch of which nobody knows which sequence number was which evaluation's. */
function gapsOf({ firstSeq, lastSeq }: IngestBatch, refused: Readonly<Record<Refusal, number>>): NewGap[] {
  return Object.entries(refused).flatMap(([reason, count]) =>
    count === 0 ? [] : [{ firstSeq, lastSeq, count, reason }],
  );
}

function summed(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): Map<string, number> {
  const sums = new Map(a);
  for (const [key, count] of b) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
}

function latest(a: ReadonlyMap<string, Date>, b: ReadonlyMap<string, Date>): Map<string, Date> {
  const newest = new Map(a);
  for (const [key, at] of b) if ((newest.get(key)?.getTime() ?? 0) < at.getTime()) newest.set(key, at);
  return newest;
}

/**
 * Separates the records that may be stored from those that may not. Each refused one is recorded as a gap, so that the
 * number of missing ones is known.
 */
function sift(batch: IngestBatch, now: Date) {
  const { firstSeq, records } = batch;
  const accepted: AcceptedRecord[] = [];
  const refused: Record<Refusal, number> = { invalid: 0, too_old: 0, in_future: 0 };
  const gaps: NewGap[] = [];
  const isNumbered = isContiguous(batch);
  records.forEach((record, index) => {
    const result = acceptRecord(record, now);
    if (typeof result !== "string") {
      accepted.push(result);
      return;
    }
    refused[result] += 1;
    if (isNumbered) extendGaps(gaps, firstSeq + index, result);
  });
  return { accepted, refused, gaps: isNumbered ? gaps : gapsOf(batch, refused) };
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
  if (accepted.length === 0) return { fresh: [], known: [] };
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

async function withAgentKeysOfMinutes(
  tx: Transaction,
  projectId: string,
  minutes: readonly TallyMinute[],
): Promise<readonly TallyMinute[]> {
  const ids = new Set(minutes.flatMap(({ evaluations }) => evaluations.map(({ agent }) => agent)).filter(isUuid));
  if (ids.size === 0) return minutes;
  const keys = await findAgentKeys(tx, projectId, [...ids]);
  const named = <Cell extends { readonly agent: string }>(cell: Cell): Cell => ({
    ...cell,
    agent: keys.get(cell.agent.toLowerCase()) ?? cell.agent,
  });
  return minutes.map((minute) => ({
    ...minute,
    evaluations: minute.evaluations.map(named),
    latencies: minute.latencies.map(named),
  }));
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

// Traces: evaluations as their runtimes reported them.

import { fromBinary } from "@bufbuild/protobuf";
import { CredentialKind, Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { notFound, validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  countTraces,
  type FoundTrace,
  findTrace,
  listTraces,
  type TraceCursor,
  type TraceFilter,
} from "../../store/telemetry/trace-query.ts";
import { countByRollups } from "../../store/telemetry/trace-rollup.ts";
import { readTexts } from "../../store/telemetry/trace-text.ts";
import { erasedRecord } from "./erased-subject.ts";
import { hiddenNow } from "./erasure.ts";
import { dayOf } from "./trace-tally.ts";
import { TraceSeals } from "./trace-text.ts";

const dayMs = 86_400_000;

/** Where counting stops for a total that is not in the rollups. */
export const totalLimit = 10_000;

/** Traces that an export reads in one transaction. */
const exportPage = 500;

/** One trace: its organization and project, and the record that its runtime reported. */
export interface Trace extends Omit<FoundTrace, "record"> {
  readonly orgId: string;
  readonly record: EvaluationRecord;
}

/** A page of traces. */
export interface TraceList {
  readonly traces: readonly Trace[];
  readonly total: number;
  /** False when there are more than `totalLimit` and the count stopped there. */
  readonly totalIsExact: boolean;
}

/** Lists, reads and exports traces. A ci token sees its own project's. */
export class Traces {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #seals: TraceSeals;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
    this.#seals = new TraceSeals(sealer);
  }

  /** A page of the traces that match, newest first. */
  list(caller: Caller, filter: TraceFilter, page: Page): Promise<TraceList> {
    const narrowed = narrow(caller, filter);
    if (narrowed === undefined) return Promise.resolve({ traces: [], total: 0, totalIsExact: true });
    return this.#database.read(caller.orgId, async (tx) => {
      const { total, totalIsExact } = await count(tx, narrowed);
      const isPastEnd = totalIsExact && page.offset >= total;
      const found = isPastEnd ? [] : await listTraces(tx, narrowed, page);
      return { traces: await this.#shown(tx, caller, narrowed, found), total, totalIsExact };
    });
  }

  /** The trace. */
  get(caller: Caller, id: string): Promise<Trace> {
    return this.#database.read(caller.orgId, async (tx) => {
      const found = await findTrace(tx, id, caller.credential.projectId);
      const [trace] = found === undefined ? [] : await this.#shown(tx, caller, {}, [found]);
      if (trace === undefined) throw notFound("trace");
      return trace;
    });
  }

  /**
   * All traces that match, newest first, page by page. Each page is a short transaction of its own, so that a slow
   * reader holds neither a connection nor a snapshot; going back in time, it meets nothing twice.
   */
  async *export(caller: Caller, filter: TraceFilter): AsyncGenerator<readonly Trace[], void> {
    const narrowed = narrow(caller, filter);
    let after: TraceCursor | undefined;
    while (narrowed !== undefined) {
      const page = { limit: exportPage, after };
      const { found, shown } = await this.#database.read(caller.orgId, async (tx) => {
        const rows = await listTraces(tx, narrowed, page);
        return { found: rows, shown: await this.#shown(tx, caller, narrowed, rows) };
      });
      if (shown.length > 0) yield shown;
      after = found.at(-1);
      if (found.length < exportPage) return;
    }
  }

  /**
   * The traces as they may be seen. One that an erasure is about is shown as it will be after it, and not at all to who
   * asks for the person or the conversation. Text is for those who may see it.
   */
  async #shown(tx: Transaction, caller: Caller, filter: TraceFilter, found: readonly FoundTrace[]): Promise<Trace[]> {
    const traces = found.map((row) => traceOf(tx.orgId, row));
    if (maySeeText(caller)) await this.#addTexts(tx, traces);
    else traces.forEach(removeText);
    const isHidden = found.length === 0 ? undefined : await hiddenNow(tx, this.#sealer);
    if (isHidden === undefined) return traces;
    const isPersonal = filter.sessionId !== undefined || filter.userId !== undefined;
    return traces.flatMap((trace) => {
      if (!isHidden(trace)) return [trace];
      return isPersonal ? [] : [{ ...trace, record: erasedRecord(trace.record), erasedAt: tx.now }];
    });
  }

  async #addTexts(tx: Transaction, traces: readonly Trace[]): Promise<void> {
    const withText = traces.filter(({ record }) => record.segments.length > 0);
    const texts = await readTexts(tx, withText);
    const seal = texts.size === 0 ? undefined : await this.#seals.forReading(tx);
    for (const { id, record } of withText) {
      const sealed = texts.get(id);
      if (sealed !== undefined && seal !== undefined) record.segments = seal.openText(id, sealed);
    }
  }
}

// Viewers and ci tokens see that there was text, and not what it said.
function maySeeText({ credential, role }: Caller): boolean {
  return credential.kind === CredentialKind.ADMIN || (role !== undefined && role >= Role.EDITOR);
}

// Traces of form 0 still have their text in the record.
function removeText({ record }: Trace): void {
  for (const segment of record.segments) segment.text = "";
}

/** The filter within what the caller may see; undefined when that leaves nothing. */
function narrow({ credential }: Caller, filter: TraceFilter): TraceFilter | undefined {
  if (filter.since !== undefined && filter.until !== undefined && filter.since > filter.until) {
    throw validationFailed([{ field: "since", message: "must not be after until" }]);
  }
  // PostgreSQL has no text with NUL in it, so no trace has either.
  if (Object.values(filter).some((value) => typeof value === "string" && value.includes("\0"))) return undefined;
  const { projectId } = credential;
  if (projectId === undefined) return filter;
  if (filter.projectId !== undefined && filter.projectId !== projectId) return undefined;
  return { ...filter, projectId };
}

async function count(tx: Transaction, filter: TraceFilter): Promise<{ total: number; totalIsExact: boolean }> {
  const { ruleId, sessionId, userId, since, until, ...rolledUp } = filter;
  const isRolledUp = ruleId === undefined && sessionId === undefined && userId === undefined;
  if (isRolledUp && isWholeDay(since) && isWholeDay(until)) {
    const days = { sinceDay: since && dayOf(since), untilDay: until && dayOf(until) };
    return { total: await countByRollups(tx, { ...rolledUp, ...days }), totalIsExact: true };
  }
  const counted = await countTraces(tx, filter, totalLimit + 1);
  return { total: Math.min(counted, totalLimit), totalIsExact: counted <= totalLimit };
}

function isWholeDay(moment: Date | undefined): boolean {
  return moment === undefined || moment.getTime() % dayMs === 0;
}

function traceOf(orgId: string, { record, ...row }: FoundTrace): Trace {
  return { ...row, orgId, record: fromBinary(EvaluationRecordSchema, record) };
}

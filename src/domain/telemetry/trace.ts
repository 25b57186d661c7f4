// Traces: evaluations as their runtimes reported them.

import { fromBinary, type JsonObject } from "@bufbuild/protobuf";
import { CredentialKind, Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { notFound, validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  type FoundTrace,
  findTrace,
  readTraces,
  type TraceCursor,
  type TraceFilter,
  TraceSearch,
} from "../../store/telemetry/trace-query.ts";
import { readTexts } from "../../store/telemetry/trace-text.ts";
import { erasedRecord } from "./erased-subject.ts";
import { hiddenNow } from "./erasure.ts";
import { findPage, type TracePageInput, type TracePositions } from "./trace-page.ts";
import { TraceSeals } from "./trace-text.ts";

/** Traces that an export reads in one transaction, and how many it looks at for them. */
const exportPage = 500;
const exportExamined = 20_000;

/** One trace: its organization and project, and the record that its runtime reported. */
export interface Trace extends Omit<FoundTrace, "record"> {
  readonly orgId: string;
  readonly record: EvaluationRecord;
}

/** A page of traces. */
export interface TraceList extends Omit<TracePositions, "positions"> {
  readonly traces: readonly Trace[];
}

/** What of traces to export, and how; said in the log of evidence. */
export interface TraceExport {
  readonly filter: TraceFilter;
  readonly format: "csv" | "jsonl";
  readonly includesText: boolean;
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
  async list(caller: Caller, filter: TraceFilter, page: TracePageInput): Promise<TraceList> {
    if (page.after !== undefined && page.offset > 0) {
      const message = "cannot be combined with offset; leave offset out, since after says where to begin";
      throw validationFailed([{ field: "after", message }]);
    }
    const narrowed = narrow(caller, filter);
    if (narrowed === undefined) return emptyList;
    return this.#database.read(caller.orgId, async (tx) => {
      const { positions, ...list } = await findPage(tx, narrowed, page);
      const view = { caller, filter: narrowed, withText: page.withText ?? false };
      return { ...list, traces: await this.#shown(tx, view, await readTraces(tx, positions)) };
    });
  }

  /** The trace. */
  get(caller: Caller, id: string): Promise<Trace> {
    return this.#database.read(caller.orgId, async (tx) => {
      const found = await findTrace(tx, id, caller.credential.projectId);
      const [trace] = found === undefined ? [] : await this.#shown(tx, { caller, filter: {}, withText: true }, [found]);
      if (trace === undefined) throw notFound("trace");
      return trace;
    });
  }

  /**
   * All traces that match, newest first, page by page. Each page is a short transaction of its own, so that a slow
   * reader holds neither a connection nor a snapshot; going back in time, it meets nothing twice.
   */
  async *export(caller: Caller, { filter, format, includesText }: TraceExport): AsyncGenerator<readonly Trace[], void> {
    const narrowed = narrow(caller, filter);
    await this.#database.transaction(caller, async (tx) =>
      tx.changed({
        resource: "trace",
        before: null,
        after: { format, include_text: includesText, ...saidFilter(filter) },
      }),
    );
    let after: TraceCursor | undefined;
    while (narrowed !== undefined) {
      const { shown, end } = await this.#database.read(caller.orgId, async (tx) => {
        const search = await TraceSearch.of(tx, narrowed);
        const { positions, ...next } = await exportedPage(tx, search, after);
        const view = { caller, filter: narrowed, withText: includesText };
        return { ...next, shown: await this.#shown(tx, view, await readTraces(tx, positions)) };
      });
      if (shown.length > 0) yield shown;
      after = end;
      if (end === undefined) return;
    }
  }

  /**
   * The traces as they may be seen. One that an erasure is about is shown as it will be after it, and not at all to who
   * asks for the person or the conversation. Text is for those who ask
   * for it and may see it.
   */
  async #shown(
    tx: Transaction,
    { caller, filter, withText }: { readonly caller: Caller; readonly filter: TraceFilter; readonly withText: boolean },
    found: readonly FoundTrace[],
  ): Promise<Trace[]> {
    const traces = found.map((row) => traceOf(tx.orgId, row));
    if (withText && maySeeText(caller)) await this.#addTexts(tx, traces);
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

/** Viewers and ci tokens see that there was text, and not what it said. */
export function maySeeText({ credential, role }: Caller): boolean {
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

/** The traces of one transaction of an export, and where the next one begins; undefined at the end. */
async function exportedPage(tx: Transaction, search: TraceSearch, after: TraceCursor | undefined) {
  if (search.walks) {
    const { matches, end } = await search.walk(tx, { after, wanted: exportPage, maxRows: exportExamined });
    return { positions: matches, end };
  }
  const { positions } = await search.page(tx, { limit: exportPage, offset: 0, after });
  return { positions, end: positions.length < exportPage ? undefined : positions.at(-1) };
}

const emptyList: TraceList = { traces: [], total: 0, totalIsExact: true, examinedUntil: null, nextAfter: null };

/** A filter as the log of evidence has it. */
function saidFilter(filter: TraceFilter): JsonObject {
  const said = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]],
  );
  return { filter: JSON.parse(JSON.stringify(Object.fromEntries(said))) };
}

function traceOf(orgId: string, { record, ...row }: FoundTrace): Trace {
  return { ...row, orgId, record: fromBinary(EvaluationRecordSchema, record) };
}

// Traces: evaluations as their runtimes reported them.

import { fromBinary, type JsonObject } from "@bufbuild/protobuf";
import { CredentialKind, Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import {
  type BackendVoice,
  type EvaluationRecord,
  EvaluationRecordSchema,
} from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { type Replayability, replayabilityOf } from "../../../runtime/engine/replay/replayability.ts";
import { insufficientScope, notFound, validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { wasSampled } from "../../store/fleet/report-boot.ts";
import { verdictsOf } from "../../store/measure/annotation/annotation-verdict.ts";
import {
  type FoundTrace,
  findTrace,
  readTraces,
  type TraceCursor,
  type TraceFilter,
  type Walk,
} from "../../store/telemetry/trace-query.ts";
import { listTextIds, readTexts } from "../../store/telemetry/trace-text.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { erasedRecord } from "./erased-subject.ts";
import { type Hidden, hiddenNow } from "./erasure.ts";
import { TextSearch } from "./text-search.ts";
import { summarize, type TraceSummary } from "./trace-annotation.ts";
import { findPage, parseCursor, type TracePageInput, type TracePositions, textPage } from "./trace-page.ts";
import { TraceSeals } from "./trace-text.ts";
import { nextTraces } from "./trace-walk.ts";
import { prepareSearch } from "./version-window.ts";

/** Traces that an export reads in one transaction, and how many it looks at for them. */
const exportPage = 500;
const exportExamined = 20_000;

/** One trace: its organization and project, and the record that its runtime reported. */
export interface Trace extends Omit<FoundTrace, "record"> {
  readonly orgId: string;
  readonly record: EvaluationRecord;
  /** What annotators say; undefined when nobody has said anything. */
  readonly annotations?: TraceSummary | undefined;
  readonly replayable: Replayability;
}

/** Which traces to find. */
export interface TraceQuery extends TraceFilter {
  /** What the captured text has to contain. */
  readonly text?: string;
}

/** A page of traces. */
export interface TraceList extends Omit<TracePositions, "positions"> {
  /** Whether there are evaluations of this project, environment and time that have no trace because they are sampled. */
  readonly sampled: boolean;
  readonly traces: readonly Trace[];
}

/** What of traces to export, and how; said in the log of evidence. */
export interface TraceExport {
  readonly filter: TraceQuery;
  readonly format: "csv" | "jsonl";
  readonly includesText: boolean;
}

/** What traces are read with. */
export interface TraceParts {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly analysis: Analysis;
}

/** Lists, reads and exports traces. A ci token sees its own project's. */
export class Traces {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #seals: TraceSeals;
  readonly #texts: TextSearch;

  constructor({ database, sealer, analysis }: TraceParts) {
    this.#database = database;
    this.#sealer = sealer;
    this.#seals = new TraceSeals(sealer);
    this.#texts = new TextSearch({ database, analysis, seals: this.#seals });
  }

  /** A page of the traces that match, newest first. */
  async list(caller: Caller, filter: TraceQuery, page: TracePageInput, signal?: AbortSignal): Promise<TraceList> {
    if (page.after !== undefined && page.offset > 0) {
      const message = "cannot be combined with offset; leave offset out, since after says where to begin";
      throw validationFailed([{ field: "after", message }]);
    }
    const narrowed = narrow(caller, filter);
    if (narrowed === undefined) return emptyList;
    const cursor = page.after === undefined ? undefined : parseCursor(page.after);
    const { offset, limit } = page;
    const bounds = { after: cursor, wanted: offset + limit };
    const walk =
      narrowed.text === undefined ? undefined : await this.#texts.walk(caller.orgId, narrowed, bounds, signal);
    return this.#database.read(caller.orgId, async (tx) => {
      const { positions, ...list } =
        walk === undefined
          ? await findPage(tx, narrowed, { limit, offset, cursor })
          : textPage(await this.#visible(tx, walk), { limit, offset, cursor });
      const view = { caller, filter: narrowed, withText: page.withText ?? false };
      const sampled = await wasSampled(tx, narrowed);
      return { ...list, sampled, traces: await this.#shown(tx, view, await readTraces(tx, positions)) };
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

  /** What came of detector backends in the traces at these positions, by trace; an erasure takes it away. */
  async voicesOf(tx: Transaction, positions: readonly TraceCursor[]): Promise<ReadonlyMap<string, BackendVoice[]>> {
    const traces = (await readTraces(tx, positions)).map(withRecord);
    const isHidden = traces.length === 0 ? undefined : await hiddenNow(tx, this.#sealer);
    return new Map(traces.map((trace) => [trace.id, isHidden?.(trace) === true ? [] : trace.record.backends]));
  }

  /**
   * All traces that match, newest first, page by page. Each page is a short transaction of its own, so that a slow
   * reader holds neither a connection nor a snapshot; going back in time, it meets nothing twice.
   */
  async *export(
    caller: Caller,
    { filter, format, includesText }: TraceExport,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly Trace[], void> {
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
      const bounds = { after, wanted: exportPage };
      const walk =
        narrowed.text === undefined ? undefined : await this.#texts.walk(caller.orgId, narrowed, bounds, signal);
      const { shown, end } = await this.#database.read(caller.orgId, async (tx) => {
        const at = { after, limit: exportPage, maxRows: exportExamined };
        const { matches, ...next } = walk ?? (await nextTraces(tx, await prepareSearch(tx, narrowed), at));
        const view = { caller, filter: narrowed, withText: includesText };
        return { ...next, shown: await this.#shown(tx, view, await readTraces(tx, matches)) };
      });
      if (shown.length > 0) yield shown;
      after = end;
      if (end === undefined) return;
    }
  }

  /**
   * The traces as they may be seen. One that an erasure is about is shown as it will be after it, and not at all to who
   * asks for the person, the conversation or the text. Text is for those who ask for it and may see it.
   */
  async #shown(
    tx: Transaction,
    { caller, filter, withText }: { readonly caller: Caller; readonly filter: TraceQuery; readonly withText: boolean },
    found: readonly FoundTrace[],
  ): Promise<Trace[]> {
    const traces = await this.#read(tx, found);
    if (withText && maySeeText(caller)) await this.#addTexts(tx, traces);
    else traces.forEach(removeText);
    const isHidden = found.length === 0 ? undefined : await hiddenNow(tx, this.#sealer);
    if (isHidden === undefined) return traces;
    const isPersonal = [filter.sessionId, filter.userId, filter.text].some((value) => value !== undefined);
    return traces.flatMap((trace) => {
      if (!isHidden(trace)) return [trace];
      const erased = { ...trace, record: erasedRecord(trace.record), erasedAt: tx.now, replayable: "no" as const };
      return isPersonal ? [] : [erased];
    });
  }

  /** The traces with their records, by what they can be replayed, and what annotators say of them. */
  async #read(tx: Transaction, found: readonly FoundTrace[]): Promise<Trace[]> {
    const traces = found.map(withRecord);
    const captured = traces.filter(({ record }) => record.segments.length > 0);
    const withText = await listTextIds(tx, captured);
    const ids = found.map(({ id }) => id);
    const verdicts = Map.groupBy(await verdictsOf(tx, ids), ({ traceId }) => traceId);
    return traces.map((trace) => {
      // Traces of form 0 still have their text in the record.
      const hasText = withText.has(trace.id) || trace.record.segments.some(({ text }) => text !== "");
      const replayable = trace.erasedAt === null ? replayabilityOf(trace.record, { hasText }) : "no";
      return { ...trace, orgId: tx.orgId, replayable, annotations: summarize(verdicts.get(trace.id) ?? []) };
    });
  }

  /** The matches without those that an erasure is about. */
  async #visible(tx: Transaction, { matches, end }: Walk): Promise<Walk> {
    const isHidden: Hidden | undefined = await hiddenNow(tx, this.#sealer);
    if (isHidden === undefined) return { matches, end };
    const traces = (await readTraces(tx, matches)).map(withRecord);
    return { matches: traces.filter((trace) => !isHidden(trace)), end };
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

/** Refuses a least latency that is above the longest one. */
export function requireLatencies({ minLatencyUs, maxLatencyUs }: TraceFilter, field: string): void {
  if (minLatencyUs !== undefined && maxLatencyUs !== undefined && minLatencyUs > maxLatencyUs)
    throw validationFailed([{ field, message: "must not be above max_latency_us" }]);
}

/** The filter within what the caller may see; undefined when that leaves nothing. */
function narrow(caller: Caller, filter: TraceQuery): TraceQuery | undefined {
  if (filter.text !== undefined && !maySeeText(caller)) {
    const message = "captured text is for editors and admins, and so is a search for it; leave out text";
    throw insufficientScope(message, { role: "editor" });
  }
  if (filter.since !== undefined && filter.until !== undefined && filter.since > filter.until) {
    throw validationFailed([{ field: "since", message: "must not be after until" }]);
  }
  requireLatencies(filter, "min_latency_us");
  // PostgreSQL has no text with NUL in it, so no trace has either.
  if (Object.values(filter).some((value) => typeof value === "string" && value.includes("\0"))) return undefined;
  const { projectId } = caller.credential;
  if (projectId === undefined) return filter;
  if (filter.projectId !== undefined && filter.projectId !== projectId) return undefined;
  return { ...filter, projectId };
}

const emptyList: TraceList = {
  ...{ traces: [], total: 0, totalIsExact: true, sampled: false },
  ...{ examinedUntil: null, nextAfter: null },
};

/** A filter as the log of evidence has it. It is not told which text was searched for: that may be about a person. */
function saidFilter({ text, ...filter }: TraceQuery): JsonObject {
  const said = Object.entries({ ...filter, searchesText: text === undefined ? undefined : true }).flatMap(
    ([name, value]) =>
      value === undefined ? [] : [[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]],
  );
  return { filter: JSON.parse(JSON.stringify(Object.fromEntries(said))) };
}

function withRecord({ record, ...row }: FoundTrace) {
  return { ...row, record: fromBinary(EvaluationRecordSchema, record) };
}

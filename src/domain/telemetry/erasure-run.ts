// The work of an erasure: traces first, then the samples that were copied from them, then the events that told webhooks
// of them, then the openings of evidence. Each step looks at a bounded number of rows.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { annotatorLabels, eraseAnnotatorLabels } from "../../store/measure/annotation/annotation.ts";
import { eraseBenchmarkResults } from "../../store/measure/benchmark/benchmark-result.ts";
import { writeAuditEntry } from "../../store/telemetry/audit-entry.ts";
import {
  countEntries,
  type ErasureBounds,
  type ErasureScope,
  erasedTracesAmong,
  eraseOpenings,
  eraseTraces,
  findTracesToErase,
  lockTracesToErase,
  nextBlockedEvents,
  nextTraceValues,
  openingsBetween,
  rewriteEvents,
  type SearchedValue,
  type StoredOpenings,
} from "../../store/telemetry/trace-erasure.ts";
import { addressKey } from "../mail/email.ts";
import type { RunAtWork, RunKind, StepResult } from "../run/run-worker.ts";
import { serviceCaller } from "../service-caller.ts";
import { erasedRecord, type SubjectDigester, type SubjectKind, subjectDigester, subjectsOf } from "./erased-subject.ts";
import { clockSkewMs } from "./trace-record.ts";

/** What an erasure is to do. */
export interface ErasureSpec {
  readonly kind: SubjectKind;
  /** Digests of the subject, in hexadecimal digits. */
  readonly digests: readonly string[];
  /** The key of the digests; undefined for an erasure that is older than this field. */
  readonly keyId?: string;
  /**
   * The subject itself, until the run has ended. An erasure that is repeated from a ledger has none: it looks for it
   * among all that traces name, and recognizes it by its digest.
   */
  readonly values?: readonly string[];
  readonly reason: string;
  /** What was made until then is erased. */
  readonly until: string;
}

/** What one step looks at. Where few traces have found anything, more rows lead to them than are read. */
const traceBounds: ErasureBounds = { maxRows: 20_000, maxTraces: 500, maxBytes: 8 << 20 };
const valuesAtOnce = 5_000;
const samplesAtOnce = 200;
const eventsAtOnce = 500;
const entriesAtOnce = 2_000;

/** How much an erasure has reached, as its report has it. */
export type ErasedCounts = {
  readonly traces: number;
  readonly samples: number;
  readonly events: number;
  readonly evidence: number;
};

type Phase = "subject" | "traces" | "samples" | "events" | "evidence";
/** Where a step begins: the phase, and the last row that was looked at, in a form of the phase. */
type Cursor = {
  readonly phase: Phase;
  readonly after: readonly (string | number)[];
  readonly step: number;
  /** The subject, where it had to be found first. */
  readonly values?: readonly string[];
};

/** Erases at most `limit` samples of datasets that are about these subjects. Returns how many. */
export type SampleEraser = (tx: Transaction, digests: readonly Uint8Array[], limit: number) => Promise<number>;

/** Erasures, as runs. */
export class ErasureRun implements RunKind {
  readonly #sealer: Sealer;
  readonly #eraseSamples: SampleEraser;

  constructor(sealer: Sealer, eraseSamples: SampleEraser) {
    this.#sealer = sealer;
    this.#eraseSamples = eraseSamples;
  }

  async prepare(run: RunAtWork): Promise<(tx: Transaction) => Promise<StepResult>> {
    return async (tx) => {
      const spec = erasureSpecOf(run.spec);
      const first = firstPhaseOf(spec);
      const cursor: Cursor = run.cursor === "" ? { phase: first, after: [], step: 0 } : JSON.parse(run.cursor);
      const step = new ErasureStep(tx, spec, {
        digest: await subjectDigester(tx, this.#sealer),
        eraseSamples: this.#eraseSamples,
      });
      const { seen, erased, next } = await step.take(cursor);
      const counts = addedTo(erasedCountsOf(run.report), cursor.phase, erased);
      const at = next ?? { phase: "evidence", after: ["end"] };
      const result = {
        cursor: JSON.stringify({ ...at, step: cursor.step + 1 }),
        ...{ done: run.done + seen, total: next === undefined ? run.done + seen : null, report: counts },
      };
      if (next !== undefined) return { ...result, isLast: false };
      await recordEnd(tx, run, counts);
      const { values: _, ...kept } = spec;
      return { ...result, isLast: true, finalSpec: { ...kept, digests: [...kept.digests] } };
    };
  }
}

/** The spec of an erasure's run. */
export function erasureSpecOf(spec: JsonObject): ErasureSpec {
  return spec as unknown as ErasureSpec; // written by Erasures.create() or a repetition
}

/** The counts in the report of an erasure's run. */
export function erasedCountsOf(report: JsonObject | undefined): ErasedCounts {
  const { traces = 0, samples = 0, events = 0, evidence = 0 } = report ?? {};
  return { traces: Number(traces), samples: Number(samples), events: Number(events), evidence: Number(evidence) };
}

interface StepOutcome {
  readonly seen: number;
  readonly erased: number;
  /** Undefined after the last step. */
  readonly next: Omit<Cursor, "step"> | undefined;
}

class ErasureStep {
  readonly #tx: Transaction;
  readonly #spec: ErasureSpec;
  readonly #digest: SubjectDigester;
  readonly #eraseSamples: SampleEraser;
  readonly #wanted: ReadonlySet<string>;

  constructor(
    tx: Transaction,
    spec: ErasureSpec,
    parts: { readonly digest: SubjectDigester; readonly eraseSamples: SampleEraser },
  ) {
    this.#tx = tx;
    this.#spec = spec;
    this.#digest = parts.digest;
    this.#eraseSamples = parts.eraseSamples;
    this.#wanted = new Set(spec.digests);
  }

  take(cursor: Cursor): Promise<StepOutcome> {
    switch (cursor.phase) {
      case "subject":
        return this.#subject(cursor);
      case "traces":
        return this.#traces(cursor);
      case "samples":
        return this.#samples();
      case "events":
        return this.#events(cursor);
      case "evidence":
        return this.#evidence(cursor);
    }
  }

  /** Finds whose digest it is among what traces name. */
  async #subject({ after: [after], values = [] }: Cursor): Promise<StepOutcome> {
    const { kind } = this.#spec;
    const limit = valuesAtOnce;
    const seen = await nextTraceValues(this.#tx, searchedOf(kind), { after: after?.toString(), limit });
    const found = [...values, ...seen.filter((value) => this.#isWanted(value))];
    const last = seen.at(-1);
    const isOver = last === undefined || seen.length < limit || found.length >= this.#wanted.size;
    const onward: Omit<Cursor, "step"> = isOver
      ? { phase: found.length > 0 ? "traces" : "events", after: [], values: found }
      : { phase: "subject", after: [last], values: found };
    return { seen: seen.length, erased: 0, next: onward };
  }

  async #traces({ after: [createdMs, id], values }: Cursor): Promise<StepOutcome> {
    const until = new Date(this.#spec.until);
    const after = id === undefined ? undefined : { createdAt: new Date(Number(createdMs)), id: String(id) };
    const scope = scopeOf(this.#spec.kind, this.#spec.values ?? values ?? []);
    const { positions, seen, end } = await findTracesToErase(this.#tx, scope, { after, until }, traceBounds);
    const erased = (await lockTracesToErase(this.#tx, positions)).flatMap(({ record: bytes, ...at }) => {
      const record = fromBinary(EvaluationRecordSchema, bytes);
      const isSubject = subjectsOf(record).some(([kind, value]) => kind === this.#spec.kind && this.#isWanted(value));
      return isSubject ? [{ ...at, record: toBinary(EvaluationRecordSchema, erasedRecord(record)) }] : [];
    });
    await eraseTraces(this.#tx, erased);
    // What calibrations have found out about them.
    const ids = erased.map(({ id }) => id);
    await eraseBenchmarkResults(this.#tx, ids);
    const next: Omit<Cursor, "step"> =
      end === undefined
        ? { phase: "samples", after: [] }
        : { phase: "traces", after: [end.createdAt.getTime(), end.id], ...(values && { values }) };
    return { seen, erased: erased.length, next };
  }

  /** Samples that were copied from the traces, also where those are long gone. */
  async #samples(): Promise<StepOutcome> {
    const digests = this.#spec.digests.map((digest) => Buffer.from(digest, "hex"));
    const erased = await this.#eraseSamples(this.#tx, digests, samplesAtOnce);
    const next = erased < samplesAtOnce ? "events" : "samples";
    return { seen: erased, erased, next: { phase: next, after: [] } };
  }

  async #events({ after: [id = ""] }: Cursor): Promise<StepOutcome> {
    const events = await nextBlockedEvents(this.#tx, String(id), eventsAtOnce);
    const bodies = events.map(({ id: eventId, body }) => ({ id: eventId, body: JSON.parse(body) }));
    const traceIds = bodies.map(({ body }): string => body.data.trace_id);
    const gone = await erasedTracesAmong(this.#tx, traceIds);
    const rewritten = bodies.filter(({ body }) => gone.has(body.data.trace_id) && body.data.text !== null);
    await rewriteEvents(
      this.#tx,
      rewritten.map(({ id: eventId, body }) => ({
        id: eventId,
        body: JSON.stringify({ ...body, data: { ...body.data, text: null } }),
      })),
    );
    const last = events.at(-1);
    const isOver = events.length < eventsAtOnce || last === undefined;
    const next = isOver ? { phase: "evidence" as const, after: [0] } : { phase: "events" as const, after: [last.id] };
    return { seen: events.length, erased: rewritten.length, next };
  }

  async #evidence({ after: [seq = 0] }: Cursor): Promise<StepOutcome> {
    const from = Number(seq);
    if (from === 0 && this.#spec.kind === "member") await this.#annotators();
    const until = from + entriesAtOnce;
    const texts = searchedTexts(this.#spec);
    const found = await openingsBetween(this.#tx, { from, until }, texts);
    const erasures = found.flatMap((openings) => this.#erasureOf(openings) ?? []);
    await eraseOpenings(this.#tx, erasures);
    const size = await countEntries(this.#tx);
    const next = until < size ? { phase: "evidence" as const, after: [until] } : undefined;
    return { seen: Math.max(Math.min(until, size) - from, 0), erased: erasures.length, next };
  }

  async #annotators(): Promise<void> {
    const labels = await annotatorLabels(this.#tx);
    const wanted = labels.filter((label) => this.#isWanted(label));
    await eraseAnnotatorLabels(this.#tx, wanted);
  }

  #erasureOf({ seq, actor, before, after }: StoredOpenings) {
    const names = (text: string | null) => text !== null && this.#hasWanted(JSON.parse(text));
    const erasure = { seq, actor: actor !== null && this.#isWanted(actor), before: names(before), after: names(after) };
    return erasure.actor || erasure.before || erasure.after ? erasure : undefined;
  }

  #hasWanted(value: JsonValue): boolean {
    if (typeof value === "string") return this.#isWanted(value);
    if (typeof value !== "object" || value === null) return false;
    if (Array.isArray(value)) return value.some((each) => this.#hasWanted(each));
    return Object.entries(value).some(([name, each]) => this.#isWanted(name) || this.#hasWanted(each));
  }

  #isWanted(value: string): boolean {
    const { kind } = this.#spec;
    const isKnown = (text: string) => this.#wanted.has(this.#digest(kind, text).toString("hex"));
    if (kind !== "member") return isKnown(value);
    return addressesIn(value).some((address) => isKnown(address) || isKnown(addressKey(address)));
  }
}

/** What may be an address in a text: all of it, or a part, as of "operator:ada@example.com" or of a reason in words. */
function addressesIn(text: string): readonly string[] {
  if (!text.includes("@")) return [];
  const parts = text.split(besideAddresses).filter((part) => part.includes("@"));
  return [...new Set([text, ...parts.map(withoutLastDots)])];
}

// An expression would try each of many dots anew.
function withoutLastDots(text: string): string {
  let end = text.length;
  while (text[end - 1] === ".") end--;
  return text.slice(0, end);
}

const besideAddresses = /[\s"'`()<>[\]{}|\\,;:/?=&]+/;

/**
 * What openings that name the subject contain, as JSON has it. Undefined where that is not known: of an address with
 * other letters than ASCII has, the database does not know the other spellings.
 */
function searchedTexts({ kind, values }: ErasureSpec): readonly string[] | undefined {
  const isTold = kind !== "member" || values?.every((value) => asciiText.test(value) && !value.includes("xn--"));
  return isTold ? values?.map((value) => JSON.stringify(value).slice(1, -1)) : undefined;
}

const asciiText = /^[\x20-\x7e]*$/;

/** What is looked at first: the traces, unless none can name the subject, or it has to be found among theirs. */
function firstPhaseOf({ kind, values }: ErasureSpec): Phase {
  if (kind === "member") return "evidence";
  return values === undefined && kind !== "fingerprint" ? "subject" : "traces";
}

function searchedOf(kind: SubjectKind): SearchedValue {
  if (kind === "user" || kind === "session" || kind === "traces") return kind;
  throw new Error(`a ${kind} is not looked for among what traces name`);
}

function scopeOf(kind: SubjectKind, values: readonly string[]): ErasureScope {
  if (kind === "user") return { userIds: values };
  if (kind === "session") return { sessionIds: values };
  // A matched text is in a finding, and traces in which something was found have facets.
  return kind === "traces" ? { ids: values } : "found";
}

function addedTo(counts: ErasedCounts, phase: Phase, erased: number): ErasedCounts {
  if (phase === "subject") return counts;
  return { ...counts, [phase]: counts[phase] + erased };
}

function recordEnd(tx: Transaction, { orgId, id }: RunAtWork, counts: ErasedCounts): Promise<void> {
  const author = serviceCaller(orgId, { action: "erasure.complete", requestId: id, address: "" });
  return writeAuditEntry(tx, author, { resource: `erasure/${id}`, before: null, after: counts });
}

/** Moment until which an erasure reaches what was made: runtimes' clocks may be ahead. */
export function erasureReach(now: Date): Date {
  return new Date(now.getTime() + clockSkewMs);
}

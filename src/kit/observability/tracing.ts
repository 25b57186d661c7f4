// Trace context of W3C Trace Context, level 1 (https://www.w3.org/TR/trace-context/), section 3.2: what joins the log
// lines of one request across processes. Where an operator named a collector (src/kit/telemetry/), the same ids are those of
// spans. A trace is chosen as a whole, by its id; what is not chosen costs a comparison.

import { AsyncLocalStorage } from "node:async_hooks";
import { randomFillSync } from "node:crypto";

/** Where a call stands in a trace. */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits, not all zero. */
  readonly spanId: string;
  /** The span that this one is part of; left out of the first one of a trace, and of what came in a header. */
  readonly parentSpanId?: string;
  readonly isSampled: boolean;
}

/**
 * What a span says besides its times. Only numbers and words of our own: never text, a name, a token or an address that
 * somebody gave.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The side of a conversation that a span is. */
export type SpanKind = "server" | "client" | "consumer" | "internal";

/** Something that happened at a moment of a span. */
export interface SpanEvent {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: SpanAttributes;
}

/** A span that has ended. Times are those of `performance.now()`. */
export interface FinishedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly trace: TraceContext;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: SpanAttributes;
  readonly events: readonly SpanEvent[];
  /** What made it necessary, in a trace of its own. */
  readonly cause?: TraceContext | undefined;
  /** Name of the failure; undefined for a span that went well. */
  readonly failure?: string | undefined;
}

/** Takes spans of chosen traces. */
export interface SpanRecorder {
  /** The part of the traces that begin here which is chosen, from 0 to 1. */
  readonly ratio: number;
  record(span: FinishedSpan): void;
}

let recorder: SpanRecorder | undefined;

/** Records the spans of this process from now on; undefined: no more. */
export function recordSpans(to: SpanRecorder | undefined): void {
  recorder = to;
}

const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The context of a traceparent header; undefined when there is none or it is not well-formed. */
export function parseTraceparent(header: string | null): TraceContext | undefined {
  const match = header === null ? null : form.exec(header);
  if (match === null) return undefined;
  const [, version, traceId = "", spanId = "", flags = "00", rest] = match;
  if (version === "00" && rest !== undefined) return undefined; // only later versions may be longer
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The context as a traceparent header. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** A new span: in the trace of its parent, which has been chosen or not, or in a new trace. */
export function childTrace(parent: TraceContext | undefined): TraceContext {
  const spanId = randomHex(8);
  if (parent !== undefined) {
    return { traceId: parent.traceId, spanId, parentSpanId: parent.spanId, isSampled: parent.isSampled };
  }
  const traceId = randomHex(16);
  return { traceId, spanId, isSampled: isChosen(traceId) };
}

/** Whether the calls of this process can be in chosen traces that begin here. */
export function isRecording(): boolean {
  return recorder !== undefined;
}

// The rule of OpenTelemetry's consistent probability sampling: the last 56 bits of the id are the random number.
function isChosen(traceId: string): boolean {
  return recorder !== undefined && Number.parseInt(traceId.slice(18), 16) >= (1 - recorder.ratio) * 2 ** 56;
}

const current = new AsyncLocalStorage<TraceContext>();

/** Runs the work of a call within its trace. */
export function withinTrace<T>(trace: TraceContext, work: () => T): T {
  return current.run(trace, work);
}

/** The traceparent for requests of the current call; undefined outside of a call. */
export function outgoingTraceparent(): string | undefined {
  const trace = current.getStore();
  if (trace === undefined) return undefined;
  return formatTraceparent(recorder !== undefined && trace.isSampled ? trace : childTrace(trace));
}

/** The header that tells whom the current call asks of its trace; none outside of a call. */
export function tracedHeaders(): { readonly traceparent?: string } {
  const traceparent = outgoingTraceparent();
  return traceparent === undefined ? {} : { traceparent };
}

/** The traceparent of the current call where its spans are recorded; undefined elsewhere. */
export function recordedTraceparent(): string | undefined {
  const trace = recordedTrace();
  return trace && formatTraceparent(trace);
}

function recordedTrace(): TraceContext | undefined {
  if (recorder === undefined) return undefined;
  const trace = current.getStore();
  return trace?.isSampled === true ? trace : undefined;
}

/** A span that has begun. */
export class OpenSpan {
  readonly trace: TraceContext;
  readonly #about: Pick<FinishedSpan, "name" | "kind" | "startedAtMs" | "cause">;
  readonly #events: SpanEvent[] = [];
  #attributes: SpanAttributes = {};

  constructor(trace: TraceContext, about: Pick<FinishedSpan, "name" | "kind" | "startedAtMs" | "cause">) {
    this.trace = trace;
    this.#about = about;
  }

  /** Adds what it says. */
  note(attributes: SpanAttributes): void {
    this.#attributes = { ...this.#attributes, ...attributes };
  }

  /** Adds something that happened. */
  event(name: string, attributes: SpanAttributes): void {
    this.#events.push({ name, atMs: performance.now(), attributes });
  }

  /** Ends it, and hands it on. */
  end(failure?: string): void {
    const { trace } = this;
    const rest = { attributes: this.#attributes, events: this.#events, failure, endedAtMs: performance.now() };
    recorder?.record({ ...this.#about, trace, ...rest });
  }
}

/** Begins the span of a call; undefined when its trace is not recorded. */
export function spanOfCall(trace: TraceContext, name: string, startedAtMs: number): OpenSpan | undefined {
  if (recorder === undefined || !trace.isSampled) return undefined;
  return new OpenSpan(trace, { name, kind: "server", startedAtMs });
}

/** Begins a part of the current call; undefined when its trace is not recorded. */
export function beginSpan(name: string, kind: SpanKind, startedAtMs = performance.now()): OpenSpan | undefined {
  const parent = recordedTrace();
  return parent && new OpenSpan(childTrace(parent), { name, kind, startedAtMs });
}

/** Begins a trace with work that no call made necessary; undefined when the trace is not chosen. */
export function beginTrace(name: string, kind: SpanKind): OpenSpan | undefined {
  if (recorder === undefined) return undefined;
  const trace = childTrace(undefined);
  return trace.isSampled ? new OpenSpan(trace, { name, kind, startedAtMs: performance.now() }) : undefined;
}

/** Does a part of the current call, as a span where its trace is recorded. */
export function inSpan<T>(name: string, kind: SpanKind, work: (span: OpenSpan | undefined) => Promise<T>): Promise<T> {
  const span = beginSpan(name, kind);
  return span === undefined ? work(undefined) : within(span, work);
}

/**
 * Does the work of a job: in a trace of its own, which names the call that made the job necessary and is chosen when
 * that call was.
 */
export function inJob<T>(name: string, cause: string | null, work: () => Promise<T>): Promise<T> {
  if (recorder === undefined) return work();
  const from = parseTraceparent(cause) ?? undefined;
  const own = childTrace(undefined);
  const trace = { ...own, isSampled: own.isSampled || from?.isSampled === true };
  if (!trace.isSampled) return withinTrace(trace, work);
  return within(new OpenSpan(trace, { name, kind: "consumer", startedAtMs: performance.now(), cause: from }), work);
}

function within<T>(span: OpenSpan, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  return current.run(span.trace, async () => {
    try {
      const result = await work(span);
      span.end();
      return result;
    } catch (error) {
      // Its message may quote what somebody wrote.
      span.end(error instanceof Error ? error.name : typeof error);
      throw error;
    }
  });
}

// Random bytes are drawn in blocks: drawn for each id, they cost more than the rest of a span.
const pool = Buffer.alloc(4_096);
let poolAt = pool.length;

function randomHex(bytes: number): string {
  if (poolAt + bytes > pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  poolAt += bytes;
  return pool.toString("hex", poolAt - bytes, poolAt);
}

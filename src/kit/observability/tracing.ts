// Trace context of W3C Trace Context, level 1 (https://www.w3.org/TR/trace-context/), section 3.2: what joins the log
// lines of one request across processes. No spans are recorded here; an OpenTelemetry exporter can be put on the same
// ids.

import { AsyncLocalStorage } from "node:async_hooks";
import { randomFillSync } from "node:crypto";

/** Where a call stands in a trace. */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits, not all zero. */
  readonly spanId: string;
  readonly isSampled: boolean;
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

/** A new span: in the trace of its parent, or in a new trace. */
export function childTrace(parent: TraceContext | undefined): TraceContext {
  return {
    traceId: parent?.traceId ?? randomHex(16),
    spanId: randomHex(8),
    isSampled: parent?.isSampled ?? false,
  };
}

const current = new AsyncLocalStorage<TraceContext>();

/** Runs the work of a call within its trace. */
export function withinTrace<T>(trace: TraceContext, work: () => T): T {
  return current.run(trace, work);
}

/** The traceparent header for requests of the current call; undefined outside of a call. */
export function outgoingTraceparent(): string | undefined {
  const trace = current.getStore();
  return trace === undefined ? undefined : formatTraceparent(childTrace(trace));
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

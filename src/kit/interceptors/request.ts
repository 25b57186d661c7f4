// The outermost interceptor: what every call has, whatever becomes of it. An id, a place in a trace, a logger, and at its end
// one line in the access log and one count in the metrics.

import { ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from "@connectrpc/connect";
import { Code } from "../connect-code.ts";
import { callerKey, connectionKey, credentialKey, loggerKey, requestIdKey } from "../context.ts";
import { Fault, reasonRule } from "../error.ts";
import { newId } from "../id.ts";
import type { Logger } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { childTrace, parseTraceparent, type TraceContext, withinTrace } from "../tracing.ts";
import { tapStream, type Within } from "./stream.ts";

/** Header that carries the id of a call, in both directions. */
export const requestIdHeader = "X-Request-Id";

const wellFormedId = /^[A-Za-z0-9._-]{1,128}$/;

/** The id that the caller gave when it is well-formed, a new one otherwise. */
export function requestIdOf(given: unknown): string {
  return typeof given === "string" && wellFormedId.test(given) ? given : newId();
}

/** Gives each call its id, trace and logger; logs and counts it when it has ended. */
export function createRequestInterceptor({ log, metrics }: { log: Logger; metrics: Metrics }): Interceptor {
  return (next) => async (req) => {
    const { id, trace } = beginCall(req, log);
    const finish = createFinish(req, metrics);
    const within: Within = (work) => withinTrace(trace, work);
    const res = await within(() => next(req)).catch((error: unknown) => {
      const failure = ConnectError.from(error);
      failure.metadata.set(requestIdHeader, id);
      finish(failure);
      throw failure;
    });
    res.header.set(requestIdHeader, id);
    if (!res.stream) {
      finish();
      return res;
    }
    return { ...res, message: watchStream(res.message, { signal: req.signal, finish, within }) };
  };
}

/** Takes note of the end of a call. */
type Finish = (failure?: ConnectError) => void;

function watchStream<T>(
  stream: AsyncIterable<T>,
  { signal, finish, within }: { readonly signal: AbortSignal; readonly finish: Finish; readonly within: Within },
): AsyncIterable<T> {
  const onStop = () => finish(new ConnectError("the caller stopped reading", Code.Canceled));
  // Not every transport says that its reader is gone by anything but the signal. Deadline and shutdown are no such news: the
  // handler may still answer them.
  const onAbort = () => signal.reason instanceof ConnectError || onStop();
  signal.addEventListener("abort", onAbort, { once: true });
  const onError = (error: unknown) => {
    const failure = ConnectError.from(error);
    finish(failure);
    return failure;
  };
  return tapStream(stream, { onEnd: () => finish(), onError, onStop, within });
}

function beginCall(
  req: UnaryRequest | StreamRequest,
  log: Logger,
): { readonly id: string; readonly trace: TraceContext } {
  const id = requestIdOf(req.header.get(requestIdHeader));
  const trace = childTrace(parseTraceparent(req.header.get("traceparent")));
  const facts = { request_id: id, service: req.service.typeName, method: req.method.name, trace_id: trace.traceId };
  req.contextValues.set(requestIdKey, id).set(loggerKey, log.child(facts));
  return { id, trace };
}

// A stream can end, fail and be abandoned; only the first of them counts.
function createFinish(req: UnaryRequest | StreamRequest, metrics: Metrics): Finish {
  const startedAt = performance.now();
  let isFinished = false;
  return (failure) => {
    if (isFinished) return;
    isFinished = true;
    const durationMs = performance.now() - startedAt;
    const code = failure === undefined ? "ok" : codeName(failure.code);
    metrics.countCall({ service: req.service.typeName, method: req.method.name, code, durationMs });
    const values = req.contextValues;
    values.get(loggerKey)?.info(
      {
        code,
        reason: failure?.cause instanceof Fault ? reasonRule(failure.cause.reason).name : undefined,
        duration_ms: Math.round(durationMs * 1_000) / 1_000,
        org_id: values.get(callerKey)?.orgId,
        caller: values.get(credentialKey)?.label,
        address: values.get(connectionKey).address || undefined,
      },
      "call",
    );
  };
}

/** The name of a code, as it is logged and counted. */
export function codeName(code: Code): string {
  return Code[code].replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
}

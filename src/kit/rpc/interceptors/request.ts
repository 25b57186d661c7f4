// The outermost interceptor gives every call, whatever its outcome, an id, a trace context and a logger, and at its end
// one line in the access log and one count in the metrics.

import { ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from "@connectrpc/connect";
import { Code } from "../../fault/connect-code.ts";
import { Fault, reasonRule } from "../../fault/fault.ts";
import type { Logger } from "../../observability/log.ts";
import type { Metrics } from "../../observability/metrics.ts";
import {
  childTrace,
  type OpenSpan,
  parseTraceparent,
  spanOfCall,
  type TraceContext,
  withinTrace,
} from "../../observability/tracing.ts";
import { newId } from "../../process/id.ts";
import { callLogger, logCall } from "../access-log.ts";
import { callerKey, connectionKey, credentialKey, loggerKey, requestIdKey } from "../context.ts";
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
    const finish = createFinish(req, trace, metrics);
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

/** Records the end of a call. */
type Finish = (failure?: ConnectError) => void;

function watchStream<T>(
  stream: AsyncIterable<T>,
  { signal, finish, within }: { readonly signal: AbortSignal; readonly finish: Finish; readonly within: Within },
): AsyncIterable<T> {
  const onStop = () => finish(new ConnectError("the caller stopped reading", Code.Canceled));
  // Some transports report a reader that is gone by the signal only. A deadline or a shutdown means something else: the
  // handler may still answer.
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
  const identity = { requestId: id, service: req.service.typeName, method: req.method.name, traceId: trace.traceId };
  req.contextValues.set(requestIdKey, id).set(loggerKey, callLogger(log, identity));
  return { id, trace };
}

// A stream can end, fail or be abandoned; only the first of these counts.
function createFinish(req: UnaryRequest | StreamRequest, trace: TraceContext, metrics: Metrics): Finish {
  const startedAt = performance.now();
  const names = { service: req.service.typeName, method: req.method.name };
  const span = spanOfCall(trace, callName(names), startedAt);
  let isFinished = false;
  return (failure) => {
    if (isFinished) return;
    isFinished = true;
    const durationMs = performance.now() - startedAt;
    const code = failure === undefined ? "ok" : codeName(failure.code);
    metrics.countCall({ ...names, code, durationMs });
    const values = req.contextValues;
    if (span !== undefined) endCallSpan(span, { ...names, code, orgId: values.get(callerKey)?.orgId });
    const logger = values.get(loggerKey);
    if (logger === undefined) return;
    logCall(logger, "ordinary", () => ({
      code,
      reason: failure?.cause instanceof Fault ? reasonRule(failure.cause.reason).name : undefined,
      durationMs,
      orgId: values.get(callerKey)?.orgId,
      caller: values.get(credentialKey)?.label,
      address: values.get(connectionKey).address,
    }));
  };
}

/** What the span of a call says. */
export interface CallSpan {
  readonly service: string;
  readonly method: string;
  /** "ok" or the name of the code. */
  readonly code: string;
  readonly orgId: string | undefined;
}

/** The name of the span of a call. */
export function callName({ service, method }: Pick<CallSpan, "service" | "method">): string {
  return `${service}/${method}`;
}

/** Codes that say something of the server; the others say something of the caller. */
const failures: ReadonlySet<string> = new Set(["unknown", "deadline_exceeded", "internal", "unavailable", "data_loss"]);

/** Ends the span of a call. */
export function endCallSpan(span: OpenSpan, { service, method, code, orgId }: CallSpan): void {
  span.note({ "rpc.service": service, "rpc.method": method, "rpc.response.status_code": code });
  if (orgId !== undefined) span.note({ "policy_guard.org_id": orgId });
  span.end(failures.has(code) ? code : undefined);
}

/** The name of a code, as it is logged and counted. */
export function codeName(code: Code): string {
  return Code[code].replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
}

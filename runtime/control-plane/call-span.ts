// Spans of the calls that a runtime makes to its control plane. Each begins a trace, since no caller waits for it, and the
// control plane's span of the call is a part of that.

import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { beginTrace, formatTraceparent, type OpenSpan, withinTrace } from "../../src/kit/observability/tracing.ts";
import { callName, codeName } from "../../src/kit/rpc/interceptors/request.ts";
import { tapStream } from "../../src/kit/rpc/interceptors/stream.ts";

/** Makes each call a span, where its trace is chosen. The span of a stream ends with the stream. */
export const recordCalls: Interceptor = (next) => async (request) => {
  const names = { service: request.service.typeName, method: request.method.name };
  const span = beginTrace(callName(names), "client");
  // A trace that is not chosen here is not passed on: the control plane may choose the call itself.
  if (span === undefined) return next(request);
  span.note({ "rpc.service": names.service, "rpc.method": names.method });
  request.header.set("traceparent", formatTraceparent(span.trace));
  const fail = (error: unknown) => {
    endWith(span, ConnectError.from(error).code);
    return error;
  };
  const response = await withinTrace(span.trace, () => next(request)).catch((error: unknown) => {
    throw fail(error);
  });
  if (!response.stream) {
    endWith(span, undefined);
    return response;
  }
  const onEnd = () => endWith(span, undefined);
  return { ...response, message: tapStream(response.message, { onEnd, onStop: onEnd, onError: fail }) };
};

/** A question that the runtime took back, since it has a newer one or ends, is no failure. */
function endWith(span: OpenSpan, code: Code | undefined): void {
  const name = code === undefined ? "ok" : codeName(code);
  span.note({ "rpc.response.status_code": name });
  span.end(code === undefined || code === Code.Canceled ? undefined : name);
}

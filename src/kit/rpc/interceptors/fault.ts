// Turns anything that a call throws into an error that its caller may see. Everything unforeseen becomes "internal
// error" with the request id; the log gets the error itself.

import { ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from "@connectrpc/connect";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Code } from "../../fault/connect-code.ts";
import { Fault, malformedRequest, reasonRule, toConnectError } from "../../fault/fault.ts";
import { loggerKey, requestIdKey } from "../context.ts";
import { requestFault } from "../parameter.ts";
import { tapStream } from "./stream.ts";

/** Makes every failure, of an answer or of a stream, a ConnectError with an ErrorDetail. */
export function createFaultInterceptor(): Interceptor {
  return (next) => async (req) => {
    const onError = (error: unknown) => tell(error, req);
    const res = await next(req).catch((error: unknown) => {
      throw onError(error);
    });
    return res.stream ? { ...res, message: tapStream(res.message, { onError }) } : res;
  };
}

function tell(error: unknown, req: UnaryRequest | StreamRequest): ConnectError {
  const log = req.contextValues.get(loggerKey);
  if (isCancellation(error, req.signal)) {
    return new ConnectError("the caller is gone", Code.Canceled, undefined, undefined, error);
  }
  const thrown = error instanceof Fault ? error : (faultOfAbort(error, req.signal) ?? toldFault(error));
  if (thrown !== undefined) {
    const fault = requestFault(thrown, req.method, req.stream ? undefined : req.message);
    if (reasonRule(fault.reason).httpStatus >= 500) log?.warn({ err: fault }, "call failed");
    return toConnectError(fault);
  }
  log?.error({ err: error ?? String(error) }, "internal error");
  const message = `internal error, request id ${req.contextValues.get(requestIdKey)}`;
  return toConnectError(new Fault(Reason.INTERNAL, message, { cause: error }));
}

// Node's own functions throw an AbortError, Connect's throw the reason of the signal; the signal tells which of the two
// reasons it was.
function isAbort(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}

function isCancellation(error: unknown, signal: AbortSignal): boolean {
  if (error instanceof ConnectError && (error.code === Code.Canceled || error.code === Code.Aborted))
    return signal.aborted;
  return isAbort(error, signal) && toldFault(signal.reason) === undefined;
}

function faultOfAbort(error: unknown, signal: AbortSignal): Fault | undefined {
  return isAbort(error, signal) ? toldFault(signal.reason) : undefined;
}

// Connect raises these itself: while it reads requests, and at deadlines and shutdown. Errors that came over the wire
// from another server are ours to answer for, not the caller's.
/** The fault for an error that Connect raised; undefined for one that does not concern the caller. */
export function toldFault(error: unknown): Fault | undefined {
  if (!(error instanceof ConnectError) || error.isWireError) return undefined;
  const options = { cause: error };
  switch (error.code) {
    case Code.DeadlineExceeded:
      return new Fault(Reason.DEADLINE_EXCEEDED, "the call did not finish within its time limit", options);
    case Code.ResourceExhausted:
      return new Fault(Reason.TOO_LARGE, "a message of the request is larger than the limit", options);
    case Code.InvalidArgument:
      return malformedRequest(error.rawMessage);
    case Code.Unavailable:
      return new Fault(Reason.OVERLOADED, "the process is shutting down", {
        ...options,
        extra: { retry_after: 1 },
        headers: { "Retry-After": "1" },
      });
    case Code.Unimplemented:
      return isProtocolError(error) ? malformedRequest(error.rawMessage) : unknownMethod(error);
    case Code.Internal:
      return isProtocolError(error) ? malformedRequest(error.rawMessage) : undefined;
    default:
      return undefined;
  }
}

// Connect gives unreadable binary and a wrong number of messages other codes than its InvalidArgument.
function isProtocolError({ rawMessage }: ConnectError): boolean {
  return rawMessage.startsWith("protocol error: ") || rawMessage.startsWith("parse binary: ");
}

function unknownMethod(error: ConnectError): Fault {
  return new Fault(Reason.UNKNOWN_PATH, "this server does not serve this method", { cause: error });
}

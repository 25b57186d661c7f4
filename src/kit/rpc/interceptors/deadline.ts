// No call with one answer runs for ever, even when its handler listens to no signal. Streams end by their own rules.

import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { Code } from "../../fault/connect-code.ts";

/** Ends calls after this time, or after the shorter time that the caller asked for. */
export function createDeadlineInterceptor({ maxTimeoutMs }: { maxTimeoutMs: number }): Interceptor {
  return (next) => async (req) => {
    if (req.stream) return next(req);
    const abort = new AbortController();
    const expired = Promise.withResolvers<never>();
    const onAbort = (reason: unknown) => {
      abort.abort(reason);
      // Other reasons, such as shutdown, are for the handler to heed: it may finish its work.
      if (reason instanceof ConnectError && reason.code === Code.DeadlineExceeded) expired.reject(reason);
    };
    const relay = () => onAbort(req.signal.reason);
    if (req.signal.aborted) relay();
    req.signal.addEventListener("abort", relay);
    const timer = setTimeout(() => onAbort(new ConnectError("time is up", Code.DeadlineExceeded)), maxTimeoutMs);
    try {
      return await Promise.race([expired.promise, next({ ...req, signal: abort.signal })]);
    } finally {
      clearTimeout(timer);
      req.signal.removeEventListener("abort", relay);
    }
  };
}

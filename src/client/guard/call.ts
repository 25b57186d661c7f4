// Calls of a runtime: a limit of time for all attempts together, and retries of what is safe to retry. An evaluation
// is, since each attempt carries the same `evaluation_id`: it is one trace, and counted once.

import type { CallOptions } from "@connectrpc/connect";
import { failureOf, RequestError, UnavailableError } from "./error.ts";

/** How long to try, and how often. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly retries: number;
  readonly signal?: AbortSignal;
}

const firstPauseMs = 50;

/** The answer of the first attempt that succeeds. Throws a RequestError or an UnavailableError. */
export async function callWithRetries<T>(
  attempt: (options: CallOptions) => Promise<T>,
  { timeoutMs, retries, signal }: CallLimits,
): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    try {
      return await attempt({ signal, timeoutMs: Math.max(1, Math.ceil(endMs - performance.now())) });
    } catch (thrown) {
      signal?.throwIfAborted();
      const isOurs = thrown instanceof RequestError || thrown instanceof UnavailableError;
      const failure = isOurs ? thrown : failureOf(thrown);
      if (failure instanceof RequestError || !failure.isTransient || failures >= retries) throw failure;
      // Callers that failed together come back apart.
      const pauseMs = failure.retryAfterMs ?? firstPauseMs * 2 ** failures * (0.5 + Math.random());
      if (performance.now() + pauseMs >= endMs) throw failure;
      await sleep(pauseMs, signal);
    }
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

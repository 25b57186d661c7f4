// The access log: one line at the end of a call, whichever path through the server it took. This is the one place that
// says which keys the line has and at which level it is written.

import type { Logger } from "../observability/log.ts";

/** The level of the line, by the path that the call took. */
const levels = {
  /** Through the interceptors. */
  ordinary: "info",
  /** By the fast path, as a call that carries many messages: one line for all of them. */
  fast_stream: "info",
  /** By the fast path, as a call of its own: a line for each evaluation would cost as much as a small evaluation. */
  fast_unary: "debug",
} as const;

/** The path that a call takes through the server. */
export type CallPath = keyof typeof levels;

/** What identifies a call in the log. */
export interface CallIdentity {
  readonly requestId: string;
  /** Full name of the service. */
  readonly service: string;
  readonly method: string;
  readonly traceId: string;
}

/** How a call ended. */
export interface CallEnd {
  /** "ok", or the code of the failure in the spelling of the Connect protocol. */
  readonly code: string;
  /** Name of the reason, where the failure has one of the catalogue. */
  readonly reason?: string | undefined;
  readonly durationMs: number;
  readonly orgId: string | undefined;
  /** Label of the credential. */
  readonly caller: string | undefined;
  /** Address of the peer; "" when unknown. */
  readonly address: string;
}

/** A logger whose lines identify the call. */
export function callLogger(log: Logger, identity: CallIdentity): Logger {
  const { requestId, service, method, traceId } = identity;
  return log.child({ request_id: requestId, service, method, trace_id: traceId });
}

/** Writes the line of a call that has ended. `describe` is not called when lines of this path are not logged. */
export function logCall(
  log: Logger,
  path: CallPath,
  describe: () => CallEnd & { readonly identity?: CallIdentity },
): void {
  const level = levels[path];
  if (!log.isLevelEnabled(level)) return;
  const { identity, code, reason, durationMs, orgId, caller, address } = describe();
  const logger = identity === undefined ? log : callLogger(log, identity);
  logger[level](
    {
      code,
      reason,
      duration_ms: Math.round(durationMs * 1_000) / 1_000,
      org_id: orgId,
      caller,
      address: address === "" ? undefined : address,
    },
    "call",
  );
}

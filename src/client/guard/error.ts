// What a guard throws when there is no decision, and how it follows from a call that failed. `instanceof GuardError`
// catches all that a guard throws.

import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorDetailSchema } from "../../../gen/policyguard/common/v1/reason_pb.ts";

/** Whatever a guard throws, apart from the reason of an aborted signal. */
export class GuardError extends Error {
  override readonly name: string = "GuardError";
}

/** No decision could be made: the runtime cannot be reached, has no bundle, took too long, or its plan is used up. */
export class UnavailableError extends GuardError {
  override readonly name = "UnavailableError";
  /** "unreachable", or a code of docs/errors.md such as "bundle_unavailable". */
  readonly reason: string;
  /** Whether the same call may succeed soon. */
  readonly isTransient: boolean;
  /** Milliseconds after which the runtime wants to be asked again. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: string, message: string, options: UnavailableOptions) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.isTransient = options.isTransient;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** What else is known of an UnavailableError. */
export interface UnavailableOptions {
  readonly isTransient: boolean;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** The call itself is wrong: its token, its address or its content. Nothing but a change of the program helps. */
export class RequestError extends GuardError {
  override readonly name = "RequestError";
  /** A code of docs/errors.md, such as "unauthenticated" or "validation_failed". */
  readonly reason: string;

  constructor(reason: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Codes by which a runtime says that the call is wrong. */
const faults = new Set([Code.InvalidArgument, Code.NotFound, Code.OutOfRange, Code.Unauthenticated]);
/** The same, also when a proxy says it, or a server that is no runtime. */
const proxyFaults: ReadonlyMap<Code, string> = new Map([
  [Code.Unauthenticated, "unauthenticated"],
  [Code.PermissionDenied, "insufficient_scope"],
  [Code.Unimplemented, "unknown_path"],
]);
/** A connection over HTTP/2 that was torn off cancels its calls. */
const transient = new Set([
  ...[Code.Unavailable, Code.Internal, Code.Unknown, Code.Aborted, Code.Canceled, Code.InvalidArgument],
]);

/** The error for a call that failed. */
export function failureOf(thrown: unknown): UnavailableError | RequestError {
  const error = ConnectError.from(thrown);
  const [detail] = error.findDetails(ErrorDetailSchema);
  const { code, rawMessage: text } = error;
  const fromProxy = proxyFaults.get(code);
  if (fromProxy !== undefined && detail === undefined) {
    const hint = "is `url` the address of a runtime, and `token` one that may evaluate there?";
    return new RequestError(fromProxy, `${text || Code[code]}; ${hint}`, error);
  }
  if (detail === undefined) {
    const reason = code === Code.DeadlineExceeded ? "deadline_exceeded" : "unreachable";
    return new UnavailableError(reason, `the runtime did not answer: ${text || Code[code]}`, {
      isTransient: transient.has(code),
      cause: error,
    });
  }
  const { error: reason, extra } = detail;
  if (faults.has(code) || fromProxy !== undefined || reason === "too_large")
    return new RequestError(reason, text, error);
  const seconds = extra?.retry_after;
  return new UnavailableError(reason, text, {
    isTransient: code === Code.Unavailable || code === Code.Internal,
    retryAfterMs: typeof seconds === "number" ? seconds * 1_000 : undefined,
    cause: error,
  });
}

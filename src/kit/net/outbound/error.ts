/** How far a request got before it failed. */
export type OutboundFailure =
  | "invalid_url"
  | "address_refused"
  | "connect_failed"
  | "connect_timeout"
  | "tls_failed"
  | "connection_lost"
  | "invalid_response"
  | "headers_too_large"
  | "body_too_large"
  | "timeout"
  | "aborted";

/** A request that got no answer. The message may be shown to whoever gave the URL. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.failure = failure;
  }
}

// What can go wrong with a call to Stripe. The library's own errors stay here: they carry headers, bodies and parts of
// keys, which belong into no log.

/**
 * How a call failed. "unavailable" is the one of which nobody knows whether it took effect; "broken" is an answer 5xx,
 * which Stripe would give again for the same idempotency key.
 */
export type StripeFailureKind = "declined" | "refused" | "missing" | "misconfigured" | "broken" | "unavailable";

/** A call to Stripe that failed. Its message may be logged, and shown to the operator. */
export class StripeFailure extends Error {
  override readonly name = "StripeFailure";
  readonly kind: StripeFailureKind;

  constructor(operation: string, kind: StripeFailureKind, facts: readonly (string | number | undefined)[]) {
    const about = facts.filter((fact) => fact !== undefined && fact !== "").join(", ");
    super(`Stripe, ${operation}: ${kind}${about === "" ? "" : ` (${about})`}`);
    this.kind = kind;
  }
}

const kinds: Readonly<Record<string, StripeFailureKind>> = {
  StripeCardError: "declined",
  StripeInvalidRequestError: "refused",
  // Another call had the same key and said something else, since Stripe had changed in between.
  StripeIdempotencyError: "broken",
  StripeAuthenticationError: "misconfigured",
  StripePermissionError: "misconfigured",
  StripeRateLimitError: "unavailable",
  StripeConnectionError: "unavailable",
};

/** What an error of the library means. Errors that are not the library's are returned as they are. */
export function failureOf(operation: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("type" in error) || !String(error.type).startsWith("Stripe")) return error;
  const { type, code, statusCode, requestId, param } = Object(error);
  const status = typeof statusCode === "number" ? statusCode : 0;
  const known = kinds[String(type)] ?? (status >= 500 ? "broken" : "unavailable");
  const kind = status === 404 || code === "resource_missing" ? "missing" : known;
  return new StripeFailure(operation, kind, [status || undefined, code, param, requestId]);
}

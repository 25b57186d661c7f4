import type { StatementProblem } from "../../src/kit/crypto/statement.ts";

/** Why a bundle or an activation is refused. */
export type RejectionReason =
  | StatementProblem
  | "too_large"
  | "missing_statement"
  | "bad_payload"
  | "bad_path"
  | "missing_part"
  | "extra_part"
  | "duplicate_part"
  | "digest_mismatch"
  | "wrong_scope"
  | "replayed_sequence"
  | "equivocation"
  | "not_yet_valid"
  | "expired"
  | "runtime_too_old"
  | "not_adopted"
  | "build_failed";

/** The text for operators about a refusal, or about any other failure to load a bundle. */
export function rejectionText(error: unknown): string {
  return error instanceof BundleRejection ? `${error.reason}: ${error.message}` : String(error);
}

/** A bundle or an activation that is refused; the one in force stays. The message is for operators, at both ends. */
export class BundleRejection extends Error {
  override readonly name = "BundleRejection";
  readonly reason: RejectionReason;

  constructor(reason: RejectionReason, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

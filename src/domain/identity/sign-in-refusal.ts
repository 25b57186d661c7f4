// Refused sign-ins are counted and logged. They are not in the log of evidence, since strangers must not make it grow.
// Neither counter nor log names the address: otherwise a reader could find out which addresses have accounts.

import type { AuditIntent } from "../../kit/rpc/context.ts";

/** Why a sign-in, or another call that asks for a password or a code, was refused. */
export type RefusalReason =
  /** A wrong password or code, or an address without an account. */
  | "wrong_credential"
  /** The address is locked. */
  | "locked"
  /** The first step of a sign-in was too long ago, or was not made. */
  | "expired"
  /** The answer of the identity provider is invalid, or belongs to another caller's sign-in. */
  | "single_sign_on";

/** Records a refusal of the call. */
export type NoteRefusal = (reason: RefusalReason, call: AuditIntent) => void;

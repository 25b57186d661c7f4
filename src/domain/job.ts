// The jobs that the worker does: their names and payloads, declared once for those who enqueue and those who handle.

import type { Transaction } from "../store/database.ts";

/** One webhook of one organization. */
export type WebhookAddress = {
  readonly org_id: string;
  readonly webhook_id: string;
};

/** One mail. */
export type SealedMail = {
  readonly id: string;
  /** The mail itself, sealed: base64. */
  readonly sealed: string;
  /** From when on it is not to be sent; null when it never expires. */
  readonly expires_at: string | null;
};

/** An organization that is gone, and what it left behind. */
export type DeletedOrganization = {
  readonly org_id: string;
  /** Who deleted it, as its audit log would have said: the actor, the credential's id, address and request. */
  readonly by: string;
};

/** A job that looks for its work by itself. */
type Nothing = Readonly<Record<string, never>>;

/** What each job carries. Payloads are ids, since the rows are the truth; a mail has no row and is carried sealed. */
export interface JobPayloads {
  /** Look whether something is due for the webhook. */
  readonly "deliver-webhook": WebhookAddress;
  readonly "sweep-deliveries": Nothing;
  readonly "purge-deliveries": Nothing;
  readonly "purge-accounts": Nothing;
  readonly "unlock-dead-pools": Nothing;
  readonly "create-partitions": Nothing;
  readonly "purge-traces": Nothing;
  readonly "purge-bundles": Nothing;
  readonly "refresh-activations": Nothing;
  readonly "send-mail": SealedMail;
  readonly "purge-organization": DeletedOrganization;
}

/** Name of a job. */
export type JobName = keyof JobPayloads;

/** Adds a job that starts after the commit, or at `runAt`. */
export function enqueueJob<Name extends JobName>(
  tx: Pick<Transaction, "enqueue">,
  task: Name,
  payload: JobPayloads[Name],
  options: { readonly runAt?: Date; readonly key?: string } = {},
): Promise<void> {
  return tx.enqueue({ task, payload: { ...payload }, ...options });
}

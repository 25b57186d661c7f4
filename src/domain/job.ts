// The jobs of the worker: their names and payloads, declared once for the code that enqueues them and the code that
// handles them.

import type { Transaction } from "../store/core/transaction.ts";

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
  /** The mail must not be sent from this moment on; null when it never expires. */
  readonly expires_at: string | null;
};

/** A notice that the worker has to mail, and the mail's words. */
export type NoticeMail = {
  readonly org_id: string;
  readonly notice_id: string;
  readonly subject: string;
  readonly text: string;
};

/** A deleted organization, whose remaining rows are to be removed. */
export type DeletedOrganization = {
  readonly org_id: string;
  /** Who deleted it, as its audit log would say: the actor, and the credential's id, address and request. */
  readonly by: string;
};

/** A person who was an admin and may be one again. */
export type FormerAdmin = {
  readonly org_id: string;
  readonly account_id: string;
};

/** The lock of an address. The job looks its account up: for an address without an account, the id is of no account. */
export type AccountLock = {
  readonly account_id: string;
  readonly locked_until: string;
  /** The call of the last failure, and where it came from. */
  readonly request_id: string;
  readonly address: string;
};

/** One run of one organization. */
export type RunAddress = {
  readonly org_id: string;
  readonly run_id: string;
};

/** A deleted dataset, whose samples are to be removed. */
export type DeletedDataset = {
  readonly org_id: string;
  readonly dataset_id: string;
};

/** A version of an environment. */
export type VersionAddress = {
  readonly org_id: string;
  readonly environment_id: string;
  readonly version: number;
};

/** An organization whose subscription may have changed at the provider. */
export type BilledOrganization = {
  readonly org_id: string;
};

/** Organizations whose alert rules are evaluated together. */
export type AlertedOrganizations = {
  readonly org_ids: string[];
};

/** What a deleted organization has left at the provider. */
export type FormerCustomer = {
  readonly customer_id: string;
  /** Pages that somebody might still pay on. */
  readonly session_ids: string[];
};

/** The payload of a job that finds its work by itself. */
type Nothing = Readonly<Record<string, never>>;

/**
 * The payload of each job. Payloads are ids, since the rows hold the data; a mail has no row and is in the payload,
 * sealed.
 */
export interface JobPayloads {
  /** Delivers what is due for the webhook. */
  readonly "deliver-webhook": WebhookAddress;
  readonly "sweep-deliveries": Nothing;
  readonly "purge-deliveries": Nothing;
  readonly "purge-accounts": Nothing;
  readonly "unlock-dead-pools": Nothing;
  readonly "create-partitions": Nothing;
  readonly "purge-traces": Nothing;
  readonly "purge-evidence": Nothing;
  readonly "sign-checkpoints": Nothing;
  readonly "purge-bundles": Nothing;
  readonly "refresh-activations": Nothing;
  readonly "notify-quotas": Nothing;
  readonly "close-month": Nothing;
  readonly "advance-subscriptions": Nothing;
  readonly "apply-provider-event": BilledOrganization;
  readonly "finish-billing-intents": Nothing;
  readonly "reconcile-provider": Nothing;
  readonly "end-customer": FormerCustomer;
  readonly "fold-stats": Nothing;
  readonly "evaluate-alerts": Nothing;
  readonly "evaluate-alerts-of": AlertedOrganizations;
  readonly "reconcile-usage": Nothing;
  readonly "find-usage-anomaly": Nothing;
  readonly "mail-notice": NoticeMail;
  readonly "upgrade-traces": Nothing;
  readonly "send-mail": SealedMail;
  readonly "end-tokens": FormerAdmin;
  readonly "purge-organization": DeletedOrganization;
  readonly "purge-dataset": DeletedDataset;
  readonly "record-lock": AccountLock;
  /** Begins to find out how the version stands before its gates. */
  readonly "prepare-gates": VersionAddress;
  /** Works a slice of the run. */
  readonly "work-run": RunAddress;
  readonly "sweep-runs": Nothing;
  readonly "purge-runs": Nothing;
  readonly "fill-queue": Nothing;
  readonly "make-erasure-keys": Nothing;
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

// The jobs that the worker does: their names and payloads, declared once for those who enqueue and those who handle.

import type { Transaction } from "../store/database.ts";

/** One webhook of one organization. */
export type WebhookAddress = {
  readonly org_id: string;
  readonly webhook_id: string;
};

/** A job that looks for its work by itself. */
type Nothing = Readonly<Record<string, never>>;

/** What each job carries. Payloads are ids only: the rows are the truth. */
export interface JobPayloads {
  /** Look whether something is due for the webhook. */
  readonly "deliver-webhook": WebhookAddress;
  readonly "sweep-deliveries": Nothing;
  readonly "purge-deliveries": Nothing;
  readonly "unlock-dead-pools": Nothing;
  readonly "create-partitions": Nothing;
  readonly "purge-traces": Nothing;
  readonly "refresh-activations": Nothing;
}

/** Name of a job. */
export type JobName = keyof JobPayloads;

/** Adds a job that starts after the commit, or at `runAt`. */
export function enqueueJob<Name extends JobName>(
  tx: Transaction,
  task: Name,
  payload: JobPayloads[Name],
  options: { readonly runAt?: Date; readonly key?: string } = {},
): Promise<void> {
  return tx.enqueue({ task, payload: { ...payload }, ...options });
}

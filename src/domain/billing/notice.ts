// Tells an organization's admins what happened to its plan: a row that the summary shows, and a mail.

import { type BillingNoticeRow, insertBillingNotice, takeDueMail } from "../../store/billing/billing-notice.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { mailAdmins, type ServiceAlert } from "../alert/alert.ts";
import { enqueueJob, type NoticeMail } from "../job.ts";
import { billingMail, type TransactionalMailer } from "../mail/mail.ts";

/** A kind of notice. */
export type NoticeKind = "payment_failed" | "grace_ending" | "blocked" | "unblocked" | "plan_changed" | "usage_anomaly";

/**
 * Who sends the mail: this process; the worker, for a process that does not know the mail server; undefined for nobody,
 * since mail is not configured.
 */
export type NoticeMailer = TransactionalMailer | "worker" | undefined;

/** What happened. */
export interface Notice {
  readonly kind: NoticeKind;
  /** What makes it the same notice: it is told once. */
  readonly about: string;
  readonly value?: number;
  readonly projectId?: BillingNoticeRow["projectId"];
  readonly subject: string;
  readonly text: string;
}

/** Tells of it once, if and only if the transaction commits. Returns whether it was new. */
export async function tellBilling(tx: Transaction, mailer: NoticeMailer, notice: Notice): Promise<boolean> {
  const { kind, about, value = 0, projectId, subject, text } = notice;
  const isMailDue = mailer === "worker";
  const row = { kind, about, value, isMailDue, ...(projectId != null && { projectId }) };
  const id = await insertBillingNotice(tx, row);
  if (id === undefined) return false;
  if (mailer === "worker") await enqueueJob(tx, "mail-notice", { org_id: tx.orgId, notice_id: id, subject, text });
  else if (mailer !== undefined) await mailNotice(tx, mailer, { subject, text });
  return true;
}

/** Sends the mails that other processes leave to the worker. */
export class NoticeMails {
  readonly #database: Database;
  readonly #mailer: TransactionalMailer | undefined;

  /** `mailer` is undefined when mail is not configured. */
  constructor(database: Database, { mailer }: { readonly mailer: TransactionalMailer | undefined }) {
    this.#database = database;
    this.#mailer = mailer;
  }

  /** Mails a notice to the admins, once. */
  async mail({ org_id, notice_id, subject, text }: NoticeMail): Promise<void> {
    const mailer = this.#mailer;
    if (mailer === undefined) return;
    await this.#database.systemTransaction(org_id, async (tx) => {
      if (await takeDueMail(tx, notice_id)) await mailNotice(tx, mailer, { subject, text });
    });
  }
}

async function mailNotice(
  tx: Transaction,
  mailer: TransactionalMailer,
  { subject, text }: Pick<Notice, "subject" | "text">,
): Promise<void> {
  const mail: ServiceAlert["mail"] = (email, organization) => billingMail(email, { organization, subject, text });
  await mailAdmins(tx, mailer, mail, { besides: "billingEmail" });
}

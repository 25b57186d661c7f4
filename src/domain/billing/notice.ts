// Tells an organization's admins what happened to its plan: a row that the summary shows, and a mail.

import { type BillingNoticeRow, insertBillingNotice } from "../../store/billing/billing-notice.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { mailAdmins, type ServiceAlert } from "../alert/alert.ts";
import { billingMail, type TransactionalMailer } from "../mail/mail.ts";

/** A kind of notice. */
export type NoticeKind = "payment_failed" | "grace_ending" | "blocked" | "unblocked" | "plan_changed";

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
export async function tellBilling(
  tx: Transaction,
  mailer: TransactionalMailer | undefined,
  { kind, about, value = 0, projectId, subject, text }: Notice,
): Promise<boolean> {
  const isNew = await insertBillingNotice(tx, { kind, about, value, ...(projectId != null && { projectId }) });
  if (!isNew || mailer === undefined) return isNew;
  const mail: ServiceAlert["mail"] = (email, organization) => billingMail(email, { organization, subject, text });
  await mailAdmins(tx, mailer, mail, { besides: "billingEmail" });
  return isNew;
}

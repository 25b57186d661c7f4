// Alerts that the service itself raises. It mails the organization's admins on every plan; webhooks get alert.triggered
// only on paid plans, which alone have alert rules.

import type { Transaction } from "../../store/core/transaction.ts";
import { listAdministrators } from "../../store/identity/member.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { type EventData, publishEvent } from "../event/event.ts";
import type { EmailAddress } from "../mail/email.ts";
import type { MailMessage, TransactionalMailer } from "../mail/mail.ts";

/** People who get a mail about one alert. */
const maxRecipients = 50;

/** An alert and the mail about it. */
export interface ServiceAlert {
  readonly alert: Pick<EventData<"alert.triggered">, "name" | "metric" | "value" | "threshold" | "window_seconds"> &
    Partial<Pick<EventData<"alert.triggered">, "webhook_id">>;
  readonly mail: (email: EmailAddress, organization: string) => MailMessage;
}

/** Raises the alert, if and only if the transaction commits. */
export async function alertAdmins(
  tx: Transaction,
  mailer: TransactionalMailer | undefined,
  { alert, mail }: ServiceAlert,
): Promise<void> {
  const { plan } = await findOrganization(tx);
  if (plan !== "free") {
    const own = { alert_rule_id: null, state: "triggered", project_id: null, webhook_id: null };
    await publishEvent(tx, "alert.triggered", { ...own, ...alert });
  }
  await mailAdmins(tx, mailer, mail);
}

/** Mails owners and admins, owners first, except for the account `except`. Does nothing without a mailer. */
export async function mailAdmins(
  tx: Transaction,
  mailer: TransactionalMailer | undefined,
  mail: ServiceAlert["mail"],
  { except }: { readonly except?: string } = {},
): Promise<void> {
  if (mailer === undefined) return;
  const { name } = await findOrganization(tx);
  for (const { email, emailKey, accountId } of await listAdministrators(tx, maxRecipients)) {
    if (accountId !== except) await mailer.sendWithin(tx, mail({ text: email, key: emailKey }, name));
  }
}

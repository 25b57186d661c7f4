// How an organization is told: events for webhooks, on paid plans only, which alone have alert rules, and mails to
// admins about what the service itself raises, on every plan.

import type { Transaction } from "../../store/core/transaction.ts";
import { listAdministrators } from "../../store/identity/member.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { type EventData, publishEvents } from "../event/event.ts";
import { type EmailAddress, parseEmail } from "../mail/email.ts";
import type { MailMessage, TransactionalMailer } from "../mail/mail.ts";

/** People who get a mail about one alert. */
const maxRecipients = 50;

/** What an alert of the service itself has instead of what a rule's has. */
const ofService = {
  ...{ alert_rule_id: null, state: "triggered", project_id: null, webhook_id: null, alert_id: null, environment: null },
  ...{ agent_id: null, severity: null, reason: null, fired_at: null, resolved_at: null },
  ...{ rule_id: null, policy: null, samples: null, sample_trace_ids: [], url: null },
};

/** An alert and the mail about it. */
export interface ServiceAlert {
  readonly alert: Pick<EventData<"alert.triggered">, "name" | "metric" | "value" | "threshold" | "window_seconds"> &
    Partial<Omit<EventData<"alert.triggered">, "name" | "metric" | "value" | "threshold" | "window_seconds">>;
  readonly mail: (email: EmailAddress, organization: string) => MailMessage;
}

/** Raises the alert, if and only if the transaction commits. */
export async function alertAdmins(
  tx: Transaction,
  mailer: TransactionalMailer | undefined,
  { alert, mail }: ServiceAlert,
): Promise<void> {
  await publishAlert(tx, alert);
  await mailAdmins(tx, mailer, mail);
}

/** Publishes the event of an alert, on paid plans, and mails nobody. */
export function publishAlert(tx: Transaction, alert: ServiceAlert["alert"]): Promise<void> {
  return publishAlerts(tx, [alert]);
}

/** The same for many alerts. */
export async function publishAlerts(tx: Transaction, alerts: readonly ServiceAlert["alert"][]): Promise<void> {
  const { plan } = await findOrganization(tx);
  if (plan === "free") return;
  await publishEvents(
    tx,
    "alert.triggered",
    alerts.map((alert) => ({ ...ofService, ...alert })),
    { evenUnheard: true },
  );
}

/** Whom a mail goes to. */
export interface MailRecipients {
  /** The account that gets none. */
  readonly except?: string;
  /** Owners alone, no admins. */
  readonly onlyOwners?: boolean;
  /** The address of the organization that gets it too, when there is one. */
  readonly besides?: "billingEmail" | "securityEmail";
}

/** Mails owners and admins, owners first. Each address gets one mail. Does nothing without a mailer. */
export async function mailAdmins(
  tx: Transaction,
  mailer: TransactionalMailer | undefined,
  mail: ServiceAlert["mail"],
  { except, onlyOwners = false, besides }: MailRecipients = {},
): Promise<void> {
  if (mailer === undefined) return;
  const organization = await findOrganization(tx);
  const administrators = await listAdministrators(tx, maxRecipients);
  const people = administrators.filter(
    ({ accountId, role }) => accountId !== except && (!onlyOwners || role === "owner"),
  );
  const recipients = new Map(people.map(({ email, emailKey }) => [emailKey, { text: email, key: emailKey }]));
  const common = besides === undefined ? null : organization[besides];
  if (common != null) recipients.set(parseEmail(common).key, parseEmail(common));
  for (const email of recipients.values()) await mailer.sendWithin(tx, mail(email, organization.name));
}

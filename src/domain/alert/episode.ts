// Alerts of rules: one row for each episode, and who is told of it. The row, the event and the mails are written in one
// transaction under the lock of the organization's alerts, so that whatever dies in between, each is told once.

import { newId } from "../../kit/process/id.ts";
import {
  AlertGroupRow,
  AlertRow,
  type AlertRuleRow,
  findAlerts,
  listAlertGroups,
} from "../../store/alert/alert-rule.ts";
import { lookupsWithin, type Transaction } from "../../store/core/transaction.ts";
import { countHit } from "../../store/identity/address-limit.ts";
import { findMembers } from "../../store/identity/member.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { alertRuleMail, type TransactionalMailer } from "../mail/mail.ts";
import { publishAlert } from "./alert.ts";
import { groupOf } from "./metric.ts";
import { furtherBeyond } from "./state.ts";

const minuteMs = 60_000;
/** Time between two mails about one rule. */
const mailPauseMs = 15 * minuteMs;
/** Mails about rules of one organization. */
const mailAllowance = { aMinute: 100, anHour: 100 };

/** Why somebody is told. */
export type AlertReason = "threshold" | "no_data" | "renotify" | "resolved";

/** A window that was compared. */
export interface ComparedWindow {
  readonly until: Date;
  readonly value: number | undefined;
}

/** Begins an episode of a group. */
export function openAlert(tx: Transaction, rule: AlertRuleRow, groupKey: string, window: ComparedWindow): AlertRow {
  const { id: ruleId, name: ruleName, metric, severity, threshold } = rule;
  return tx.em.create(AlertRow, {
    ...{ orgId: tx.orgId, id: newId(), ruleId, ruleName, metric, groupKey, severity, threshold },
    ...{ peakValue: window.value ?? null, firedAt: window.until, resolvedAt: null, notifiedAt: null, notifications: 0 },
  });
}

/** Tells of an open alert when it is time to: at first, and again as the rule says. Never while the rule is silent. */
export async function tellOpen(
  tx: Transaction,
  mailer: TransactionalMailer | undefined,
  rule: AlertRuleRow,
  alert: AlertRow,
  window: ComparedWindow,
): Promise<void> {
  alert.peakValue = furtherBeyond(rule.operator, alert.peakValue ?? null, window.value);
  if (rule.silencedUntil != null && rule.silencedUntil > tx.now) return;
  const { notifiedAt } = alert;
  if (notifiedAt == null) {
    await tell(tx, mailer, { rule, alert, window, reason: window.value === undefined ? "no_data" : "threshold" });
  } else if (
    rule.renotifyMinutes != null &&
    window.until.getTime() - notifiedAt.getTime() >= rule.renotifyMinutes * minuteMs
  ) {
    await tell(tx, mailer, { rule, alert, window, reason: "renotify" });
  }
}

/** Ends an episode. Whoever was told that it began is told. */
export async function closeAlert(
  tx: Transaction,
  mailer: TransactionalMailer | undefined,
  rule: AlertRuleRow,
  alert: AlertRow,
  window: ComparedWindow,
): Promise<void> {
  alert.resolvedAt = window.until;
  const isSilent = rule.silencedUntil != null && rule.silencedUntil > tx.now;
  if (alert.notifiedAt != null && !isSilent) await tell(tx, mailer, { rule, alert, window, reason: "resolved" });
}

/** Ends whatever is open of a rule that is changed or deleted. */
export async function endEpisodes(
  tx: Transaction,
  mailer: TransactionalMailer | undefined,
  rule: AlertRuleRow,
): Promise<void> {
  const groups = await listAlertGroups(tx, rule.id);
  const alerts = await findAlerts(
    tx,
    groups.flatMap(({ alertId }) => alertId ?? []),
  );
  for (const alert of alerts) await closeAlert(tx, mailer, rule, alert, { until: tx.now, value: undefined });
  await tx.em.flush();
  await tx.em.nativeDelete(AlertGroupRow, { orgId: tx.orgId, ruleId: rule.id });
}

interface Telling {
  readonly rule: AlertRuleRow;
  readonly alert: AlertRow;
  readonly window: ComparedWindow;
  readonly reason: AlertReason;
}

async function tell(
  tx: Transaction,
  mailer: TransactionalMailer | undefined,
  { rule, alert, window, reason }: Telling,
): Promise<void> {
  alert.notifiedAt = window.until;
  alert.notifications += 1;
  const { projectId = null, environment = null, agentKey = null } = groupOf(alert.groupKey);
  const state = reason === "resolved" ? "resolved" : "triggered";
  const value = window.value ?? alert.peakValue ?? 0;
  if (rule.notifyWebhooks) {
    await publishAlert(tx, {
      ...{ alert_rule_id: rule.id, name: rule.name, state, metric: rule.metric, value, threshold: rule.threshold },
      ...{ window_seconds: rule.windowMinutes * 60, project_id: projectId, environment, agent_id: agentKey },
      ...{ alert_id: alert.id, severity: rule.severity, reason, fired_at: wholeSecond(alert.firedAt) },
      resolved_at: alert.resolvedAt == null ? null : wholeSecond(alert.resolvedAt),
    });
  }
  await mailMembers(tx, mailer, { rule, alert, window, reason });
}

function wholeSecond(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

// A rule with fifty groups that all fire has one mail to tell; the next comes a quarter of an hour later.
async function mailMembers(
  tx: Transaction,
  mailer: TransactionalMailer | undefined,
  { rule, alert, window, reason }: Telling,
): Promise<void> {
  if (mailer === undefined || rule.notifyMemberIds.length === 0) return;
  const { lastMailedAt } = rule;
  if (lastMailedAt != null && tx.now.getTime() - lastMailedAt.getTime() < mailPauseMs) return;
  rule.lastMailedAt = tx.now;
  const { name: organization } = await findOrganization(tx);
  const members = await findMembers(tx, rule.notifyMemberIds);
  const group = Object.values(groupOf(alert.groupKey)).filter((part) => part !== undefined);
  for (const { state, email: text, emailKey: key } of members) {
    if (state !== "active") continue;
    if ((await countHit(lookupsWithin(tx), `alert:${tx.orgId}`, tx.now, mailAllowance)) !== undefined) return;
    const facts = { organization, rule, reason, value: window.value, group, firedAt: alert.firedAt };
    await mailer.sendWithin(tx, alertRuleMail({ text, key }, facts));
  }
}

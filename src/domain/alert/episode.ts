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
import { sampleTraceIds } from "../../store/alert/alert-sample.ts";
import { lookupsWithin, type Transaction } from "../../store/core/transaction.ts";
import { countHit } from "../../store/identity/address-limit.ts";
import { findMembers } from "../../store/identity/member.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { alertRuleMail, type TransactionalMailer } from "../mail/mail.ts";
import { publishAlert } from "./alert.ts";
import { type Group, groupOf } from "./metric.ts";
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
  /** Evaluations, or what else the metric counts, of which the value was made. */
  readonly samples: number;
}

/** How people are told. */
export interface Telling {
  /** Undefined when mail is not configured. */
  readonly mailer: TransactionalMailer | undefined;
  /** Address of the control plane, which events link to; undefined where it is not known. */
  readonly publicUrl?: string | undefined;
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
  telling: Telling,
  rule: AlertRuleRow,
  alert: AlertRow,
  window: ComparedWindow,
): Promise<void> {
  alert.peakValue = furtherBeyond(rule.operator, alert.peakValue ?? null, window.value);
  if (rule.silencedUntil != null && rule.silencedUntil > tx.now) return;
  const { notifiedAt } = alert;
  if (notifiedAt == null) {
    await tell(tx, telling, { rule, alert, window, reason: window.value === undefined ? "no_data" : "threshold" });
  } else if (
    rule.renotifyMinutes != null &&
    window.until.getTime() - notifiedAt.getTime() >= rule.renotifyMinutes * minuteMs
  ) {
    await tell(tx, telling, { rule, alert, window, reason: "renotify" });
  }
}

/** Ends an episode. Whoever was told that it began is told. */
export async function closeAlert(
  tx: Transaction,
  telling: Telling,
  rule: AlertRuleRow,
  alert: AlertRow,
  window: ComparedWindow,
): Promise<void> {
  alert.resolvedAt = window.until;
  const isSilent = rule.silencedUntil != null && rule.silencedUntil > tx.now;
  if (alert.notifiedAt != null && !isSilent) await tell(tx, telling, { rule, alert, window, reason: "resolved" });
}

/** Ends whatever is open of a rule that is changed or deleted. */
export async function endEpisodes(tx: Transaction, telling: Telling, rule: AlertRuleRow): Promise<void> {
  const groups = await listAlertGroups(tx, rule.id);
  const alerts = await findAlerts(
    tx,
    groups.flatMap(({ alertId }) => alertId ?? []),
  );
  for (const alert of alerts)
    await closeAlert(tx, telling, rule, alert, { until: tx.now, value: undefined, samples: 0 });
  await tx.em.flush();
  await tx.em.nativeDelete(AlertGroupRow, { orgId: tx.orgId, ruleId: rule.id });
}

interface Tale {
  readonly rule: AlertRuleRow;
  readonly alert: AlertRow;
  readonly window: ComparedWindow;
  readonly reason: AlertReason;
}

async function tell(
  tx: Transaction,
  { mailer, publicUrl }: Telling,
  { rule, alert, window, reason }: Tale,
): Promise<void> {
  alert.notifiedAt = window.until;
  alert.notifications += 1;
  const group = groupOf(alert.groupKey);
  const { projectId = null, environment = null, agentKey = null, ruleId = null } = group;
  const state = reason === "resolved" ? "resolved" : "triggered";
  const value = window.value ?? alert.peakValue ?? 0;
  if (rule.notifyWebhooks) {
    await publishAlert(tx, {
      ...{ alert_rule_id: rule.id, name: rule.name, state, metric: rule.metric, value, threshold: rule.threshold },
      ...{ window_seconds: rule.windowMinutes * 60, project_id: projectId, environment, agent_id: agentKey },
      ...{ alert_id: alert.id, severity: rule.severity, reason, fired_at: wholeSecond(alert.firedAt) },
      resolved_at: alert.resolvedAt == null ? null : wholeSecond(alert.resolvedAt),
      ...{ rule_id: ruleId, samples: window.samples, url: urlOf(publicUrl, alert) },
      sample_trace_ids: reason === "resolved" ? [] : await samplesOf(tx, rule, group, window.until),
    });
  }
  await mailMembers(tx, mailer, { rule, alert, window, reason });
}

/** Newest traces of the window that the value counts. */
function samplesOf(tx: Transaction, rule: AlertRuleRow, group: Group, until: Date): Promise<string[]> {
  const since = new Date(until.getTime() - rule.windowMinutes * minuteMs);
  const known = Object.fromEntries(Object.entries(group).filter(([, value]) => value !== undefined));
  const filter = { ...rule.filter, ...known, threshold: rule.threshold };
  return sampleTraceIds(tx, rule.metric, { since, until }, filter);
}

function urlOf(publicUrl: string | undefined, { orgId, id }: AlertRow): string | null {
  return publicUrl === undefined ? null : `${publicUrl.replace(/\/+$/, "")}/v1/orgs/${orgId}/alerts/${id}`;
}

function wholeSecond(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

// A rule with fifty groups that all fire has one mail to tell; the next comes a quarter of an hour later.
async function mailMembers(
  tx: Transaction,
  mailer: TransactionalMailer | undefined,
  { rule, alert, window, reason }: Tale,
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

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
import { publishAlerts } from "./alert.ts";
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

/**
 * What there is to tell of an open alert: at first, and again as the rule says. Never while the rule is silent. The
 * alert counts as told; the caller passes the tale to {@link tellAll} in the same transaction.
 */
export function taleOfOpen(
  tx: Transaction,
  rule: AlertRuleRow,
  alert: AlertRow,
  window: ComparedWindow,
): Tale | undefined {
  alert.peakValue = furtherBeyond(rule.operator, alert.peakValue ?? null, window.value);
  if (isSilent(tx, rule)) return undefined;
  const { notifiedAt } = alert;
  if (notifiedAt == null) return taleOf(rule, alert, window, window.value === undefined ? "no_data" : "threshold");
  const isDue =
    rule.renotifyMinutes != null && window.until.getTime() - notifiedAt.getTime() >= rule.renotifyMinutes * minuteMs;
  return isDue ? taleOf(rule, alert, window, "renotify") : undefined;
}

/** Ends an episode. Whoever was told that it began is told, by {@link tellAll}. */
export function closeAlert(
  tx: Transaction,
  rule: AlertRuleRow,
  alert: AlertRow,
  window: ComparedWindow,
): Tale | undefined {
  alert.resolvedAt = window.until;
  return alert.notifiedAt == null || isSilent(tx, rule) ? undefined : taleOf(rule, alert, window, "resolved");
}

function isSilent(tx: Transaction, { silencedUntil }: AlertRuleRow): boolean {
  return silencedUntil != null && silencedUntil > tx.now;
}

function taleOf(rule: AlertRuleRow, alert: AlertRow, window: ComparedWindow, reason: AlertReason): Tale {
  alert.notifiedAt = window.until;
  alert.notifications += 1;
  return { rule, alert, window, reason };
}

/** Ends whatever is open of a rule that is changed or deleted. */
export async function endEpisodes(tx: Transaction, telling: Telling, rule: AlertRuleRow): Promise<void> {
  const groups = await listAlertGroups(tx, rule.id);
  const alerts = await findAlerts(
    tx,
    groups.flatMap(({ alertId }) => alertId ?? []),
  );
  const window = { until: tx.now, value: undefined, samples: 0 };
  const tales = alerts.flatMap((alert) => closeAlert(tx, rule, alert, window) ?? []);
  await tellAll(tx, telling, tales);
  await tx.em.flush();
  await tx.em.nativeDelete(AlertGroupRow, { orgId: tx.orgId, ruleId: rule.id });
}

/** Something to tell of an alert. */
export interface Tale {
  readonly rule: AlertRuleRow;
  readonly alert: AlertRow;
  readonly window: ComparedWindow;
  readonly reason: AlertReason;
}

/** Tells webhooks and members. Episodes may begin by the thousand in one minute, so events are written together. */
export async function tellAll(tx: Transaction, { mailer, publicUrl }: Telling, tales: readonly Tale[]): Promise<void> {
  const loud = tales.filter(({ rule }) => rule.notifyWebhooks);
  if (loud.length > 0) {
    const samples = await samplesOf(tx, loud);
    await publishAlerts(
      tx,
      loud.map((tale, index) => eventOf(tale, publicUrl, samples[index] ?? [])),
    );
  }
  for (const tale of tales) await mailMembers(tx, mailer, tale);
}

function eventOf({ rule, alert, window, reason }: Tale, publicUrl: string | undefined, samples: string[]) {
  const group = groupOf(alert.groupKey);
  const { projectId = null, environment = null, agentKey = null, ruleId = null, policy = null } = group;
  const state = reason === "resolved" ? "resolved" : "triggered";
  const value = window.value ?? alert.peakValue ?? 0;
  return {
    ...{ alert_rule_id: rule.id, name: rule.name, state, metric: rule.metric, value, threshold: rule.threshold },
    ...{ window_seconds: rule.windowMinutes * 60, project_id: projectId, environment, agent_id: agentKey },
    ...{ alert_id: alert.id, severity: rule.severity, reason, fired_at: wholeSecond(alert.firedAt) },
    resolved_at: alert.resolvedAt == null ? null : wholeSecond(alert.resolvedAt),
    ...{ rule_id: ruleId, policy, samples: window.samples, url: urlOf(publicUrl, alert), sample_trace_ids: samples },
  };
}

// Newest traces of each window that the value counts; none of an episode that has ended.
async function samplesOf(tx: Transaction, tales: readonly Tale[]): Promise<string[][]> {
  const asking = tales.filter(({ reason }) => reason !== "resolved");
  const found = await sampleTraceIds(
    tx,
    asking.map(({ rule, alert, window: { until } }) => {
      const known = Object.entries(groupOf(alert.groupKey)).filter(([, value]) => value !== undefined);
      const since = new Date(until.getTime() - rule.windowMinutes * minuteMs);
      const { metric, threshold } = rule;
      return { ...rule.filter, ...Object.fromEntries(known), metric, threshold, since, until };
    }),
  );
  const byAlert = new Map(asking.map(({ alert }, index) => [alert.id, found[index] ?? []]));
  return tales.map(({ alert, reason }) => (reason === "resolved" ? [] : (byAlert.get(alert.id) ?? [])));
}

/** The page of the console that shows the rule with its alerts. */
function urlOf(publicUrl: string | undefined, { orgId, ruleId }: AlertRow): string | null {
  return publicUrl === undefined ? null : `${publicUrl.replace(/\/+$/, "")}/o/${orgId}/alerts/${ruleId}`;
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

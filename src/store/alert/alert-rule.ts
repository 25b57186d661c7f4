// Alert rules, the groups of them whose state is not quiet, and their alerts. Whoever writes any of them holds the lock
// of the organization's alerts, so no alert begins or ends twice.

import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { idArray, runBound } from "../core/bulk.ts";
import { lookupTenantTable, tenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

/** A metric that is read from tables of its own. */
export type FactMetric =
  | "backend_error_rate"
  | "candidate_disagreement_rate"
  | "annotated_false_positive_rate"
  | "certain_false_positive_rate"
  | "runtimes_behind"
  | "runtimes_disconnected"
  | "bundle_age_minutes"
  | "bundles_rejected"
  | "webhook_dropped";

/** What a rule may measure. */
export type AlertMetric =
  | "evaluations"
  | "blocked_evaluations"
  | "block_rate"
  | "flag_rate"
  | "redact_rate"
  | "would_block_rate"
  | "unjudged_rate"
  | "fail_open_count"
  | "latency_p95_ms"
  | "records_lost"
  | "plan_usage_percent"
  | FactMetric;
/** How values are compared. */
export type AlertOperator = "gt" | "gte" | "lt" | "lte";
/** What a window without a value means. */
export type AlertNoData = "keep" | "ok" | "fire";
/** How urgent an alert is. */
export type AlertSeverity = "info" | "warning" | "critical";
/** What a rule is evaluated for. */
export type AlertGroupBy = "project" | "environment" | "agent" | "rule";
/** The state of one group. */
export type GroupState = "ok" | "pending" | "firing" | "recovering" | "no_data";
/** The state of a rule as it is stored; `error` after three minutes that could not be compared. */
export type StoredRuleState = GroupState | "error";

/** Which evaluations a rule measures. */
export type AlertFilter = {
  readonly projectId?: string | undefined;
  readonly environment?: string | undefined;
  readonly agentKey?: string | undefined;
  readonly stage?: number | undefined;
  /** Id of a rule of a policy. */
  readonly ruleId?: string | undefined;
  /** Name of the rule's policy; undefined: of whatever policies have a rule with this id. */
  readonly policy?: string | undefined;
};

const ruleSchema = defineEntity({
  name: "AlertRule",
  tableName: "alert_rule",
  ...lookupTenantTable,
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    metric: p.text().$type<AlertMetric>(),
    filter: p.json<AlertFilter>(),
    groupBy: p.text().$type<AlertGroupBy>().nullable(),
    windowMinutes: p.integer(),
    operator: p.text().$type<AlertOperator>(),
    threshold: p.double().$type<number>(),
    recoveryThreshold: p.double().$type<number>().nullable(),
    forMinutes: p.integer(),
    keepFiringMinutes: p.integer(),
    minSamples: p.integer(),
    noData: p.text().$type<AlertNoData>(),
    renotifyMinutes: p.integer().nullable(),
    severity: p.text().$type<AlertSeverity>(),
    notifyWebhooks: p.boolean(),
    notifyMemberIds: p.json<readonly string[]>(),
    isEnabled: p.boolean(),
    silencedUntil: p.datetime(3).nullable(),
    state: p.text().$type<StoredRuleState>(),
    /** Evaluations that failed since the last one that did not. */
    failures: p.integer().default(0),
    lastValue: p.double().$type<number>().nullable(),
    /** End of the window that was compared last; at first the moment from which on windows are compared. */
    evaluatedUntil: p.datetime(3),
    /** Whether a window was compared since the rule was made. */
    isEvaluated: p.boolean(),
    lastMailedAt: p.datetime(3).nullable(),
    revision: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A rule. */
export class AlertRuleRow extends ruleSchema.class {}
ruleSchema.setClass(AlertRuleRow);

const groupSchema = defineEntity({
  name: "AlertGroup",
  tableName: "alert_group",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    ruleId: p.uuid().primary(),
    /**
     * A JSON list: project, environment, agent, and for groups by rule the rule and its policy; null for what the rule
     * does not distinguish.
     */
    groupKey: p.text().primary(),
    state: p.text().$type<GroupState>(),
    /** End of the window with which the state began. */
    since: p.datetime(3),
    /** Null while it is pending. */
    alertId: p.uuid().nullable(),
  },
});

/** A group of a rule that is pending, firing or recovering. */
export class AlertGroupRow extends groupSchema.class {}
groupSchema.setClass(AlertGroupRow);

const alertSchema = defineEntity({
  name: "Alert",
  tableName: "alert",
  ...tenantTable,
  indexes: [{ name: "alert_newest", properties: ["orgId", "firedAt"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    ruleId: p.uuid(),
    ruleName: p.text(),
    metric: p.text().$type<AlertMetric>(),
    groupKey: p.text(),
    severity: p.text().$type<AlertSeverity>(),
    threshold: p.double().$type<number>(),
    peakValue: p.double().$type<number>().nullable(),
    firedAt: p.datetime(3),
    resolvedAt: p.datetime(3).nullable(),
    /** End of the window with which it was told last; null when it was not told yet. */
    notifiedAt: p.datetime(3).nullable(),
    notifications: p.integer(),
  },
});

/** One episode of a rule's group. */
export class AlertRow extends alertSchema.class {}
alertSchema.setClass(AlertRow);

// Any number that nothing else in the database locks together with a hash.
const alertLockClass = 7_405_221;

/** Locks the organization's alerts until the commit. */
export async function lockAlerts(tx: Transaction): Promise<void> {
  await runBound(tx, `select pg_advisory_xact_lock(${alertLockClass}, hashtext($1))`, [tx.orgId]);
}

/** The same without waiting. False when somebody else has them locked. */
export async function tryLockAlerts(tx: Transaction): Promise<boolean> {
  const rows = await runBound<{ locked: boolean }>(
    tx,
    `select pg_try_advisory_xact_lock(${alertLockClass}, hashtext($1)) as locked`,
    [tx.orgId],
  );
  return rows[0]?.locked === true;
}

/** Organizations that have rules to evaluate. */
export function lookUpAlerted(database: Lookups): Promise<{ org_id: string }[]> {
  return database.lookup("organizations_with_alert_rules", []);
}

/** A page of rules, oldest first, and their count. */
export function listAlertRules(tx: Transaction, page: Page): Promise<[AlertRuleRow[], number]> {
  return tx.em.findAndCount(AlertRuleRow, { orgId: tx.orgId }, { ...page, orderBy: { createdAt: "asc", id: "asc" } });
}

/** The rules to evaluate. */
export function listEnabledRules(tx: Transaction): Promise<AlertRuleRow[]> {
  return tx.em.find(AlertRuleRow, { orgId: tx.orgId, isEnabled: true }, { orderBy: { id: "asc" } });
}

/** How many rules there are. */
export function countAlertRules(tx: Transaction): Promise<number> {
  return tx.em.count(AlertRuleRow, { orgId: tx.orgId });
}

/** The rule, or null. */
export function findAlertRule(tx: Transaction, id: string): Promise<AlertRuleRow | null> {
  return tx.em.findOne(AlertRuleRow, { orgId: tx.orgId, id });
}

/** Deletes the rule with its groups and alerts. */
export async function deleteAlertRule(tx: Transaction, id: string): Promise<void> {
  await tx.em.nativeDelete(AlertRuleRow, { orgId: tx.orgId, id });
}

/** What was compared with a rule. */
export interface Compared {
  readonly ruleId: string;
  readonly state: GroupState;
  readonly value: number | null;
}

/** Writes what was compared with all rules of an organization, in one statement. */
export async function writeCompared(tx: Transaction, until: Date, compared: readonly Compared[]): Promise<void> {
  if (compared.length === 0) return;
  await runBound(
    tx,
    `update alert_rule r set state = c.state, last_value = c.value, evaluated_until = $2, is_evaluated = true,
       failures = 0
     from unnest($3::uuid[], $4::text[], $5::float8[]) c (id, state, value) where r.org_id = $1 and r.id = c.id`,
    [
      ...[tx.orgId, until, compared.map(({ ruleId }) => ruleId)],
      ...[compared.map(({ state }) => state), compared.map(({ value }) => value)],
    ],
  );
}

/** The groups of rules that are not quiet. */
export function listAlertGroups(tx: Transaction, ruleId?: string): Promise<AlertGroupRow[]> {
  return tx.em.find(AlertGroupRow, { orgId: tx.orgId, ...(ruleId === undefined ? {} : { ruleId }) });
}

/** The alerts with these ids. */
export function findAlerts(tx: Transaction, ids: readonly string[]): Promise<AlertRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : tx.em.find(AlertRow, { orgId: tx.orgId, id: { $in: [...ids] } });
}

/** Which alerts are asked for. */
export interface AlertQuery {
  readonly isOpen?: boolean | undefined;
  readonly ruleId?: string | undefined;
}

/** A page of alerts, newest first, and their count. */
export function listAlerts(tx: Transaction, { isOpen, ruleId }: AlertQuery, page: Page): Promise<[AlertRow[], number]> {
  return tx.em.findAndCount(
    AlertRow,
    {
      orgId: tx.orgId,
      ...(ruleId === undefined ? {} : { ruleId }),
      ...(isOpen === undefined ? {} : { resolvedAt: isOpen ? null : { $ne: null } }),
    },
    { ...page, orderBy: { firedAt: "desc", id: "asc" } },
  );
}

/** The alert, or null. */
export function findAlert(tx: Transaction, id: string): Promise<AlertRow | null> {
  return tx.em.findOne(AlertRow, { orgId: tx.orgId, id });
}

/** Lets windows of these rules be compared from this moment on. */
export async function restartRules(tx: Transaction, ruleIds: readonly string[], from: Date): Promise<void> {
  await tx.sql("update alert_rule set evaluated_until = ? where org_id = ? and id = any(?::uuid[])", [
    from,
    tx.orgId,
    idArray(ruleIds),
  ]);
}

/**
 * The same for rules that a clock compared which was ahead: no state of theirs, no alert and no mail is of a later
 * moment afterwards, so that none is waited for.
 */
export async function turnRulesBack(tx: Transaction, ruleIds: readonly string[], to: Date): Promise<void> {
  await restartRules(tx, ruleIds, to);
  for (const statement of [
    "update alert_group set since = $2 where org_id = $1 and rule_id = any($3::uuid[]) and since > $2",
    `update alert set fired_at = least(fired_at, $2), resolved_at = least(resolved_at, $2),
       notified_at = least(notified_at, $2)
     where org_id = $1 and rule_id = any($3::uuid[]) and greatest(fired_at, resolved_at, notified_at) > $2`,
    "update alert_rule set last_mailed_at = $2 where org_id = $1 and id = any($3::uuid[]) and last_mailed_at > $2",
  ])
    await runBound(tx, statement, [tx.orgId, to, [...ruleIds]]);
}

/**
 * Counts a failed evaluation of all enabled rules. From this many on their state is `error`. Returns how many rules
 * have come into it by this one.
 */
export async function countFailure(tx: Transaction, most: number): Promise<number> {
  const rows = await runBound<{ failures: number }>(
    tx,
    `update alert_rule set failures = failures + 1,
       state = case when failures + 1 >= $2 then 'error' else state end
     where org_id = $1 and is_enabled returning failures`,
    [tx.orgId, most],
  );
  return rows.filter(({ failures }) => failures === most).length;
}

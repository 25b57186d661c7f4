// Alert rules: who writes them writes them with the lock of the organization's alerts, so that no evaluation sees half
// a change.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, type FieldViolation, notFound, validationFailed } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import {
  type AlertFilter,
  type AlertGroupBy,
  type AlertMetric,
  type AlertNoData,
  type AlertOperator,
  type AlertQuery,
  type AlertRow,
  AlertRuleRow,
  type AlertSeverity,
  countAlertRules,
  deleteAlertRule,
  findAlert,
  findAlertRule,
  listAlertRules,
  listAlerts,
  lockAlerts,
} from "../../store/alert/alert-rule.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findMembers } from "../../store/identity/member.ts";
import { environmentNames } from "../../store/project/environment.ts";
import { findProject } from "../../store/project/project.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import type { TransactionalMailer } from "../mail/mail.ts";
import { isUnchanged } from "../unchanged.ts";
import { endEpisodes, type Telling } from "./episode.ts";
import { lastWindowEnd, type PlanUsageReader } from "./evaluation.ts";
import { isTested, maxValueOf, ruleMetrics, sourceOf, tellsRules, wholeMetrics } from "./metric.ts";
import { type AlertPreview, previewRule } from "./preview.ts";
import { isOnQuietSide, reachOf } from "./state.ts";

type PlanName = "free" | "growth" | "enterprise";

/** Rules of an organization, by its plan. */
export const rulesPerPlan: Readonly<Record<PlanName, number>> = {
  free: 0,
  growth: 50,
  enterprise: 200,
};
/** The longest window of what is counted by the minute. */
const maxCountedMinutes = 1_440;
/** The window of a tested metric where none is given: 28 days. */
const usualTestedMinutes = 40_320;
/** The longest window of latencies, whose buckets are read one by one. */
export const maxLatencyMinutes = 60;
const maxSilenceMs = 7 * 86_400_000;

/** What a caller says about a rule. */
export interface AlertRuleInput {
  readonly name?: string | undefined;
  readonly metric?: AlertMetric | undefined;
  readonly filter?: AlertFilter | undefined;
  readonly groupBy?: AlertGroupBy | undefined;
  readonly windowMinutes?: number | undefined;
  readonly operator?: AlertOperator | undefined;
  readonly threshold?: number | undefined;
  readonly recoveryThreshold?: number | undefined;
  readonly forMinutes?: number | undefined;
  readonly keepFiringMinutes?: number | undefined;
  readonly minSamples?: number | undefined;
  readonly noData?: AlertNoData | undefined;
  readonly renotifyMinutes?: number | undefined;
  readonly severity?: AlertSeverity | undefined;
  readonly notifyWebhooks?: boolean | undefined;
  readonly notifyMemberIds?: readonly string[] | undefined;
  readonly isEnabled?: boolean | undefined;
  /** Fields that shall have no value again. */
  readonly cleared: readonly ("recoveryThreshold" | "renotifyMinutes" | "groupBy")[];
}

/** A rule, and whether it rests because of the plan. */
export interface AlertRule {
  readonly row: AlertRuleRow;
  readonly isPaused: boolean;
}

/** What rules are built from. */
export interface AlertRuleParts {
  readonly mailer: TransactionalMailer | undefined;
  /** Address of the control plane; undefined where it is not known. */
  readonly publicUrl?: string | undefined;
  /** Folds what an organization has ingested, so that a preview counts it. */
  readonly fold: (orgId: string) => Promise<unknown>;
  readonly readPlanUsage: PlanUsageReader;
}

/** Creates, lists, tries, changes and deletes rules, and lists alerts. */
export class AlertRules {
  readonly #database: Database;
  readonly #parts: AlertRuleParts;

  constructor(database: Database, parts: AlertRuleParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /** A page of rules. */
  list(caller: Caller, page: Page): Promise<[AlertRule[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const [rows, total] = await listAlertRules(tx, page);
      return [await shown(tx, rows), total];
    });
  }

  /** The rule. */
  get(caller: Caller, id: string): Promise<AlertRule> {
    return this.#database.read(caller.orgId, async (tx) => one(tx, await requireRule(tx, id)));
  }

  /** Creates a rule. */
  create(caller: Caller, input: AlertRuleInput): Promise<AlertRule> {
    return this.#database.transaction(caller, async (tx) => {
      await lockAlerts(tx);
      const row = tx.em.create(AlertRuleRow, newRule(tx, input));
      await check(tx, row, input);
      await assertRoom(tx);
      await tx.em.flush();
      tx.changed({ resource: `alert_rule/${row.id}`, before: null, after: auditView(row) });
      return one(tx, row);
    });
  }

  /** Changes what is given. */
  update(caller: Caller, id: string, input: AlertRuleInput): Promise<AlertRule> {
    return this.#database.transaction(caller, async (tx) => {
      await lockAlerts(tx);
      const row = await requireRule(tx, id);
      const before = auditView(row);
      const condition = conditionOf(row);
      const changed = { ...row, ...written(input) };
      await check(tx, changed, input);
      if (conditionOf(changed) !== condition) {
        await endEpisodes(tx, tellingOf(this.#parts), row);
        const from = new Date(lastWindowEnd(tx.now));
        Object.assign(row, { state: "ok", failures: 0, lastValue: null, isEvaluated: false, evaluatedUntil: from });
      }
      if (!isUnchanged(row, written(input))) {
        Object.assign(row, written(input), { revision: row.revision + 1, updatedAt: tx.now });
      }
      await tx.em.flush();
      tx.changed({ resource: `alert_rule/${id}`, before, after: auditView(row) });
      return one(tx, row);
    });
  }

  /** Deletes the rule with its alerts. */
  delete(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      await lockAlerts(tx);
      const row = await requireRule(tx, id);
      await endEpisodes(tx, tellingOf(this.#parts), row);
      await tx.em.flush();
      tx.changed({ resource: `alert_rule/${id}`, before: auditView(row), after: null });
      await deleteAlertRule(tx, id);
    });
  }

  /** Silences the rule until this moment. */
  silence(caller: Caller, id: string, until: Date): Promise<AlertRule> {
    return this.#database.transaction(caller, async (tx) => {
      if (until.getTime() - tx.now.getTime() > maxSilenceMs) {
        throw validationFailed([{ field: "until", message: "must be at most 7 days from now" }]);
      }
      await lockAlerts(tx);
      const row = await requireRule(tx, id);
      const before = auditView(row);
      Object.assign(row, { silencedUntil: until > tx.now ? until : null, updatedAt: tx.now });
      await tx.em.flush();
      tx.changed({ resource: `alert_rule/${id}`, before, after: auditView(row) });
      return one(tx, row);
    });
  }

  /** Says what a rule would do if it existed. */
  async preview(caller: Caller, input: AlertRuleInput): Promise<AlertPreview> {
    await this.#parts.fold(caller.orgId);
    return this.#database.transaction(caller, async (tx) => {
      const row = newRule(tx, input);
      await check(tx, row, input);
      tx.changed({ resource: "alert_rule", before: null, after: { rule: row.name } });
      return previewRule(tx, row, this.#parts.readPlanUsage);
    });
  }

  /** The same for a rule that exists. */
  async test(caller: Caller, id: string): Promise<AlertPreview> {
    await this.#parts.fold(caller.orgId);
    return this.#database.transaction(caller, async (tx) => {
      const row = await requireRule(tx, id);
      tx.changed({ resource: `alert_rule/${id}`, before: null, after: { rule: row.name } });
      return previewRule(tx, row, this.#parts.readPlanUsage);
    });
  }

  /** A page of alerts. */
  alerts(caller: Caller, query: AlertQuery, page: Page): Promise<[AlertRow[], number]> {
    return this.#database.read(caller.orgId, (tx) => listAlerts(tx, query, page));
  }

  /** The alert. */
  alert(caller: Caller, id: string): Promise<AlertRow> {
    return this.#database.read(caller.orgId, async (tx) => {
      const row = await findAlert(tx, id);
      if (row === null) throw notFound("alert");
      return row;
    });
  }
}

function tellingOf({ mailer, publicUrl }: AlertRuleParts): Telling {
  return { mailer, publicUrl };
}

async function one(tx: Transaction, row: AlertRuleRow): Promise<AlertRule> {
  const [rule] = await shown(tx, [row]);
  if (rule === undefined) throw notFound("alert rule");
  return rule;
}

async function shown(tx: Transaction, rows: readonly AlertRuleRow[]): Promise<AlertRule[]> {
  const { plan } = await findOrganization(tx);
  return rows.map((row) => ({ row, isPaused: !row.isEnabled || plan === "free" }));
}

async function requireRule(tx: Transaction, id: string): Promise<AlertRuleRow> {
  const row = await findAlertRule(tx, id);
  if (row === null) throw notFound("alert rule");
  return row;
}

type RuleFields = Parameters<typeof conditionOf>[0];

/** A new rule, with what is left out as documented. */
function newRule(tx: Transaction, input: AlertRuleInput) {
  const { name, metric, threshold } = input;
  const missing = Object.entries({ name, metric, threshold }).filter(([, value]) => value === undefined);
  if (name === undefined || metric === undefined || threshold === undefined) {
    throw validationFailed(missing.map(([field]) => ofRequest({ field, message: "is required" })));
  }
  const none = { groupBy: null, recoveryThreshold: null, renotifyMinutes: null, silencedUntil: null };
  const compared = { state: "ok" as const, failures: 0, lastValue: null, isEvaluated: false, lastMailedAt: null };
  return {
    ...{ orgId: tx.orgId, id: newId(), name, metric, threshold, filter: {} },
    ...{
      windowMinutes: isTested(metric) ? usualTestedMinutes : 5,
      operator: "gt" as const,
      forMinutes: 0,
      keepFiringMinutes: 0,
      minSamples: 20,
    },
    ...{ noData: "keep" as const, severity: "warning" as const, notifyWebhooks: true, notifyMemberIds: [] },
    ...{ isEnabled: true, ...none, ...compared, evaluatedUntil: new Date(lastWindowEnd(tx.now)) },
    ...{ revision: 1, createdAt: tx.now, updatedAt: tx.now },
    ...written(input),
  };
}

/** The fields that the input sets. */
function written({ cleared, ...input }: AlertRuleInput) {
  const { filter, ...given } = defined(input);
  return {
    ...given,
    ...(filter !== undefined && { filter: defined(filter) }),
    ...Object.fromEntries(cleared.map((name) => [name, null])),
  };
}

/** The members that have a value. */
function defined<Value extends object>(value: Value): Partial<Value> {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries) as Partial<Value>; // members of the value itself
}

/** What a change of which begins the states anew, as a text. */
function conditionOf(
  rule: Pick<
    AlertRuleRow,
    "metric" | "filter" | "groupBy" | "windowMinutes" | "operator" | "threshold" | "isEnabled" | "minSamples"
  >,
): string {
  const { projectId, environment, agentKey, stage, ruleId, policy } = rule.filter;
  const { metric, groupBy, windowMinutes, operator, threshold, isEnabled, minSamples } = rule;
  return JSON.stringify([
    ...[metric, projectId, environment, agentKey, stage, groupBy ?? null, ruleId ?? null, policy ?? null],
    ...[windowMinutes, operator, threshold, isEnabled, minSamples],
  ]);
}

async function check(
  tx: Transaction,
  rule: RuleFields & Pick<AlertRuleRow, "recoveryThreshold">,
  input: AlertRuleInput,
): Promise<void> {
  const { operator, threshold, recoveryThreshold, metric, windowMinutes } = rule;
  const wrong: FieldViolation[] = [...placeProblems(rule)];
  if (recoveryThreshold != null && !isOnQuietSide(operator, threshold, recoveryThreshold)) {
    const side = operator === "gt" || operator === "gte" ? "most" : "least";
    wrong.push({ field: "recovery_threshold", message: `must be at ${side} the threshold` });
  }
  wrong.push(...reachProblems(rule, input));
  if (metric === "latency_p95_ms" && windowMinutes > maxLatencyMinutes) {
    wrong.push({ field: "window_minutes", message: `must be at most ${maxLatencyMinutes} for latencies` });
  }
  wrong.push(...(isTested(metric) ? testedProblems(rule) : countedProblems(rule)));
  wrong.push(...(await unknownNames(tx, input)));
  if (wrong.length > 0) throw validationFailed(wrong.map(ofRequest));
}

// A rule that no value can make fire, such as a share above 20 where 20 % was meant, looks as if all were well; an alert
// that no value can end stays open. What was stored before this was checked can be changed otherwise.
function reachProblems(
  { metric, operator, threshold, recoveryThreshold }: RuleFields & Pick<AlertRuleRow, "recoveryThreshold">,
  input: AlertRuleInput,
): FieldViolation[] {
  const given = [input.metric, input.operator, input.threshold, input.recoveryThreshold];
  if (isTested(metric) || given.every((value) => value === undefined)) return [];
  const max = maxValueOf(metric);
  const range = max === 1 ? "a share, from 0 to 1" : "never below 0";
  if (!reachOf(operator, threshold, max).canFire)
    return [{ field: "threshold", message: `no value is beyond it: ${metric} is ${range}` }];
  if (recoveryThreshold == null || reachOf(operator, recoveryThreshold, max).canRest) return [];
  return [{ field: "recovery_threshold", message: `no alert could end: ${metric} is ${range}` }];
}

// Fields are named as in the request, where the rule is one of them.
function ofRequest({ field, message }: FieldViolation): FieldViolation {
  return { field: `rule.${field}`, message };
}

// What the input names and does not exist. What a rule named before may have been deleted since: its other fields can
// be changed nevertheless.
async function unknownNames(tx: Transaction, { filter, notifyMemberIds }: AlertRuleInput): Promise<FieldViolation[]> {
  const wrong: FieldViolation[] = [];
  const { projectId, environment } = filter ?? {};
  if (projectId !== undefined && (await findProject(tx, projectId)) === null)
    wrong.push({ field: "filter.project_id", message: "there is no such project in this organization" });
  else if (environment !== undefined && !(await environmentNames(tx, projectId)).includes(environment)) {
    const where = projectId === undefined ? "organization" : "project";
    wrong.push({ field: "filter.environment", message: `there is no such environment in this ${where}` });
  }
  const ids = [...new Set(notifyMemberIds)];
  if ((await findMembers(tx, ids)).length < ids.length)
    wrong.push({ field: "notify.member_ids", message: "must be members of this organization" });
  return wrong;
}

function countedProblems({ metric, windowMinutes }: RuleFields): FieldViolation[] {
  if (windowMinutes <= maxCountedMinutes) return [];
  return [{ field: "window_minutes", message: `must be at most ${maxCountedMinutes} for ${metric}` }];
}

/** What keeps the value of a rule from being a test. */
function testedProblems({ metric, windowMinutes, operator, threshold, filter, groupBy }: RuleFields): FieldViolation[] {
  const wrong: FieldViolation[] = [];
  if (windowMinutes <= maxCountedMinutes)
    wrong.push({ field: "window_minutes", message: `must be 10080, 40320 or 129600 for ${metric}: 7, 28 or 90 days` });
  if (operator === "lt" || operator === "lte")
    wrong.push({ field: "operator", message: `must be gt or gte: what ${metric} is below, it does not tell` });
  if (threshold < 0 || threshold >= 1)
    wrong.push({ field: "threshold", message: "must be a share: at least 0, and less than 1" });
  if (!tellsRules({ groupBy, filter }))
    wrong.push({ field: "filter.rule_id", message: `must name a rule, or group_by be rule: ${metric} is about rules` });
  return wrong;
}

/** What a rule distinguishes although its metric does not. */
function placeProblems({
  metric,
  filter,
  groupBy,
}: Pick<RuleFields, "metric" | "filter" | "groupBy">): FieldViolation[] {
  const wrong: FieldViolation[] = [];
  const source = sourceOf({ metric, filter, groupBy });
  const hasAgent = filter.agentKey !== undefined;
  const said = `${metric} does not distinguish`;
  if (wholeMetrics.has(metric)) {
    if (Object.values(filter).some((value) => value !== undefined))
      wrong.push({ field: "filter", message: `must be empty: ${metric} is about the organization as a whole` });
    if (groupBy != null)
      wrong.push({ field: "group_by", message: `must be left out: ${metric} is about the organization as a whole` });
    return wrong;
  }
  if ((source === "losses" || source === "facts") && (hasAgent || filter.stage !== undefined))
    wrong.push({ field: "filter", message: `must name no agent and no stage: ${said} them` });
  if ((source === "losses" || source === "facts") && groupBy === "agent")
    wrong.push({ field: "group_by", message: `must not be agent: ${said} them` });
  if (!tellsRules({ groupBy, filter })) {
    const message = "must be beside a rule_id, or group_by be rule: it says whose rules";
    return filter.policy === undefined ? wrong : [...wrong, { field: "filter.policy", message }];
  }
  if (!ruleMetrics.has(metric))
    wrong.push({ field: groupBy === "rule" ? "group_by" : "filter.rule_id", message: `${said} rules of policies` });
  else if (groupBy === "agent" || (source === "rules" && hasAgent))
    wrong.push({ field: "filter", message: "must not name both a rule and an agent: rules are not counted by agent" });
  return wrong;
}

async function assertRoom(tx: Transaction): Promise<void> {
  const { plan }: { readonly plan: PlanName } = await findOrganization(tx);
  const limit = rulesPerPlan[plan];
  if ((await countAlertRules(tx)) < limit) return;
  const message = `on the plan ${plan} an organization has at most ${limit} alert rules; delete one, or change the plan`;
  throw new Fault(Reason.LIMIT_REACHED, message, { extra: { limit, plan } });
}

function auditView(row: AlertRuleRow): JsonObject {
  const { name, metric, filter, groupBy, windowMinutes, operator, threshold, recoveryThreshold } = row;
  const rule = {
    ...{ name, metric, filter: { ...filter }, group_by: groupBy ?? null, window_minutes: windowMinutes, operator },
    ...{ threshold, recovery_threshold: recoveryThreshold ?? null, for_minutes: row.forMinutes },
    ...{ keep_firing_minutes: row.keepFiringMinutes, min_samples: row.minSamples, no_data: row.noData },
    ...{ renotify_minutes: row.renotifyMinutes ?? null, severity: row.severity, webhooks: row.notifyWebhooks },
    ...{ member_ids: [...row.notifyMemberIds], is_enabled: row.isEnabled },
  };
  return { rule, until: row.silencedUntil?.toISOString() ?? null };
}

// A rule as a form has it: texts, which the server judges.

import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  AlertGroupBy,
  AlertMetric,
  AlertNoData,
  AlertOperator,
  type AlertRule,
  type AlertRuleInputSchema,
  AlertSeverity,
} from "../../../gen/policyguard/control/v1/alert_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";

/** What a form of a rule holds. Empty texts are values that were left out. */
export interface RuleForm {
  readonly name: string;
  readonly metric: AlertMetric;
  readonly operator: AlertOperator;
  readonly threshold: string;
  readonly windowMinutes: number;
  readonly projectId: string;
  readonly environment: string;
  readonly agentId: string;
  readonly stage: Stage;
  readonly ruleId: string;
  readonly policy: string;
  readonly groupBy: AlertGroupBy;
  readonly recoveryThreshold: string;
  readonly forMinutes: string;
  readonly keepFiringMinutes: string;
  readonly minSamples: string;
  readonly noData: AlertNoData;
  readonly renotifyMinutes: string;
  readonly severity: AlertSeverity;
  readonly webhooks: boolean;
  readonly memberIds: readonly string[];
}

/** Windows in minutes. */
export const windows = [1, 5, 10, 15, 30, 60, 360, 1_440, 10_080, 40_320, 129_600] as const;

/** What a new rule begins with. */
export const newRule: RuleForm = {
  name: "",
  metric: AlertMetric.BLOCK_RATE,
  operator: AlertOperator.GT,
  threshold: "0.2",
  windowMinutes: 15,
  projectId: "",
  environment: "",
  agentId: "",
  stage: Stage.UNSPECIFIED,
  ruleId: "",
  policy: "",
  groupBy: AlertGroupBy.UNSPECIFIED,
  recoveryThreshold: "",
  forMinutes: "0",
  keepFiringMinutes: "0",
  minSamples: "20",
  noData: AlertNoData.KEEP,
  renotifyMinutes: "",
  severity: AlertSeverity.WARNING,
  webhooks: true,
  memberIds: [],
};

/** The form of a rule that exists. */
export function formOf(rule: AlertRule): RuleForm {
  const { filter, notify } = rule;
  return {
    name: rule.name,
    metric: rule.metric,
    operator: rule.operator,
    threshold: String(rule.threshold),
    windowMinutes: rule.windowMinutes,
    projectId: filter?.projectId ?? "",
    environment: filter?.environment ?? "",
    agentId: filter?.agentId ?? "",
    stage: filter?.stage ?? Stage.UNSPECIFIED,
    ruleId: filter?.ruleId ?? "",
    policy: filter?.policy ?? "",
    groupBy: rule.groupBy ?? AlertGroupBy.UNSPECIFIED,
    recoveryThreshold: textOf(rule.recoveryThreshold),
    forMinutes: String(rule.forMinutes),
    keepFiringMinutes: String(rule.keepFiringMinutes),
    minSamples: String(rule.minSamples),
    noData: rule.noData,
    renotifyMinutes: textOf(rule.renotifyMinutes),
    severity: rule.severity,
    webhooks: notify?.webhooks ?? false,
    memberIds: notify?.memberIds ?? [],
  };
}

/** What a call sends for the form. A change also says which of a rule's values it empties. */
export function inputOf(form: RuleForm, { isChange }: { readonly isChange: boolean }) {
  const { projectId, environment, agentId, ruleId, policy, stage } = form;
  const filter = {
    ...optional("projectId", projectId.trim()),
    ...optional("environment", environment.trim()),
    ...optional("agentId", agentId.trim()),
    ...optional("ruleId", ruleId.trim()),
    ...optional("policy", policy.trim()),
    ...(stage === Stage.UNSPECIFIED ? {} : { stage }),
  };
  const emptied = [
    form.recoveryThreshold.trim() === "" ? "recovery_threshold" : "",
    form.renotifyMinutes.trim() === "" ? "renotify_minutes" : "",
    form.groupBy === AlertGroupBy.UNSPECIFIED ? "group_by" : "",
  ].filter((field) => field !== "");
  return {
    name: form.name,
    metric: form.metric,
    operator: form.operator,
    ...number("threshold", form.threshold),
    windowMinutes: form.windowMinutes,
    filter,
    groupBy: form.groupBy,
    ...number("recoveryThreshold", form.recoveryThreshold),
    ...number("forMinutes", form.forMinutes),
    ...number("keepFiringMinutes", form.keepFiringMinutes),
    ...number("minSamples", form.minSamples),
    noData: form.noData,
    ...number("renotifyMinutes", form.renotifyMinutes),
    severity: form.severity,
    notify: { webhooks: form.webhooks, memberIds: [...form.memberIds] },
    ...(isChange ? { clear: emptied } : {}),
  } satisfies MessageInitShape<typeof AlertRuleInputSchema>;
}

function textOf(value: number | undefined): string {
  return value === undefined ? "" : String(value);
}

function optional<Name extends string>(name: Name, value: string): { readonly [key in Name]?: string } {
  // A computed name loses its type.
  return (value === "" ? {} : { [name]: value }) as { readonly [key in Name]?: string };
}

function number<Name extends string>(name: Name, text: string): { readonly [key in Name]?: number } {
  const value = Number(text);
  return (text.trim() === "" || !Number.isFinite(value) ? {} : { [name]: value }) as {
    readonly [key in Name]?: number;
  };
}

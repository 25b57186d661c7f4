// What alert rules measure, and how their values are written.

import {
  type AlertGroupBy,
  AlertGroupBySchema,
  AlertMetric,
  AlertMetricSchema,
  type AlertNoData,
  AlertNoDataSchema,
  type AlertOperator,
  AlertOperatorSchema,
  type AlertRuleState,
  AlertRuleStateSchema,
  type AlertSeverity,
  AlertSeveritySchema,
} from "../../../gen/policyguard/control/v1/alert_pb.ts";
import { wireNames } from "../../data/wire-name.ts";
import { decimal, share } from "../../text/format.ts";

/** The names of the enums of rules. */
export const metrics = wireNames<AlertMetric>(AlertMetricSchema);
/** How a value is compared. */
export const operators = wireNames<AlertOperator>(AlertOperatorSchema);
/** What a rule is evaluated for. */
export const groupings = wireNames<AlertGroupBy>(AlertGroupBySchema);
/** What a window without a value means. */
export const noDataNames = wireNames<AlertNoData>(AlertNoDataSchema);
/** How urgent a rule is. */
export const severities = wireNames<AlertSeverity>(AlertSeveritySchema);
/** The states of a rule. */
export const ruleStates = wireNames<AlertRuleState>(AlertRuleStateSchema);

/** Whether the metric is a share, whose values are from 0 to 1. */
export function isShare(metric: AlertMetric): boolean {
  return metrics.nameOf(metric).endsWith("_rate");
}

/** A value as people read it: "12.5%", "480 ms", "37". */
export function valueText(metric: AlertMetric, value: number): string {
  if (isShare(metric)) return share(value);
  if (metric === AlertMetric.LATENCY_P95_MS) return `${decimal(value)} ms`;
  if (metric === AlertMetric.BUNDLE_AGE_MINUTES) return `${decimal(value)} min`;
  return metric === AlertMetric.PLAN_USAGE_PERCENT ? `${decimal(value)}%` : decimal(value);
}

const signs: Readonly<Record<string, string>> = { gt: ">", gte: "≥", lt: "<", lte: "≤" };

/** "> 20%" */
export function conditionText(metric: AlertMetric, operator: AlertOperator, threshold: number): string {
  return `${signs[operators.nameOf(operator)] ?? ""} ${valueText(metric, threshold)}`;
}

/** What a value belongs to: "prod, support-bot"; undefined for the rule as a whole. */
export function groupText(
  group: { projectId?: string; environment?: string; agentId?: string; ruleId?: string; policy?: string } | undefined,
  projectName: (id: string) => string,
): string | undefined {
  const { projectId, environment, agentId, ruleId, policy } = group ?? {};
  const parts = [projectId && projectName(projectId), environment, agentId, policy, ruleId].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join(" · ");
}

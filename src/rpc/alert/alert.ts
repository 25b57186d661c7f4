import { type DescEnum, getOption, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type AlertGroup,
  AlertGroupBySchema,
  AlertMetricSchema,
  AlertNoDataSchema,
  AlertOperatorSchema,
  type AlertRuleInput,
  type AlertRuleSchema,
  AlertRuleStateSchema,
  type AlertSchema,
  AlertSeveritySchema,
  AlertState,
} from "../../../gen/policyguard/control/v1/alert_pb.ts";
import type { AlertPreviewSchema, AlertService } from "../../../gen/policyguard/control/v1/alert_service_pb.ts";
import { wire } from "../../../gen/policyguard/options/v1/options_pb.ts";
import type { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type Group, groupOf } from "../../domain/alert/metric.ts";
import type { AlertPreview } from "../../domain/alert/preview.ts";
import type { AlertRule, AlertRules, AlertRuleInput as Input } from "../../domain/alert/rule.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

type Handlers = ServiceImpl<typeof AlertService>;
type AlertRow = Awaited<ReturnType<AlertRules["alert"]>>;

/** What the handlers call. */
export interface AlertDomain {
  readonly alertRules: AlertRules;
}

/** Handlers of AlertService. */
export function alertHandlers({ alertRules }: AlertDomain): Handlers {
  return { ...ruleHandlers(alertRules), ...alertListHandlers(alertRules) };
}

function ruleHandlers(rules: AlertRules) {
  return {
    listAlertRules: async (request, context) => {
      const page = pageOf(request);
      const [found, total] = await rules.list(callerOf(context), page);
      return { total, ...page, rules: found.map(ruleMessage) };
    },
    createAlertRule: async ({ rule }, context) => ({
      rule: ruleMessage(await rules.create(callerOf(context), inputOf(rule))),
    }),
    previewAlertRule: async ({ rule }, context) => ({
      preview: previewMessage(await rules.preview(callerOf(context), inputOf(rule))),
    }),
    getAlertRule: async ({ ruleId }, context) => ({ rule: ruleMessage(await rules.get(callerOf(context), ruleId)) }),
    updateAlertRule: async ({ ruleId, rule }, context) => ({
      rule: ruleMessage(await rules.update(callerOf(context), ruleId, inputOf(rule))),
    }),
    deleteAlertRule: async ({ ruleId }, context) => {
      await rules.delete(callerOf(context), ruleId);
      return {};
    },
    testAlertRule: async ({ ruleId }, context) => ({
      preview: previewMessage(await rules.test(callerOf(context), ruleId)),
    }),
    silenceAlertRule: async ({ ruleId, until }, context) => {
      const end = until === undefined ? new Date(0) : timestampDate(until);
      return { rule: ruleMessage(await rules.silence(callerOf(context), ruleId, end)) };
    },
  } satisfies Partial<Handlers>;
}

function alertListHandlers(rules: AlertRules) {
  return {
    listAlerts: async ({ state, ruleId, ...request }, context) => {
      const page = pageOf(request);
      const isOpen = state === AlertState.UNSPECIFIED ? undefined : state === AlertState.FIRING;
      const [found, total] = await rules.alerts(callerOf(context), { isOpen, ruleId: ruleId?.toLowerCase() }, page);
      return { total, ...page, alerts: found.map(alertMessage) };
    },
    getAlert: async ({ alertId }, context) => ({ alert: alertMessage(await rules.alert(callerOf(context), alertId)) }),
  } satisfies Partial<Handlers>;
}

/** The documented spelling of a value; undefined when none is set. The domain calls each by that spelling. */
function spelled<Name extends string>(schema: DescEnum, number: number): Name | undefined {
  const value = number === 0 ? undefined : schema.values.find((each) => each.number === number);
  return value && (getOption(value, wire) as Name); // the contract's spellings are the domain's
}

function numbered<Value extends number>(schema: DescEnum, name: string): Value {
  const number = schema.values.find((each) => getOption(each, wire) === name)?.number ?? 0;
  return number as Value; // a number of the schema's own
}

const clearable = {
  recovery_threshold: "recoveryThreshold",
  renotify_minutes: "renotifyMinutes",
  group_by: "groupBy",
} as const;

function inputOf(rule: AlertRuleInput | undefined): Input {
  if (rule === undefined) return { cleared: [] };
  const { name, windowMinutes, threshold, recoveryThreshold, forMinutes, keepFiringMinutes } = rule;
  const { minSamples, renotifyMinutes, isEnabled, filter, notify, clear } = rule;
  return {
    ...{ name, windowMinutes, threshold, recoveryThreshold, forMinutes, keepFiringMinutes },
    ...{ minSamples, renotifyMinutes, isEnabled },
    metric: spelled(AlertMetricSchema, rule.metric),
    groupBy: spelled(AlertGroupBySchema, rule.groupBy),
    operator: spelled(AlertOperatorSchema, rule.operator),
    noData: spelled(AlertNoDataSchema, rule.noData),
    severity: spelled(AlertSeveritySchema, rule.severity),
    filter: filter && {
      projectId: filter.projectId?.toLowerCase(),
      environment: filter.environment,
      agentKey: filter.agentId,
      stage: filter.stage,
      ruleId: filter.ruleId,
      policy: filter.policy,
    },
    notifyWebhooks: notify?.webhooks,
    notifyMemberIds: notify?.memberIds.map((id) => id.toLowerCase()),
    cleared: clear.map((field) => clearable[field as keyof typeof clearable]), // by the rule of the field
  };
}

function ruleMessage({ row, isPaused }: AlertRule): MessageInitShape<typeof AlertRuleSchema> {
  const { filter } = row;
  return {
    ...{ id: row.id, orgId: row.orgId, name: row.name, windowMinutes: row.windowMinutes, threshold: row.threshold },
    metric: numbered(AlertMetricSchema, row.metric),
    filter: {
      ...{ projectId: filter.projectId, environment: filter.environment, agentId: filter.agentKey },
      stage: filter.stage as Stage | undefined, // as it was written,
      ruleId: filter.ruleId,
      policy: filter.policy,
    },
    groupBy: row.groupBy == null ? undefined : numbered(AlertGroupBySchema, row.groupBy),
    operator: numbered(AlertOperatorSchema, row.operator),
    recoveryThreshold: row.recoveryThreshold ?? undefined,
    ...{ forMinutes: row.forMinutes, keepFiringMinutes: row.keepFiringMinutes, minSamples: row.minSamples },
    noData: numbered(AlertNoDataSchema, row.noData),
    renotifyMinutes: row.renotifyMinutes ?? undefined,
    severity: numbered(AlertSeveritySchema, row.severity),
    notify: { webhooks: row.notifyWebhooks, memberIds: [...row.notifyMemberIds] },
    isEnabled: row.isEnabled,
    silencedUntil: timestamp(row.silencedUntil),
    state: numbered(AlertRuleStateSchema, isPaused ? "paused" : row.state),
    lastValue: row.lastValue ?? undefined,
    lastEvaluatedAt: row.isEvaluated ? timestamp(row.evaluatedUntil) : undefined,
    revision: row.revision,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}

function groupMessage({ projectId, environment, agentKey, ruleId, policy }: Group): Omit<AlertGroup, "$typeName"> {
  return { projectId, environment, agentId: agentKey, ruleId, policy };
}

function alertMessage(row: AlertRow): MessageInitShape<typeof AlertSchema> {
  return {
    ...{ id: row.id, orgId: row.orgId, ruleId: row.ruleId, ruleName: row.ruleName, threshold: row.threshold },
    metric: numbered(AlertMetricSchema, row.metric),
    group: groupMessage(groupOf(row.groupKey)),
    state: row.resolvedAt == null ? AlertState.FIRING : AlertState.RESOLVED,
    severity: numbered(AlertSeveritySchema, row.severity),
    peakValue: row.peakValue ?? undefined,
    firedAt: timestamp(row.firedAt),
    resolvedAt: timestamp(row.resolvedAt),
    notifications: row.notifications,
  };
}

function previewMessage({
  evaluatedAt,
  hasHistory,
  groups,
}: AlertPreview): MessageInitShape<typeof AlertPreviewSchema> {
  return {
    ...{ evaluatedAt: timestampFromDate(evaluatedAt), hasHistory },
    groups: groups.map(({ group, value, samples, states }) => ({
      ...{ group: groupMessage(group), value, samples },
      states: states.map(({ at, state, value: seen }) => ({
        ...{ at: timestampFromDate(at), state: numbered(AlertRuleStateSchema, state), value: seen },
      })),
    })),
  };
}

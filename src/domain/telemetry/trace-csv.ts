// The columns of an export. It contains no text: only the traces themselves do, for callers who may see it.

import { type DescEnum, getOption } from "@bufbuild/protobuf";
import { wire } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { OutcomeSchema, StageSchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { CaptureModeSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { csvLine } from "../../kit/archive/csv.ts";
import { wholeSeconds } from "../../kit/process/clock.ts";
import type { Trace } from "./trace.ts";

const columns: readonly (readonly [string, (trace: Trace) => string | number | null])[] = [
  ["id", ({ id }) => id],
  ["created_at", ({ createdAt }) => wholeSeconds(createdAt)],
  ["received_at", ({ receivedAt }) => wholeSeconds(receivedAt)],
  ["project_id", ({ projectId }) => projectId],
  ["environment", ({ environment }) => environment],
  ["agent_id", ({ agentKey }) => agentKey],
  ["session_id", ({ record }) => record.sessionId],
  ["user_id", ({ record }) => record.userId],
  ["stage", ({ record }) => wireName(StageSchema, record.stage)],
  ["outcome", ({ record }) => wireName(OutcomeSchema, record.outcome)],
  ["would_be_outcome", ({ record }) => wireName(OutcomeSchema, record.wouldBeOutcome)],
  ["decided_by_policy", ({ record }) => record.decidedByPolicy],
  ["decided_by_rule", ({ record }) => record.decidedByRule],
  ["rule_ids", ({ record }) => distinct(record.findings.map(({ ruleId }) => ruleId))],
  ["categories", ({ record }) => distinct(record.findings.map(({ category }) => category))],
  ["unjudged", ({ record }) => distinct(record.unjudged.map(({ detector }) => detector))],
  ["bundle_version", ({ record }) => record.bundle?.version ?? null],
  ["language", ({ record }) => record.language],
  ["latency_us", ({ record }) => record.latencyUs],
  ["model_provider", ({ record }) => record.model?.provider ?? null],
  ["model_name", ({ record }) => record.model?.name ?? null],
  ["capture", ({ record }) => wireName(CaptureModeSchema, record.capture)],
  ["runtime_instance_id", ({ runtimeInstanceId }) => runtimeInstanceId],
  ["engine", ({ record }) => record.engine],
];

/** The first line of an export. */
export function traceCsvHeader(): string {
  return csvLine(columns.map(([name]) => name));
}

/** A trace's line of an export. Unset fields are empty cells; items of lists are separated by spaces. */
export function traceCsvLine(trace: Trace): string {
  return csvLine(columns.map(([, read]) => String(read(trace) ?? "")));
}

function wireName(schema: DescEnum, number: number): string {
  const value = schema.value[number];
  return value === undefined ? "" : getOption(value, wire);
}

function distinct(values: readonly string[]): string {
  return [...new Set(values)].join(" ");
}

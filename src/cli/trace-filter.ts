// The filter of the commands about traces, and the form in which they print traces.

import { type DescEnum, getOption, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Trace,
  type TraceAnnotation,
  TraceAnnotationSchema,
  TraceReplayabilitySchema,
} from "../../gen/policyguard/control/v1/trace_pb.ts";
import { wire } from "../../gen/policyguard/options/v1/options_pb.ts";
import { type Outcome, OutcomeSchema, type Stage, StageSchema } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { integerOf, type Options, type Values } from "./command.ts";
import { usageFailure } from "./failure.ts";
import { timeText } from "./resource-json.ts";
import { type Organization, projectIdOf, serverOptions } from "./server.ts";

/** Options that say which traces. All of them have to match. */
export const traceOptions = {
  ...serverOptions,
  project: { type: "string", value: "ID|NAME", help: "Traces of this project." },
  env: { type: "string", value: "NAME", help: "Traces of this environment." },
  agent: { type: "string", value: "KEY", help: "Traces of this agent." },
  stage: { type: "string", value: "STAGE", help: 'Traces of this moment of the turn, such as "input".' },
  outcome: { type: "string", value: "OUTCOME", help: 'Traces with this outcome, such as "BLOCK".' },
  rule: { type: "string", value: "ID", help: "Traces in which this rule found something." },
  policy: { type: "string", value: "NAME", help: "Traces in which a rule of this policy found something." },
  detector: { type: "string", value: "NAME", help: "Traces in which this detector found something." },
  category: { type: "string", value: "NAME", help: "Traces in which something of this category was found." },
  session: { type: "string", value: "ID", help: "Traces of this conversation." },
  user: { type: "string", value: "ID", help: "Traces of this person." },
  language: { type: "string", value: "TAG", help: 'Traces in this language, such as "de".' },
  "would-be": { type: "string", value: "OUTCOME", help: "Traces with this outcome if shadow rules counted." },
  "min-latency": { type: "string", value: "US", help: "Traces that took at least so many microseconds." },
  "max-latency": { type: "string", value: "US", help: "Traces that took at most so many microseconds." },
  annotation: { type: "string", value: "MARK", help: 'Traces that annotators say this of, such as "false-positive".' },
  unjudged: { type: "string", value: "REASON", help: "Traces in which something could not be judged for this reason." },
  "bundle-version": { type: "string", value: "N", help: "Traces that this version of the bundle decided." },
  since: { type: "string", value: "TIME", help: "Traces made at or after this time, such as 2026-03-01T00:00:00Z." },
  until: { type: "string", value: "TIME", help: "Traces made before this time." },
} as const satisfies Options;

/** The filter as requests have it. */
export async function traceFilterOf(server: Organization, values: Values<typeof traceOptions>) {
  const { project, env, agent, stage, outcome, rule, session, user, since, until } = values;
  const measured = measuredFilterOf(values);
  return {
    ...measured,
    orgId: server.orgId,
    projectId: project === undefined ? undefined : await projectIdOf(server, project),
    environment: env,
    agentId: agent,
    stage: numberOf<Stage>(StageSchema, stage, "stage"),
    outcome: numberOf<Outcome>(OutcomeSchema, outcome, "outcome"),
    ruleId: rule,
    policy: values.policy,
    detector: values.detector,
    category: values.category,
    unjudged: values.unjudged,
    bundleVersion: integerOf(values["bundle-version"], "bundle-version", 0),
    sessionId: session,
    userId: user,
    since: timeOf(since, "since"),
    until: timeOf(until, "until"),
  };
}

interface MeasuredValues {
  readonly language?: string;
  readonly "would-be"?: string;
  readonly "min-latency"?: string;
  readonly "max-latency"?: string;
  readonly annotation?: string;
}

/** The filters by language, latency, would-be outcome and annotations, which replays have as well. */
export function measuredFilterOf(values: MeasuredValues) {
  return {
    language: values.language,
    wouldBeOutcome: numberOf<Outcome>(OutcomeSchema, values["would-be"], "would-be"),
    minLatencyUs: integerOf(values["min-latency"], "min-latency", 0),
    maxLatencyUs: integerOf(values["max-latency"], "max-latency", 0),
    annotation: numberOf<TraceAnnotation>(TraceAnnotationSchema, values.annotation, "annotation"),
  };
}

/** The time of an option. */
export function timeOf(text: string | undefined, option: string) {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw usageFailure(`--${option} takes a time such as 2026-03-01T00:00:00Z`);
  return timestampFromDate(time);
}

/** The number of an enum's value that an option names. */
export function numberOf<Value extends number>(
  schema: DescEnum,
  text: string | undefined,
  option: string,
): Value | undefined {
  if (text === undefined) return undefined;
  const names = schema.values.filter(({ number }) => number > 0);
  const found = names.find((value) => getOption(value, wire).toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found.number as Value; // a value of this schema
  const known = names.map((value) => getOption(value, wire)).join(", ");
  throw usageFailure(`--${option} takes one of ${known}, not "${text}"`);
}

/** The documented spelling of an enum's value. */
export function nameOf(schema: DescEnum, number: number): string {
  const value = schema.value[number];
  return value === undefined ? "unknown" : getOption(value, wire);
}

/** A trace without scores and text, in the spelling of the REST API. */
export function traceJson(trace: Trace): JsonObject {
  return {
    id: trace.id,
    created_at: timeText(trace.createdAt),
    project_id: trace.projectId,
    environment: trace.environment,
    agent_id: trace.agentId ?? null,
    session_id: trace.sessionId ?? null,
    user_id: trace.userId ?? null,
    stage: nameOf(StageSchema, trace.stage),
    outcome: nameOf(OutcomeSchema, trace.outcome),
    would_be_outcome: nameOf(OutcomeSchema, trace.wouldBeOutcome),
    decided_by_policy: trace.decidedByPolicy ?? null,
    decided_by_rule: trace.decidedByRule ?? null,
    bundle_version: trace.bundle?.version ?? null,
    findings: trace.findings.map(({ policy, ruleId, detector, category, segment, start, end, score }) => ({
      ...{ policy, rule_id: ruleId, detector, category, segment, start, end, score },
    })),
    findings_omitted: trace.findingsOmitted,
    unjudged: trace.unjudged.map(({ detector, reason }) => ({ detector, reason })),
    replayable: nameOf(TraceReplayabilitySchema, trace.replayable),
    erased_at: timeText(trace.erasedAt),
  };
}

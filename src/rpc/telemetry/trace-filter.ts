// The filter of lists of traces.

import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type TraceAnnotation, TraceAnnotationSchema } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { detectorNameOf } from "../../domain/policy/detector.ts";
import type { Traces } from "../../domain/telemetry/trace.ts";
import { wireName } from "../../kit/protobuf/wire-name.ts";

/** The filter of a list of traces, as requests have it. */
export interface TraceFilterFields {
  readonly projectId?: string;
  readonly environment?: string;
  readonly agentId?: string;
  readonly outcome: Outcome;
  readonly ruleId?: string;
  readonly sessionId?: string;
  readonly stage: Stage;
  readonly policy?: string;
  readonly detector?: string;
  readonly category?: string;
  readonly unjudged?: string;
  readonly userId?: string;
  readonly bundleVersion?: number;
  readonly text?: string;
  readonly annotation?: TraceAnnotation;
  readonly language?: string;
  readonly minLatencyUs?: number;
  readonly maxLatencyUs?: number;
  readonly wouldBeOutcome: Outcome;
  readonly since?: Timestamp;
  readonly until?: Timestamp;
}

/** The filter as the domain has it. */
export function traceFilterOf(request: TraceFilterFields): Parameters<Traces["list"]>[1] {
  return {
    projectId: request.projectId?.toLowerCase(),
    environment: request.environment,
    agentKey: request.agentId,
    outcome: request.outcome === Outcome.UNSPECIFIED ? undefined : request.outcome,
    ruleId: request.ruleId,
    sessionId: request.sessionId,
    stage: request.stage === Stage.UNSPECIFIED ? undefined : request.stage,
    policy: request.policy,
    detector: request.detector && detectorNameOf(request.detector),
    category: request.category,
    unjudged: request.unjudged,
    userId: request.userId,
    bundleVersion: request.bundleVersion,
    text: request.text,
    annotation: request.annotation ? wireName(TraceAnnotationSchema, request.annotation) : undefined,
    language: request.language,
    minLatencyUs: request.minLatencyUs,
    maxLatencyUs: request.maxLatencyUs,
    wouldBeOutcome: request.wouldBeOutcome === Outcome.UNSPECIFIED ? undefined : request.wouldBeOutcome,
    since: request.since && timestampDate(request.since),
    until: request.until && timestampDate(request.until),
  };
}

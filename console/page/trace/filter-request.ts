// The filters of the list of traces as calls have them.

import { TraceAnnotation } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { annotationNames } from "../../data/annotation.ts";
import { outcomeValues } from "../../data/outcome.ts";
import { stageName, stages } from "../../data/stage.ts";
import type { TraceSearch } from "./search.ts";

/** The filters, but for the time. */
export function filterRequest(search: TraceSearch) {
  return {
    outcome: outcomeValues.valueOf(search.outcome) ?? Outcome.UNSPECIFIED,
    ...given({
      projectId: search.project,
      environment: search.environment,
      ruleId: search.rule,
      policy: search.policy,
      detector: search.detector,
      category: search.category,
      agentId: search.agent,
      sessionId: search.session,
      unjudged: search.unjudged,
      userId: search.user,
      language: search.language,
    }),
    stage: stages.find((stage) => stageName(stage) === search.stage) ?? Stage.UNSPECIFIED,
    annotation: annotationNames.valueOf(search.mark) ?? TraceAnnotation.UNSPECIFIED,
    wouldBeOutcome: outcomeValues.valueOf(search.would) ?? Outcome.UNSPECIFIED,
    ...(search.version === undefined ? {} : { bundleVersion: Number(search.version) }),
    ...(search.least === undefined ? {} : { minLatencyUs: Number(search.least) }),
    ...(search.most === undefined ? {} : { maxLatencyUs: Number(search.most) }),
  };
}

/** Without what is undefined. */
export function given<T extends Readonly<Record<string, string | undefined>>>(filters: T) {
  // `fromEntries` forgets the names.
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as {
    [name in keyof T]?: string;
  };
}

import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type {
  GetTraceAnalyticsRequest,
  GetTraceAnalyticsResponseSchema,
} from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { detectorNameOf } from "../../domain/policy/detector.ts";
import type { Analytics, AnalyticsRequest } from "../../domain/telemetry/analytics.ts";
import { timestamp } from "../time.ts";

/** What a request asks for. */
export function analyticsRequestOf(request: GetTraceAnalyticsRequest): AnalyticsRequest {
  const { since, until, bucket, compare, top, environment, agentId, language, policy, ruleId, detector } = request;
  return {
    ...{ bucket, compare, top },
    since: since && timestampDate(since),
    until: until && timestampDate(until),
    filter: {
      ...{ environment, agentKey: agentId, language, policy, ruleId },
      detector: detector && detectorNameOf(detector),
      projectId: request.projectId?.toLowerCase(),
      stage: request.stage === Stage.UNSPECIFIED ? undefined : request.stage,
    },
  };
}

/** The answer's message. */
export function analyticsMessage({
  asOf,
  series,
  ...analytics
}: Analytics): MessageInitShape<typeof GetTraceAnalyticsResponseSchema> {
  return { ...analytics, asOf: timestamp(asOf), series: [...series] };
}

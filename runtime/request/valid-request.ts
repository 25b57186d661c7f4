// The rules of requests for evaluations, compiled: protovalidate takes more time for a request than most evaluations
// do. A rule that the compiler does not know stops the start of the process.

import { EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { EvaluateEachRequestSchema } from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { compileRules } from "../../src/kit/fault/compiled-rules.ts";

/** Whether a request satisfies the rules of its fields. */
export const isValidRequest = compileRules(EvaluateRequestSchema);

/**
 * Whether one of several requests satisfies the rules of its fields. The request within it has its own:
 * `isValidRequest`.
 */
export const isValidEachRequest = compileRules(EvaluateEachRequestSchema);

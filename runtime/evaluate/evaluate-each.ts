// Many requests over one call, each judged as if it came alone.

import { create } from "@bufbuild/protobuf";
import { ErrorDetailSchema, Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { EvaluateRequestSchema, type EvaluateResponse } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type {
  EvaluateEachRequest,
  EvaluateEachResponse,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { Fault, reasonRule, validationFailed } from "../../src/kit/fault/fault.ts";
import { assertValid } from "../../src/kit/fault/validation.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import { statedKind } from "../request/request-checks.ts";
import { isValidRequest } from "../request/valid-request.ts";
import type { Evaluator } from "./evaluator.ts";

/** Bounds of a call. docs/streaming.md documents them. */
export const eachLimits = {
  /** Max requests that are read before the first of them is answered. */
  ahead: 64,
  /** The call ends after this time without a request, or with an answer that is not taken. */
  idleMs: 60_000,
} as const;

/** Judges one of several requests. */
export type JudgeEach = (message: EvaluateEachRequest) => EvaluateEachResponse | Promise<EvaluateEachResponse>;

/** Creates the function that judges. It never throws: a refused request gets its reason as the answer. */
export function createJudgeEach(evaluator: Pick<Evaluator, "judge">, log: Logger): JudgeEach {
  return ({ id, request }) => {
    const refuse = (error: unknown) => resultOf(id, refusal(error, log));
    try {
      if (request === undefined) throw validationFailed([{ field: "request", message: "value is required" }]);
      if (!isValidRequest(request)) assertValid(EvaluateRequestSchema, request);
      const response = evaluator.judge(request, statedKind(request));
      if (!(response instanceof Promise)) return answerOf(id, response);
      return response.then((answer) => answerOf(id, answer), refuse);
    } catch (error) {
      return refuse(error);
    }
  };
}

function answerOf(id: string, value: EvaluateResponse): EvaluateEachResponse {
  return resultOf(id, { case: "response", value });
}

// A literal: `create` would look up every field again.
function resultOf(id: string, result: EvaluateEachResponse["result"]): EvaluateEachResponse {
  return { $typeName: "policyguard.runtime.v1.EvaluateEachResponse", id, result };
}

function refusal(error: unknown, log: Logger): EvaluateEachResponse["result"] {
  if (!(error instanceof Fault)) log.error({ err: error }, "internal error in one of several evaluations");
  const { message, reason, extra } = error instanceof Fault ? error : new Fault(Reason.INTERNAL, "internal error");
  const detail = create(ErrorDetailSchema, { reason, error: reasonRule(reason).error, extra });
  return { case: "error", value: { $typeName: "policyguard.runtime.v1.EvaluationError", message, detail } };
}

// The fast paths of evaluations: which requests take them, and what answers them.

import { type DescMethodUnary, isMessage, type Message } from "@bufbuild/protobuf";
import type { FastMethod, FastStreamMethod } from "../../gateway/fast/call.ts";
import { type EvaluateRequest, EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  type EvaluateEachRequest,
  EvaluateEachRequestSchema,
  EvaluationService,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import type { EvaluationKind } from "../request/request-checks.ts";
import { isValidEachRequest, isValidRequest } from "../request/valid-request.ts";
import { eachLimits, type JudgeEach } from "./evaluate-each.ts";
import type { Evaluator } from "./evaluator.ts";

/** The methods of EvaluationService that have a fast path. */
export function fastEvaluations(evaluator: Evaluator): FastMethod[] {
  const { method } = EvaluationService;
  return [
    fastEvaluation(method.evaluateInput, evaluator, Stage.INPUT),
    fastEvaluation(method.evaluateOutput, evaluator, Stage.OUTPUT),
    fastEvaluation(method.evaluateToolCall, evaluator, Stage.TOOL_CALL),
    fastEvaluation(method.evaluateToolResult, evaluator, Stage.TOOL_RESULT),
    fastEvaluation(method.evaluateRetrieval, evaluator, Stage.RETRIEVAL),
    fastEvaluation(method.evaluateConversation, evaluator, "transcript"),
  ];
}

function fastEvaluation(method: DescMethodUnary, evaluator: Evaluator, kind: EvaluationKind): FastMethod {
  return {
    method,
    isSurelyValid: (request) =>
      isValidRequest(evaluateRequest(request)) && !evaluator.belongsToPeer(evaluateRequest(request)),
    call: (request) => evaluator.judge(evaluateRequest(request), kind),
  };
}

/** The calls of EvaluationService that carry many evaluations. */
export function fastStreams(judgeEach: JudgeEach): FastStreamMethod[] {
  return [
    {
      method: EvaluationService.method.evaluateEach,
      isSurelyValid: (message) => isValidEachRequest(eachRequest(message)),
      answer: (message) => judgeEach(eachRequest(message)),
      maxAhead: eachLimits.ahead,
      idleMs: eachLimits.idleMs,
    },
  ];
}

function eachRequest(message: Message): EvaluateEachRequest {
  if (isMessage(message, EvaluateEachRequestSchema)) return message;
  throw new Error(`${message.$typeName} is no request for one of several evaluations`);
}

function evaluateRequest(message: Message): EvaluateRequest {
  if (isMessage(message, EvaluateRequestSchema)) return message;
  throw new Error(`${message.$typeName} is no request for an evaluation`);
}

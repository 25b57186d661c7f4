// The short way of evaluations over REST: which requests take it, and what answers them.

import { type DescMethodUnary, isMessage, type Message } from "@bufbuild/protobuf";
import type { FastMethod } from "../../gateway/fast-call.ts";
import { type EvaluateRequest, EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { EvaluationService } from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import type { Evaluator, Moment } from "../evaluator.ts";
import { isSurelyValid } from "./valid-request.ts";

/** The methods of EvaluationService that have a short way. */
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

function fastEvaluation(method: DescMethodUnary, evaluator: Evaluator, moment: Moment): FastMethod {
  return {
    method,
    isSurelyValid: (request) =>
      isSurelyValid(evaluateRequest(request)) && !evaluator.isTheirs(evaluateRequest(request)),
    call: (request) => evaluator.judge(evaluateRequest(request), moment),
  };
}

function evaluateRequest(message: Message): EvaluateRequest {
  if (isMessage(message, EvaluateRequestSchema)) return message;
  throw new Error(`${message.$typeName} is no request for an evaluation`);
}

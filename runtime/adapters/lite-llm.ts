// LiteLLM's generic guardrail contract (docs.litellm.ai, "Generic Guardrail API"): texts are answered position by
// position. The contract cannot carry rewritten tool calls, so a call whose arguments would be redacted is blocked.

import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import {
  type EvaluateRequest,
  EvaluateRequestSchema,
  type EvaluateResponse,
  type ToolCall,
  ToolCallSchema,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome, Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { assertValid } from "../../src/kit/fault/validation.ts";
import type { Evaluator } from "../evaluate/evaluator.ts";
import { callArguments } from "./call-arguments.ts";
import { invalid, isObject, listMember, objectMember, textMember } from "./payload.ts";
import { reasonOf } from "./reason.ts";

const maxIdLength = 256;

/** Answers a request of LiteLLM. Throws validation_failed for a payload that is none. */
export async function applyGuardrail(payload: JsonObject, evaluator: Evaluator): Promise<JsonObject> {
  const stage = stageOf(payload);
  const texts = listMember(payload, "texts").map(textAt);
  const calls = listMember(payload, "tool_calls").map(callAt);
  const common = commonOf(payload);
  const parts: { readonly request: EvaluateRequest; readonly stage: Stage }[] = [];
  if (texts.length > 0) {
    const segments = texts.map((text, index) => ({ id: `texts/${index}`, text }));
    parts.push({ stage, request: create(EvaluateRequestSchema, { ...common, segments }) });
  }
  if (calls.length > 0) {
    parts.push({ stage: Stage.TOOL_CALL, request: create(EvaluateRequestSchema, { ...common, toolCalls: calls }) });
  }
  for (const { request } of parts) assertValid(EvaluateRequestSchema, request, payloadName);
  let answer: JsonObject = { action: "NONE" };
  for (const part of parts) {
    const response = await evaluator.judge(part.request, part.stage);
    if (response.outcome === Outcome.BLOCK) return blocked(reasonOf(response, Outcome.BLOCK));
    if (response.outcome !== Outcome.REDACT) continue;
    if (part.stage === Stage.TOOL_CALL) return blocked(reasonOf(response, Outcome.REDACT));
    answer = { action: "GUARDRAIL_INTERVENED", texts: rewrittenTexts(texts, response) };
  }
  return answer;
}

function stageOf(payload: JsonObject): Stage {
  const { input_type: type } = payload;
  if (type === "request") return Stage.INPUT;
  if (type === "response") return Stage.OUTPUT;
  throw invalid("input_type", "expected request or response");
}

function textAt(text: JsonValue, index: number): string {
  if (typeof text === "string") return text;
  throw invalid(`texts[${index}]`, "expected a string");
}

// Chunks of a streamed call may have neither an id nor whole arguments.
function callAt(json: JsonValue, index: number): ToolCall {
  const field = `tool_calls[${index}]`;
  const about = isObject(json) ? json.function : undefined;
  if (!isObject(about)) throw invalid(field, "expected a call of a function");
  const name = typeof about.name === "string" && about.name !== "" ? about.name : "unknown";
  return create(ToolCallSchema, { id: `call/${index}`, name, arguments: callArguments(about.arguments) });
}

function commonOf(payload: JsonObject) {
  const data = objectMember(payload, "request_data");
  const parameters = objectMember(payload, "additional_provider_specific_params");
  const userId = textMember(data, "user_api_key_end_user_id") ?? textMember(data, "user_api_key_user_id");
  const model = textMember(payload, "model");
  const sessionId = textMember(payload, "litellm_trace_id")?.slice(0, maxIdLength);
  const labels = {
    gateway: "litellm",
    litellm_call_id: textMember(payload, "litellm_call_id")?.slice(0, maxIdLength),
    litellm_version: textMember(payload, "litellm_version")?.slice(0, maxIdLength),
  };
  return {
    agentId: textMember(parameters, "agent_id"),
    sessionId: sessionId === "" ? undefined : sessionId,
    subject: userId === undefined ? undefined : { userId: userId.slice(0, maxIdLength) },
    model: model === undefined ? undefined : { name: model.slice(0, maxIdLength) },
    metadata: Object.fromEntries(Object.entries(labels).flatMap(([key, value]) => (value ? [[key, value]] : []))),
  };
}

function payloadName(field: string): string {
  if (field === "agent_id") return "additional_provider_specific_params.agent_id";
  return field.replace(/^segments(\[\d+\])?(\.\w+)?/, "texts$1");
}

function blocked(reason: string): JsonObject {
  return { action: "BLOCKED", blocked_reason: reason };
}

function rewrittenTexts(texts: readonly string[], { redactedSegments }: EvaluateResponse): string[] {
  const byId = new Map(redactedSegments.map(({ id, text }) => [id, text]));
  return texts.map((text, index) => byId.get(`texts/${index}`) ?? text);
}

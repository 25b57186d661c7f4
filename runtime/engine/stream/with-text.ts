// The request with a text that arrived in chunks.

import { create } from "@bufbuild/protobuf";
import {
  type EvaluateRequest,
  EvaluateRequestSchema,
  type ToolCall,
} from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";

/** The request with this text, in its only segment when it has one, and with further tool calls. */
export function withText(request: EvaluateRequest, text: string, toolCalls: readonly ToolCall[]): EvaluateRequest {
  const [segment, ...others] = request.segments;
  const calls = toolCalls.length === 0 ? request.toolCalls : [...request.toolCalls, ...toolCalls];
  const about =
    segment !== undefined && others.length === 0
      ? { ...request, segments: [{ ...segment, text }], toolCalls: calls }
      : { ...request, text, toolCalls: calls };
  return create(EvaluateRequestSchema, about);
}

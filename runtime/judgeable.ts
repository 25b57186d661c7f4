// The rules of a request for an evaluation that its fields alone cannot say.

import type { EvaluateRequest } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { type FieldViolation, validationFailed } from "../src/kit/error.ts";
import { depthOf, maxArgumentDepth } from "./engine/argument.ts";
import { nameOf, stages } from "./engine/wire.ts";

const maxMetadataBytes = 16 * 1024;

/** Throws validation_failed for a request that cannot be judged at the stage that its path says; undefined for a transcript. */
export function assertJudgeable(request: EvaluateRequest, stage: Stage | undefined): void {
  const problems: FieldViolation[] = [];
  const add = (field: string, message: string) => problems.push({ field, message });
  checkTexts(request, stage, add);
  checkStage(request, stage, add);
  if (request.toolCalls.length > 0) checkCalls(request, add);
  if (request.segments.length > 1) checkIds(request, add);
  const { metadata } = request;
  if (metadata !== undefined && depthOf(metadata, maxArgumentDepth) > maxArgumentDepth) {
    add("metadata", `expected at most ${maxArgumentDepth} levels`);
  } else if (metadata !== undefined && Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes) {
    add("metadata", `expected at most ${maxMetadataBytes} bytes as JSON`);
  }
  if (problems.length > 0) throw validationFailed(problems);
}

/** Throws validation_failed for a request that cannot be judged once its text has come. */
export function assertStreamable(request: EvaluateRequest, stage: Stage): void {
  assertJudgeable(request.segments.length > 0 ? request : { ...request, text: "" }, stage);
}

/** Throws validation_failed for a request that does not hold one output against a schema. */
export function assertOneOutput({ outputSchema, text, messages, segments, toolCalls }: EvaluateRequest): void {
  const problems: FieldViolation[] = [];
  if (outputSchema === undefined) problems.push({ field: "output_schema", message: "expected the name of a schema" });
  if (toolCalls.length > 0) problems.push({ field: "tool_calls", message: "expected none beside an output" });
  if (text === undefined && messages.length + segments.length !== 1) {
    problems.push({ field: "text", message: "expected one text" });
  }
  if (problems.length > 0) throw validationFailed(problems);
}

/** Throws validation_failed for a request that names an output schema that the bundle does not have. */
export function assertSchemaKnown({ outputSchema }: EvaluateRequest, names: readonly string[]): void {
  if (outputSchema === undefined || names.includes(outputSchema)) return;
  throw validationFailed([{ field: "output_schema", message: "the bundle in force has no schema of that name" }]);
}

type Add = (field: string, message: string) => void;

function checkTexts({ text, messages, segments, toolCalls }: EvaluateRequest, stage: Stage | undefined, add: Add) {
  const forms = Number(text !== undefined) + Number(messages.length > 0) + Number(segments.length > 0);
  if (forms > 1) add("text", "expected only one of text, messages and segments");
  if (stage === Stage.TOOL_CALL) {
    if (toolCalls.length === 0) add("tool_calls", "expected at least one call");
  } else if (stage === Stage.RETRIEVAL) {
    if (forms === 0) add("segments", "expected segments, messages or text");
  } else if (forms === 0 && toolCalls.length === 0) {
    add("text", "expected text, messages, segments or tool_calls");
  }
}

function checkStage(request: EvaluateRequest, stage: Stage | undefined, add: Add): void {
  if (request.stage === Stage.UNSPECIFIED || request.stage === stage) return;
  const wanted = stage === undefined ? "nothing: each turn has its own" : nameOf(stages, stage);
  add("stage", `expected ${wanted}`);
}

function checkCalls({ toolCalls }: EvaluateRequest, add: Add): void {
  const ids = new Set<string>();
  for (const [index, call] of toolCalls.entries()) {
    if (ids.has(call.id)) add(`tool_calls[${index}].id`, "expected an id that no other call has");
    ids.add(call.id);
    if (call.arguments !== undefined && depthOf(call.arguments, maxArgumentDepth) > maxArgumentDepth)
      add(`tool_calls[${index}].arguments`, `expected at most ${maxArgumentDepth} levels`);
  }
}

function checkIds({ segments }: EvaluateRequest, add: Add): void {
  const ids = new Set<string>();
  for (const [index, { id }] of segments.entries()) {
    if (id === undefined) continue;
    if (ids.has(id)) add(`segments[${index}].id`, "expected an id that no other segment has");
    ids.add(id);
  }
}

// The rules of a request for an evaluation that its fields alone cannot say.

import type { EvaluateRequest } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type FieldViolation, validationFailed } from "../../src/kit/fault/fault.ts";
import { isId } from "../../src/kit/process/id.ts";
import { nameOf, stages } from "../engine/policy/enum-names.ts";
import { argumentProblem, depthOf, maxArgumentDepth } from "../engine/segment/argument.ts";

const maxMetadataBytes = 16 * 1024;

/** What kind of evaluation a request is for: the stage, or a whole transcript. Its path says so, or else its fields. */
export type EvaluationKind = Stage | "transcript";

/** The kind that the fields of a request state, where its path does not. */
export function statedKind({ stage, transcript }: EvaluateRequest): EvaluationKind {
  if (stage !== Stage.UNSPECIFIED) return stage;
  return transcript ? "transcript" : Stage.INPUT;
}

/** Throws validation_failed for a request that does not suit its kind of evaluation. */
export function assertEvaluable(request: EvaluateRequest, kind: EvaluationKind): void {
  const problems: FieldViolation[] = [];
  const add = (field: string, message: string) => problems.push({ field, message });
  const { evaluationId } = request;
  if (evaluationId !== undefined && !isId(evaluationId)) add("evaluation_id", "expected a UUID of version 4");
  checkTexts(request, kind, add);
  checkKind(request, kind, add);
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

/** Throws validation_failed for a request that will not suit its stage when its text has come. */
export function assertStreamable(request: EvaluateRequest, stage: Stage): void {
  assertEvaluable(request.segments.length > 0 ? request : { ...request, text: "" }, stage);
}

/** Throws validation_failed for a request that does not hold one output against a schema. */
export function assertOneOutput({ outputSchema, text, messages, segments, toolCalls }: EvaluateRequest): void {
  const problems: FieldViolation[] = [];
  if (outputSchema === undefined) problems.push({ field: "output_schema", message: "expected the name of a schema" });
  if (toolCalls.length > 0) problems.push({ field: "tool_calls", message: "expected no calls: an output is a text" });
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

function checkTexts({ text, messages, segments, toolCalls }: EvaluateRequest, kind: EvaluationKind, add: Add) {
  const forms = Number(text !== undefined) + Number(messages.length > 0) + Number(segments.length > 0);
  if (forms > 1) add("text", "expected only one of text, messages and segments");
  if (kind === Stage.TOOL_CALL) {
    if (toolCalls.length === 0) add("tool_calls", "expected at least one call");
  } else if (kind === Stage.RETRIEVAL) {
    if (forms === 0) add("segments", "expected segments, messages or text");
  } else if (forms === 0 && toolCalls.length === 0) {
    add("text", "expected text, messages, segments or tool_calls");
  }
}

function checkKind({ stage, transcript }: EvaluateRequest, kind: EvaluationKind, add: Add): void {
  const isTranscript = kind === "transcript";
  if (transcript && !isTranscript) add("transcript", "expected false: the request is judged at one stage");
  if (stage === Stage.UNSPECIFIED || stage === kind) return;
  add("stage", `expected ${isTranscript ? "nothing: each turn has its own" : nameOf(stages, kind)}`);
}

function checkCalls({ toolCalls }: EvaluateRequest, add: Add): void {
  const ids = new Set<string>();
  for (const [index, call] of toolCalls.entries()) {
    if (ids.has(call.id)) add(`tool_calls[${index}].id`, "expected an id that no other call has");
    ids.add(call.id);
    const problem = call.arguments && argumentProblem(call.arguments);
    if (problem !== undefined) add(`tool_calls[${index}].arguments`, problem);
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

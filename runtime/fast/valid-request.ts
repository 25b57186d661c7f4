// The rules of evaluation.proto for requests of the usual kind, written out. Checking them by descriptors costs more than most
// evaluations. A request for which this says no may be valid all the same; the ordinary path finds out. A test compares the two.

import type { EvaluateRequest, Message, Segment, ToolCall } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { DetailLevel, OffsetUnit, Trust } from "../../gen/policyguard/policy/v1/outcome_pb.ts";

const mostTextBytes = 1_048_576;
const mostTexts = 1_024;
const mostCalls = 256;
const details: ReadonlySet<number> = new Set(Object.values(DetailLevel));
const units: ReadonlySet<number> = new Set(Object.values(OffsetUnit));
const trusts: ReadonlySet<number> = new Set(Object.values(Trust));
const roles: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant", "tool"]);
const agentId = /^[A-Za-z0-9._-]{1,128}$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const language = /^(?:auto|[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)$/;

/** Whether a request certainly satisfies every rule. Requests that declare tools never do. */
export function isSurelyValid(request: EvaluateRequest): boolean {
  const { tools, toolCalls, outputSchema, messages, segments, text } = request;
  return (
    tools.length === 0 &&
    toolCalls.length <= mostCalls &&
    toolCalls.every(isToolCall) &&
    outputSchema === undefined &&
    messages.length <= mostTexts &&
    segments.length <= mostTexts &&
    (text === undefined || isText(text)) &&
    messages.every(isMessage) &&
    segments.every(isSegment) &&
    hasValidNames(request) &&
    hasValidOptions(request)
  );
}

function hasValidNames({
  evaluationId,
  agentId: agent,
  sessionId,
  language: tag,
  subject,
  model,
}: EvaluateRequest): boolean {
  return (
    (evaluationId === undefined || uuid.test(evaluationId)) &&
    (agent === undefined || agentId.test(agent)) &&
    (sessionId === undefined || (sessionId !== "" && sessionId.length <= 256)) &&
    (tag === undefined || language.test(tag)) &&
    isShort(subject?.userId, 256) &&
    (subject === undefined || (subject.roles.length <= 64 && subject.roles.every((role) => role.length <= 128))) &&
    isShort(model?.provider, 128) &&
    isShort(model?.name, 256)
  );
}

function hasValidOptions({ options }: EvaluateRequest): boolean {
  if (options === undefined) return true;
  const { detail, timeoutMs, offsets } = options;
  return (
    details.has(detail) && units.has(offsets) && (timeoutMs === undefined || (timeoutMs >= 1 && timeoutMs <= 30_000))
  );
}

function isToolCall({ id, name }: ToolCall): boolean {
  return id !== "" && id.length <= 256 && name !== "" && name.length <= 256;
}

function isMessage({ role, content }: Message): boolean {
  return roles.has(role) && isText(content);
}

function isSegment({ id, role, origin, trust, text }: Segment): boolean {
  return (
    (id === undefined || (id !== "" && id.length <= 128)) &&
    (role === undefined || roles.has(role)) &&
    isShort(origin, 256) &&
    trusts.has(trust) &&
    isText(text)
  );
}

// A code unit is three bytes at most; texts that might be too long are left to those who count.
function isText(text: string): boolean {
  return text.length * 3 <= mostTextBytes;
}

// Rules count code points, of which there are never more than code units.
function isShort(text: string | undefined, mostUnits: number): boolean {
  return text === undefined || text.length <= mostUnits;
}

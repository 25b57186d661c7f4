// The segments of a request, whatever form they came in: the short forms, segments, and the arguments of tool calls.

import type { EvaluateRequest, Segment, ToolCall } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage, Trust } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { TextSource } from "../detectors/detector.ts";
import { argumentTexts } from "./argument.ts";

/** One text that is scanned and judged on its own. */
export interface TextSegment {
  /**
   * The segment id, or "tool_calls/<id>" with the id escaped as in a JSON pointer. For an argument the JSON pointer
   * follows: "tool_calls/c1/to" for its value, "tool_calls/c1/to#" for its name.
   */
  readonly id: string;
  readonly role: string;
  readonly origin: string;
  readonly trust: Trust;
  readonly text: string;
  /** The tool call that the segment belongs to. */
  readonly call?: ToolCall;
  /** An argument of a call: conditions without a detector judge the call as a whole, not each argument. */
  readonly isArgument: boolean;
  /**
   * The stage at which the segment is judged, where it differs from that of the request: in a transcript each turn has
   * its own.
   */
  readonly stage?: Stage;
}

/** How the segments of a request are to be judged. */
export interface SegmentContext {
  readonly stage: Stage;
  /** The request is a transcript, each turn of which is judged at its own stage. */
  readonly isTranscript?: boolean;
}

/** The segments of a request, in the order in which they were sent. */
export function segmentsOf(request: EvaluateRequest, { stage, isTranscript = false }: SegmentContext): TextSegment[] {
  const role = isTranscript ? "user" : defaultRole(stage);
  const taken = new Set(request.segments.map(({ id }) => id ?? ""));
  const nextId = idGiver(taken);
  const segments: TextSegment[] = [];
  const add = (segment: Omit<TextSegment, "isArgument">) => {
    const own = isTranscript ? { stage: stageOfTurn(segment.role) } : {};
    segments.push({ ...segment, ...own, isArgument: false });
  };
  if (request.text !== undefined) add({ id: nextId(), role, origin: "", trust: Trust.UNTRUSTED, text: request.text });
  for (const message of request.messages) {
    const trust = defaultTrust(message.role, stage);
    add({ id: nextId(), role: message.role, origin: "", trust, text: message.content });
  }
  for (const segment of request.segments) add(fromSegment(segment, { role, stage, nextId }));
  for (const call of request.toolCalls) {
    for (const segment of fromCall(call))
      segments.push(isTranscript ? { ...segment, stage: Stage.TOOL_CALL } : segment);
  }
  return segments;
}

/** The stage of the last turn of a transcript. */
export function stageOfTranscript({ toolCalls, messages, segments }: EvaluateRequest): Stage {
  if (toolCalls.length > 0) return Stage.TOOL_CALL;
  return stageOfTurn(messages.at(-1)?.role ?? segments.at(-1)?.role ?? "user");
}

function stageOfTurn(role: string): Stage {
  if (role === "assistant") return Stage.OUTPUT;
  return role === "tool" ? Stage.TOOL_RESULT : Stage.INPUT;
}

function fromSegment(
  segment: Segment,
  about: { readonly role: string; readonly stage: Stage; readonly nextId: () => string },
): Omit<TextSegment, "isArgument"> {
  const role = segment.role ?? about.role;
  // Every segment takes a number, so that "s3" is the third one.
  const numbered = about.nextId();
  const trust = segment.trust === Trust.UNSPECIFIED ? defaultTrust(role, about.stage) : segment.trust;
  return { id: segment.id ?? numbered, role, origin: segment.origin ?? "", trust, text: segment.text };
}

/** Gives the ids "s1", "s2", … and skips those that the request uses itself. */
function idGiver(taken: ReadonlySet<string>): () => string {
  let number = 0;
  return () => {
    let id = `s${++number}`;
    while (taken.has(id)) id += "_";
    return id;
  };
}

function fromCall(call: ToolCall): TextSegment[] {
  const id = callSegmentId(call);
  const about = { role: "assistant", origin: `tool:${call.name}`, trust: Trust.UNTRUSTED, call };
  const whole: TextSegment = { id, text: "", isArgument: false, ...about };
  const texts = argumentTexts(call.arguments ?? {}, id);
  return [whole, ...texts.map(([path, text]) => ({ id: path, text, isArgument: true, ...about }))];
}

/**
 * The source of a segment's text, for detectors that depend on it. The result of a tool or an index is not part of the
 * conversation.
 */
export function textSourceOf({ role, trust, stage: own }: TextSegment, stage: Stage): TextSource {
  if (trust === Trust.TRUSTED) return "trusted";
  const at = own ?? stage;
  return at === Stage.TOOL_RESULT || at === Stage.RETRIEVAL || role === "tool" ? "document" : "chat";
}

/** The id of the segment that stands for a whole call; the ids of its arguments begin with it. */
export function callSegmentId({ id }: ToolCall): string {
  // Escaped like the names that follow it, so that no id of a call looks like an argument of another call.
  return `tool_calls/${id.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function defaultRole(stage: Stage): string {
  if (stage === Stage.INPUT) return "user";
  return stage === Stage.OUTPUT ? "assistant" : "tool";
}

// Anyone may have written the result of a tool or an index, whatever role it claims.
function defaultTrust(role: string, stage: Stage): Trust {
  if (stage === Stage.TOOL_RESULT || stage === Stage.RETRIEVAL) return Trust.UNTRUSTED;
  return role === "system" || role === "developer" ? Trust.TRUSTED : Trust.UNTRUSTED;
}

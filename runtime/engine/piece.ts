// The pieces of text of a request, whatever form they came in: the short forms, segments, and the arguments of tool calls.

import type { EvaluateRequest, Segment, ToolCall } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage, Trust } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { argumentTexts } from "./argument.ts";
import type { TextSource } from "./detector.ts";

/** One text that is scanned and judged on its own. */
export interface Piece {
  /** Segment id, "tool_calls/<id>", or that with the JSON pointer of an argument, "#" behind it for the name of a member. */
  readonly id: string;
  readonly role: string;
  readonly origin: string;
  readonly trust: Trust;
  readonly text: string;
  /** The tool call that it belongs to. */
  readonly call?: ToolCall;
  /** An argument of a call: conditions without a detector judge the call as a whole, not each argument. */
  readonly isArgument: boolean;
  /** The moment at which it is judged, where that is not the request's: in a transcript each turn has its own. */
  readonly stage?: Stage;
}

/** How the pieces of a request are to be judged. */
export interface PieceContext {
  readonly stage: Stage;
  /** The request is a transcript, each turn of which is judged as at its own moment. */
  readonly isTranscript?: boolean;
}

/** The pieces of a request, in the order in which they were sent. */
export function piecesOf(request: EvaluateRequest, { stage, isTranscript = false }: PieceContext): Piece[] {
  const role = isTranscript ? "user" : defaultRole(stage);
  const taken = new Set(request.segments.map(({ id }) => id ?? ""));
  const nextId = idGiver(taken);
  const pieces: Piece[] = [];
  const add = (piece: Omit<Piece, "isArgument">) => {
    const own = isTranscript ? { stage: stageOfTurn(piece.role) } : {};
    pieces.push({ ...piece, ...own, isArgument: false });
  };
  if (request.text !== undefined) add({ id: nextId(), role, origin: "", trust: Trust.UNTRUSTED, text: request.text });
  for (const message of request.messages) {
    const trust = defaultTrust(message.role, stage);
    add({ id: nextId(), role: message.role, origin: "", trust, text: message.content });
  }
  for (const segment of request.segments) add(fromSegment(segment, { role, stage, nextId }));
  for (const call of request.toolCalls) {
    for (const piece of fromCall(call)) pieces.push(isTranscript ? { ...piece, stage: Stage.TOOL_CALL } : piece);
  }
  return pieces;
}

/** The moment of the last turn of a transcript. */
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
): Omit<Piece, "isArgument"> {
  const role = segment.role ?? about.role;
  // Every segment uses up a number, so that "s3" is the third one.
  const numbered = about.nextId();
  const trust = segment.trust === Trust.UNSPECIFIED ? defaultTrust(role, about.stage) : segment.trust;
  return { id: segment.id ?? numbered, role, origin: segment.origin ?? "", trust, text: segment.text };
}

/** "s1", "s2", … without the ids that the request gives itself. */
function idGiver(taken: ReadonlySet<string>): () => string {
  let number = 0;
  return () => {
    let id = `s${++number}`;
    while (taken.has(id)) id += "_";
    return id;
  };
}

function fromCall(call: ToolCall): Piece[] {
  const id = callPieceId(call);
  const about = { role: "assistant", origin: `tool:${call.name}`, trust: Trust.UNTRUSTED, call };
  const whole: Piece = { id, text: "", isArgument: false, ...about };
  const texts = argumentTexts(call.arguments ?? {}, id);
  return [whole, ...texts.map(([path, text]) => ({ id: path, text, isArgument: true, ...about }))];
}

/** Whose text a piece is, for detectors that judge by that. What comes back from a tool or an index was never said in the conversation. */
export function textSourceOf({ role, trust, stage: own }: Piece, stage: Stage): TextSource {
  if (trust === Trust.TRUSTED) return "trusted";
  const at = own ?? stage;
  return at === Stage.TOOL_RESULT || at === Stage.RETRIEVAL || role === "tool" ? "document" : "chat";
}

/** The id of the piece that stands for a whole call; those of its arguments begin with it. */
export function callPieceId({ id }: ToolCall): string {
  return `tool_calls/${id}`;
}

function defaultRole(stage: Stage): string {
  if (stage === Stage.INPUT) return "user";
  return stage === Stage.OUTPUT ? "assistant" : "tool";
}

// What comes back from a tool or an index was written by anyone, whatever role it claims.
function defaultTrust(role: string, stage: Stage): Trust {
  if (stage === Stage.TOOL_RESULT || stage === Stage.RETRIEVAL) return Trust.UNTRUSTED;
  return role === "system" || role === "developer" ? Trust.TRUSTED : Trust.UNTRUSTED;
}

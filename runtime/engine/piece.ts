// The pieces of text of a request, whatever form they came in: the short forms, segments, and the arguments of tool calls.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { EvaluateRequest, Segment, ToolCall } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage, Trust } from "../../gen/policyguard/policy/v1/outcome_pb.ts";

/** One text that is scanned and judged on its own. */
export interface Piece {
  /** Segment id, "tool_calls/<id>", or that with the JSON pointer of an argument. */
  readonly id: string;
  readonly role: string;
  readonly origin: string;
  readonly trust: Trust;
  readonly text: string;
  /** The tool call that it belongs to. */
  readonly call?: ToolCall;
  /** An argument of a call: conditions without a detector judge the call as a whole, not each argument. */
  readonly isArgument: boolean;
}

/** The pieces of a request, in the order in which they were sent. */
export function piecesOf(request: EvaluateRequest, stage: Stage): Piece[] {
  const role = defaultRole(stage);
  const taken = new Set(request.segments.map(({ id }) => id ?? ""));
  const nextId = idGiver(taken);
  const pieces: Piece[] = [];
  if (request.text !== undefined) {
    pieces.push({ id: nextId(), role, origin: "", trust: Trust.UNTRUSTED, text: request.text, isArgument: false });
  }
  for (const message of request.messages) {
    const trust = defaultTrust(message.role);
    pieces.push({ id: nextId(), role: message.role, origin: "", trust, text: message.content, isArgument: false });
  }
  for (const segment of request.segments) pieces.push(fromSegment(segment, role, nextId));
  for (const call of request.toolCalls) pieces.push(...fromCall(call));
  return pieces;
}

function fromSegment(segment: Segment, fallbackRole: string, nextId: () => string): Piece {
  const role = segment.role ?? fallbackRole;
  // Every segment uses up a number, so that "s3" is the third one.
  const numbered = nextId();
  const trust = segment.trust === Trust.UNSPECIFIED ? defaultTrust(role) : segment.trust;
  return {
    id: segment.id ?? numbered,
    role,
    origin: segment.origin ?? "",
    trust,
    text: segment.text,
    isArgument: false,
  };
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
  const id = `tool_calls/${call.id}`;
  const about = { role: "assistant", origin: `tool:${call.name}`, trust: Trust.UNTRUSTED, call };
  const whole: Piece = { id, text: "", isArgument: false, ...about };
  const texts = stringsOf(call.arguments ?? {}, id);
  return [whole, ...texts.map(([path, text]) => ({ id: path, text, isArgument: true, ...about }))];
}

/** All strings of a JSON value, keys included, since a payload may hide in a key as well. */
function stringsOf(root: JsonObject, path: string): [string, string][] {
  const found: [string, string][] = [];
  // A stack of our own: the nesting of a request is not bounded by our call stack.
  const open: [string, JsonValue][] = [[path, root]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [at, value] = next;
    if (typeof value === "string") found.push([at, value]);
    if (typeof value !== "object" || value === null) continue;
    const children = Object.entries(value).map(([key, child]): [string, JsonValue] => [
      `${at}/${escapePointer(key)}`,
      child,
    ]);
    if (!Array.isArray(value)) for (const key of Object.keys(value)) found.push([`${at}/${escapePointer(key)}`, key]);
    open.push(...children.reverse());
  }
  return found;
}

/** RFC 6901 section 3. */
function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

function defaultRole(stage: Stage): string {
  if (stage === Stage.INPUT) return "user";
  return stage === Stage.OUTPUT ? "assistant" : "tool";
}

function defaultTrust(role: string): Trust {
  return role === "system" || role === "developer" ? Trust.TRUSTED : Trust.UNTRUSTED;
}

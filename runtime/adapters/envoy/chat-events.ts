// A chat answer as server-sent events (WHATWG HTML, section 9.2): the pieces of each text and of each call's arguments
// are put together, and a rewritten text takes the place of its first piece.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { parseJson } from "../../../gateway/json/parse.ts";
import { malformedRequest } from "../../../src/kit/fault/fault.ts";
import { callArguments } from "../call-arguments.ts";
import { invalid, isObject, listMember, textMember } from "../payload.ts";
import { type ChatBody, type ChatCall, type ChatText, textMembers, withoutLogprobs } from "./chat-body.ts";

/** A line of the body; `json` is there for an event with data. */
interface Line {
  readonly text: string;
  readonly json?: JsonObject;
}

/** A member of an event that holds one piece of a longer text. */
interface Piece {
  readonly owner: JsonObject;
  readonly member: string;
}

/** The pieces of one call. */
interface CallPieces {
  name: string;
  readonly pieces: Piece[];
}

/** Members that hold pieces of a call: a call of a function has arguments, a call of a custom tool its input. */
const callMembers = ["arguments", "input"];
/** A server may cut a text between the halves of a character. */
const deepCutTexts = [...textMembers, ...callMembers];

const lineEnd = /\r\n|\n|\r/;
const endOfData = "[DONE]";

/** Reads a chat answer as server-sent events. Throws malformed_request or validation_failed for a body that is none. */
export function readChatEvents(body: string): ChatBody {
  const lines = body.split(lineEnd).map(readLine);
  const texts = new Map<string, Piece[]>();
  const calls = new Map<string, CallPieces>();
  let model: string | undefined;
  for (const { json } of lines) {
    if (json === undefined) continue;
    model ??= textMember(json, "model");
    if (!Array.isArray(json.choices)) throw invalid("data", "expected events of a chat answer, with choices");
    for (const choice of json.choices) collect(choice, texts, calls);
  }
  if (texts.size + calls.size === 0 && !lines.some(({ json }) => json !== undefined)) {
    throw invalid("data", "expected events of a chat answer");
  }
  return {
    model,
    user: undefined,
    texts: [...texts].map(([id, pieces]) => textOf(id, pieces)).filter(({ text }) => text !== ""),
    calls: [...calls].map(([id, call]) => callOf(id, call)),
    print: () =>
      lines
        .map(({ text, json }) => (json === undefined ? text : `data: ${JSON.stringify(withoutLogprobs(json))}`))
        .join("\n"),
  };
}

/** Lines that say nothing to people: comments, and what other fields of an event say. */
const silentLine = /^(:|(event|id|retry):|$)/;

function readLine(text: string): Line {
  const data = /^data:[ ]?(.*)$/s.exec(text)?.[1];
  if (data === undefined && !silentLine.test(text)) throw invalid("", "expected server-sent events");
  if (data === undefined || data.trim() === endOfData || data.trim() === "") return { text };
  const json = parseJson(data, { deepCutTexts });
  if (!isObject(json)) throw invalid("data", "expected an object in each event");
  return { text, json };
}

function collect(choice: JsonValue, texts: Map<string, Piece[]>, calls: Map<string, CallPieces>): void {
  const delta = isObject(choice) ? choice.delta : undefined;
  if (!isObject(choice) || !isObject(delta)) throw invalid("choices", "expected a delta in each choice");
  const path = `choices[${indexOf(choice, 0)}]`;
  for (const member of textMembers) {
    if (isPiece(delta, member)) piecesOf(texts, `${path}.${member}`).push({ owner: delta, member });
  }
  for (const [at, call] of listMember(delta, "tool_calls").entries()) {
    const about = isObject(call) ? (call.function ?? call.custom) : undefined;
    if (!isObject(call) || !isObject(about)) throw invalid("tool_calls", "expected calls");
    collectCall(about, `${path}.tool_calls[${indexOf(call, at)}]`, calls);
  }
  if (isObject(delta.function_call)) collectCall(delta.function_call, `${path}.function_call`, calls);
}

function indexOf({ index }: JsonObject, usual: number): number {
  return typeof index === "number" ? index : usual;
}

/** Whether a member is a piece of text. Throws validation_failed for a member of another kind. */
function isPiece(owner: JsonObject, member: string): boolean {
  const value = owner[member] ?? undefined;
  if (value === undefined || typeof value === "string") return value !== undefined;
  throw invalid(member, "expected a string");
}

function collectCall(about: JsonObject, id: string, calls: Map<string, CallPieces>): void {
  const call = calls.get(id) ?? { name: "", pieces: [] };
  calls.set(id, call);
  if (typeof about.name === "string") call.name += about.name;
  for (const member of callMembers) {
    if (isPiece(about, member)) call.pieces.push({ owner: about, member });
  }
}

function piecesOf(texts: Map<string, Piece[]>, id: string): Piece[] {
  const pieces = texts.get(id) ?? [];
  texts.set(id, pieces);
  return pieces;
}

function textOf(id: string, pieces: readonly Piece[]): ChatText {
  return { id, role: "assistant", text: joined(pieces), rewrite: (text) => replace(pieces, text) };
}

function callOf(id: string, { name, pieces }: CallPieces): ChatCall {
  const rewrite = (value: JsonObject) => replace(pieces, JSON.stringify(value));
  return { id, name: name === "" ? "unknown" : name, arguments: callArguments(joined(pieces)), rewrite };
}

function joined(pieces: readonly Piece[]): string {
  const text = pieces.map(({ owner, member }) => owner[member]).join("");
  if (!text.isWellFormed()) throw malformedRequest("a text has an unpaired surrogate");
  return text;
}

function replace(pieces: readonly Piece[], text: string): void {
  for (const [index, { owner, member }] of pieces.entries()) owner[member] = index === 0 ? text : "";
}

// Bodies in the shape of OpenAI's chat completions: requests, answers, and answers as server-sent events. Texts and
// calls are read where they stand and can be rewritten there; everything else stays as it is. Images and sound are not
// judged.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { parseJson } from "../../../gateway/json/parse.ts";
import { callArguments } from "../call-arguments.ts";
import { invalid, isObject, listMember, textMember } from "../payload.ts";

/** One text of a body. */
export interface ChatText {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  readonly rewrite: (text: string) => void;
}

/** One call that a model proposes. */
export interface ChatCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly rewrite: (value: JsonObject) => void;
}

/** What of a body is judged. */
export interface ChatBody {
  readonly model: string | undefined;
  /** Who asks, by OpenAI's member `user`. */
  readonly user: string | undefined;
  readonly texts: readonly ChatText[];
  readonly calls: readonly ChatCall[];
  /** The body with what was rewritten. */
  readonly print: () => string;
}

/** Reads the body of a chat request. Throws malformed_request or validation_failed for a body that is none. */
export function readChatRequest(body: string): ChatBody {
  const json = readObject(body);
  if (!Array.isArray(json.messages) || json.messages.length === 0) {
    throw invalid("messages", "expected the messages of a chat request");
  }
  refuseLookAlikes(json, "");
  // A server that knows several shapes could read one of these in place of the messages.
  for (const name of ["prompt", "input"]) {
    if (json[name] !== undefined) throw invalid(name, "expected no text beside the messages");
  }
  const texts = json.messages.flatMap((message, index) => messageTexts(message, `messages[${index}]`));
  return {
    model: textMember(json, "model"),
    user: textMember(json, "user"),
    texts,
    // Calls in the history were judged when the model proposed them.
    calls: [],
    print: () => JSON.stringify(json),
  };
}

/** Reads the body of a chat answer. Throws malformed_request or validation_failed for a body that is none. */
export function readChatAnswer(body: string): ChatBody {
  const json = readObject(body);
  if (!Array.isArray(json.choices) || json.choices.length === 0) {
    throw invalid("choices", "expected the choices of a chat answer");
  }
  const messages = json.choices.map((choice, index) => {
    const message = isObject(choice) ? choice.message : undefined;
    if (!isObject(message)) throw invalid(`choices[${index}].message`, "expected an object");
    return message;
  });
  return {
    model: textMember(json, "model"),
    user: undefined,
    texts: messages.flatMap((message, index) => contentTexts(message, "assistant", `choices[${index}].message`)),
    calls: messages.flatMap((message, index) => callsOf(message, `choices[${index}]`)),
    print: () => JSON.stringify(withoutLogprobs(json)),
  };
}

/** Probabilities of tokens repeat the text that was rewritten. */
export function withoutLogprobs(json: JsonObject): JsonObject {
  for (const choice of listMember(json, "choices")) if (isObject(choice)) delete choice.logprobs;
  return json;
}

function readObject(body: string): JsonObject {
  const json = parseJson(body);
  if (!isObject(json)) throw invalid("", "expected an object");
  return json;
}

/** The members that decide which texts of a request a model reads, and as whose. */
const decisiveMembers: ReadonlySet<string> = new Set([
  ...["messages", "prompt", "input", "role", "type", "text"],
  ...["content", "refusal", "reasoning_content", "reasoning"],
]);

/**
 * Throws validation_failed for a member whose name only looks like a decisive one. Servers in Go take `Content` for
 * `content` (encoding/json folds case, and letters such as U+017F), and would read what nobody judged.
 */
function refuseLookAlikes(owner: JsonObject, path: string): void {
  for (const name of Object.keys(owner)) {
    const folded = name.normalize("NFKC").toLowerCase();
    if (folded === name || !decisiveMembers.has(folded)) continue;
    throw invalid(path === "" ? name : `${path}.${name}`, `expected ${folded}, spelled exactly so`);
  }
}

/** "function" is the name that roles of tools had before. */
const roles: Readonly<Record<string, string>> = {
  system: "system",
  developer: "developer",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
};

function messageTexts(message: JsonValue, path: string): ChatText[] {
  const name = isObject(message) ? message.role : undefined;
  const role = typeof name === "string" && Object.hasOwn(roles, name) ? roles[name] : undefined;
  if (!isObject(message) || role === undefined) throw invalid(path, "expected a message with one of the known roles");
  refuseLookAlikes(message, path);
  return contentTexts(message, role, path);
}

/** The members of a message, and of a piece of one, that are texts for people. */
export const textMembers = ["content", "refusal", "reasoning_content", "reasoning"] as const;

/** Parts of content without a text that anybody judges here. */
const mediaParts: ReadonlySet<unknown> = new Set(["image_url", "input_audio"]);

/** The texts of a message: members of its own, and parts of `content`. */
function contentTexts(message: JsonObject, role: string, path: string): ChatText[] {
  const { content } = message;
  const texts = textMembers
    .filter((member) => member !== "content" || !Array.isArray(content))
    .flatMap((member) => textOf(message, member, role, path));
  if (!Array.isArray(content)) return texts;
  return [...texts, ...content.flatMap((part, index) => partTexts(part, role, `${path}.content[${index}]`))];
}

function partTexts(part: JsonValue, role: string, path: string): ChatText[] {
  if (!isObject(part)) throw invalid(path, "expected an object");
  refuseLookAlikes(part, path);
  if (mediaParts.has(part.type)) return [];
  if (part.type !== "text" && part.type !== "refusal") throw invalid(`${path}.type`, "expected a known type of part");
  return textOf(part, part.type, role, path);
}

function textOf(owner: JsonObject, member: string, role: string, path: string): ChatText[] {
  const text = owner[member] ?? "";
  if (typeof text !== "string") throw invalid(`${path}.${member}`, "expected a string");
  if (text === "") return [];
  const rewrite = (rewritten: string) => {
    owner[member] = rewritten;
  };
  return [{ id: `${path}.${member}`, role, text, rewrite }];
}

/** The calls of a message, `function_call` of older versions included. */
function callsOf(message: JsonObject, path: string): ChatCall[] {
  const calls = listMember(message, "tool_calls").map((call, index) => {
    const about = isObject(call) ? (call.function ?? call.custom) : undefined;
    if (!isObject(about)) throw invalid(`${path}.tool_calls[${index}]`, "expected a call");
    return callOf(about, `${path}.tool_calls[${index}]`);
  });
  const { function_call: older } = message;
  return isObject(older) ? [...calls, callOf(older, `${path}.function_call`)] : calls;
}

/** A call of a function has its arguments as JSON in `arguments`, a call of a custom tool its text in `input`. */
function callOf(about: JsonObject, id: string): ChatCall {
  const name = typeof about.name === "string" && about.name !== "" ? about.name : "unknown";
  const isCustom = typeof about.input === "string";
  const rewrite = (value: JsonObject) => {
    if (isCustom) about.input = value.input ?? "";
    else about.arguments = JSON.stringify(value);
  };
  return { id, name, arguments: isCustom ? { input: about.input ?? "" } : callArguments(about.arguments), rewrite };
}

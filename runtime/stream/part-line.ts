// The body of a stream over HTTP: NDJSON with one part in each line.

import { create, type JsonValue, type Message } from "@bufbuild/protobuf";
import type { RestRequest } from "../../gateway/http/http.ts";
import { messageDecoder } from "../../gateway/json/decode.ts";
import { cutFields } from "../../gateway/json/enum-names.ts";
import { parseJson } from "../../gateway/json/parse.ts";
import { Problems } from "../../gateway/json/problems.ts";
import { StreamOpeningSchema, ToolCallPartSchema } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import {
  type EvaluateStreamRequest,
  EvaluateStreamRequestSchema,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { malformedRequest, validationFailed } from "../../src/kit/fault/fault.ts";

/**
 * Max length of a line, in UTF-16 code units: a delta of max length, where JSON may write one byte as up to six
 * characters.
 */
const maxLineUnits = 8 * 1024 * 1024;

/**
 * The parts of a body, read as fast as they are taken. Throws malformed_request for a line that is not JSON in UTF-8,
 * and validation_failed for a line that is not a part.
 */
export async function* partsOf(request: RestRequest): AsyncGenerator<EvaluateStreamRequest> {
  const lines = new Lines();
  for await (const bytes of request) for (const line of lines.add(bytes)) yield partOf(line);
  for (const line of lines.end()) yield partOf(line);
}

/** Cuts the body into lines, and leaves out blank ones. */
class Lines {
  // A byte order mark is a character, which JSON does not begin with.
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #rest = "";

  /** The lines that are complete now. */
  add(bytes: Buffer): string[] {
    const [first = "", ...others] = this.#decode(() => this.#decoder.decode(bytes, { stream: true })).split("\n");
    const lines = [this.#rest + first, ...others];
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > maxLineUnits) throw malformedRequest("a line is too long");
    return lines.filter(isWritten);
  }

  /** The last line, which may lack its line feed. */
  end(): string[] {
    return [this.#rest + this.#decode(() => this.#decoder.decode())].filter(isWritten);
  }

  #decode(decode: () => string): string {
    try {
      return decode();
    } catch {
      throw malformedRequest("the body is not UTF-8");
    }
  }
}

function isWritten(line: string): boolean {
  return line.trim() !== "";
}

const readOpening = messageDecoder(StreamOpeningSchema);
const cutTexts = cutFields(EvaluateStreamRequestSchema);
const readCall = messageDecoder(ToolCallPartSchema);

function partOf(line: string): EvaluateStreamRequest {
  const json = parseJson(line, { cutTexts });
  const names = typeof json === "object" && json !== null && !Array.isArray(json) ? Object.keys(json) : [];
  const [name = "", ...others] = names;
  if (others.length > 0 || typeof json !== "object" || json === null || Array.isArray(json)) throw onePart();
  const value = json[name];
  const part = value === undefined ? undefined : partNamed(name, value);
  if (part === undefined) throw onePart();
  return create(EvaluateStreamRequestSchema, { part });
}

function partNamed(name: string, value: JsonValue): EvaluateStreamRequest["part"] | undefined {
  if (name === "delta") return typeof value === "string" ? { case: "delta", value } : undefined;
  if (name === "finish") return value === true ? { case: "finish", value } : undefined;
  if (name === "open") return { case: "open", value: read(create(StreamOpeningSchema), readOpening, value, name) };
  if (name === "tool_call") return { case: "toolCall", value: read(create(ToolCallPartSchema), readCall, value, name) };
  return undefined;
}

function read<M extends Message>(
  message: M,
  reader: ReturnType<typeof messageDecoder>,
  json: JsonValue,
  at: string,
): M {
  const problems = new Problems();
  reader.into(message, json, at, problems);
  const fault = problems.fault();
  if (fault !== undefined) throw fault;
  return message;
}

function onePart() {
  const message = 'expected one of {"open": {…}}, {"delta": "…"}, {"tool_call": {…}} and {"finish": true} on each line';
  return validationFailed([{ field: "body", message }]);
}

// The body of a stream over HTTP: NDJSON, one part a line.

import { create, type JsonValue, type Message } from "@bufbuild/protobuf";
import type { RestRequest } from "../../gateway/http.ts";
import { messageReader } from "../../gateway/json-read.ts";
import { parseJson } from "../../gateway/json-text.ts";
import { Problems } from "../../gateway/problem.ts";
import { cutFields } from "../../gateway/wire.ts";
import { StreamOpeningSchema, ToolCallPartSchema } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import {
  type EvaluateStreamRequest,
  EvaluateStreamRequestSchema,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { malformedRequest, validationFailed } from "../../src/kit/error.ts";

/** One line: a delta of the longest text, which JSON may write in up to six bytes for one. */
const longestLineUnits = 8 * 1024 * 1024;

/**
 * The parts of a body, read as fast as they are taken. Throws malformed_request for what is no line of JSON in UTF-8, and validation_failed
 * for a line that is no part.
 */
export async function* partsOf(request: RestRequest): AsyncGenerator<EvaluateStreamRequest> {
  const lines = new Lines();
  for await (const bytes of request) for (const line of lines.add(bytes)) yield partOf(line);
  for (const line of lines.end()) yield partOf(line);
}

/** Cuts what comes into lines; those of blanks only are left out. */
class Lines {
  // A byte order mark is a character, which JSON does not begin with.
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #rest = "";

  /** The lines that are complete now. */
  add(bytes: Buffer): string[] {
    const [first = "", ...others] = this.#decode(() => this.#decoder.decode(bytes, { stream: true })).split("\n");
    const lines = [this.#rest + first, ...others];
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > longestLineUnits) throw malformedRequest("a line is too long");
    return lines.filter(isWritten);
  }

  /** The last line, which needs no end of its own. */
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

const readOpening = messageReader(StreamOpeningSchema);
const cutTexts = cutFields(EvaluateStreamRequestSchema);
const readCall = messageReader(ToolCallPartSchema);

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

function read<M extends Message>(message: M, reader: ReturnType<typeof messageReader>, json: JsonValue, at: string): M {
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

// Tool calls that come in parts: ids, names and pieces of JSON text, as models stream them.

import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { parseJson } from "../../gateway/json-text.ts";
import { type ToolCall, ToolCallSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { ToolCallPart } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import { Fault, validationFailed } from "../../src/kit/error.ts";
import { assertValid } from "../../src/kit/validation.ts";
import { argumentProblem } from "../engine/argument.ts";
import type { StreamLimits } from "./stream-limits.ts";

interface Parts {
  name: string;
  readonly texts: string[];
}

/** Collects the calls of one stream. */
export class CallParts {
  readonly #calls = new Map<string, Parts>();
  readonly #limits: StreamLimits;
  #bytes = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** Takes a part. Throws validation_failed for one that no call has room for. */
  add({ id, name, arguments: text }: ToolCallPart): void {
    const call = this.#calls.get(id) ?? { name: "", texts: [] };
    if (call.name !== "" && name !== "" && name !== call.name)
      throw refused("name", "expected the name of the first part");
    if (name !== "") call.name = name;
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > this.#limits.argumentBytes)
      throw refused("arguments", `expected at most ${this.#limits.argumentBytes} bytes in all calls together`);
    if (text !== "") call.texts.push(text);
    this.#calls.set(id, call);
    if (this.#calls.size > this.#limits.calls) throw refused("id", `expected at most ${this.#limits.calls} calls`);
  }

  /** The calls. Throws validation_failed when the arguments of one are no JSON object, and for what a unary request may not have. */
  calls(): ToolCall[] {
    return [...this.#calls].map(([id, { name, texts }]) => {
      const call = create(ToolCallSchema, { id, name, arguments: argumentsOf(texts.join("")) });
      assertValid(ToolCallSchema, call, (field) => `tool_call.${field}`);
      return call;
    });
  }
}

function argumentsOf(text: string): JsonObject {
  const value = text === "" ? {} : parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refused("arguments", "expected an object as JSON");
  const problem = argumentProblem(value);
  if (problem !== undefined) throw refused("arguments", problem);
  return value;
}

// As strictly as a body: of a key that comes twice, whoever calls the tool may take the other value.
function parsed(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw refused("arguments", `the parts together: ${error instanceof Fault ? error.message : "no JSON"}`);
  }
}

function refused(field: string, message: string) {
  return validationFailed([{ field: `tool_call.${field}`, message }]);
}

// Tool calls that come in parts, as models stream them: ids, names and chunks of JSON text.

import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { parseJson } from "../../gateway/json/parse.ts";
import { type ToolCall, ToolCallSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { ToolCallPart } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import { Fault, validationFailed } from "../../src/kit/fault/fault.ts";
import { assertValid } from "../../src/kit/fault/validation.ts";
import { argumentProblem } from "../engine/segment/argument.ts";
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

  /** Takes a part. Throws validation_failed for a part beyond the limits. */
  add({ id, name, arguments: text }: ToolCallPart): void {
    const call = this.#calls.get(id) ?? { name: "", texts: [] };
    if (call.name !== "" && name !== "" && name !== call.name)
      throw refused("name", "expected the same name as in the first part");
    if (name !== "") call.name = name;
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > this.#limits.argumentBytes)
      throw refused("arguments", `expected at most ${this.#limits.argumentBytes} bytes in all calls together`);
    if (text !== "") call.texts.push(text);
    this.#calls.set(id, call);
    if (this.#calls.size > this.#limits.calls) throw refused("id", `expected at most ${this.#limits.calls} calls`);
  }

  /**
   * The calls. Throws validation_failed when the arguments of one are not a JSON object, or for a call that a unary
   * request may not have either.
   */
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

// As strictly as a request body: of a key that comes twice, the tool may use the other value.
function parsed(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw refused("arguments", `the parts together: ${error instanceof Fault ? error.message : "not JSON"}`);
  }
}

function refused(field: string, message: string) {
  return validationFailed([{ field: `tool_call.${field}`, message }]);
}

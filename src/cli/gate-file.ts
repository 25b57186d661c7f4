// The gates of an environment as a file: what `gates get` prints, `gates set` takes.

import { type DescEnum, fromJson, getOption, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import {
  type Gate,
  GateActionSchema,
  GateEnforcementSchema,
  GateKindSchema,
  GateSchema,
} from "../../gen/policyguard/control/v1/gate_pb.ts";
import { wire } from "../../gen/policyguard/options/v1/options_pb.ts";
import { Problems } from "../../runtime/engine/policy/problem.ts";
import { treeFromText, treeToJson } from "../../runtime/engine/policy/source-tree.ts";
import { wireName } from "../kit/protobuf/wire-name.ts";
import { refusal } from "./failure.ts";
import { decode, readBytes } from "./file.ts";

const maxBytes = 1024 * 1024;

/** The gates of a file: a list, or an object with `gates`, as YAML or JSON. */
export function readGates(path: string): Gate[] {
  const problems = new Problems();
  const tree = treeFromText(decode(readBytes(path, maxBytes), path), problems);
  const [first] = problems.list();
  if (tree === undefined) throw notGates(path, `${first?.line ?? 0}:${first?.column ?? 0}: ${first?.message ?? ""}`);
  const value = treeToJson(tree);
  const gates = isObject(value) ? value.gates : value;
  if (!Array.isArray(gates)) throw notGates(path, "expected a list of gates, or an object with `gates`");
  return gates.map((gate, index) => {
    try {
      return gateOf(gate);
    } catch (error) {
      throw notGates(path, `gates[${index}]: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
}

/** A gate in the spelling of the REST API. */
export function gateJson(gate: Gate): JsonObject {
  const json = toJson(GateSchema, gate, { useProtoFieldName: true });
  return {
    ...(isObject(json) ? json : {}),
    kind: wireName(GateKindSchema, gate.kind),
    on: gate.on.map((action) => wireName(GateActionSchema, action)),
    enforcement: wireName(GateEnforcementSchema, gate.enforcement),
  };
}

function gateOf(value: JsonValue): Gate {
  if (!isObject(value)) throw new Error("expected an object");
  const { kind, on, enforcement, ...rest } = value;
  return fromJson(GateSchema, {
    ...rest,
    ...(kind !== undefined && { kind: enumName(GateKindSchema, kind) }),
    ...(on !== undefined && { on: listOf(on).map((action) => enumName(GateActionSchema, action)) }),
    ...(enforcement !== undefined && { enforcement: enumName(GateEnforcementSchema, enforcement) }),
  });
}

function enumName(schema: DescEnum, given: JsonValue): string {
  const found = schema.values.find((value) => value.number !== 0 && getOption(value, wire) === given);
  if (found !== undefined) return found.name;
  const known = schema.values.filter(({ number }) => number !== 0).map((value) => getOption(value, wire));
  throw new Error(`${JSON.stringify(given)} is none of ${known.join(", ")}`);
}

function listOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  throw new Error("`on` is a list");
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notGates(path: string, why: string) {
  return refusal("not_gates", `${path}: ${why}`);
}

// The gates of an environment as a file: what `gates get` prints, `gates set` takes.

import {
  type DescEnum,
  type DescMessage,
  fromJson,
  getOption,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { type BundleGate, BundleGateSchema } from "../../gen/policyguard/control/v1/bundle_pb.ts";
import { type Gate, type GateResult, GateResultSchema, GateSchema } from "../../gen/policyguard/control/v1/gate_pb.ts";
import { wire } from "../../gen/policyguard/options/v1/options_pb.ts";
import { wireName } from "../kit/protobuf/wire-name.ts";
import { refusal } from "./failure.ts";
import { readYaml } from "./file.ts";

const maxBytes = 1024 * 1024;

/** The gates of a file: a list, or an object with `gates`, as YAML or JSON. */
export function readGates(path: string): Gate[] {
  const value = readYaml(path, maxBytes, (why) => notGates(path, why));
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
  return spelled(GateSchema, toJson(GateSchema, gate, { useProtoFieldName: true }), wireOf) as JsonObject; // a message
}

/** How a gate stands for a version, in the same spelling. */
export function standingJson(gate: BundleGate): JsonObject {
  const json = toJson(BundleGateSchema, gate, { useProtoFieldName: true, alwaysEmitImplicit: true });
  return spelled(BundleGateSchema, json, wireOf) as JsonObject; // a message
}

/** What was found out for a gate, in the same spelling. */
export function resultJson(result: GateResult): JsonObject {
  const json = toJson(GateResultSchema, result, { useProtoFieldName: true, alwaysEmitImplicit: true });
  return spelled(GateResultSchema, json, wireOf) as JsonObject; // a message
}

function gateOf(value: JsonValue): Gate {
  if (!isObject(value)) throw new Error("expected an object");
  return fromJson(GateSchema, spelled(GateSchema, value, enumName));
}

/** A message as JSON whose names of enum values are replaced, at any depth. */
function spelled(
  message: DescMessage,
  value: JsonValue,
  rename: (schema: DescEnum, given: JsonValue) => string,
): JsonValue {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, JsonValue] => {
    const field = message.fields.find((each) => each.name === name || each.jsonName === name);
    if (field === undefined || inner === null) return [name, inner];
    const one = (item: JsonValue): JsonValue => {
      if (field.fieldKind !== "map" && field.enum !== undefined) return rename(field.enum, item);
      const isOwn = field.message?.typeName.startsWith("policyguard.") === true;
      return isOwn && field.fieldKind !== "map" ? spelled(field.message, item, rename) : item;
    };
    if (field.fieldKind !== "list") return [name, one(inner)];
    if (!Array.isArray(inner)) throw new Error(`\`${name}\` is a list`);
    return [name, inner.map(one)];
  });
  return Object.fromEntries(entries);
}

function wireOf(schema: DescEnum, given: JsonValue): string {
  const found = schema.values.find(({ name }) => name === given);
  return found === undefined ? String(given) : wireName(schema, found.number);
}

function enumName(schema: DescEnum, given: JsonValue): string {
  const found = schema.values.find((value) => value.number !== 0 && getOption(value, wire) === given);
  if (found !== undefined) return found.name;
  const known = schema.values.filter(({ number }) => number !== 0).map((value) => getOption(value, wire));
  throw new Error(`${JSON.stringify(given)} is none of ${known.join(", ")}`);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notGates(path: string, why: string) {
  return refusal("not_gates", `${path}: ${why}`);
}

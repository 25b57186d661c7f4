// The values of a pack's parameters, from a file, from single options, or from both.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Problems } from "../../runtime/engine/policy/problem.ts";
import { treeFromText, treeToJson } from "../../runtime/engine/policy/source-tree.ts";
import { refusal, usageFailure } from "./failure.ts";
import { decode, readBytes } from "./file.ts";

const maxBytes = 1024 * 1024;

/** The values of a file and of "name=value" pairs, which take precedence. Undefined when nothing was given. */
export function readParameters(file: string | undefined, pairs: readonly string[]): JsonObject | undefined {
  if (file === undefined && pairs.length === 0) return undefined;
  const values = file === undefined ? {} : objectIn(file, decode(readBytes(file, maxBytes), file));
  return { ...values, ...Object.fromEntries(pairs.map(pairOf)) };
}

function pairOf(pair: string): readonly [string, JsonValue] {
  const [, name, value] = /^([a-z][a-z0-9_]*)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined || value === undefined) {
    throw usageFailure(
      `"${pair}" is no parameter`,
      "Write name=value, such as action=FLAG or 'entities=[EMAIL, IBAN]'.",
    );
  }
  return [name, yamlValue(pair, value)];
}

function objectIn(path: string, text: string): JsonObject {
  const value = yamlValue(path, text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw refusal("not_parameters", `${path}: expected an object with a value for each parameter`);
}

function yamlValue(path: string, text: string): JsonValue {
  const problems = new Problems();
  const tree = treeFromText(text, problems);
  if (tree !== undefined) return treeToJson(tree);
  const [first] = problems.list();
  throw refusal(
    "not_parameters",
    `${path}:${first?.line ?? 0}:${first?.column ?? 0}: ${first?.message ?? "unreadable"}`,
  );
}

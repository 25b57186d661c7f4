// Validates a source tree against a JSON Schema (2020-12), limited to the vocabulary of our own schemas. General
// validators report pointers; authors need line, column and a likely correction, and all problems at once.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { childPath, didYouMean, type Problems } from "./problem.ts";
import { type SourceList, type SourceMap, type SourceNode, type SourceScalar, treeToJson } from "./source-tree.ts";

const validated = new Set(
  "type const enum properties required additionalProperties propertyNames minProperties maxProperties items minItems maxItems uniqueItems minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum oneOf anyOf $ref".split(
    " ",
  ),
);
const annotations = new Set(
  "$schema $id $defs $comment title description default examples deprecated format contentMediaType".split(" "),
);

/** The keywords of a schema that this validator does not know, by path. Empty for a schema that it supports. */
export function unknownKeywords(schema: JsonObject, path = "#"): string[] {
  const found: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (!validated.has(keyword) && !annotations.has(keyword)) found.push(`${path}/${keyword}`);
    for (const [name, child] of subschemas(keyword, value)) found.push(...unknownKeywords(child, `${path}/${name}`));
  }
  return found;
}

function subschemas(keyword: string, value: JsonValue): [string, JsonObject][] {
  if (keyword === "properties" || keyword === "$defs")
    return Object.entries(asObject(value))
      .filter(([, v]) => v !== false)
      .map(([k, v]) => [`${keyword}/${k}`, asObject(v)]);
  if (keyword === "oneOf" || keyword === "anyOf")
    return asArray(value).map((v, index) => [`${keyword}/${index}`, asObject(v)]);
  if (["items", "additionalProperties", "propertyNames"].includes(keyword) && typeof value === "object")
    return [[keyword, asObject(value)]];
  return [];
}

/** Reports everything in the tree that violates the schema. */
export function checkSchema(node: SourceNode, schema: JsonObject, path: string, problems: Problems): void {
  new SchemaCheck(schema, problems).check(node, schema, path);
}

class SchemaCheck {
  readonly #root: JsonObject;
  readonly #problems: Problems;

  constructor(root: JsonObject, problems: Problems) {
    this.#root = root;
    this.#problems = problems;
  }

  check(node: SourceNode, schema: JsonObject, path: string): void {
    const resolved = this.#resolve(schema);
    const alternatives = resolved.oneOf ?? resolved.anyOf;
    if (alternatives !== undefined) {
      this.#checkAlternatives(node, asArray(alternatives).map(asObject), path);
      return;
    }
    if (!this.#checkType(node, resolved, path) || !this.#checkValue(node, resolved, path)) return;
    if (node.kind === "map") this.#checkMap(node, resolved, path);
    else if (node.kind === "list") this.#checkList(node, resolved, path);
    else this.#checkScalar(node, resolved, path);
  }

  #resolve(schema: JsonObject): JsonObject {
    const reference = schema.$ref;
    if (typeof reference !== "string") return schema;
    const definition = asObject(this.#root.$defs ?? {})[reference.replace("#/$defs/", "")];
    if (definition === undefined) throw new Error(`the schema has no ${reference}`);
    return this.#resolve(asObject(definition));
  }

  /** Checks against the alternative that was probably meant: the one of the same type with the most shared keys. */
  #checkAlternatives(node: SourceNode, alternatives: readonly JsonObject[], path: string): void {
    const resolved = alternatives.map((alternative) => this.#resolve(alternative));
    const sameType = resolved.filter((alternative) => typesOf(alternative).some((type) => hasType(node, type)));
    if (sameType.length === 0) {
      const types = [...new Set(resolved.flatMap(typesOf))];
      this.#problems.misshape(
        "wrong_type",
        node.range,
        path,
        `expected ${types.map(withArticle).join(" or ")}, found ${describe(node)}`,
      );
      return;
    }
    const keysOf = (alternative: JsonObject) => Object.keys(asObject(alternative.properties ?? {}));
    const shared = (alternative: JsonObject) =>
      node.kind === "map" ? keysOf(alternative).filter((key) => node.entries.has(key)).length : 0;
    const best = sameType.reduce((chosen, next) => (shared(next) > shared(chosen) ? next : chosen));
    if (node.kind === "map" && sameType.length > 1 && shared(best) === 0) {
      const forms = sameType.map((alternative) => asArray(alternative.required ?? []).join(", "));
      this.#problems.misshape("missing_key", node.range, path, `expected an object with one of: ${forms.join("; ")}`);
      return;
    }
    this.check(node, best, path);
  }

  #checkType(node: SourceNode, schema: JsonObject, path: string): boolean {
    const types = typesOf(schema);
    if (types.length === 0 || types.some((type) => hasType(node, type))) return true;
    this.#problems.misshape(
      "wrong_type",
      node.range,
      path,
      `expected ${types.map(withArticle).join(" or ")}, found ${describe(node)}`,
    );
    return false;
  }

  #checkValue(node: SourceNode, schema: JsonObject, path: string): boolean {
    const fixed = schema.const;
    const allowed = fixed === undefined ? schema.enum : [fixed];
    if (allowed === undefined) return true;
    const values = asArray(allowed);
    if (node.kind === "scalar" && values.includes(node.value)) return true;
    const expected = values.map((value) => JSON.stringify(value)).join(", ");
    const value = node.kind === "scalar" ? String(node.value) : "";
    this.#problems.error(
      "invalid_value",
      node.range,
      path,
      `expected ${values.length === 1 ? "" : "one of "}${expected}, found ${describe(node)}`,
      didYouMean(value, values.map(String)),
    );
    return false;
  }

  #checkMap(node: SourceMap, schema: JsonObject, path: string): void {
    const properties = asObject(schema.properties ?? {});
    const { additionalProperties: others = true, propertyNames } = schema;
    for (const [key, { keyRange, value }] of node.entries) {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      const at = childPath(path, key);
      if (property === false) this.#problems.error("unsupported_key", keyRange, at, `"${key}" is not supported yet`);
      else if (property !== undefined) this.check(value, asObject(property), at);
      else if (others === false) this.#unknownKey(keyRange, at, key, supportedKeys(properties));
      else {
        if (propertyNames !== undefined) this.#checkName(key, asObject(propertyNames), keyRange, at);
        if (typeof others === "object") this.check(value, asObject(others), at);
      }
    }
    for (const key of asArray(schema.required ?? []).map(String)) {
      if (node.entries.has(key)) continue;
      this.#problems.misshape("missing_key", node.range, childPath(path, key), `"${key}" is missing`);
    }
    this.#checkBounds(
      node,
      node.entries.size,
      ["entry", "entries"],
      [schema.minProperties, schema.maxProperties],
      path,
    );
  }

  #unknownKey(range: SourceNode["range"], path: string, key: string, known: readonly string[]): void {
    const expected = known.length === 0 ? "no keys" : `one of ${known.join(", ")}`;
    const message = `unknown key "${clip(key)}"; expected ${expected}`;
    this.#problems.error("unknown_key", range, path, message, didYouMean(key, known));
  }

  #checkName(key: string, { pattern }: JsonObject, range: SourceNode["range"], path: string): void {
    if (typeof pattern !== "string" || new RegExp(pattern, "u").test(key)) return;
    this.#problems.error("invalid_format", range, path, `the name "${clip(key)}" has to match ${pattern}`);
  }

  #checkList(node: SourceList, schema: JsonObject, path: string): void {
    this.#checkBounds(node, node.items.length, ["item", "items"], [schema.minItems, schema.maxItems], path);
    const items = schema.items;
    const seen = new Set<string>();
    for (const [index, item] of node.items.entries()) {
      const at = childPath(path, index);
      if (items !== undefined) this.check(item, asObject(items), at);
      if (schema.uniqueItems !== true) continue;
      const text = JSON.stringify(treeToJson(item));
      if (seen.has(text)) this.#problems.error("duplicate_item", item.range, at, `${clip(text)} appears twice`);
      seen.add(text);
    }
  }

  #checkScalar(node: SourceScalar, schema: JsonObject, path: string): void {
    const { value } = node;
    if (typeof value === "string") {
      this.#checkBounds(node, value.length, ["character", "characters"], [schema.minLength, schema.maxLength], path);
      const pattern = schema.pattern;
      if (typeof pattern === "string" && !new RegExp(pattern, "u").test(value)) {
        this.#problems.error("invalid_format", node.range, path, `"${clip(value)}" has to match ${pattern}`);
      }
    }
    if (typeof value === "number") this.#checkNumber(node, value, schema, path);
  }

  #checkNumber(node: SourceScalar, value: number, schema: JsonObject, path: string): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
    const tooSmall =
      (typeof minimum === "number" && value < minimum) ||
      (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum);
    const tooLarge =
      (typeof maximum === "number" && value > maximum) ||
      (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum);
    if (!tooSmall && !tooLarge) return;
    const bounds = [
      minimum === undefined ? undefined : `at least ${minimum}`,
      exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`,
      maximum === undefined ? undefined : `at most ${maximum}`,
      exclusiveMaximum === undefined ? undefined : `less than ${exclusiveMaximum}`,
    ];
    const message = `expected ${bounds.filter(Boolean).join(" and ")}, found ${value}`;
    this.#problems.error("out_of_range", node.range, path, message);
  }

  /** The tuple has the singular and the plural noun for the counted things. */
  #checkBounds(
    node: SourceNode,
    size: number,
    [one, several]: readonly [string, string],
    [min, max]: readonly (JsonValue | undefined)[],
    path: string,
  ): void {
    const counted = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
    const found = size.toLocaleString("en");
    if (typeof min === "number" && size < min) {
      this.#problems.error("out_of_range", node.range, path, `expected at least ${counted(min)}, found ${found}`);
    }
    if (typeof max === "number" && size > max) {
      this.#problems.error("out_of_range", node.range, path, `expected at most ${counted(max)}, found ${found}`);
    }
  }
}

function supportedKeys(properties: JsonObject): string[] {
  return Object.keys(properties).filter((key) => properties[key] !== false);
}

function typesOf(schema: JsonObject): string[] {
  const type = schema.type;
  if (type === undefined) return [];
  return Array.isArray(type) ? type.map(String) : [String(type)];
}

function hasType(node: SourceNode, type: string): boolean {
  if (node.kind === "map") return type === "object";
  if (node.kind === "list") return type === "array";
  if (node.value === null) return type === "null";
  if (type === "integer") return Number.isInteger(node.value);
  return typeof node.value === type;
}

function withArticle(type: string): string {
  if (type === "null") return type;
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function describe(node: SourceNode): string {
  if (node.kind === "map") return "an object";
  if (node.kind === "list") return "an array";
  return node.value === null ? "nothing" : clip(JSON.stringify(node.value));
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function asObject(value: JsonValue): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("the schema is malformed");
  return value;
}

function asArray(value: JsonValue): JsonValue[] {
  if (!Array.isArray(value)) throw new Error("the schema is malformed");
  return value;
}

// Turns source text into a policy: parse, check the shape, check the semantics. All problems are reported at once.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { catalog } from "../detectors/catalog.ts";
import type { DetectorDefinition } from "../detectors/detector.ts";
import { checkSemantics } from "./check.ts";
import type { PolicyDocument } from "./document.ts";
import { noPacks, type PackLayer, type PackSource, type ReadPack, resolveExtends } from "./extend.ts";
import { checkSchema } from "./json-schema.ts";
import { type PolicyProblem, Problems } from "./problem.ts";
import { policySchema } from "./schema.ts";
import { treeFromJson, treeFromText, treeToJson } from "./source-tree.ts";

/** The result of parsing; `policy` is present when no problem is an error. */
export interface ParsedPolicy {
  readonly policy?: PolicyDocument;
  /** The packs that it extends, including the packs that those extend. */
  readonly packs: readonly PackLayer[];
  readonly problems: readonly PolicyProblem[];
}

/**
 * Parses a policy: a string of YAML or JSON, or a JSON object. `definitions` are the detectors that it may use, `packs`
 * the guard packs that it may extend. With `now`, anything that has expired is a warning.
 */
export function parsePolicy(
  source: string | JsonValue,
  definitions: readonly DetectorDefinition[] = catalog,
  packs: PackSource = noPacks,
  now?: Date,
): ParsedPolicy {
  return parseAt(source, { definitions: byId(definitions), packs, trail: [], now, isInForce: false });
}

/**
 * Parses a stored policy that is in force. Conditions that exceed today's cost limit are warnings: an upgrade must not
 * take a policy out of force, so their rules become unjudged.
 */
export function parsePolicyInForce(
  source: JsonValue,
  definitions: readonly DetectorDefinition[],
  packs: PackSource = noPacks,
): ParsedPolicy {
  return parseAt(source, { definitions: byId(definitions), packs, trail: [], isInForce: true });
}

function byId(definitions: readonly DetectorDefinition[]): ReadonlyMap<string, DetectorDefinition> {
  return new Map(definitions.map((each) => [each.id, each]));
}

/** The packs of a valid document; none when they cannot be found. */
export function layersOf(
  document: PolicyDocument,
  definitions: readonly DetectorDefinition[],
  packs: PackSource,
): readonly PackLayer[] {
  if (document.extends === undefined) return [];
  const reading = { definitions: byId(definitions), packs, trail: [], isInForce: true };
  return resolveExtends(document, packs, [], (pack, trail) => readPack(pack, { ...reading, trail })).layers;
}

interface Reading {
  readonly definitions: ReadonlyMap<string, DetectorDefinition>;
  readonly packs: PackSource;
  /** The packs on the way to the document; empty for a policy. */
  readonly trail: readonly string[];
  readonly now?: Date | undefined;
  readonly isInForce: boolean;
}

function parseAt(source: string | JsonValue, reading: Reading): ParsedPolicy {
  const { definitions, packs, trail, now, isInForce } = reading;
  const problems = new Problems();
  const tree = typeof source === "string" ? treeFromText(source, problems) : treeFromJson(source, problems);
  if (tree === undefined) return { packs: [], problems: problems.list() };
  checkSchema(tree, policySchema, "", problems);
  if (tree.kind !== "map") return { packs: [], problems: problems.list() };
  // The schema, which was just checked, describes the same as the type; parts with the wrong shape are skipped below.
  const policy = ordered(readable(treeToJson(tree), problems), policySchema) as unknown as PolicyDocument;
  const extension = resolveExtends(policy, packs, trail, (document, path) =>
    readPack(document, { ...reading, trail: path }),
  );
  checkSemantics(policy, tree, { definitions, extension, isPack: trail.length > 0, now, isInForce }, problems);
  const found = { packs: extension.layers, problems: problems.list() };
  return problems.hasErrors ? found : { policy, ...found };
}

function readPack(document: JsonValue, reading: Reading): ReturnType<ReadPack> {
  const { policy, packs: layers, problems } = parseAt(document, reading);
  if (policy !== undefined) return { policy, layers };
  const first = problems.find(({ severity }) => severity === "error");
  return { layers, problem: `${first?.path ?? ""}: ${first?.message ?? ""}` };
}

/** The document with an empty collection in place of each malformed one, so that the rest can be checked. */
function readable(json: JsonValue, problems: Problems): JsonValue {
  if (!problems.hasErrors || typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const document: JsonObject = { ...json, rules: asList(json.rules) };
  for (const key of ["exemptions", "tests", "extends"]) if (key in json) document[key] = asList(json[key]);
  for (const key of ["detectors", "lists", "defaults"]) if (key in json) document[key] = objectOf(json[key]);
  const lists = Object.entries(objectOf(json.lists));
  if ("lists" in json)
    document.lists = Object.fromEntries(
      lists.map(([name, items]) => [name, isNamedList(items) ? items : asList(items)]),
    );
  return document;
}

function isNamedList(value: JsonValue | undefined): boolean {
  return objectOf(value).named === true && Array.isArray(objectOf(value).default ?? []);
}

function asList(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The document in canonical form: keys in the order of the schema, free names sorted, no defaults added. */
export function canonicalPolicy(policy: PolicyDocument): JsonObject {
  // A document is a JSON object; its interface only names the keys.
  return ordered(policy as unknown as JsonObject, policySchema) as JsonObject;
}

function ordered(value: JsonValue, schema: JsonObject): JsonValue {
  if (Array.isArray(value)) {
    const items = objectOf(schema.items);
    return value.map((item) => ordered(item, items));
  }
  if (typeof value !== "object" || value === null) return value;
  const properties = objectOf(schema.properties);
  const known = Object.keys(properties).filter((key) => Object.hasOwn(value, key));
  const others = Object.keys(value)
    .filter((key) => !known.includes(key))
    .sort();
  const entries = [...known, ...others].map((key) => {
    const child = known.includes(key) ? objectOf(properties[key]) : objectOf(schema.additionalProperties);
    return [key, ordered(value[key] ?? null, child)] as const;
  });
  return Object.fromEntries(entries);
}

// When a schema has alternatives, it gives no order, so keys are sorted by name, which is stable too.
function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

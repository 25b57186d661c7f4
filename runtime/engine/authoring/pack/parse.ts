// Parses the text of a pack: checks its shape and its references, and that its defaults give a valid policy. All
// problems are reported at once.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { PolicyTest } from "../../policy/document.ts";
import { checkSchema } from "../../policy/json-schema.ts";
import { didYouMean, type PolicyProblem, Problems } from "../../policy/problem.ts";
import { type SourceNode, treeFromText, treeToJson } from "../../policy/source-tree.ts";
import { keyRangeAt, pathText, rangeAt } from "../../policy/tree-path.ts";
import { digestOf } from "./digest.ts";
import { objectOf, type Pack, type PackMetadata, type PackTest } from "./pack.ts";
import { problemsOfSchema } from "./parameters.ts";
import { packSchema } from "./schema.ts";
import { referencesOf } from "./substitute.ts";

/** The result of parsing; `pack` is present when no problem is an error. */
export interface ParsedPack {
  readonly pack?: Pack;
  readonly problems: readonly PolicyProblem[];
}

/** Parses a pack: YAML or JSON text. */
export function parsePack(source: string): ParsedPack {
  const problems = new Problems();
  const tree = treeFromText(source, problems);
  if (tree === undefined) return { problems: problems.list() };
  checkSchema(tree, packSchema, "", problems);
  if (problems.hasErrors) return { problems: problems.list() };
  const json = objectOf(treeToJson(tree));
  checkReferences(json, tree, problems);
  return problems.hasErrors ? { problems: problems.list() } : { pack: packOf(json), problems: problems.list() };
}

function packOf(json: JsonObject): Pack {
  return {
    // The schema, which was just checked, describes the same as the type.
    metadata: json.metadata as unknown as PackMetadata,
    parameters: objectOf(json.parameters),
    policy: objectOf(json.policy),
    tests: (json.tests as JsonObject[]).map(testOf),
    digest: digestOf(json),
  };
}

function testOf({ parameters, depends_on: dependsOn, ...test }: JsonObject): PackTest {
  return {
    // Its shape is checked when it becomes a test of a policy.
    test: joined(test) as unknown as PolicyTest,
    parameters: objectOf(parameters),
    dependsOn: (dependsOn ?? []) as string[],
  };
}

/**
 * `{join: [a, b]}` becomes "ab": example secrets are written in parts, so that repository scanners do not mistake them
 * for real ones.
 */
function joined(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(joined);
  if (typeof value !== "object" || value === null) return value;
  const keys = Object.keys(value);
  if (keys.length === 1 && Array.isArray(value.join) && value.join.every((piece) => typeof piece === "string")) {
    return value.join.join("");
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, joined(item)]));
}

function checkReferences(json: JsonObject, tree: SourceNode, problems: Problems): void {
  const properties = objectOf(objectOf(json.parameters).properties);
  const known = Object.keys(properties);
  for (const { path, message } of problemsOfSchema(objectOf(json.parameters))) {
    problems.error(
      "invalid_parameter",
      rangeAt(tree, ["parameters", "properties", path]),
      `parameters.properties.${path}`,
      message,
    );
  }
  const used = referencesOf(json.policy ?? null);
  for (const name of used) {
    if (known.includes(name)) continue;
    problems.error(
      "unknown_parameter",
      rangeAt(tree, ["policy"]),
      "policy",
      `\${parameters.${name}}: there is no such parameter`,
      didYouMean(name, known),
    );
  }
  for (const name of known) {
    if (used.has(name)) continue;
    const path = ["parameters", "properties", name];
    problems.error(
      "unused_parameter",
      keyRangeAt(tree, path),
      pathText(path),
      `the policy never refers to \${parameters.${name}}`,
    );
  }
  for (const [index, test] of (json.tests as JsonObject[]).entries()) {
    for (const name of [...Object.keys(objectOf(test.parameters)), ...((test.depends_on ?? []) as string[])]) {
      if (known.includes(name)) continue;
      const path = ["tests", index];
      problems.error(
        "unknown_parameter",
        rangeAt(tree, path),
        pathText(path),
        `there is no parameter "${name}"`,
        didYouMean(name, known),
      );
    }
  }
}

// Tests of a policy in a separate file: `<name>_test.yaml`.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { catalog } from "../detectors/catalog.ts";
import type { DetectorDefinition } from "../detectors/detector.ts";
import { checkTest } from "../policy/check-test.ts";
import type { PolicyDocument, PolicyTest } from "../policy/document.ts";
import { noPacks, type PackSource } from "../policy/extend.ts";
import { checkSchema } from "../policy/json-schema.ts";
import { layersOf } from "../policy/parse.ts";
import { didYouMean, type PolicyProblem, Problems } from "../policy/problem.ts";
import { Reporter } from "../policy/reporter.ts";
import { policySchema } from "../policy/schema.ts";
import { type SourceNode, treeFromText, treeToJson } from "../policy/source-tree.ts";
import { testSchema } from "../policy/test-schema.ts";

/** JSON Schema (2020-12) of a file of tests. */
export const testFileSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Policy Guard policy tests",
  type: "object",
  properties: {
    apiVersion: { type: "string", const: "policyguard/v1" },
    kind: { type: "string", const: "PolicyTests" },
    policy: { description: "metadata.name of the policy.", type: "string", minLength: 1, maxLength: 128 },
    tests: { type: "array", items: testSchema, minItems: 1, maxItems: 500 },
  },
  required: ["apiVersion", "kind", "policy", "tests"],
  additionalProperties: false,
  $defs: policySchema.$defs ?? {},
};

/** The result of parsing; `tests` is present when no problem is an error. */
export interface ParsedPolicyTests {
  readonly tests?: readonly PolicyTest[];
  readonly problems: readonly PolicyProblem[];
}

/** The name of the policy that a file of tests belongs to; undefined for any other file. */
export function policyOfTests(source: string): string | undefined {
  const tree = treeFromText(source, new Problems());
  const kind = textAt(tree, "kind");
  return kind === "PolicyTests" ? (textAt(tree, "policy") ?? "") : undefined;
}

/** Parses a file of tests of this policy. */
export function parsePolicyTests(
  source: string,
  policy: PolicyDocument,
  options: { readonly definitions?: readonly DetectorDefinition[]; readonly packs?: PackSource } = {},
): ParsedPolicyTests {
  const problems = new Problems();
  const tree = treeFromText(source, problems);
  if (tree === undefined) return { problems: problems.list() };
  checkSchema(tree, testFileSchema, "", problems);
  if (tree.kind !== "map") return { problems: problems.list() };
  const json = treeToJson(tree) as JsonObject; // a map is an object
  // The schema, which was just checked, describes the same as the type; malformed tests are left out.
  const tests = listOf(json.tests) as unknown as readonly PolicyTest[];
  const report = new Reporter(tree, problems);
  const { name } = policy.metadata;
  if (typeof json.policy === "string" && json.policy !== name) {
    report.error(
      "unknown_policy",
      ["policy"],
      `the tests are about the policy "${json.policy}", not "${name}"`,
      didYouMean(json.policy, [name]),
    );
  }
  checkTests(tests, policy, options, report);
  return problems.hasErrors ? { problems: problems.list() } : { tests, problems: problems.list() };
}

function checkTests(
  tests: readonly PolicyTest[],
  policy: PolicyDocument,
  { definitions = catalog, packs = noPacks }: Parameters<typeof parsePolicyTests>[2] & object,
  report: Reporter,
): void {
  const layers = layersOf(policy, definitions, packs);
  const ruleIds = [
    ...policy.rules.map(({ id }) => id),
    ...layers.flatMap(({ prefix, document }) => document.rules.map(({ id }) => prefix + id)),
  ];
  const names = new Set((policy.tests ?? []).map((test) => test.name));
  for (const [index, test] of report.sound("tests", tests)) {
    checkTest(test, ["tests", index], { policy, packs: layers, ruleIds }, report);
    if (names.has(test.name))
      report.error("duplicate_name", ["tests", index, "name"], `the name "${test.name}" is used twice`);
    names.add(test.name);
  }
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textAt(tree: SourceNode | undefined, key: string): string | undefined {
  const node = tree?.kind === "map" ? tree.entries.get(key)?.value : undefined;
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
}

// Tests in a file of their own: `<name>_test.yaml` beside the policies. They are held against the policy that the file names as if
// they stood in its document, and every problem has its place in their own file.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { PolicyTest } from "./document.ts";
import { checkSchema } from "./json-schema.ts";
import { type PolicyProblem, Problems } from "./problem.ts";
import { policySchema } from "./schema.ts";
import { type SourceNode, treeFromText, treeToJson } from "./source-tree.ts";
import { parsePath, placeAt } from "./tree-path.ts";

/** A file of tests. */
export interface TestSuite {
  /** metadata.name of the policy that they are about. */
  readonly policy: string;
  readonly tests: readonly PolicyTest[];
  /** A problem of the policy with these tests, at its place in this file. */
  readonly placed: (problem: PolicyProblem) => PolicyProblem;
}

/** A file of tests, unless a problem is an error. */
export interface ParsedSuite {
  readonly suite?: TestSuite;
  readonly problems: readonly PolicyProblem[];
}

const policyProperties = policySchema.properties as Readonly<Record<string, JsonObject>>;

/** JSON Schema (2020-12) of a file of tests. */
export const testSuiteSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Policy Guard tests",
  type: "object",
  additionalProperties: false,
  required: ["apiVersion", "kind", "policy", "tests"],
  properties: {
    apiVersion: { type: "string", const: "policyguard/v1" },
    kind: { type: "string", const: "PolicyTests" },
    policy: { description: "metadata.name of the policy.", type: "string", minLength: 1, maxLength: 128 },
    tests: { ...policyProperties.tests, minItems: 1 },
  },
  $defs: policySchema.$defs as JsonObject,
};

/** Reads a file of tests: YAML or JSON text. */
export function parseTestSuite(source: string): ParsedSuite {
  const problems = new Problems();
  const tree = treeFromText(source, problems);
  if (tree === undefined) return { problems: problems.list() };
  checkSchema(tree, testSuiteSchema, "", problems);
  if (problems.hasErrors) return { problems: problems.list() };
  return { suite: suiteOf(tree), problems: problems.list() };
}

function suiteOf(tree: SourceNode): TestSuite {
  // The schema, which was just checked, says the same as the types.
  const { policy, tests } = treeToJson(tree) as unknown as { policy: string; tests: readonly PolicyTest[] };
  return { policy, tests, placed: (problem) => ({ ...problem, ...placeAt(tree, parsePath(problem.path)) }) };
}

/** The document with these tests in the place of its own. */
export function withSuite(document: JsonObject, { tests }: TestSuite): JsonObject {
  return { ...document, tests: tests as unknown as JsonValue }; // tests are plain JSON; their interface only names the keys
}

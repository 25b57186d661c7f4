// Problems and failed tests as SARIF 2.1.0, which code hosts show beside the lines of a change.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

import { isAbsolute, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import { type PolicyProblem, problemKinds, type SourceRange } from "../../../runtime/engine/policy/problem.ts";
import type { TestedFile, TestRun } from "../test-run.ts";

const rules = [
  ...Object.entries(problemKinds).map(([id, text]) => ({ id, shortDescription: { text } })),
  { id: "policy-test", shortDescription: { text: "A test of the policy fails." } },
];

/** The report of a run. */
export function sarifReport(run: TestRun, version: string): JsonObject {
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "policy-guard", version, rules } },
        columnKind: "utf16CodeUnits",
        results: run.files.flatMap(resultsOf),
      },
    ],
  };
}

function resultsOf({ file, results }: TestedFile): JsonObject[] {
  const problems = file.problems.map((problem) => problemResult(file.path, problem));
  const failures = results.flatMap(({ name, passed, failures: why, place }) => {
    if (passed) return [];
    return [result("policy-test", "error", `test "${name}" fails: ${why.join("; ")}`, file.path, place)];
  });
  return [...problems, ...failures];
}

function problemResult(file: string, problem: PolicyProblem): JsonObject {
  const { code, path, message, suggestion, severity } = problem;
  const text = `${path === "" ? "" : `${path}: `}${message}${suggestion === undefined ? "" : ` (${suggestion})`}`;
  return result(code, severity, text, file, problem);
}

function result(
  ruleId: string,
  level: string,
  text: string,
  file: string,
  { line, column, endLine, endColumn }: SourceRange,
): JsonObject {
  const physicalLocation: JsonObject = { artifactLocation: { uri: uriOf(file) } };
  if (line > 0) physicalLocation.region = { startLine: line, startColumn: column, endLine, endColumn };
  return {
    ruleId,
    ruleIndex: rules.findIndex(({ id }) => id === ruleId),
    level,
    message: { text: text.toWellFormed() },
    locations: [{ physicalLocation }],
  };
}

/** A URI, relative where the path is: code hosts take it from the root of the repository. */
function uriOf(path: string): string {
  if (isAbsolute(path)) return pathToFileURL(path).href;
  const parts = path.split(sep).filter((part, index) => part !== "." || index > 0);
  return parts.map(encodeURIComponent).join("/");
}

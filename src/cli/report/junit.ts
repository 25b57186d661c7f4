// Test results in the XML that CI systems call JUnit: testsuites > testsuite > testcase > failure, as described at
// https://github.com/testmoapp/junitxml. A file that is not a valid policy is a failed case of its own.

import { attributes, escaped } from "../../kit/report/xml.ts";
import { problemLine } from "../problem-text.ts";
import type { TestedFile, TestRun } from "../test-run.ts";

/** The report of a run. */
export function junitReport(run: TestRun): string {
  const suites = run.files.map(suite);
  const total = run.passed + run.failed + run.invalid;
  const counts = attributes({ name: "policy-guard", tests: total, failures: run.failed + run.invalid, errors: 0 });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${counts}>\n${suites.join("")}</testsuites>\n`;
}

function suite({ file, results, durationMs }: TestedFile): string {
  const isInvalid = file.policy === undefined;
  const cases = results.map(({ name, failures }) => testCase(file.path, name, failures));
  if (isInvalid) {
    const errors = file.problems.filter(({ severity }) => severity === "error");
    cases.unshift(
      testCase(
        file.path,
        "the policy is valid",
        errors.map((problem) => problemLine(file.path, problem, (severity) => severity)),
      ),
    );
  }
  const failures = results.filter(({ passed }) => !passed).length + (isInvalid ? 1 : 0);
  const facts = attributes({
    name: file.policy?.metadata.name ?? file.path,
    file: file.path,
    tests: cases.length,
    failures,
    errors: 0,
    time: (durationMs / 1000).toFixed(3),
  });
  return `  <testsuite${facts}>\n${cases.join("")}  </testsuite>\n`;
}

function testCase(path: string, name: string, failures: readonly string[]): string {
  const facts = attributes({ name, classname: path, file: path });
  if (failures.length === 0) return `    <testcase${facts}/>\n`;
  const why = `<failure${attributes({ message: failures[0] ?? "" })}>${escaped(failures.join("\n"))}</failure>`;
  return `    <testcase${facts}>\n      ${why}\n    </testcase>\n`;
}

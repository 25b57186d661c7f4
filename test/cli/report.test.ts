import { describe, expect, test } from "vitest";
import { excerpt, problemLine } from "../../src/cli/problem-text.ts";
import { junitReport } from "../../src/cli/report/junit.ts";
import { sarifReport } from "../../src/cli/report/sarif.ts";
import type { TestRun } from "../../src/cli/test-run.ts";
import { hasProgram, xmlNodes } from "./xml.ts";

const odd = 'a "quoted" <tag> & \u0007\ud800 \u2028 line\nbreak \u{1f980}';
const run: TestRun = {
  passed: 1,
  failed: 1,
  invalid: 1,
  leftOut: 0,
  untested: [],
  areTestsRequired: false,
  files: [
    {
      file: {
        path: "policies/ä b.yaml",
        source: "",
        policy: undefined,
        problems: [problem("error", 0), problem("warning", 3)],
      },
      results: [],
      durationMs: 1.5,
    },
    {
      file: { path: "p.yaml", source: "tests:\n  - name: x\n  - name: y\n", policy: undefined, problems: [] },
      results: [
        {
          policy: "p",
          name: "fine",
          passed: true,
          failures: [],
          place: { line: 2, column: 5, endLine: 2, endColumn: 12 },
        },
        {
          policy: "p",
          name: odd,
          passed: false,
          failures: [odd, "second"],
          place: { line: 3, column: 5, endLine: 3, endColumn: 12 },
        },
      ],
      durationMs: 2,
    },
  ],
};

function problem(severity: "error" | "warning", line: number) {
  const end = { endLine: line, endColumn: line === 0 ? 0 : line + 4 };
  return {
    line,
    column: line,
    ...end,
    code: "unknown_rule" as const,
    path: "rules[0]",
    message: odd,
    suggestion: "did you mean this?",
    severity,
  };
}

describe("JUnit", () => {
  test.skipIf(!hasProgram("python3"))("is well-formed XML whatever a policy contains, and its counts are right", () => {
    const nodes = xmlNodes(junitReport(run));
    expect(nodes.find(({ tag }) => tag === "testsuites")?.attributes).toMatchObject({ tests: "3", failures: "2" });
    const suites = nodes.filter(({ tag }) => tag === "testsuite").map(({ attributes }) => attributes);
    expect(suites).toMatchObject([
      { tests: "1", failures: "1", time: "0.002" },
      { tests: "3", failures: "2" },
    ]);
    const names = nodes.filter(({ tag }) => tag === "testcase").map(({ attributes }) => attributes.name);
    expect(names).toContain('a "quoted" <tag> & \ufffd\ufffd \u2028 line\nbreak \u{1f980}');
  });
});

describe("SARIF", () => {
  const report = JSON.parse(JSON.stringify(sarifReport(run, "1.2.3")));
  const [{ results, tool }] = report.runs;

  test("has the members that version 2.1.0 demands of a log, a driver and each result", () => {
    expect(report).toMatchObject({ version: "2.1.0", $schema: expect.stringContaining("sarif-2.1.0") });
    expect(tool.driver).toMatchObject({ name: "policy-guard", version: "1.2.3" });
    expect(results).toHaveLength(3);
    for (const { ruleId, ruleIndex, level, message } of results) {
      expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
      expect(["error", "warning"]).toContain(level);
      expect(message.text.isWellFormed()).toBe(true);
    }
  });

  test("positions are URIs with lines from 1; a result without a position has no region", () => {
    const places = results.map(
      ({ locations }: { locations: { physicalLocation: unknown }[] }) => locations[0]?.physicalLocation,
    );
    expect(places).toEqual([
      { artifactLocation: { uri: "policies/%C3%A4%20b.yaml" } },
      {
        artifactLocation: { uri: "policies/%C3%A4%20b.yaml" },
        region: { startLine: 3, startColumn: 3, endLine: 3, endColumn: 7 },
      },
      { artifactLocation: { uri: "p.yaml" }, region: { startLine: 3, startColumn: 5, endLine: 3, endColumn: 12 } },
    ]);
  });
});

describe("problems as text", () => {
  test("a problem is one line", () => {
    const line = problemLine("p.yaml", problem("error", 3), (severity) => severity);
    expect(line).toMatch(/^p\.yaml:3:3: error rules\[0\]: a "quoted" .* \(did you mean this\?\)$/u);
    expect(problemLine("p.yaml", problem("error", 0), (severity) => severity)).toMatch(/^p\.yaml: error/);
  });

  test("the caret is below the position, in long lines too", () => {
    const lines = ["short: \tvalue", `${"x".repeat(500)}HERE${"y".repeat(500)}`];
    for (const [line, column, character] of [
      [1, 9, "v"],
      [2, 501, "H"],
    ] as const) {
      const [text = "", caret = ""] = excerpt(lines, { line, column });
      expect(text[caret.indexOf("^")]).toBe(character);
      expect(text.length).toBeLessThan(140);
    }
    expect(excerpt(lines, { line: 0, column: 0 })).toEqual([]);
    expect(excerpt(lines, { line: 9, column: 1 })).toEqual([]);
  });
});

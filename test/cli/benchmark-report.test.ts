import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  BenchmarkResultSchema,
  BenchmarkSchema,
  BenchmarkVerdict,
} from "../../gen/policyguard/control/v1/benchmark_pb.ts";
import { requirementsOf } from "../../src/cli/benchmark/requirement.ts";
import type { ReportFacts, Wrong } from "../../src/kit/report/benchmark-facts.ts";
import { renderReport } from "../../src/kit/report/benchmark-format.ts";
import { hasProgram, xmlNodes } from "./xml.ts";

const odd = 'a|b `c` <d> & "e" \u0007 line\nbreak';
const interval = (estimate: number, lower: number, upper: number) => ({ estimate, lower, upper });

function factsOf({ minRecall = "0.9" }: { readonly minRecall?: string } = {}): ReportFacts {
  const benchmark = create(BenchmarkSchema, {
    id: "11111111-1111-4111-8111-111111111111",
    version: 3,
    target: { detector: { use: "injection" } },
    report: {
      overall: {
        ...{ samples: 10, tp: 3, fn: 2, tn: 3, fp: 1, missing: 1, unscored: 0 },
        ...{ recall: interval(0.6, 0.23, 0.88), falsePositiveRate: interval(0.25, 0.05, 0.7) },
      },
      slices: [{ by: "label", value: odd, metrics: { samples: 5, recall: interval(0.6, 0.23, 0.88) } }],
      floors: [{ name: "keywords", recall: 0.2, falsePositiveRate: 0 }],
      resultDigest: "ab".repeat(32),
    },
  });
  const wrong = (kind: Wrong, id: string, more: object) => ({
    wrong: kind,
    result: create(BenchmarkResultSchema, { sampleId: id, verdict: BenchmarkVerdict.FN, ...more }),
  });
  return {
    ...{ benchmark, dataset: "prompts", omitted: 0, sides: [] },
    requirements: requirementsOf({ "min-recall": minRecall, "max-fpr": "0.9" })(benchmark),
    wrong: [
      wrong("fn", "s1", { labels: ["attack"] }),
      wrong("fn", "s2", { labels: [odd] }),
      wrong("fp", "s3", { rules: ["guard/no-attacks"], foundLabels: ["injection"] }),
      wrong("missing", "s4", { why: "model: timeout" }),
    ],
  };
}

test("the same benchmark gives the same bytes, whichever run it was", () => {
  const [one, other] = [factsOf(), factsOf()];
  const later = { ...other, benchmark: create(BenchmarkSchema, { ...other.benchmark, id: "another", seed: 0 }) };
  for (const format of ["junit", "sarif", "markdown"] as const) {
    expect(renderReport(format, later)).toBe(renderReport(format, one));
    expect(renderReport(format, one)).not.toContain(one.benchmark.id);
  }
});

describe("JUnit", () => {
  test.skipIf(!hasProgram("python3"))("has a suite for each requirement, and the samples that speak against it", () => {
    const nodes = xmlNodes(renderReport("junit", factsOf()));
    const of = (tag: string) => nodes.filter((node) => node.tag === tag).map(({ attributes }) => attributes);
    expect(of("testsuites")).toMatchObject([{ tests: "5", failures: "4", errors: "0" }]);
    expect(of("testsuite")).toMatchObject([
      { name: "recall of at least 90.0 %", tests: "4", failures: "4" },
      { name: "false positive rate of at most 90.0 %", tests: "1", failures: "0" },
    ]);
    expect(of("testcase").map(({ name }) => name)).toEqual([
      ...["recall of at least 90.0 %", "prompts@3#s1", "prompts@3#s2", "prompts@3#s4"],
      "false positive rate of at most 90.0 %",
    ]);
    expect(of("failure").map(({ message }) => message)).toContain(`missed: ${odd.replace("\u0007", "\ufffd")}`);
  });

  test.skipIf(!hasProgram("python3"))("is green when what is required is met, whatever was wrong", () => {
    const nodes = xmlNodes(renderReport("junit", factsOf({ minRecall: "0.2" })));
    expect(nodes.filter(({ tag }) => tag === "failure")).toEqual([]);
    expect(nodes.filter(({ tag }) => tag === "testcase")).toHaveLength(2);
  });
});

describe("SARIF", () => {
  const report = JSON.parse(renderReport("sarif", factsOf()));
  const [run] = report.runs;

  test("has the members that version 2.1.0 demands, and each result has a rule and a place", () => {
    expect(report).toMatchObject({ version: "2.1.0", $schema: expect.stringContaining("sarif-2.1.0") });
    expect(run.tool.driver).toMatchObject({ name: "policy-guard", version: expect.any(String) });
    const ids = run.tool.driver.rules.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(run.results).toHaveLength(5);
    for (const { ruleId, ruleIndex, level, message, locations } of run.results) {
      expect(ids[ruleIndex]).toBe(ruleId);
      expect(["none", "note", "warning", "error"]).toContain(level);
      expect(message.text).not.toBe("");
      expect(locations[0].logicalLocations[0].fullyQualifiedName).toMatch(/^prompts@3/);
    }
  });

  test("names the rule that found wrongly, and the label that was missed", () => {
    expect(run.results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
      ...["missed/attack", `missed/${odd}`, "found/guard/no-attacks", "missing", "requirement"],
    ]);
  });
});

test("Markdown keeps foreign text within its cell", () => {
  const text = renderReport("markdown", factsOf());
  expect(text).toContain("- **not met**: recall of at least 90.0 %: its lower bound is 23.0 %");
  expect(text).toContain("- met: false positive rate of at most 90.0 %");
  const row = text.split("\n").find((line) => line.includes("#s2"));
  expect(row).toBe('| `prompts@3#s2` | `missed: a\\|b  c  <d> & "e"   line break` |');
  expect(text).toContain("| recall | 60.0 % (23.0 % to 88.0 %) |");
});

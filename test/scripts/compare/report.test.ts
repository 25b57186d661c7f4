// What is told of two recordings.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Recording } from "../../../scripts/compare/recording.ts";
import { report } from "../../../scripts/compare/report.ts";

const folder = mkdtempSync(join(tmpdir(), "policy-guard-compare-"));

afterAll(() => rmSync(folder, { recursive: true }));

it("differences are reported and counted, and evaluations that ran out of time are left out", () => {
  const [a, b] = [
    new Recording(join(folder, "a"), { hasMessages: false }),
    new Recording(join(folder, "b"), { hasMessages: false }),
  ];
  a.addAll("evaluations", [
    ["1", { outcome: "ALLOW", note: "straße" }],
    ["2", { outcome: "BLOCK" }],
    ["3", { outcome: "BLOCK", unjudged: [{ reason: "timeout" }] }],
  ]);
  b.add("evaluations", "2", { outcome: "FLAG" });
  b.addAll("evaluations", [
    ["3", { outcome: "ALLOW" }],
    ["1", { outcome: "ALLOW", note: "straße" }],
  ]);
  b.add("metrics", "calls_total", { type: "counter" });
  const lines: string[] = [];
  expect(report([{ title: "both", a, b }], (line) => lines.push(line))).toBe(2);
  expect(lines).toEqual([
    "both: evaluations: 2 compared, 1 differ, 1 left out that ran out of their time",
    '  2 at outcome: A "BLOCK" | B "FLAG"',
    "both: metrics: 1 compared, 1 differ",
    '  calls_total: A nothing | B {"type":"counter"}',
  ]);
});

it("compares only the sections that a part names", () => {
  const [a, b] = [
    new Recording(join(folder, "c"), { hasMessages: false }),
    new Recording(join(folder, "d"), { hasMessages: false }),
  ];
  a.addAll("evaluations", [
    ["1", 1],
    ["2", 2],
  ]);
  b.add("evaluations", "2", 2);
  b.add("reported", "last", 1);
  expect(report([{ title: "part", a, b, part: ["evaluations"] }], () => {})).toBe(0);
  expect(() => b.add("reported", "last", 2)).toThrow('reported has two records "last"');
});

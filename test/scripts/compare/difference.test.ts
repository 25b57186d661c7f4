// What the comparison of two versions takes as equal, and what it finds.

import { describe, expect, it } from "vitest";
import { differences } from "../../../scripts/compare/difference.ts";
import type { Json } from "../../../scripts/compare/json.ts";
import { normalized } from "../../../scripts/compare/normal.ts";
import { linesOf } from "../../../scripts/compare/report.ts";
import { metricsIn } from "../../../scripts/compare/section/observed.ts";

/** An answer of a runtime. */
function answer({ id = "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d11", hash = "f14bda6b", score = 0.99, ...more } = {}): Json {
  return {
    evaluation_id: id,
    outcome: "REDACT",
    text: `write to [EMAIL:${hash}] about ${id}`,
    findings: [{ rule_id: "pii.email", score, fingerprint: `hmac:${hash.repeat(4)}` }],
    bundle: {
      version: 1,
      digest: `sha256:${hash.repeat(8)}`,
      loaded_at: `2026-11-22T22:10:${hash.charCodeAt(0) % 60}.5Z`,
    },
    latency_us: hash.charCodeAt(0),
    detail: { message: "in other words" },
    ...more,
  };
}

function recordOf(value: Json, hasMessages = false): ReadonlyMap<string, string> {
  return new Map([["1", JSON.stringify(normalized(value, { hasMessages }))]]);
}

describe("the comparison of two versions", () => {
  it("takes answers as equal that differ by ids, keyed hashes, digests, times and latencies", () => {
    const other = answer({ id: "00210615-9af6-46d4-b2f8-b90ae95ec162", hash: "0a9b8c7d" });
    expect(differences(recordOf(answer()), recordOf(other))).toEqual([]);
  });

  it("finds one score that differs, and tells where", () => {
    const found = differences(recordOf(answer()), recordOf(answer({ score: 0.98 })));
    expect(found).toEqual([{ name: "1", path: "findings[0].score", a: 0.99, b: 0.98 }]);
    expect(linesOf(found, 1)).toEqual(["  1 at findings[0].score: A 0.99 | B 0.98"]);
  });

  it("finds two ids where there was one", () => {
    const twice = answer({ id: "00210615-9af6-46d4-b2f8-b90ae95ec162" });
    const mixed = { ...(twice as object), evaluation_id: "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d11" };
    expect(differences(recordOf(answer()), recordOf(mixed)).map(({ path }) => path)).toEqual(["text"]);
  });

  it("finds another message only when messages count", () => {
    const said = (message: string): Json => ({ detail: { error: "conflict", message } });
    expect(differences(recordOf(said("one")), recordOf(said("two")))).toEqual([]);
    expect(differences(recordOf(said("one"), true), recordOf(said("two"), true))).toHaveLength(1);
  });

  it("finds a record that only one version has, a member more and another order of members", () => {
    const a = new Map([
      ["1", '{"x":1}'],
      ["2", '{"x":1,"y":2}'],
      ["3", "0"],
    ]);
    const b = new Map([
      ["1", '{"x":1,"z":null}'],
      ["2", '{"y":2,"x":1}'],
      ["4", "0"],
    ]);
    expect(differences(a, b).map(({ name, path }) => `${name} ${path}`)).toEqual(["1 z", "2 ", "3 ", "4 "]);
  });

  it("counts what it does not show", () => {
    const a = new Map(Array.from({ length: 25 }, (_, index) => [String(index), "1"]));
    expect(linesOf(differences(a, new Map()), 25).at(-1)).toBe("  … and 5 more");
  });

  it("reads types and labels of metrics, not their values", () => {
    const text = `# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total{code="ok",text="a\\"} 1"} 7\n# TYPE time histogram\ntime_bucket{le="1"} 3\ntime_sum 0.5\n`;
    expect([...metricsIn(text)]).toEqual([
      ["calls_total", { type: "counter", labels: ["code", "text"] }],
      ["time", { type: "histogram", labels: ["le"] }],
    ]);
  });
});

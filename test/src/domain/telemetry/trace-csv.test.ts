import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ModelSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { traceCsvHeader, traceCsvLine } from "../../../../src/domain/telemetry/trace-csv.ts";
import { csvLine } from "../../../../src/kit/archive/csv.ts";
import { blockedEvaluation } from "./evaluation.ts";

/** Cells of one line, as RFC 4180 has them. */
function cellsOf(line: string): string[] {
  expect(line).toMatch(/^"(?:[^"]|"")*"(?:,"(?:[^"]|"")*")*\r\n$/);
  return [...line.matchAll(/"((?:[^"]|"")*)"[,\r]/g)].map(([, cell = ""]) => cell.replaceAll('""', '"'));
}

describe("csvLine()", () => {
  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\0=1", "＝1", "＋1", "－1", "＠1"])(
    "leaves no spreadsheet a formula in %j",
    (text) => {
      expect(cellsOf(csvLine([text]))).toEqual([`'${text}`]);
    },
  );

  it("keeps every other text as it is", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 12 }), { minLength: 1, maxLength: 8 }), (cells) => {
        const read = cellsOf(csvLine(cells));
        expect(read.map((cell, i) => (cell === cells[i] ? cell : cell.slice(1)))).toEqual(cells);
      }),
      { numRuns: 1000, seed: 3 },
    );
  });
});

describe("traceCsvLine()", () => {
  it("has a cell for each column of the header, with what the runtime reported", () => {
    const record = blockedEvaluation("pii.email", {
      sessionId: '=HYPERLINK("https://evil.example")',
      model: create(ModelSchema, { provider: "acme", name: "m-1" }),
    });
    const at = new Date("2026-11-20T10:00:00.123Z");
    const line = traceCsvLine({
      id: "0f3a",
      orgId: "o",
      projectId: "p",
      environment: "prod",
      agentKey: null,
      runtimeInstanceId: "7c9e",
      createdAt: at,
      erasedAt: null,
      receivedAt: at,
      record,
      replayable: "signals",
    });
    const names = cellsOf(traceCsvHeader());
    const cells = Object.fromEntries(cellsOf(line).map((cell, i) => [names[i], cell]));
    expect(cells).toMatchObject({
      id: "0f3a",
      created_at: "2026-11-20T10:00:00Z",
      agent_id: "",
      session_id: '\'=HYPERLINK("https://evil.example")',
      stage: "input",
      outcome: "BLOCK",
      decided_by_rule: "pii.email",
      rule_ids: "pii.email",
      bundle_version: "3",
      model_name: "m-1",
      capture: "none",
      runtime_instance_id: "7c9e",
      engine: "",
    });
    expect(cellsOf(line)).toHaveLength(names.length);
  });
});

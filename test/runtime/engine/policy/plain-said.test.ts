// What validation says of a document before publishing or an evaluation would.

import { describe, expect, it } from "vitest";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";

const head = "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: p}\n";
const tests = "tests: [{name: t, text: hi, expect: {outcome: ALLOW}}]\n";
const told = (body: string) =>
  parsePolicy(head + body + tests).problems.map(({ line, path, severity, message }) => ({
    line,
    path,
    severity,
    message,
  }));

describe("validation", () => {
  const patterns = (count: number, unlike = "") =>
    `detectors:\n  many: {use: regex, patterns: [${Array.from({ length: count }, (_, i) => `'[a-f]{${i + 1}}[0-9]{${(i % 7) + 1}}${unlike}'`).join(", ")}]}
rules:\n  - {id: r, stages: [input], detect: many, action: FLAG}\n`;

  it("refuses as many patterns that run over every text as publishing would", () => {
    expect(told(patterns(160))).toEqual([]);
    expect(told(patterns(161, "secret"))).toEqual([]);
    const message =
      "the policy has 161 patterns without a required literal, and a bundle takes 160 of all its policies: give them one";
    expect(told(patterns(161))).toEqual([{ line: 5, path: "detectors", severity: "error", message }]);
  });

  it.each(["!foo bar", "!secret {a: b}"])("refuses a tag that it does not know: %s", (value) => {
    const [problem] = told(`rules:\n  - {id: r, stages: [input], detect: pii, action: FLAG}\nexemptions: ${value}\n`);
    expect(problem).toMatchObject({ line: 6, severity: "error" });
    expect(problem?.message).toMatch(/^Unresolved tag: /);
  });

  it("warns of a condition on findings where several detectors are needed", () => {
    const several = (detect: string, when: string) =>
      told(`rules:\n  - {id: r, stages: [input], action: BLOCK, detect: ${detect}, when: '${when}'}\n`);
    expect(several("{all: [{ref: pii, entities: [IBAN]}, secrets]}", 'finding.country == "DE"')).toMatchObject([
      {
        line: 5,
        path: "rules[0].when",
        severity: "warning",
        message: expect.stringContaining("each detector needs one"),
      },
    ]);
    expect(several("{any: [pii, secrets]}", "finding.score > 0.6")).toEqual([]);
    expect(several("{all: [pii, secrets]}", 'segment.trust == "untrusted"')).toEqual([]);
  });

  it("warns of a detector that is listed twice where several are needed", () => {
    const quorum = (of: string) =>
      told(`rules:\n  - {id: r, stages: [input], action: BLOCK, detect: {quorum: {of: ${of}, at_least: 2}}}\n`);
    const message = 'the detector "pii" is listed twice, so that one finding counts for both';
    expect(quorum("[pii, pii, secrets]")).toMatchObject([
      { path: "rules[0].detect.quorum.of[1]", severity: "warning", message },
    ]);
    expect(quorum("[{ref: pii, entities: [EMAIL]}, {ref: pii, entities: [PHONE]}]")).toEqual([]);
  });
});

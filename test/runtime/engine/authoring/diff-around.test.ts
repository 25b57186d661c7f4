import { describe, expect, it } from "vitest";
import { diff, rule, secrets } from "./policy-diff.ts";

describe("a difference outside of the rules is reported", () => {
  const exempt = (more: string) =>
    `${secrets}exemptions:\n  - {id: x, when: '"red" in subject.roles', rules: ["r"], reason: why${more}}\n`;
  const listed = (items: string, condition: string) => `lists: {own: [${items}]}\n${rule(`detect: pii, ${condition}`)}`;

  it.each([
    ["an exemption", secrets, exempt(""), ['weaker: exemption "x" added: r, without end'], "weaker"],
    [
      "a sooner end of it",
      exempt(""),
      exempt(", expires: 2026-12-31T00:00:00Z"),
      ['stricter: exemption "x" narrowed: ends 2026-12-31T00:00:00Z instead of never'],
      "stricter",
    ],
    [
      "more rules of it",
      exempt(""),
      exempt("").replace('["r"]', '["*"]'),
      ['weaker: exemption "x" widened: covers * instead of r'],
      "weaker",
    ],
    [
      "entries of a list that excuses",
      listed("a.com", "unless: finding.domain in lists.own"),
      listed("a.com, b.com", "unless: finding.domain in lists.own"),
      ['weaker: list "own": 1 more: b.com'],
      "weaker",
    ],
    [
      "entries of a list that accuses",
      listed("a.com", "when: finding.domain in lists.own"),
      listed("a.com, b.com", "when: finding.domain in lists.own"),
      ['stricter: list "own": 1 more: b.com'],
      "stricter",
    ],
    [
      "the order of a list of which one place is read",
      listed("a.com, b.com", "'when': 'finding.domain == lists.own[0]'"),
      listed("b.com, a.com", "'when': 'finding.domain == lists.own[0]'"),
      ['unknown: list "own": in another order, or with other repetitions'],
      "unknown",
    ],
    [
      "a shadow rule beside a condition about the session",
      rule("detect: secrets, when: 'session.found(\"pii.*\") == 0'"),
      `${rule("detect: secrets, when: 'session.found(\"pii.*\") == 0'")}  - {id: s, stages: [input], detect: pii, action: FLAG, mode: shadow}\n`,
      ['neutral: rule "s" added: FLAG at input, shadow'],
      "unknown",
    ],
    [
      "entries of a list that is turned round",
      listed("a.com, b.com", "'when': '!lists.own.exists(d, d == finding.domain)'"),
      listed("a.com", "'when': '!lists.own.exists(d, d == finding.domain)'"),
      ['stricter: list "own": 1 less: b.com'],
      "stricter",
    ],
    [
      "entries of a list that is counted",
      listed("a.com", "when: lists.own.size() > 1"),
      listed("a.com, b.com", "when: lists.own.size() > 1"),
      ['unknown: list "own": 1 more: b.com'],
      "unknown",
    ],
    [
      "narrower agents",
      `match: {agents: ["bot-*"]}\n${secrets}`,
      `match: {agents: ["bot-eu-*"]}\n${secrets}`,
      ["weaker: applies to agents bot-* before, bot-eu-* now"],
      "weaker",
    ],
    [
      "more environments",
      `match: {envs: [dev]}\n${secrets}`,
      secrets,
      ["stricter: applies to environments dev before, * now"],
      "stricter",
    ],
    [
      "tests",
      secrets,
      `${secrets}tests:\n  - {name: t, text: hi, expect: {outcome: ALLOW}}\n`,
      ["neutral: tests: 1 added (t)"],
      "equal",
    ],
  ])("%s", (_, before, after, told, strictness) => {
    const found = diff(before, after);
    expect(found.told).toEqual(told);
    expect(found.strictness).toBe(strictness);
  });
});

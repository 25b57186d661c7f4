import { describe, expect, it } from "vitest";
import { detectorDefinition } from "../../../../runtime/engine/detectors/catalog.ts";
import { found, scan } from "./scan.ts";

describe("regular expressions", () => {
  it.each<[string | { pattern: string; flags?: string }, string, string[]]>([
    ["TICKET-\\d{4}", "see TICKET-1234 and ticket-1234", ["TICKET-1234"]],
    [{ pattern: "ticket-\\d{4}", flags: "i" }, "see TICKET-1234 and ticket-1234", ["TICKET-1234", "ticket-1234"]],
    [{ pattern: "^x\\d+$", flags: "m" }, "x1\nx2 \nx3", ["x1", "x3"]],
    [{ pattern: "begin.*end", flags: "s" }, "begin\n\nend", ["begin\n\nend"]],
    ["^start", "start start", ["start"]],
    ["end$", "end end", ["end"]],
    ["\\bkey\\b", "monkey key keys", ["key"]],
    ["key\\s*=\\s*\\w+", "key   =\n\n\n      value", ["key   =\n\n\n      value"]],
    ["😀+", "a😀😀b", ["😀😀"]],
    ["\\d{3}", "123456 78", ["123", "456"]],
    ["\\p{Greek}+x", "abc αβγx", ["αβγx"]],
  ])("%j in %j finds %j", (pattern, text, expected) => {
    expect(found("regex", text, { patterns: [pattern] })).toEqual(expected);
  });

  it("tell the name of their pattern", () => {
    const [detection] = scan("regex", "abc123", {
      patterns: [{ pattern: "\\d+", name: "number" }],
      category: "house.numbers",
    });
    expect(detection).toEqual({
      category: "house.numbers",
      start: 3,
      end: 6,
      score: 1,
      layer: "plain",
      attributes: { basis: "pattern", pattern: "number" },
    });
  });

  it("read the normalised text when it differs, and give the offsets of the original", () => {
    const text = "😀 TICK\u200bET-12";
    expect(scan("regex", text, { patterns: ["TICKET-\\d+"] })).toMatchObject([
      { start: 3, end: text.length, layer: "normalized" },
    ]);
  });
});

describe("the check of patterns", () => {
  const check = (...patterns: (string | { pattern: string; flags?: string })[]) =>
    detectorDefinition("regex")?.check({ patterns }) ?? [];

  it("accepts patterns that compile", () => {
    expect(check("a+", { pattern: "x{3}", flags: "i" })).toEqual([]);
  });

  it.each<[string, RegExp]>([
    ["(?<=a)b", /look-around/],
    ["(a)\\1", /back-references/],
    ["a*", /empty text/],
    ["\\b", /empty text/],
    ["(?:[a-z]{500}){2}[0-9]{1000}(?:[a-f]{100}){10}(?:[a-f]{100}){10}(?:[a-f]{100}){10}", /instructions/],
  ])("refuses %s", (pattern, message) => {
    const problems = check("fine", { pattern });
    expect(problems.map((problem) => problem.path)).toEqual(["patterns[1].pattern"]);
    expect(problems[0]?.message).toMatch(message);
  });

  it("refuses patterns that are too large together", () => {
    expect(
      check(...Array.from({ length: 60 }, (_, index) => `x${index}[a-z]{900}`)).map((problem) => problem.path),
    ).toEqual(["patterns"]);
  });
});

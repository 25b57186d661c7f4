// The sizes that conditions are estimated to have, held against those that their values have.

import fc from "fast-check";
import { expect, it } from "vitest";
import { ConditionCompiler, isConditionProblem } from "../../../../runtime/engine/policy/condition.ts";
import { ConditionFailed } from "../../../../runtime/engine/policy/condition-guard.ts";
import { builtLimits, type Size } from "../../../../runtime/engine/policy/condition-size.ts";
import {
  type Facts,
  FindingFacts,
  RequestFacts,
  SegmentFacts,
  SessionFacts,
  SubjectFacts,
  ToolFacts,
} from "../../../../runtime/engine/policy/facts.ts";
import { emptyLedger } from "../../../../runtime/engine/segment/session.ts";

const lists = { own: ["example.com", "a", ""], words: Array.from({ length: 300 }, (_, i) => `word${i}`) };

// Names of bound variables are chosen at random: an expression in which one is not bound is refused, and passed over.
const expressions = fc.letrec<{ text: string; list: string; any: string; truth: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 5, depthSize: "medium" },
    fc.constantFrom('""', '"abc"', '"0123456789abcdef"', "x", "y", "(tool.args.to + tool.args.long)"),
    fc.constantFrom("segment.role", "subject.user_id", "finding.category", "tool.args.to", "request.metadata.tier"),
    fc.tuple(tie("text"), tie("text")).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(tie("truth"), tie("text"), tie("text")).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
    tie("list").map((list) => `${list}[0]`),
    fc.tuple(tie("text"), fc.constantFrom("trim()", "lowerAscii()", "substring(1)")).map(([a, f]) => `${a}.${f}`),
    fc.tuple(tie("text"), tie("any")).map(([a, b]) => `{"k": ${a}, "l": dyn(${b})}.k`),
    tie("any").map((any) => `string(dyn(${any}))`),
  ),
  list: fc.oneof(
    { maxDepth: 5, depthSize: "medium" },
    fc.constantFrom(
      "lists.own",
      "lists.words",
      "subject.roles",
      "tool.args.cc",
      "[tool.args.to]",
      "x",
      "findings.map(f, f.domain)",
    ),
    fc.array(tie("any"), { minLength: 1, maxLength: 4 }).map((items) => `[${items.map((each) => `dyn(${each})`)}]`),
    fc.tuple(tie("list"), tie("list")).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(tie("list"), fc.constantFrom("x", "y"), tie("any")).map(([l, v, body]) => `${l}.map(${v}, ${body})`),
    fc.tuple(tie("list"), fc.constantFrom("x", "y"), tie("truth")).map(([l, v, body]) => `${l}.filter(${v}, ${body})`),
    fc
      .tuple(
        tie("list"),
        fc.constantFrom("x + x", "x + x + x", "[x, x]", "x", '[x] + ["a"]'),
        fc.integer({ min: 1, max: 9 }),
      )
      .map(([l, body, times]) => l + `.map(x, ${body})`.repeat(times)),
  ),
  any: fc.oneof({ maxDepth: 5 }, tie("text"), tie("list"), fc.constantFrom("1", "2.5", "true", "x", "segment.length")),
  truth: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom("true", "false"),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `dyn(${a}) == dyn(${b})`),
    tie("list").map((list) => `${list}.exists(y, dyn(y) == "a")`),
  ),
}));

const facts: Facts = {
  request: new RequestFacts({
    ...{ stage: "input", agent_id: "a", env: "prod", session_id: "s", language: "de" },
    metadata: { tier: "gold".repeat(20), deep: [[["x"], { k: "v" }]] },
  }),
  segment: new SegmentFacts({ id: "s1", role: "user", origin: "o".repeat(256), trust: "untrusted", text: "hello" }),
  subject: new SubjectFacts("u".repeat(256), ["customer", "r".repeat(128)], { region: "EU" }),
  session: new SessionFacts(emptyLedger),
  findings: [],
  lists,
  tool: new ToolFacts("send", { to: "t".repeat(30_000), cc: ["a", "b".repeat(500)], long: "l".repeat(60_000), n: 4.5 }),
  finding: new FindingFacts(
    { category: "pii.email", start: 1, end: 3, score: 0.9, layer: "plain", attributes: { domain: "d".repeat(256) } },
    "pii",
    "s1",
  ),
};

/** What is larger than it was estimated to be; undefined for nothing. */
function excess(size: Size, value: unknown): string | undefined {
  if (typeof value === "string") return value.length > size.units ? `${value.length} > ${size.units} units` : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const items = Array.isArray(value) ? value : [...Object.keys(value), ...Object.values(value)];
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  if (count > size.count) return `${count} > ${size.count} elements`;
  if (items.length > 0 && size.item === undefined) return "an element where none was expected";
  const { item } = size;
  return item === undefined ? undefined : items.map((each) => excess(item, each)).find((each) => each !== undefined);
}

it("a value of a condition never exceeds its estimate, nor the limit for built values", () => {
  const seen = { values: 0, built: 0, refused: 0, stopped: 0, wholes: 0 };
  const wrong: string[] = [];
  const compiler = new ConditionCompiler(lists, (estimate, value, source) => {
    seen.values++;
    const problem = excess(estimate, value);
    if (problem !== undefined) wrong.push(`${source}: ${problem}`);
    if (estimate.built > 0 && typeof value === "string") {
      seen.built++;
      if (value.length > builtLimits.units) wrong.push(`${source}: built ${value.length}`);
    }
  });
  fc.assert(
    fc.property(expressions.any, (source) => {
      const condition = compiler.compile(`dyn(${source}) == dyn(${source})`);
      if (isConditionProblem(condition)) {
        if (condition.standIn !== undefined) seen.refused++;
        return;
      }
      seen.wholes++;
      try {
        condition.holds(facts);
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        if (error.reason === "condition_too_expensive") seen.stopped++;
      }
      expect(wrong, source).toEqual([]);
    }),
    { seed: 20261122, numRuns: 1200 },
  );
  expect(Math.min(seen.wholes / 20, seen.refused, seen.stopped, seen.built / 20), JSON.stringify(seen)).toBeGreaterThan(
    10,
  );
});

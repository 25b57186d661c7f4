// Our conditions against an independent implementation of CEL, @bufbuild/cel, over random well-typed expressions.

import { celEnv, isCelError, parse, plan } from "@bufbuild/cel";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConditionCompiler, isConditionProblem } from "../../../../runtime/engine/policy/condition.ts";
import { ConditionFailed } from "../../../../runtime/engine/policy/condition-guard.ts";
import {
  type Facts,
  RequestFacts,
  SegmentFacts,
  SessionFacts,
  SubjectFacts,
} from "../../../../runtime/engine/policy/facts.ts";
import { emptyLedger } from "../../../../runtime/engine/segment/session.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";

const lists = { own: ["example.com", "a", ""] };
const compiler = new ConditionCompiler(lists);
const environment = celEnv();

/** Expressions by type, as source text. */
const expressions = fc.letrec<{ text: string; whole: string; list: string; truth: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom('""', '"a"', '"example.com"', '"ä😀"'),
    fc.constantFrom(
      "segment.text",
      "segment.role",
      "request.agent_id",
      "subject.user_id",
      "request.metadata.tier",
      "request.metadata.missing",
    ),
    fc.tuple(tie("truth"), tie("text"), tie("text")).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
  ),
  whole: fc.oneof(
    { maxDepth: 3 },
    fc.integer({ min: -3, max: 9 }).map((n) => (n < 0 ? `(${n})` : `${n}`)),
    tie("list").map((l) => `size(${l})`),
    fc
      .tuple(tie("whole"), fc.constantFrom("+", "-", "*", "/", "%"), tie("whole"))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
  ),
  list: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("subject.roles", "lists.own"),
    fc.tuple(tie("text"), tie("text")).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(tie("list"), tie("text")).map(([l, t]) => `${l}.filter(x, x != ${t})`),
  ),
  truth: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("true", "false", "has(request.metadata.tier)", "has(request.metadata.missing)"),
    fc.tuple(tie("truth"), fc.constantFrom("&&", "||"), tie("truth")).map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie("truth").map((a) => `!(${a})`),
    fc.tuple(tie("text"), fc.constantFrom("==", "!=", "<", ">="), tie("text")).map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc
      .tuple(tie("whole"), fc.constantFrom("==", "!=", "<", ">="), tie("whole"))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc
      .tuple(tie("text"), fc.constantFrom("startsWith", "endsWith", "contains"), tie("text"))
      .map(([a, f, b]) => `${a}.${f}(${b})`),
    fc
      .tuple(tie("text"), fc.constantFrom('"^a"', '"[a-z]+\\\\.com$"', '"^$"', '"😀"'))
      .map(([a, p]) => `${a}.matches(${p})`),
    fc.tuple(tie("text"), tie("list")).map(([a, l]) => `(${a} in ${l})`),
    fc
      .tuple(tie("list"), fc.constantFrom("all", "exists", "exists_one"), tie("text"))
      .map(([l, macro, t]) => `${l}.${macro}(y, y == ${t} || y.size() > 3)`),
  ),
}));

const values = fc.record({
  text: fc.constantFrom<string>("", "a", "see example.com", "ä😀"),
  role: fc.constantFrom<string>("user", "system"),
  agent: fc.constantFrom<string>("", "a"),
  roles: fc.subarray(["a", "example.com", "", "ä😀"]),
  metadata: fc.constantFrom<Record<string, string>>({}, { tier: "a" }),
});

function ours(source: string, facts: Facts): boolean | "error" | "refused" {
  const condition = compiler.compile(source);
  if (isConditionProblem(condition)) return "refused";
  try {
    return condition.holds(facts);
  } catch (error) {
    if (error instanceof ConditionFailed) return "error";
    throw error;
  }
}

function theirs(source: string, context: Parameters<ReturnType<typeof plan>>[0]): unknown {
  const value = plan(environment, parse(source))(context);
  return isCelError(value) ? "error" : value;
}

const sample = sampleOf({ n: 1_000, seed: 20261120 });

describe("conditions", () => {
  it("have the value that another implementation of CEL gives them", () => {
    const seen = { true: 0, false: 0, error: 0 };
    fc.assert(
      fc.property(expressions.truth, values, (source, { text, role, agent, roles, metadata }) => {
        const facts: Facts = {
          request: new RequestFacts({ stage: "", agent_id: agent, env: "", session_id: "", language: "", metadata }),
          segment: new SegmentFacts({ id: "", role, origin: "", trust: "", text }),
          subject: new SubjectFacts("", roles, {}),
          session: new SessionFacts(emptyLedger),
          findings: [],
          lists,
        };
        const value = ours(source, facts);
        if (value === "refused") return;
        seen[`${value}`]++;
        const context = {
          request: { agent_id: agent, metadata },
          segment: { role, text },
          subject: { user_id: "", roles },
          lists,
        };
        expect(value, source).toBe(theirs(source, context));
      }),
      { seed: sample.seed, numRuns: sample.n },
    );
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(sample.n / 10);
    reportSample({ n: sample.n, failures: 0 });
  });
});

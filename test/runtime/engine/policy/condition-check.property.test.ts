// Whatever well-formed expression stands in a document, validating it ends with a policy or with problems that have a
// place.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffPolicies } from "../../../../runtime/engine/authoring/diff.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { sampleKit } from "../sample-detectors.ts";
import { ask, engineOf } from "../sample-engine.ts";

const atoms = [
  ..."[] {} [[]] [{}] [null] null 1 2u 2.5 'a' b'a' true x y".split(" "),
  ..."dyn(1) dyn([]) dyn({}) [1,2.5] [1,'a'] {'a':1} {1:2}".split(" "),
  ..."segment segment.text request request.metadata request.metadata.x subject.roles session session.turns".split(" "),
  ..."lists lists.own lists.own[0] request['env'] findings finding finding.score".split(" "),
];

/** Expressions that can be read; most are of no sound type. */
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const part = tie("expression");
  const method = fc.constantFrom(..."size startsWith contains lowerAscii trim indexOf substring matches".split(" "));
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      { weight: 3, arbitrary: fc.constantFrom(...atoms) },
      fc
        .tuple(part, fc.constantFrom(..."+ - * / % == != < > <= >= in && ||".split(" ")), part)
        .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
      fc.tuple(fc.constantFrom("!", "-"), part).map(([operator, a]) => `${operator}(${a})`),
      fc.tuple(part, part).map(([a, b]) => `${a}[${b}]`),
      fc.tuple(part, part, part).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc
        .tuple(part, fc.constantFrom("all", "exists", "exists_one", "filter", "map"), fc.constantFrom("x", "y"), part)
        .map(([a, macro, name, b]) => `${a}.${macro}(${name}, ${b})`),
      fc.tuple(part, part, part).map(([a, b, c]) => `${a}.map(x, ${b}, ${c})`),
      fc
        .tuple(fc.constantFrom("size", "int", "double", "string", "bool", "dyn", "has"), part)
        .map(([name, a]) => `${name}(${a})`),
      fc.tuple(part, method, fc.array(part, { maxLength: 2 })).map(([a, name, all]) => `${a}.${name}(${all})`),
      fc.tuple(part, fc.constantFrom("text", "x", "a")).map(([a, name]) => `${a}.${name}`),
      fc.array(part, { maxLength: 3 }).map((items) => `[${items}]`),
      fc
        .array(fc.tuple(part, part), { maxLength: 2 })
        .map((entries) => `{${entries.map((entry) => entry.join(": "))}}`),
    ),
  };
});

const head = "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: p}\nlists: {own: [a]}\n";

describe("a condition", () => {
  it("never makes the check fail", () => {
    const seen = { sound: 0, refused: 0 };
    fc.assert(
      fc.property(expression, (source) => {
        const document = `${head}rules:\n  - {id: r, stages: [input], detect: pii, action: BLOCK, when: ${JSON.stringify(source)}}\n`;
        const { policy, problems } = parsePolicy(document, sampleKit.definitions);
        if (policy === undefined) {
          seen.refused++;
          const errors = problems.filter(({ severity }) => severity === "error");
          expect(
            errors.every(({ line, message }) => line >= 5 && message !== ""),
            source,
          ).toBe(true);
          return;
        }
        seen.sound++;
        expect(diffPolicies(policy, policy, sampleKit.definitions).strictness, source).toBe("equal");
        ask(engineOf([{ source: policy, scope: {} }]), { text: "a@b.cc" });
      }),
      { seed: 20261122, numRuns: 2500 },
    );
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(100);
  });

  it.each([
    ["[].all(x, x > 2)", 30],
    ["segment.length > 1 && 2u < {}[[]]", 57],
    ["[[]].exists(x, x.exists(y, y < 2))", 31],
  ])("that asks something of an empty list or map is refused where that stands: %s", (when, column) => {
    const document = `${head}rules:\n  - {id: r, stages: [input], action: BLOCK,\n                      when: "${when}"}\n`;
    const { problems } = parsePolicy(document, sampleKit.definitions);
    const message = "the elements of an empty list or map have no type, so a condition cannot use them";
    expect(problems).toContainEqual(expect.objectContaining({ severity: "error", line: 7, column, message }));
  });
});

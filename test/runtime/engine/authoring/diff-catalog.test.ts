import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { diffPolicies } from "../../../../runtime/engine/authoring/diff.ts";
import { compileEngine } from "../../../../runtime/engine/engine.ts";
import type { OutcomeName, PolicyDocument } from "../../../../runtime/engine/policy/document.ts";
import { outcomeNames } from "../../../../runtime/engine/policy/document.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";

const base = {
  apiVersion: "policyguard/v1",
  kind: "Policy",
  metadata: { name: "p" },
  detectors: {
    personal: { use: "pii", entities: ["EMAIL", "IBAN"] },
    words: { use: "keywords", keywords: ["refund"] },
  },
  lists: { own: ["example.com"] },
  rules: [
    { id: "a", stages: ["input"], detect: "personal", action: "REDACT" },
    { id: "b", stages: ["input"], detect: { all: ["personal", "words"] }, action: "BLOCK" },
  ],
  exemptions: [
    { id: "e", when: 'request.env == "x"', rules: ["a"], reason: "because", expires: "2027-01-01T00:00:00Z" },
  ],
  tests: [{ name: "t", text: "x", expect: { outcome: "ALLOW" } }],
};

type Draft = typeof base & Record<string, unknown>;

function policyOf(source: object): PolicyDocument {
  const { policy, problems } = parsePolicy(JSON.parse(JSON.stringify(source)));
  if (policy === undefined) throw new Error(JSON.stringify(problems));
  return policy;
}

/** The changes that an edit of the base policy makes, and what is said of all of them. */
function changesOf(edit: (draft: Draft & { rules: Record<string, unknown>[] }) => void) {
  const draft = structuredClone(base) as Draft & { rules: Record<string, unknown>[] };
  edit(draft);
  const { strictness, changes } = diffPolicies(policyOf(base), policyOf(draft));
  return { strictness, changes: changes.map(({ text, effect }) => `${effect}: ${text}`) };
}

const set = (index: number, values: Record<string, unknown>) => (draft: { rules: Record<string, unknown>[] }) => {
  Object.assign(draft.rules[index] ?? {}, values);
};

describe("a change of a policy with detectors of the catalog is reported", () => {
  test.each<[string, Parameters<typeof changesOf>[0], string[]]>([
    ["nothing", () => {}, []],
    [
      "unless",
      set(0, { unless: "segment.length > 3" }),
      ['weaker: rule "a": matches less: unless segment.length > 3 added'],
    ],
    [
      "all to any",
      set(1, { detect: { any: ["personal", "words"] } }),
      ['stricter: rule "b": needs 1 of 2 detectors instead of 2 of 2'],
    ],
    [
      "a term of all",
      set(1, { detect: "words" }),
      ['stricter: rule "b": no longer detects personal, needs 1 of 1 detectors instead of 2 of 2'],
    ],
    ["other terms", set(0, { detect: "words" }), ['unknown: rule "a": also detects words, no longer detects personal']],
    ["a rule less", ({ rules }) => rules.pop(), ['weaker: rule "b" removed: BLOCK at input']],
    [
      "a detector that several rules name",
      (d) => void d.detectors.personal.entities.pop(),
      [
        'weaker: rule "a": entities of personal: no longer IBAN',
        'weaker: rule "b": entities of personal: no longer IBAN',
      ],
    ],
    [
      "keywords",
      (d) => void d.detectors.words.keywords.push("invoice"),
      ['stricter: rule "b": keywords of words: also invoice'],
    ],
    [
      "a list that no condition reads",
      (d) => void d.lists.own.push("example.org"),
      ['neutral: list "own": 1 more: example.org'],
    ],
    [
      "an exemption less",
      (d) => void d.exemptions.pop(),
      ['stricter: exemption "e" removed: a, until 2027-01-01T00:00:00Z'],
    ],
    [
      "an exemption without end",
      (d) => Object.assign(d.exemptions[0] ?? {}, { expires: undefined }),
      ['weaker: exemption "e" widened: ends never instead of 2027-01-01T00:00:00Z'],
    ],
    ["a test less", (d) => void d.tests.pop(), ["neutral: tests: 1 removed (t)"]],
  ])("%s", (_, edit, changes) => {
    expect(changesOf(edit).changes).toEqual(changes);
  });

  test("a default is reported with each rule that it affects, and with no other", () => {
    const { changes, strictness } = changesOf((draft) => {
      Object.assign(draft, { defaults: { mode: "shadow" } });
      set(1, { mode: "enforce" })(draft);
    });
    expect(changes).toEqual(['weaker: rule "a": mode shadow instead of enforce']);
    expect(strictness).toBe("weaker");
  });

  test("a default that is written out is no change, nor is another order of keys", () => {
    const { changes } = changesOf((draft) => {
      Object.assign(draft, { defaults: { mode: "enforce", on_error: "fail_closed" } });
      Object.assign(draft.detectors.words, { match: "word", case_sensitive: false, threshold: 0.5 });
      draft.rules[0] = { action: "REDACT", detect: "personal", stages: ["input"], id: "a" };
    });
    expect(changes).toEqual([]);
  });

  test("where a condition counts findings, finding more may mean less", () => {
    const { strictness } = changesOf((draft) => {
      draft.rules.push({ id: "c", stages: ["input"], when: "findings.size() == 1", action: "BLOCK" });
      draft.detectors.words.keywords.push("invoice");
    });
    expect(strictness).toBe("unknown");
  });

  test("stricter here and weaker there is neither", () => {
    const { strictness } = changesOf((draft) => {
      set(0, { action: "BLOCK" })(draft);
      set(1, { action: "FLAG" })(draft);
    });
    expect(strictness).toBe("unknown");
  });
});

const anywhere = { tenantId: "*", appId: "*", agentId: "*", env: "*" };
const context = {
  stage: Stage.INPUT,
  now: new Date(0),
  evaluationId: "test",
  fingerprintKey: new Uint8Array(32),
  bundle: create(BundleReferenceSchema),
  elapsedUs: () => 0,
};

describe("the reported strictness holds for every text", () => {
  const words = ["red", "green", "blue", "grey"];
  const texts = Array.from({ length: 2 ** words.length }, (_, bits) =>
    words.filter((__, i) => bits & (1 << i)).join(" "),
  );
  const subset = fc.subarray(words, { minLength: 1, maxLength: 2 });
  const names = ["one", "two", "three"];
  const terms = fc.subarray(names, { minLength: 1 });
  const detect = fc.oneof(
    fc.constantFrom(...names),
    terms.map((any) => ({ any })),
    terms.map((all) => ({ all })),
    fc.tuple(terms, fc.nat(2)).map(([of, n]) => ({ quorum: { of, at_least: Math.min(of.length, n + 1) } })),
  );
  const condition = fc.constantFrom(undefined, undefined, "segment.length > 8", 'segment.text.contains("red")');
  const fields = {
    detect,
    action: fc.constantFrom<OutcomeName[]>("BLOCK", "BLOCK", ...outcomeNames),
    mode: fc.constantFrom(undefined, undefined, "enforce", "shadow", "off"),
    when: condition,
    unless: condition,
    stages: fc.constantFrom(["input"], ["input", "output"], ["output"]),
    rollout: fc.constantFrom(undefined, undefined, undefined, { percent: 0 }, { percent: 50 }),
  };
  const rule = fc.record(fields);
  const globs = fc.subarray(["r0", "r1", "r*"], { minLength: 1 });
  const exemption = fc.record({ when: fc.constantFrom("segment.length > 8", "true"), rules: globs });
  const parts = {
    lists: fc.tuple(subset, subset, subset),
    rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
    exemptions: fc.option(exemption, { freq: 1 }).map((one) => (one === null ? [] : [one])),
    match: fc.constantFrom(undefined, undefined, undefined, { envs: ["test"] }, { envs: ["prod"] }),
  };
  const policy = fc.record(parts);
  type Shape = typeof policy extends fc.Arbitrary<infer T> ? T : never;

  // One step away: policies that have nothing in common can rarely be compared.
  const step = fc.oneof(
    ...Object.entries(fields).map(([key, values]) => values.map((value) => ["rules", key, value] as const)),
    ...Object.entries(parts).map(([key, values]) => values.map((value) => [key, "", value] as const)),
  );

  function stepped(before: Shape, [part, key, value]: readonly [string, string, unknown]): Shape {
    const [first, ...others] = before.rules;
    return { ...before, [part]: key === "" ? value : [{ ...first, [key]: value }, ...others] };
  }

  function documentOf({ lists, rules, exemptions, match }: Shape): PolicyDocument {
    const [one, two, three] = lists.map((keywords) => ({ use: "keywords", keywords }));
    return policyOf({
      apiVersion: "policyguard/v1",
      kind: "Policy",
      metadata: { name: "p" },
      match,
      detectors: { one, two, three },
      rules: rules.map((values, index) => ({ id: `r${index}`, ...values })),
      exemptions: exemptions.map((values, index) => ({ id: `e${index}`, reason: "test", ...values })),
    });
  }

  /** The outcome of every text that there is. */
  function outcomesOf(document: PolicyDocument): number[] {
    const source = { policyId: "p", name: "p", version: 1, scope: anywhere, document };
    const engine = compileEngine({ policies: [source], environment: "test", projectId: "" });
    return texts.map((text) => {
      const request = create(EvaluateRequestSchema, { text, sessionId: "s" });
      return engine.evaluate(request, context).response.outcome;
    });
  }

  test("stricter is never milder, weaker is never stricter, equal is the same", () => {
    const seen = { equal: 0, stricter: 0, weaker: 0, unknown: 0 };
    fc.assert(
      fc.property(policy, step, (shape, change) => {
        const [before, after] = [documentOf(shape), documentOf(stepped(shape, change))];
        const { strictness } = diffPolicies(before, after);
        seen[strictness]++;
        if (strictness === "unknown") return;
        const old = outcomesOf(before);
        for (const [index, current] of outcomesOf(after).entries()) {
          if (strictness !== "weaker") expect(current).toBeGreaterThanOrEqual(old[index] ?? 0);
          if (strictness !== "stricter") expect(current).toBeLessThanOrEqual(old[index] ?? 0);
        }
      }),
      { numRuns: 1200, seed: 4 },
    );
    for (const strictness of ["equal", "stricter", "weaker"] as const)
      expect(seen[strictness], strictness).toBeGreaterThan(80);
  });
});

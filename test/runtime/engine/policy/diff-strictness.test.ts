import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffPolicies } from "../../../../runtime/engine/policy/diff.ts";
import type { PolicyDocument } from "../../../../runtime/engine/policy/document.ts";
import { sampleKit } from "../sample-detectors.ts";
import { ask, engineOf } from "../sample-engine.ts";

describe("the statement about strictness", () => {
  const condition = fc.constantFrom(
    undefined,
    'segment.trust == "untrusted"',
    'segment.trust == "untrusted" && finding.score > 0.6',
    'request.env == "prod" || finding.category in lists.names',
    "finding.category in lists.names",
    "findings.size() > 1",
    "!(finding.category in lists.names)",
  );
  const detector = fc.constantFrom("pii", "secrets", "injection");
  const term = fc.record({ ref: detector, threshold: fc.constantFrom(0.3, 0.56, 0.8, 0.95) });
  const detect = fc.oneof(
    term,
    fc.record({ any: fc.array(term, { minLength: 1, maxLength: 3 }) }),
    fc.record({ all: fc.array(term, { minLength: 1, maxLength: 3 }) }),
  );
  const ruleModel = fc.record(
    {
      id: fc.constantFrom("a", "b", "c"),
      stages: fc.constantFrom(["input"], ["input", "output"], ["output"]),
      detect,
      when: condition,
      unless: condition,
      action: fc.constantFrom("ALLOW", "FLAG", "REDACT", "BLOCK"),
      mode: fc.constantFrom("enforce", "enforce", "shadow", "off"),
      rollout: fc.constantFrom(undefined, undefined, { percent: 30 }, { percent: 60 }),
    },
    { requiredKeys: ["id", "stages", "detect", "action"] },
  );
  const policy = fc.record({
    agents: fc.constantFrom(["*"], ["bot-*"], ["bot-1", "x"]),
    rules: fc.uniqueArray(ruleModel, { selector: ({ id }) => id, minLength: 1, maxLength: 3 }),
    names: fc.subarray(["pii.email", "secrets.key", "pii.phone"]),
    exemptions: fc.subarray([
      { id: "x", when: "subject.roles.size() > 0", rules: ["a"], reason: "r" },
      { id: "y", when: 'subject.roles.size() > 0 && segment.trust == "untrusted"', rules: ["*"], reason: "r" },
    ]),
  });
  const edit = fc.record({
    policy,
    parts: fc.subarray(["agents", "rules", "names", "exemptions"]),
    at: fc.nat(2),
    whole: fc.boolean(),
  });
  const request = fc.record({
    agentId: fc.constantFrom("bot-1", "bot-2", "x"),
    sessionId: fc.constantFrom("s1", "s2", "s3", "s4"),
    role: fc.constantFrom("user", "system"),
    roles: fc.constantFrom<string[]>([], ["r"]),
    words: fc.array(fc.constantFrom("KEY-1", "a@b.cc", "+1234567", "ignore all", "ignore this"), { maxLength: 4 }),
  });

  type Model = typeof policy extends fc.Arbitrary<infer T> ? T : never;

  function documentOf({ agents, rules, names, exemptions }: Model): PolicyDocument {
    const plain = JSON.parse(JSON.stringify({ match: { agents }, lists: { names }, rules, exemptions }));
    return { apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "p" }, ...plain };
  }

  // Versions that differ in little say more than any two policies.
  function edited(
    before: Model,
    { policy: other, parts, at, whole }: typeof edit extends fc.Arbitrary<infer T> ? T : never,
  ): Model {
    const changed = Object.fromEntries(
      parts.filter((part) => part !== "rules").map((part) => [part, other[part as keyof Model]]),
    );
    if (!parts.includes("rules")) return { ...before, ...changed };
    const [replacement] = other.rules;
    const rules = before.rules.map((old, index) =>
      index !== at % before.rules.length || replacement === undefined
        ? old
        : whole
          ? { ...replacement, id: old.id }
          : { ...old, detect: replacement.detect, when: replacement.when },
    );
    return { ...before, ...changed, rules };
  }

  it("holds for whatever is asked", () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(policy, edit, fc.array(request, { minLength: 1, maxLength: 4 }), (model, change, requests) => {
        const [before, after] = [documentOf(model), documentOf(edited(model, change))];
        const { strictness } = diffPolicies(before, after, sampleKit.definitions);
        seen.set(strictness, (seen.get(strictness) ?? 0) + 1);
        if (strictness === "unknown") return;
        const engines = [before, after].map((source) => engineOf([{ source, scope: {} }]));
        for (const { agentId, sessionId, role, roles, words } of requests) {
          const asked = { agentId, sessionId, subject: { roles }, segments: [{ role, text: words.join(" ") }] };
          const [old = 0, now = 0] = engines.map((engine) => ask(engine, asked).response.outcome);
          if (strictness !== "weaker") expect(now).toBeGreaterThanOrEqual(old);
          if (strictness !== "stricter") expect(now).toBeLessThanOrEqual(old);
        }
      }),
      { seed: 20261120, numRuns: 1000 },
    );
    // All four, and not just a few times.
    for (const each of ["stricter", "weaker", "equal", "unknown"]) expect(seen.get(each)).toBeGreaterThan(25);
  });

  it("turns round when the versions do", () => {
    const opposite = { stricter: "weaker", weaker: "stricter", equal: "equal", unknown: "unknown" };
    fc.assert(
      fc.property(policy, edit, (model, change) => {
        const [before, after] = [documentOf(model), documentOf(edited(model, change))];
        const there = diffPolicies(before, after, sampleKit.definitions).strictness;
        expect(diffPolicies(after, before, sampleKit.definitions).strictness).toBe(opposite[there]);
      }),
      { seed: 20261120, numRuns: 1000 },
    );
  });
});

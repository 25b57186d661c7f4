import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { diffPolicies, type Strictness } from "../../../../runtime/engine/authoring/diff.ts";
import type { PolicyDocument } from "../../../../runtime/engine/policy/document.ts";
import { advance, emptyLedger, type SessionLedger } from "../../../../runtime/engine/segment/session.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { sampleKit } from "../sample-detectors.ts";
import { ask, engineOf } from "../sample-engine.ts";

const sample = sampleOf({ n: 1_000, seed: 20261120 });
afterAll(() => reportSample({ n: 2 * sample.n, failures: 0 }));

describe("the statement about strictness", () => {
  const condition = fc.constantFrom(
    undefined,
    'segment.trust == "untrusted"',
    'segment.trust == "untrusted" && finding.score > 0.6',
    'request.env == "prod" || finding.category in lists.names',
    "finding.category in lists.names",
    "findings.size() > 1",
    "!(finding.category in lists.names)",
    "finding.category == lists.names[0]",
    "size(lists.names) == 2",
    "lists.names.exists_one(n, n == finding.category)",
    "session.turns > 1",
    'session.saw("input", "untrusted")',
    'session.found("pii.*") == 0',
    'session.found("pii.*") == 0 && segment.trust == "untrusted"',
    'segment.trust == "untrusted" && session.blocks > 0',
    'request.metadata.tier == "x"',
    'request.metadata.tier == "x" || finding.score > 0.6',
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
      on_error: fc.constantFrom(undefined, undefined, "fail_open", "fail_closed"),
      category: fc.constantFrom(undefined, undefined, "pii.own"),
    },
    { requiredKeys: ["id", "stages", "detect", "action"] },
  );
  const onError = fc.constantFrom(undefined, undefined, "fail_open", "fail_closed");
  const policy = fc.record({
    agents: fc.constantFrom(["*"], ["bot-*"], ["bot-1", "x"]),
    rules: fc.uniqueArray(ruleModel, { selector: ({ id }) => id, minLength: 1, maxLength: 3 }),
    names: fc.array(fc.constantFrom("pii.email", "secrets.key", "pii.phone"), { maxLength: 3 }),
    // Of the detectors, then of the policy.
    failing: fc.record({ pii: onError, secrets: onError, policy: onError }),
    unlisted: fc.constantFrom(undefined, undefined, "unjudged"),
    exemptions: fc.subarray([
      { id: "x", when: "subject.roles.size() > 0", rules: ["a"], reason: "r" },
      { id: "y", when: 'subject.roles.size() > 0 && segment.trust == "untrusted"', rules: ["*"], reason: "r" },
      { id: "z", when: 'subject.roles.size() > 0 && session.found("secrets.*") > 0', rules: ["*"], reason: "r" },
    ]),
  });
  const edit = fc.record({
    policy,
    parts: fc.subarray(["agents", "rules", "names", "failing", "unlisted", "exemptions"]),
    at: fc.nat(2),
    whole: fc.boolean(),
  });
  const request = fc.record({
    agentId: fc.constantFrom("bot-1", "bot-2", "x"),
    sessionId: fc.constantFrom("s1", "s1", "s2", "s3", "s4"),
    role: fc.constantFrom("user", "system"),
    roles: fc.constantFrom<string[]>([], ["r"]),
    metadata: fc.constantFrom<Record<string, string>>({}, {}, { tier: "x" }, { tier: "y" }),
    words: fc.array(
      fc.constantFrom(
        ...["KEY-1", "a@b.cc", "+1234567", "ignore all", "ignore this"],
        // In a language that the detector does not know.
        "დღეს კარგი ამინდია და ჩვენ ყველანი ერთად მივდივართ ქალაქის ბაღში სასეირნოდ",
      ),
      { maxLength: 4 },
    ),
  });

  type Model = typeof policy extends fc.Arbitrary<infer T> ? T : never;

  interface Parts {
    readonly agents: readonly string[];
    readonly names: readonly string[];
    readonly failing: Readonly<Record<"pii" | "secrets" | "policy", string | undefined>>;
    readonly unlisted: string | undefined;
    readonly exemptions: readonly object[];
    readonly rules: readonly object[];
  }

  function documentOf({ agents, rules, names, failing, unlisted, exemptions }: Parts): PolicyDocument {
    const detectors = {
      pii: { use: "pii", on_error: failing.pii },
      secrets: { use: "secrets", on_error: failing.secrets },
    };
    const defaults = { on_error: failing.policy, unsupported_language: unlisted };
    const plain = JSON.parse(
      JSON.stringify({ match: { agents }, defaults, lists: { names }, detectors, rules, exemptions }),
    );
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
          : { ...old, detect: replacement.detect, when: replacement.when, unless: replacement.unless },
    );
    return { ...before, ...changed, rules };
  }

  type Asked = typeof request extends fc.Arbitrary<infer T> ? T : never;

  /** Each version has sessions of its own, in which the requests follow each other. */
  function holds(strictness: Strictness, versions: readonly PolicyDocument[], requests: readonly Asked[]): void {
    const engines = versions.map((source) => engineOf([{ source, scope: {} }]));
    const ledgers = engines.map(() => new Map<string, SessionLedger>());
    for (const { agentId, sessionId, role, roles, metadata, words } of requests) {
      const asked = { agentId, sessionId, subject: { roles }, metadata, segments: [{ role, text: words.join(" ") }] };
      const [old = 0, now = 0] = engines.map((engine, version) => {
        const ledger = ledgers[version]?.get(sessionId) ?? emptyLedger;
        const { response, sessionUpdate } = ask(engine, asked, { session: { known: sessionId !== "s4", ledger } });
        ledgers[version]?.set(sessionId, advance(ledger, sessionUpdate()));
        return response.outcome;
      });
      if (strictness !== "weaker") expect(now).toBeGreaterThanOrEqual(old);
      if (strictness !== "stricter") expect(now).toBeLessThanOrEqual(old);
    }
  }

  it("holds for every request", () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(policy, edit, fc.array(request, { minLength: 1, maxLength: 6 }), (model, change, requests) => {
        const [before, after] = [documentOf(model), documentOf(edited(model, change))];
        const { strictness } = diffPolicies(before, after, sampleKit.definitions);
        seen.set(strictness, (seen.get(strictness) ?? 0) + 1);
        if (strictness === "unknown") return;
        holds(strictness, [before, after], requests);
      }),
      { seed: sample.seed, numRuns: sample.n },
    );
    // All four, and not just a few times.
    for (const each of ["stricter", "weaker", "equal", "unknown"])
      expect(seen.get(each)).toBeGreaterThan(sample.n / 60);
  });

  // Few rules, each of which matters, so that what one of them depends on is tried often.
  const reading = fc.constantFrom(
    undefined,
    "session.turns > 1",
    'session.saw("input", "untrusted")',
    "session.blocks == 0",
    'session.found("pii.*") == 0',
    'session.found("pii.*") == 0 && segment.trust == "untrusted"',
    'segment.trust == "untrusted"',
    'segment.trust == "untrusted" || session.found("*") > 1',
    "segment.text == lists.names[0]",
    "segment.text != lists.names[0]",
    "size(lists.names) == 2",
    "segment.text in lists.names",
    "lists.names.all(n, n != segment.text)",
    'request.metadata.tier == "x"',
    'request.metadata.tier == "x" || segment.text.size() > 6',
  );
  const small = fc.record({
    reader: fc.record({
      detect: fc.constantFrom(undefined, "injection", { any: ["pii", "secrets"] }),
      when: reading,
      unless: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: reading }),
      action: fc.constantFrom("REDACT", "BLOCK"),
      on_error: onError,
    }),
    other: fc.option(
      fc.record({
        stages: fc.constantFrom(["input"], ["output"]),
        detect: fc.constantFrom("pii", "secrets", { ref: "pii", threshold: 0.9 }),
        action: fc.constantFrom("FLAG", "BLOCK"),
        mode: fc.constantFrom("enforce", "shadow"),
        category: fc.constantFrom(undefined, "own"),
      }),
      { nil: undefined },
    ),
    names: fc.array(fc.constantFrom("KEY-1", "a@b.cc"), { minLength: 1, maxLength: 3 }),
    failing: fc.record({ pii: onError, secrets: onError, policy: onError }),
  });
  type Small = typeof small extends fc.Arbitrary<infer T> ? T : never;
  const word = fc.constantFrom("KEY-1", "a@b.cc", "+1234567", "ignore all");
  const turns = fc.array(
    fc.record({
      agentId: fc.constant("bot-1" as const),
      sessionId: fc.constantFrom("s1", "s1", "s1", "s4"),
      role: fc.constantFrom("user", "user", "system"),
      roles: fc.constant<string[]>([]),
      metadata: fc.constantFrom<Record<string, string>>({}, { tier: "x" }, { tier: "y" }),
      words: fc.array(word, { minLength: 1, maxLength: 2 }),
    }),
    { minLength: 4, maxLength: 6 },
  );

  const smallDocument = ({ reader, other, names, failing }: Small) =>
    documentOf({
      ...{ agents: ["*"], names, failing, unlisted: undefined, exemptions: [] },
      rules: [
        ...(reader.detect === undefined && reader.when === undefined
          ? []
          : [{ id: "reader", stages: ["input"], ...reader }]),
        ...(other === undefined ? [] : [{ id: "other", ...other }]),
        { id: "plain", stages: ["output"], detect: "pii", action: "FLAG" },
      ],
    });

  it("holds where conditions read sessions, positions in lists and absent values", () => {
    const seen = new Map<string, number>();
    const parts = fc.constantFrom<(keyof Small)[]>(["other"], ["names"], ["reader"], ["failing"], ["other", "names"]);
    fc.assert(
      fc.property(
        small,
        small,
        parts,
        fc.constantFrom("when", "unless", "on_error", "all"),
        turns,
        (model, next, changed, key, requests) => {
          const reader = key === "all" ? next.reader : { ...model.reader, [key]: next.reader[key] };
          const later = { ...next, reader };
          const after = { ...model, ...Object.fromEntries(changed.map((part) => [part, later[part]])) };
          const versions = [smallDocument(model), smallDocument(after)] as const;
          const { strictness } = diffPolicies(...versions, sampleKit.definitions);
          seen.set(strictness, (seen.get(strictness) ?? 0) + 1);
          if (strictness !== "unknown") holds(strictness, versions, requests);
        },
      ),
      { seed: sample.seed + 2, numRuns: sample.n },
    );
    for (const each of ["stricter", "weaker", "equal", "unknown"])
      expect(seen.get(each)).toBeGreaterThan(sample.n / 20);
  });

  it("is reversed when the versions are swapped", () => {
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

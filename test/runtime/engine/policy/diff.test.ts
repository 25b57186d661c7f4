import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffPolicies } from "../../../../runtime/engine/policy/diff.ts";
import type { PolicyDocument } from "../../../../runtime/engine/policy/document.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { sampleKit } from "../sample-detectors.ts";
import { ask, engineOf } from "../sample-engine.ts";

const head = "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: p}\n";

function document(body: string): PolicyDocument {
  const { policy, problems } = parsePolicy(head + body);
  if (policy === undefined) throw new Error(JSON.stringify(problems));
  return policy;
}

function diff(before: string, after: string) {
  const { changes, strictness, reasons } = diffPolicies(document(before), document(after));
  return { told: changes.map(({ text, effect }) => `${effect}: ${text}`), strictness, reasons, changes };
}

const rule = (more: string) => `rules:\n  - {id: r, stages: [input], action: BLOCK, ${more}}\n`;
const secrets = "rules:\n  - {id: r, stages: [input], detect: secrets, action: BLOCK}\n";

describe("a difference of rules is told in the terms of the language", () => {
  it.each([
    ["the same", secrets, secrets, [], "equal"],
    [
      "defaults that are written out",
      rule("detect: pii, when: segment.length > 1"),
      `defaults: {mode: enforce, on_error: fail_closed, timeout_ms: 1000, record: full}\n${rule("detect: pii, when: segment.length > 1, severity: high, mode: enforce, on_error: fail_closed, rollout: {percent: 100}, redact: {style: placeholder, reversible: false}, locked: false")}`,
      [],
      "equal",
    ],
    [
      "another fail mode, told for each detector and for the conditions",
      rule("detect: {any: [pii, secrets]}, when: segment.length > 1"),
      rule("detect: {any: [pii, secrets]}, when: segment.length > 1, on_error: fail_open"),
      [
        'weaker: rule "r": pii fails open when it cannot judge',
        'weaker: rule "r": secrets fails open when it cannot judge',
        'weaker: rule "r": fails open when it cannot be judged',
      ],
      "weaker",
    ],
    [
      "a fail mode of a detector alone",
      `detectors: {d: {use: pii}}\n${rule("detect: {any: [d, secrets]}")}`,
      `detectors: {d: {use: pii, on_error: fail_open}}\n${rule("detect: {any: [d, secrets]}")}`,
      ['weaker: rule "r": d fails open when it cannot judge'],
      "weaker",
    ],
    [
      "a shadow that ends",
      rule("detect: pii"),
      rule("detect: pii, mode: shadow, shadow: {until: 2027-01-01T00:00:00Z}"),
      ['weaker: rule "r": mode shadow until 2027-01-01T00:00:00Z, then enforce instead of enforce'],
      "weaker",
    ],
    [
      "a shadow that ends sooner",
      rule("detect: pii, mode: shadow, shadow: {until: 2027-01-01T00:00:00Z}"),
      rule("detect: pii, mode: shadow, shadow: {until: 2026-12-01T00:00:00Z}"),
      [
        'stricter: rule "r": mode shadow until 2026-12-01T00:00:00Z, then enforce instead of shadow until 2027-01-01T00:00:00Z, then enforce',
      ],
      "stricter",
    ],
    [
      "originals that can be put back",
      rule("detect: pii").replace("BLOCK", "REDACT"),
      rule("detect: pii, redact: {reversible: true, ttl: 30m}").replace("BLOCK", "REDACT"),
      ['neutral: rule "r": originals can be put back, for 30m'],
      "equal",
    ],
    [
      "a list that is kept elsewhere",
      `lists: {own: [a.com]}\n${rule("detect: pii, unless: finding.domain in lists.own")}`,
      `lists: {own: {named: true, default: [a.com]}}\n${rule("detect: pii, unless: finding.domain in lists.own")}`,
      ['unknown: list "own": kept beside the policies, under this name'],
      "unknown",
    ],
    [
      "a rule more",
      secrets,
      `${secrets}  - {id: s, stages: [input, output], detect: pii, action: FLAG}\n`,
      ['stricter: rule "s" added: FLAG at input, output'],
      "stricter",
    ],
    [
      "a shadow rule more",
      secrets,
      `${secrets}  - {id: s, stages: [input], detect: pii, action: FLAG, mode: shadow}\n`,
      ['neutral: rule "s" added: FLAG at input, shadow'],
      "equal",
    ],
    ["another name", secrets, secrets.replace("id: r", "id: key"), ['neutral: rule "r" renamed to "key"'], "equal"],
    [
      "a lower threshold",
      rule("detect: {ref: pii, threshold: 0.7}"),
      rule("detect: pii"),
      ['stricter: rule "r": threshold of pii lowered from 0.7 to 0.5'],
      "stricter",
    ],
    [
      "an inherited threshold",
      `detectors: {mine: {use: pii}}\n${rule("detect: mine")}`,
      `detectors: {mine: {use: pii, threshold: 0.9}}\n${rule("detect: mine")}`,
      ['weaker: rule "r": threshold of mine raised from 0.5 to 0.9'],
      "weaker",
    ],
    [
      "a milder action",
      secrets,
      secrets.replace("BLOCK", "FLAG"),
      ['weaker: rule "r": milder action: FLAG instead of BLOCK'],
      "weaker",
    ],
    [
      "an inherited mode",
      secrets,
      `defaults: {mode: shadow}\n${secrets}`,
      ['weaker: rule "r": mode shadow instead of enforce'],
      "weaker",
    ],
    [
      "a shadow rule that changes and is enforced",
      rule("detect: pii, mode: shadow"),
      rule("detect: {ref: pii, threshold: 0.9}"),
      [
        'stricter: rule "r": mode enforce instead of shadow',
        'neutral: rule "r": threshold of pii raised from 0.5 to 0.9',
      ],
      "stricter",
    ],
    [
      "stages both ways",
      secrets,
      secrets.replace("[input]", "[output]"),
      ['unknown: rule "r": also runs at output, no longer runs at input'],
      "unknown",
    ],
    [
      "a wider roll-out",
      rule("detect: pii, rollout: {percent: 10}"),
      rule("detect: pii"),
      ['stricter: rule "r": rolled out to 100 percent instead of 10'],
      "stricter",
    ],
    [
      "one more detector of a conjunction",
      rule("detect: {all: [pii, secrets]}"),
      rule("detect: {all: [pii, secrets, injection]}"),
      ['weaker: rule "r": also detects injection, needs 3 of 3 detectors instead of 2 of 2'],
      "weaker",
    ],
    [
      "fewer entities",
      rule("detect: {ref: pii, entities: [EMAIL, CREDIT_CARD, IBAN]}"),
      rule("detect: {ref: pii, entities: [EMAIL]}"),
      ['weaker: rule "r": entities of pii: no longer CREDIT_CARD, IBAN'],
      "weaker",
    ],
    [
      "another sensitivity",
      `detectors: {i: {use: injection}}\n${rule("detect: i")}`,
      `detectors: {i: {use: injection, sensitivity: strict}}\n${rule("detect: i")}`,
      ['stricter: rule "r": sensitivity of i: strict instead of auto'],
      "stricter",
    ],
    [
      "a narrower condition",
      rule(`detect: pii, when: 'segment.trust == "untrusted"'`),
      rule(`detect: pii, when: '(segment.trust=="untrusted") && request.env == "prod"'`),
      [
        'weaker: rule "r": matches less: when (segment.trust=="untrusted") && request.env == "prod" instead of segment.trust == "untrusted"',
      ],
      "weaker",
    ],
    [
      "a condition in other words",
      rule(`detect: pii, when: 'segment.trust == "untrusted"'`),
      rule(`detect: pii, when: '(segment.trust   ==  "untrusted")'`),
      [],
      "equal",
    ],
    [
      "what redaction leaves",
      "rules:\n  - {id: r, stages: [input], detect: pii, action: REDACT}\n",
      "rules:\n  - {id: r, stages: [input], detect: pii, action: REDACT, redact: {style: partial}}\n",
      ['weaker: rule "r": redaction partial instead of placeholder, which leaves more of the text'],
      "weaker",
    ],
    [
      "words",
      secrets,
      rule("detect: secrets, message: No., severity: low"),
      ['neutral: rule "r": severity added', 'neutral: rule "r": message added'],
      "equal",
    ],
  ])("%s", (_, before, after, told, strictness) => {
    const found = diff(before, after);
    expect(found.told).toEqual(told);
    expect(found.strictness).toBe(strictness);
  });

  it("names the place and both values", () => {
    const { changes } = diff(secrets, secrets.replace("BLOCK", "FLAG"));
    expect(changes).toEqual([
      {
        kind: "action_changed",
        path: 'rules["r"].action',
        rule: "r",
        text: 'rule "r": milder action: FLAG instead of BLOCK',
        before: "BLOCK",
        after: "FLAG",
        effect: "weaker",
      },
    ]);
  });

  it("does not decide where a condition reads what the policy finds", () => {
    const counting = `${secrets}  - {id: s, stages: [input], when: findings.size() > 1, action: FLAG}\n`;
    const { strictness, reasons } = diff(
      counting,
      `${counting}  - {id: t, stages: [input], detect: pii, action: FLAG}\n`,
    );
    expect(strictness).toBe("unknown");
    expect(reasons).toContain("unknown: a condition reads findings, and what is found has changed");
  });
});

describe("a difference of what is around the rules is told", () => {
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

import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { FailMode, Outcome, Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { diffPolicies } from "../../../../runtime/engine/authoring/diff.ts";
import { sampleKit } from "../sample-detectors.ts";
import { ask, engineOf, policyOf } from "../sample-engine.ts";
import { outcomeOf, rules } from "../sample-policy.ts";

describe("when and unless", () => {
  const own = `lists: {own_domains: [example.com]}\n${rules(
    "id: mail, stages: [input], detect: {ref: pii, entities: [EMAIL]}, unless: finding.domain in lists.own_domains, action: FLAG",
  )}`;

  it("judge each finding on its own", () => {
    const { response } = ask(engineOf([own]), { text: "a@example.com b@other.net" });
    expect(response.findings).toMatchObject([{ start: 14, end: 25 }]);
  });

  it("count only the findings that they accept", () => {
    const policy = rules(
      "id: a, stages: [input], detect: {all: [pii, secrets]}, when: 'finding.detector == \"secrets\"', action: BLOCK",
    );
    expect(outcomeOf(policy, "KEY-1 a@b.cc")).toBe(Outcome.ALLOW);
  });

  it("match a whole segment when a rule has no detector", () => {
    const policy = rules("id: long, stages: [input], when: segment.length > 5, action: BLOCK");
    expect(
      ask(engineOf([policy]), { segments: [{ text: "short" }, { text: "longer" }] }).response.findings,
    ).toMatchObject([{ ruleId: "long", detector: "condition", segment: "s2", start: 0, end: 6 }]);
  });

  it("see all findings of the policy's detectors", () => {
    const policy = rules(
      'id: a, stages: [input], detect: secrets, when: \'findings.exists(f, f.category == "pii.email" && f.segment == "s2")\', action: BLOCK',
      "id: b, stages: [output], detect: pii, action: FLAG",
    );
    const segments = (text: string) =>
      ask(engineOf([policy]), { segments: [{ text: "KEY-1" }, { text }] }).response.outcome;
    expect(segments("nothing")).toBe(Outcome.ALLOW);
    expect(segments("a@b.cc")).toBe(Outcome.BLOCK);
  });

  it("list a condition without a value as unjudged, and count it as on_error says", () => {
    const policy = (onError: string) =>
      rules(
        `id: a, stages: [input], detect: secrets, when: request.metadata.tier == "gold", action: BLOCK, on_error: ${onError}`,
      );
    const closed = ask(engineOf([policy("fail_closed")]), { text: "KEY-1" }).response;
    expect(closed).toMatchObject({
      outcome: Outcome.BLOCK,
      unjudged: [{ detector: "secrets", reason: "condition_error", onError: FailMode.FAIL_CLOSED }],
    });
    const open = ask(engineOf([policy("fail_open")]), { text: "KEY-1" }).response;
    expect(open).toMatchObject({ outcome: Outcome.ALLOW, unjudged: [{ onError: FailMode.FAIL_OPEN }] });
    const known = ask(engineOf([policy("fail_closed")]), { text: "KEY-1", metadata: { tier: "tin" } }).response;
    expect(known).toMatchObject({ outcome: Outcome.ALLOW, unjudged: [] });
  });

  it("do not judge lists that are longer than their cost was reckoned for", () => {
    const policy = rules(
      "id: a, stages: [input], detect: secrets, when: 'request.metadata.l.exists(x, x == \"a\")', action: BLOCK",
    );
    const metadata = { l: Array.from({ length: 5000 }, () => "b") };
    expect(ask(engineOf([policy]), { text: "KEY-1", metadata }).response).toMatchObject({
      outcome: Outcome.BLOCK,
      unjudged: [{ reason: "condition_limit" }],
    });
  });

  /** An engine of a policy that was stored when conditions might cost more. */
  const storedEngine = (onError: string, expensive: { readonly when: string }) => {
    const policy = policyOf(
      rules(`id: a, stages: [input], detect: secrets, when: "true", action: BLOCK, on_error: ${onError}`),
    );
    const [rule] = policy.rules;
    if (rule === undefined) throw new Error("a rule is missing");
    return engineOf([{ source: { ...policy, rules: [{ ...rule, ...expensive }] }, scope: {} }]);
  };

  it.each([
    ["fail_closed", Outcome.BLOCK, FailMode.FAIL_CLOSED],
    ["fail_open", Outcome.ALLOW, FailMode.FAIL_OPEN],
  ])(
    "never run a stored condition that is too expensive by now, and %s says what that means",
    (mode, outcome, onError) => {
      const when = `["aaaaaaaa"]${".map(x, x+x+x)".repeat(15)}[0].size() > 0`;
      expect(ask(storedEngine(mode, { when }), { text: "KEY-1" }).response).toMatchObject({
        outcome,
        unjudged: [{ detector: "secrets", reason: "condition_too_expensive", onError }],
      });
    },
  );

  it("are explained with that reason", () => {
    const when = 'segment.text + "x" == "x" || finding.detector == "secrets"';
    const engine = storedEngine("fail_closed", { when });
    const { explanation } = engine.explain(create(EvaluateRequestSchema, { text: "KEY-1" }), {
      ...{ stage: Stage.INPUT, now: new Date(0), evaluationId: "e", fingerprintKey: new Uint8Array(32) },
      ...{ bundle: create(BundleReferenceSchema), elapsedUs: () => 180 },
    });
    expect(JSON.stringify(explanation)).toContain('"problem":"condition_too_expensive"');
  });

  it("leave a condition unjudged when a request makes its sum too large", () => {
    const when = 'request.metadata.a + request.metadata.b == "x"';
    const engine = engineOf([rules(`id: a, stages: [input], detect: secrets, when: '${when}', action: BLOCK`)]);
    const judged = (length: number) =>
      ask(engine, { text: "KEY-1", metadata: { a: "x".repeat(length), b: "y" } }).response;
    expect(judged(60_000)).toMatchObject({ outcome: Outcome.ALLOW, unjudged: [] });
    expect(judged(65_536)).toMatchObject({
      outcome: Outcome.BLOCK,
      unjudged: [{ reason: "condition_too_expensive" }],
    });
  });

  it.each([
    ["fail_closed", Outcome.BLOCK],
    ["fail_open", Outcome.ALLOW],
  ])("end with the time of the evaluation, and %s says what that means", (mode, outcome) => {
    const words = `lists: {words: [${Array.from({ length: 4_000 }, (_, i) => `w${i}`)}]}`;
    const when = "subject.roles.all(r, lists.words.all(w, w != r)) || segment.trust == 'never'";
    const rule = `id: a, stages: [input], detect: secrets, when: "${when}", action: BLOCK, on_error: ${mode}`;
    const engine = engineOf([`defaults: {timeout_ms: 50}\n${words}\n${rules(rule)}`]);
    const subject = { roles: Array.from({ length: 60 }, (_, i) => `role${i}`) };
    let asked = 0;
    const slow = () => (++asked < 6 ? 0 : 60_000);
    const late = ask(engine, { text: "KEY-1", subject }, { elapsedUs: slow }).response;
    expect(late).toMatchObject({ outcome, unjudged: [{ detector: "secrets", reason: "timeout" }] });
    expect(asked).toBeLessThan(12);
    expect(ask(engine, { text: "KEY-1", subject }).response).toMatchObject({ outcome: Outcome.BLOCK, unjudged: [] });
  });
});

describe("on_error", () => {
  const modes = [undefined, "fail_open", "fail_closed"] as const;
  type Named = (typeof modes)[number];
  const written = (mode: Named) => (mode === undefined ? "" : `, on_error: ${mode}`);
  const all = modes.flatMap((rule) =>
    modes.flatMap((first) => modes.flatMap((second) => modes.map((usual) => ({ rule, first, second, usual })))),
  );
  const levels = (
    { rule, first, second, usual }: { rule: Named; first: Named; second: Named; usual: Named },
    when: string,
  ) =>
    `defaults: {mode: enforce${written(usual)}}
detectors: {a: {use: pii${written(first)}}, b: {use: secrets${written(second)}}}
${rules(`id: r, stages: [input], detect: {any: [a, b]}, when: ${when}, action: BLOCK${written(rule)}`)}`;

  it.each([
    ["that reads the finding", "'request.metadata.tier == \"x\" && finding.score > 0.5'", true],
    ["that does not", "'request.metadata.tier == \"x\"'", false],
    ["of a session that nobody knows", "session.turns > 0", false],
  ])("is the rule's, else the detector's, else the policy's, for a condition %s", (_, when, isOfFinding) => {
    for (const each of all) {
      const { rule, first, second, usual } = each;
      const [ofFirst, ofSecond] = [first, second].map((own) => rule ?? own ?? usual ?? "fail_closed");
      // What is not about a finding is about both detectors: one that fails closed suffices.
      const expected = isOfFinding || ofFirst === "fail_closed" ? ofFirst : ofSecond;
      const source = levels(each, when);
      const { response } = ask(engineOf([source]), { text: "a@b.cc" });
      const mode = expected === "fail_closed" ? FailMode.FAIL_CLOSED : FailMode.FAIL_OPEN;
      expect(response.outcome, source).toBe(expected === "fail_closed" ? Outcome.BLOCK : Outcome.ALLOW);
      expect(response.unjudged, source).toMatchObject([{ onError: mode }]);
      const [implied, explicit] = [source, levels({ ...each, first: ofFirst, second: ofSecond }, when)].map((text) =>
        policyOf(text),
      );
      if (implied === undefined || explicit === undefined) throw new Error("two policies are compared");
      expect(diffPolicies(implied, explicit, sampleKit.definitions).strictness, source).toBe("equal");
    }
  });
});

import { describe, expect, it } from "vitest";
import {
  DetailLevel,
  Mode,
  OffsetUnit,
  Outcome,
  Severity,
  Stage,
  Trust,
} from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { ask, engineOf } from "./sample-engine.ts";
import { block, named, outcomeOf, rules } from "./sample-policy.ts";

const flag = rules("id: mail, stages: [input], detect: {ref: pii, entities: [EMAIL]}, action: FLAG");
const hide = rules("id: mail, stages: [input], detect: {ref: pii, entities: [EMAIL]}, action: REDACT");

describe("an evaluation", () => {
  it("allows a text that no rule matches", () => {
    const { response, decidedByRule, decidedByPolicy } = ask(engineOf([block]), { text: "hello" });
    expect(response).toMatchObject({
      outcome: Outcome.ALLOW,
      blocked: false,
      wouldBeOutcome: Outcome.ALLOW,
      findings: [],
    });
    expect(response).toMatchObject({ bundle: { version: 41, activationSeq: 57 }, latencyUs: 180 });
    expect([decidedByRule, decidedByPolicy]).toEqual(["", ""]);
  });

  it("reports a finding without the matched text", () => {
    const { response } = ask(engineOf([named("guard", block)]), { text: "my KEY-12 is" });
    expect(response).toMatchObject({ outcome: Outcome.BLOCK, blocked: true, redactedSegments: [] });
    expect(response.findings).toMatchObject([
      {
        ruleId: "key",
        policy: "guard",
        detector: "secrets",
        category: "secrets.key",
        severity: Severity.HIGH,
        action: Outcome.BLOCK,
      },
    ]);
    expect(response.findings).toMatchObject([
      {
        mode: Mode.ENFORCE,
        segment: "s1",
        start: 3,
        end: 9,
        score: 1,
        threshold: 0.5,
        layer: "plain",
      },
    ]);
    expect(response.findings[0]?.fingerprint).toMatch(/^hmac:[0-9a-f]{32}$/);
    expect(response.text).toBeUndefined();
    expect(JSON.stringify(response)).not.toContain("KEY-12");
  });

  it("gives equal texts equal fingerprints, and different ones under another key", () => {
    const engine = engineOf([block]);
    const prints = (key: number) =>
      ask(engine, { text: "KEY-1 KEY-1 KEY-2" }, { fingerprintKey: new Uint8Array(32).fill(key) }).findings.map(
        ({ fingerprint }) => fingerprint,
      );
    const [first, second, third] = prints(1);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(prints(2)[0]).not.toBe(first);
  });

  it("takes the strictest enforced action of all policies", () => {
    const engine = engineOf([named("a", flag), named("b", hide), named("c", block)]);
    expect(ask(engine, { text: "a@b.cc" }).response.outcome).toBe(Outcome.REDACT);
    expect(ask(engine, { text: "a@b.cc KEY-1" }).response.outcome).toBe(Outcome.BLOCK);
  });

  it("judges each stage by its own rules", () => {
    const engine = engineOf([rules("id: a, stages: [output], detect: secrets, action: BLOCK")]);
    expect(ask(engine, { text: "KEY-1" }).response.outcome).toBe(Outcome.ALLOW);
    expect(ask(engine, { text: "KEY-1" }, { stage: Stage.OUTPUT }).response.outcome).toBe(Outcome.BLOCK);
  });

  it("ranks by severity, then by the policy's name, then by the order of rules", () => {
    const grave = rules(
      "id: low, stages: [input], detect: secrets, action: BLOCK, severity: low, message: low",
      "id: first, stages: [input], detect: secrets, action: BLOCK, severity: critical, message: first",
      "id: second, stages: [input], detect: secrets, action: BLOCK, severity: critical, message: second",
    );
    const { response, decidedByRule, decidedByPolicy } = ask(engineOf([named("b", grave), named("a", grave)]), {
      text: "KEY-1",
    });
    expect([decidedByPolicy, decidedByRule, response.message]).toEqual(["a", "first", "first"]);
  });

  it.each([
    ["de-AT", "nein"],
    ["EN", "no"],
    ["fr", "no"],
    [undefined, "no"],
  ])("speaks the language of the request: %s", (language, message) => {
    const policy = rules(
      "id: a, stages: [input], detect: secrets, action: BLOCK, message: {de: nein, en: no, xx: other}",
    );
    expect(ask(engineOf([policy]), { text: "KEY-1", language }).response.message).toBe(message);
  });

  it("falls back to the first language by name when there is no English", () => {
    const policy = rules("id: a, stages: [input], detect: secrets, action: BLOCK, message: {pl: nie, de: nein}");
    expect(ask(engineOf([policy]), { text: "KEY-1", language: "auto" }).response.message).toBe("nein");
  });

  it.each([
    ["zh-Hant-TW", "traditional"],
    ["zh-TW", "simplified"],
    ["zh-Hans-CN", "simplified"],
    ["it", "german"],
  ])("falls back to the nearest wider language, then to the first by the alphabet: %s", (language, message) => {
    const policy = rules(
      "id: a, stages: [input], detect: secrets, action: BLOCK, message: {zh-Hant: traditional, zh: simplified, fr: french, de: german}",
    );
    expect(ask(engineOf([policy]), { text: "KEY-1", language }).response.message).toBe(message);
  });

  it("uses the detected language, even when the response does not show it", () => {
    const text = "Guten Tag, wo bleibt denn meine Bestellung?";
    const asked = (language?: string) =>
      ask(engineOf([block]), { text, ...(language && { language }), options: { detail: DetailLevel.NONE } });
    expect(asked("auto").language).toBe("de");
    expect(asked("auto").response.language).toBeUndefined();
    expect(asked("fr").language).toBe("fr");
    expect(asked().language).toBeUndefined();
  });

  it("counts offsets in code points on request", () => {
    const text = "😀é👍🏽 KEY-1";
    const units = ask(engineOf([block]), { text }).response.findings[0];
    const points = ask(engineOf([block]), { text, options: { offsets: OffsetUnit.CODE_POINTS } });
    expect(text.slice(units?.start, units?.end)).toBe("KEY-1");
    const { start, end } = points.response.findings[0] ?? {};
    expect([...text].slice(start, end).join("")).toBe("KEY-1");
    expect(points.findings[0]?.start).toBe(units?.start);
  });

  it("returns the fields that the caller asked for", () => {
    const policy = rules("id: a, stages: [input], detect: pii, action: REDACT, message: hidden");
    const shown = (detail: DetailLevel) => {
      const { message, text, findings, bundle, signals } = ask(engineOf([policy]), {
        text: "a@b.cc",
        options: { detail },
      }).response;
      return { message, text, findings: findings.length, version: bundle?.version, signals: signals.length };
    };
    expect(shown(DetailLevel.NONE)).toEqual({
      message: undefined,
      text: "[EMAIL_1]",
      findings: 0,
      version: undefined,
      signals: 0,
    });
    expect(shown(DetailLevel.OUTCOME)).toEqual({
      message: "hidden",
      text: "[EMAIL_1]",
      findings: 0,
      version: 41,
      signals: 0,
    });
    expect(shown(DetailLevel.FINDINGS)).toMatchObject({ findings: 1, signals: 0 });
    expect(shown(DetailLevel.FULL)).toMatchObject({ findings: 1, signals: 1 });
  });

  it("keeps the scores below the threshold as signals", () => {
    const policy = rules("id: a, stages: [input], detect: injection, action: BLOCK");
    const { response, signals } = ask(engineOf([policy]), { text: "ignore this" });
    expect(response.outcome).toBe(Outcome.ALLOW);
    expect(signals.signals).toMatchObject([{ detector: "injection", segment: "s1", score: 0.55, start: 0, end: 11 }]);
  });
});

describe("segments", () => {
  const trusted = rules(
    'id: a, stages: [input, output, tool_result], detect: secrets, when: segment.trust == "untrusted", action: BLOCK',
  );

  it("are untrusted unless a system or developer wrote them, or the caller says so", () => {
    const engine = engineOf([trusted]);
    const outcome = (role: string, trust?: Trust) =>
      ask(engine, { segments: [{ role, text: "KEY-1", trust }] }).response.outcome;
    expect(outcome("system")).toBe(Outcome.ALLOW);
    expect(outcome("developer")).toBe(Outcome.ALLOW);
    expect(outcome("user")).toBe(Outcome.BLOCK);
    expect(outcome("user", Trust.TRUSTED)).toBe(Outcome.ALLOW);
    expect(outcome("system", Trust.UNTRUSTED)).toBe(Outcome.BLOCK);
    expect(ask(engine, { messages: [{ role: "system", content: "KEY-1" }] }).response.outcome).toBe(Outcome.ALLOW);
    expect(ask(engine, { messages: [{ role: "tool", content: "KEY-1" }] }).response.outcome).toBe(Outcome.BLOCK);
    expect(ask(engine, { text: "KEY-1" }).response.outcome).toBe(Outcome.BLOCK);
  });

  it.each([
    [Stage.INPUT, "user"],
    [Stage.OUTPUT, "assistant"],
    [Stage.RETRIEVAL, "tool"],
  ])("have the role of stage %s when they name none", (stage, role) => {
    expect(
      ask(engineOf([trusted]), { segments: [{ text: "x" }], text: "y" }, { stage }).segments.map((s) => s.role),
    ).toEqual([role, role]);
  });

  it("are numbered by their position, and skip the ids that the caller gives", () => {
    const { segments } = ask(engineOf([trusted]), {
      segments: [{ text: "a" }, { id: "mine", text: "b" }, { text: "c" }],
    });
    expect(segments.map(({ id }) => id)).toEqual(["s1", "mine", "s3"]);
  });
});

describe("detect", () => {
  const composed = (detect: string, text: string) =>
    outcomeOf(rules(`id: a, stages: [input], detect: ${detect}, action: BLOCK`), text);

  it("composes by any, all and quorum", () => {
    expect(composed("{any: [pii, secrets]}", "KEY-1")).toBe(Outcome.BLOCK);
    expect(composed("{all: [pii, secrets]}", "KEY-1")).toBe(Outcome.ALLOW);
    expect(composed("{all: [pii, secrets]}", "KEY-1 a@b.cc")).toBe(Outcome.BLOCK);
    const quorum = "{quorum: {of: [pii, secrets, injection], at_least: 2}}";
    expect(composed(quorum, "KEY-1")).toBe(Outcome.ALLOW);
    expect(composed(quorum, "KEY-1 ignore all")).toBe(Outcome.BLOCK);
  });

  it("narrows by entity, category and threshold", () => {
    expect(composed("{ref: pii, entities: [PHONE]}", "a@b.cc")).toBe(Outcome.ALLOW);
    expect(composed("{ref: pii, categories: [pii.phone]}", "a@b.cc")).toBe(Outcome.ALLOW);
    expect(composed("{ref: pii, categories: ['pii.*']}", "a@b.cc")).toBe(Outcome.BLOCK);
    expect(composed("{ref: pii, entities: [PHONE], threshold: 0.8}", "+491234567")).toBe(Outcome.ALLOW);
    expect(composed("{ref: injection, threshold: 0.5}", "ignore this")).toBe(Outcome.BLOCK);
  });

  it("uses a detector by the name and with the parameters of the policy", () => {
    const policy = `detectors: {brands: {use: words, words: [acme], threshold: 0.2}}\n${rules("id: a, stages: [input], detect: brands, action: FLAG, category: brand")}`;
    expect(ask(engineOf([policy]), { text: "see acme" }).response.findings).toMatchObject([
      { detector: "brands", category: "brand", threshold: 0.2, start: 4, end: 8 },
    ]);
  });
});

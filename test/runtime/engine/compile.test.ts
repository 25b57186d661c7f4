import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import {
  DetailLevel,
  FailMode,
  Mode,
  OffsetUnit,
  Outcome,
  Severity,
  Stage,
  Trust,
} from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { compileEngine } from "../../../runtime/engine/compile.ts";
import { PolicyInvalid } from "../../../runtime/engine/policy/problem.ts";
import { sampleKit } from "./sample-detectors.ts";
import { ask, engineOf } from "./sample-engine.ts";

const rules = (...lines: string[]) => `rules:\n${lines.map((line) => `  - {${line}}\n`).join("")}`;
const named = (name: string, body: string) => `metadata: {name: ${name}}\n${body}`;
const outcomeOf = (policy: string, text: string) => ask(engineOf([policy]), { text }).response.outcome;

const block = rules("id: key, stages: [input], detect: secrets, action: BLOCK");
const flag = rules("id: mail, stages: [input], detect: {ref: pii, entities: [EMAIL]}, action: FLAG");
const hide = rules("id: mail, stages: [input], detect: {ref: pii, entities: [EMAIL]}, action: REDACT");

describe("an evaluation", () => {
  it("allows what no rule matches", () => {
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

  it("gives equal text equal fingerprints, and other keys other ones", () => {
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

  it("lets the gravest severity decide, then the policy's name, then the order of rules", () => {
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

  it("counts offsets in code points on request", () => {
    const text = "😀é👍🏽 KEY-1";
    const units = ask(engineOf([block]), { text }).response.findings[0];
    const points = ask(engineOf([block]), { text, options: { offsets: OffsetUnit.CODE_POINTS } });
    expect(text.slice(units?.start, units?.end)).toBe("KEY-1");
    const { start, end } = points.response.findings[0] ?? {};
    expect([...text].slice(start, end).join("")).toBe("KEY-1");
    expect(points.findings[0]?.start).toBe(units?.start);
  });

  it("shows as much as the caller asked for", () => {
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
    expect(signals).toMatchObject([{ detector: "injection", segment: "s1", score: 0.55, start: 0, end: 11 }]);
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

  it("are numbered by their place, around the ids that the caller gives", () => {
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

  it("list a condition without a value as unjudged, and on_error says what that means", () => {
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
});

describe("modes, roll-outs and exemptions", () => {
  it("report what a shadow rule would have done, without effect", () => {
    const { response } = ask(
      engineOf([rules("id: a, stages: [input], detect: secrets, action: BLOCK, mode: shadow")]),
      { text: "KEY-1" },
    );
    expect(response).toMatchObject({
      outcome: Outcome.ALLOW,
      wouldBeOutcome: Outcome.BLOCK,
      findings: [{ mode: Mode.SHADOW }],
    });
  });

  it("leave a rule that is off out altogether", () => {
    const engine = engineOf([rules("id: a, stages: [input], detect: secrets, action: BLOCK, mode: off")]);
    expect(ask(engine, { text: "KEY-1" }).response).toMatchObject({ wouldBeOutcome: Outcome.ALLOW, findings: [] });
    expect(engine.detectors).toEqual([]);
  });

  it("take the mode of the policy's defaults", () => {
    expect(outcomeOf(`defaults: {mode: shadow}\n${block}`, "KEY-1")).toBe(Outcome.ALLOW);
  });

  it("roll out to a stable share, the same for a session each time", () => {
    const engine = engineOf([
      rules("id: a, stages: [input], detect: secrets, action: BLOCK, rollout: {percent: 30, by: session_id}"),
    ]);
    const blocked = (sessionId: string) => ask(engine, { text: "KEY-1", sessionId }).response.blocked;
    const sessions = Array.from({ length: 1000 }, (_, index) => `session-${index}`);
    const first = sessions.map(blocked);
    expect(sessions.map(blocked)).toEqual(first);
    const share = first.filter(Boolean).length;
    expect(share).toBeGreaterThan(250);
    expect(share).toBeLessThan(350);
    const repeated = () => ask(engine, { text: "KEY-1" }, { evaluationId: crypto.randomUUID() }).response.outcome;
    expect(new Set(Array.from({ length: 20 }, repeated)).size).toBe(1);
  });

  const exempting = (more: string) =>
    `${rules("id: inj.a, stages: [input], detect: secrets, action: BLOCK", "id: other, stages: [input], detect: injection, action: BLOCK")}` +
    `exemptions:\n  - {id: team, when: 'subject.roles.exists(r, r == "red-team")', rules: ["inj.*"], reason: tests${more}}\n`;

  it("exempt by condition, and keep the finding visible", () => {
    const engine = engineOf([exempting("")]);
    const subject = { roles: ["red-team"] };
    expect(ask(engine, { text: "KEY-1", subject }).response).toMatchObject({
      outcome: Outcome.ALLOW,
      wouldBeOutcome: Outcome.BLOCK,
      findings: [{ exemptedBy: "team", mode: Mode.ENFORCE }],
    });
    expect(ask(engine, { text: "KEY-1" }).response.outcome).toBe(Outcome.BLOCK);
    expect(ask(engine, { text: "ignore all", subject }).response.outcome).toBe(Outcome.BLOCK);
  });

  it("end when they expire", () => {
    const subject = { roles: ["red-team"] };
    const engine = engineOf([exempting(", expires: 2026-12-31T00:00:00Z")]);
    expect(ask(engine, { text: "KEY-1", subject }).response.outcome).toBe(Outcome.ALLOW);
    expect(ask(engine, { text: "KEY-1", subject }, { now: new Date("2026-12-31T00:00:00Z") }).response.outcome).toBe(
      Outcome.BLOCK,
    );
  });

  it("never reach into another policy", () => {
    const engine = engineOf([named("a", exempting("")), named("b", exempting("").replace("red-team", "nobody"))]);
    expect(ask(engine, { text: "KEY-1", subject: { roles: ["red-team"] } }).response.outcome).toBe(Outcome.BLOCK);
  });

  it("exempt nobody when their condition has no value", () => {
    const policy = `${block}exemptions: [{id: x, when: subject.attributes.vip == true, rules: [key], reason: r}]\n`;
    expect(ask(engineOf([policy]), { text: "KEY-1" }).response).toMatchObject({
      outcome: Outcome.BLOCK,
      unjudged: [{ detector: "x", reason: "condition_error" }],
    });
  });
});

describe("scope", () => {
  it("is project, agent and environment; match narrows it further", () => {
    const outcome = (scope: object, body = block, agentId?: string) =>
      ask(engineOf([{ source: body, scope }]), { text: "KEY-1", agentId }).response.outcome;
    expect(outcome({ appId: "project-1", env: "prod" })).toBe(Outcome.BLOCK);
    expect(outcome({ appId: "project-2" })).toBe(Outcome.ALLOW);
    expect(outcome({ env: "staging" })).toBe(Outcome.ALLOW);
    expect(outcome({ agentId: "bot" })).toBe(Outcome.ALLOW);
    expect(outcome({ agentId: "bot" }, block, "bot")).toBe(Outcome.BLOCK);
    expect(outcome({}, `match: {agents: ["support-*"]}\n${block}`, "support-eu")).toBe(Outcome.BLOCK);
    expect(outcome({}, `match: {agents: ["support-*"]}\n${block}`, "sales")).toBe(Outcome.ALLOW);
    expect(outcome({}, `match: {agents: ["support-*"]}\n${block}`)).toBe(Outcome.ALLOW);
    expect(outcome({}, `match: {envs: [staging]}\n${block}`)).toBe(Outcome.ALLOW);
    expect(outcome({}, `match: {envs: [staging, prod]}\n${block}`)).toBe(Outcome.BLOCK);
  });

  it("reads the named list with the most specific scope", () => {
    const source = `lists: {own: {named: true}}\n${rules("id: m, stages: [input], detect: pii, unless: finding.domain in lists.own, action: BLOCK")}`;
    const list = (domain: string, scope: object) => ({
      name: "own",
      items: [domain],
      scope: { tenantId: "t", appId: "*", agentId: "*", env: "*", ...scope },
    });
    const engine = engineOf([source], "prod", [
      list("wide.com", {}),
      list("app.com", { appId: "project-1" }),
      list("env.com", { appId: "project-1", env: "prod" }),
      list("agent.com", { agentId: "bot" }),
      list("elsewhere.com", { appId: "project-1", agentId: "bot", env: "staging" }),
      list("foreign.com", { appId: "project-2", agentId: "bot" }),
    ]);
    const outcome = (domain: string, agentId?: string) =>
      ask(engine, agentId === undefined ? { text: `a@${domain}` } : { text: `a@${domain}`, agentId }).response.outcome;
    expect(outcome("env.com")).toBe(Outcome.ALLOW);
    expect(["wide.com", "app.com", "agent.com"].map((domain) => outcome(domain))).toEqual(Array(3).fill(Outcome.BLOCK));
    expect(outcome("agent.com", "bot")).toBe(Outcome.ALLOW);
    expect(["env.com", "elsewhere.com", "foreign.com"].map((domain) => outcome(domain, "bot"))).toEqual(
      Array(3).fill(Outcome.BLOCK),
    );
  });

  it("cannot judge by a named list that nobody keeps, unless the policy has a default for it", () => {
    const rule = "id: m, stages: [input], detect: pii, unless: finding.domain in lists.own, action: BLOCK";
    const { response } = ask(engineOf([`lists: {own: {named: true}}\n${rules(rule)}`]), { text: "a@b.com" });
    expect(response.outcome).toBe(Outcome.BLOCK);
    expect(response.unjudged).toMatchObject([{ detector: "pii", reason: "condition_error" }]);
    const calm = engineOf([`lists: {own: {named: true, default: [b.com]}}\n${rules(rule)}`]);
    expect(ask(calm, { text: "a@b.com" }).response.outcome).toBe(Outcome.ALLOW);
  });

  it("keeps a policy's own list from all others", () => {
    const policy = (name: string, domain: string) =>
      `metadata: {name: ${name}}\nlists: {own: [${domain}]}\n${rules("id: m, stages: [input], detect: pii, unless: finding.domain in lists.own, action: BLOCK")}`;
    const engine = engineOf([policy("one", "a.com"), { source: policy("two", "b.com"), scope: { agentId: "bot" } }]);
    expect(ask(engine, { text: "x@a.com", agentId: "bot" }).findings.map((each) => each.policy)).toEqual(["two"]);
    expect(ask(engine, { text: "x@b.com", agentId: "bot" }).findings.map((each) => each.policy)).toEqual(["one"]);
  });

  it("refuses a bundle with a policy that this version cannot run", () => {
    const document = { apiVersion: "policyguard/v2" };
    const scope = { tenantId: "*", appId: "*", agentId: "*", env: "*" };
    const policies = [{ policyId: "x", name: "x", version: 1, scope, document }];
    expect(() => compileEngine({ policies, environment: "prod", projectId: "p" }, sampleKit)).toThrow(PolicyInvalid);
  });
});

describe("the time budget", () => {
  const clock = (stepUs: number) => {
    let now = 0;
    return () => (now += stepUs);
  };

  it("lists what it did not suffice for, and fails as the rule says", () => {
    const closed = ask(engineOf([block]), { text: "KEY-1" }, { elapsedUs: clock(700_000) });
    expect(closed.response).toMatchObject({
      outcome: Outcome.BLOCK,
      unjudged: [{ detector: "secrets", reason: "timeout" }],
    });
    const open = `defaults: {on_error: fail_open}\n${block}`;
    expect(ask(engineOf([open]), { text: "KEY-1" }, { elapsedUs: clock(700_000) }).response).toMatchObject({
      outcome: Outcome.ALLOW,
      unjudged: [{ reason: "timeout", onError: FailMode.FAIL_OPEN }],
    });
  });

  it("is the shorter of the policy's and the request's", () => {
    const engine = engineOf([`defaults: {timeout_ms: 100}\n${block}`]);
    const unjudged = (elapsedMs: number, timeoutMs?: number) =>
      ask(engine, { text: "KEY-1", options: { timeoutMs } }, { elapsedUs: () => elapsedMs * 1000 }).response.unjudged
        .length;
    expect(unjudged(99)).toBe(0);
    expect(unjudged(101)).toBe(1);
    expect(unjudged(60, 50)).toBe(1);
    expect(unjudged(101, 500)).toBe(1);
  });

  it("reports nothing of a text that was not scanned", () => {
    const evaluation = ask(
      engineOf([block]),
      { segments: [{ text: "KEY-1" }, { text: "KEY-2" }] },
      { elapsedUs: clock(600_000) },
    );
    expect(evaluation.redactedTexts()[1]).toBeUndefined();
  });
});

describe("tool calls", () => {
  const policy = rules(
    'id: exfil, stages: [tool_call], when: \'tool.name == "send_email" && !tool.args.to.endsWith("@example.com")\', action: BLOCK',
    "id: secret, stages: [tool_call], detect: secrets, action: BLOCK",
  );
  const call = (id: string, args: object) => ({ id, name: "send_email", arguments: { to: "a@example.com", ...args } });

  it("are judged one by one, with their arguments as text", () => {
    const engine = engineOf([policy]);
    const toolCalls = [
      call("c1", {}),
      call("c2", { to: "x@evil.net" }),
      call("c3", { "b/c": ["x", { "d~": "KEY-1" }] }),
      call("c4", { "KEY-2": 1 }),
    ];
    const { response } = ask(engine, create(EvaluateRequestSchema, { toolCalls }), { stage: Stage.TOOL_CALL });
    expect(response.toolCalls).toMatchObject([
      { id: "c1", outcome: Outcome.ALLOW, ruleIds: [] },
      { id: "c2", outcome: Outcome.BLOCK, ruleIds: ["exfil"] },
      { id: "c3", outcome: Outcome.BLOCK, ruleIds: ["secret"] },
      { id: "c4", outcome: Outcome.BLOCK, ruleIds: ["secret"] },
    ]);
    expect(response.findings.map(({ segment }) => segment)).toEqual([
      "tool_calls/c2",
      "tool_calls/c3/b~1c/1/d~0",
      "tool_calls/c4/KEY-2#",
    ]);
  });

  it("are judged by rules about tools, and text beside them is not", () => {
    const { response } = ask(
      engineOf([policy]),
      { text: "please send it", toolCalls: [call("c1", {})] },
      { stage: Stage.TOOL_CALL },
    );
    expect(response).toMatchObject({ outcome: Outcome.ALLOW, unjudged: [] });
  });

  it("survive arguments that are nested deeper than a call stack", () => {
    let nested: object = { leaf: "KEY-1" };
    for (let depth = 0; depth < 20_000; depth++) nested = { n: nested };
    const { response } = ask(engineOf([policy]), { toolCalls: [call("c1", nested)] }, { stage: Stage.TOOL_CALL });
    expect(response.outcome).toBe(Outcome.BLOCK);
  });
});

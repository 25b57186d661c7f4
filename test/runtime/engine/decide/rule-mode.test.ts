import { describe, expect, it } from "vitest";
import { Mode, Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { ask, engineOf } from "../sample-engine.ts";
import { block, named, outcomeOf, rules } from "../sample-policy.ts";

describe("modes, roll-outs and exemptions", () => {
  it("report the outcome of a shadow rule, without effect", () => {
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

  it("exempt nothing when their condition has no value", () => {
    const policy = `${block}exemptions: [{id: x, when: subject.attributes.vip == true, rules: [key], reason: r}]\n`;
    expect(ask(engineOf([policy]), { text: "KEY-1" }).response).toMatchObject({
      outcome: Outcome.BLOCK,
      unjudged: [{ detector: "x", reason: "condition_error" }],
    });
  });
});

import { describe, expect, it } from "vitest";
import { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { compileEngine } from "../../../../runtime/engine/engine.ts";
import { PolicyInvalid } from "../../../../runtime/engine/policy/problem.ts";
import { sampleKit } from "../sample-detectors.ts";
import { ask, engineOf } from "../sample-engine.ts";
import { block, rules } from "../sample-policy.ts";

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

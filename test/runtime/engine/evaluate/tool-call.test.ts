import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome, Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { ask, engineOf } from "../sample-engine.ts";
import { rules } from "../sample-policy.ts";

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

  it("have segments that no other call's id can imitate", () => {
    const engine = engineOf([policy]);
    const toolCalls = [call("a/b", { a: "KEY-1" }), call("a", { b: { a: "KEY-1" } }), call("a~1b", { a: "KEY-1" })];
    const { response } = ask(engine, create(EvaluateRequestSchema, { toolCalls }), { stage: Stage.TOOL_CALL });
    expect(response.findings.map(({ segment }) => segment)).toEqual([
      "tool_calls/a~1b/a",
      "tool_calls/a/b/a",
      "tool_calls/a~01b/a",
    ]);
  });

  it("are judged by rules about tools, and text in the same request is not", () => {
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

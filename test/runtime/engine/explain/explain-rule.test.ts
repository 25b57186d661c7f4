import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  BundleReferenceSchema,
  EvaluateRequestSchema as RequestSchema,
} from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { engineOf } from "../sample-engine.ts";

describe("an explanation of a rule", () => {
  const explained = (source: string, request: object, context: object = {}) => {
    const { explanation } = engineOf([source]).explain(create(RequestSchema, request), {
      ...{
        stage: Stage.INPUT,
        now: new Date("2026-11-20T10:00:00Z"),
        evaluationId: "e",
        fingerprintKey: new Uint8Array(32),
      },
      ...{ bundle: create(BundleReferenceSchema), elapsedUs: () => 180, ...context },
    });
    return explanation.policies[0]?.rules ?? [];
  };

  it("says where it could not be judged", () => {
    const source = `rules:
  - {id: flow, stages: [input], when: 'session.saw("tool_result")', action: FLAG}
  - {id: attribute, stages: [input], when: subject.attributes.level > 3, action: FLAG}
  - {id: fine, stages: [input], when: segment.length > 3, action: FLAG}
`;
    const rules = explained(source, { text: "hello" });
    expect(rules.map(({ ruleId, unjudged }) => [ruleId, unjudged])).toEqual([
      ["flow", true],
      ["attribute", true],
      ["fine", false],
    ]);
    expect(rules[0]?.judgements[0]?.conditions[0]).toMatchObject({ problem: "session_unknown" });
  });

  it("names the controls that it serves, its policy's included", () => {
    const source = `metadata: {name: p, controls: [B]}\nrules: [{id: r, stages: [input], detect: secrets, action: FLAG, controls: [A]}]\n`;
    expect(explained(source, { text: "hello" })[0]?.controls).toEqual(["A", "B"]);
  });

  it("says until when it is a shadow, and the mode of one that has ended", () => {
    const source = (becomes: string) =>
      `rules: [{id: r, stages: [input], detect: secrets, action: FLAG, mode: shadow, shadow: {until: 2026-11-20T12:00:00Z, becomes: ${becomes}}}]\n`;
    const reason = (becomes: string, hour: string) =>
      explained(source(becomes), { text: "KEY-1" }, { now: new Date(`2026-11-20T${hour}:00:00Z`) })[0]?.reason;
    expect(reason("off", "11")).toContain("since it is a shadow rule until 2026-11-20T12:00:00.000Z");
    expect(reason("off", "12")).toBe("its shadow mode ended 2026-11-20T12:00:00.000Z, and it has been off since");
    expect(reason("enforce", "12")).not.toContain("shadow");
  });
});

// What validate and explain say of rules that make streams wait for the verdict is what streams do.

import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { VerdictReason } from "../../../../gen/policyguard/policy/v1/stream_pb.ts";
import { seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { verdictRulesOf } from "../../../../runtime/engine/stream/notice.ts";
import { policySource } from "./sample-policy.ts";
import { context, models, streamEngine } from "./sample-stream.ts";

function rulesOf(source: string) {
  const { policy } = parsePolicy(`apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: p}\n${source}`);
  if (policy === undefined) throw new Error("no policy");
  return verdictRulesOf(policy, { models });
}

describe("the notices of a policy", () => {
  it.each([
    ["quorum", "{all: [secrets, unicode]}", "", VerdictReason.QUORUM, undefined],
    ["detector", "injection", "", VerdictReason.DETECTOR, "injection"],
    ["a pii entity", "{ref: pii, entities: [DATE_OF_BIRTH]}", "", VerdictReason.DETECTOR, "pii"],
    ["condition", "secrets", "when: 'findings.size() < 3'", VerdictReason.CONDITION, undefined],
    ["text", "secrets", "unless: 'segment.text.contains(\"x\")'", VerdictReason.CONDITION, undefined],
  ])("name a rule and its reason: %s", (_, detect, more, reason, detector) => {
    const rule = `{id: r, stages: [output, tool_call], detect: ${detect}, action: BLOCK${more && `, ${more}`}}`;
    const [notice, ...others] = rulesOf(`rules:\n  - ${rule}`);
    expect(notice).toMatchObject({ policy: "p", ruleId: "r", stages: [Stage.OUTPUT], reason });
    expect([notice?.detector, others]).toEqual([detector, []]);
    expect(notice?.message).toMatch(/^(its|several|the detector) /);
  });

  it("name a rule without a detector, and one whose exemption reads the text", () => {
    expect(rulesOf("rules:\n  - {id: r, stages: [input], when: 'segment.length > 9', action: BLOCK}")).toMatchObject([
      { ruleId: "r", reason: VerdictReason.WHOLE_TEXT },
    ]);
    const exempted =
      "rules:\n  - {id: r, stages: [input], detect: secrets, action: BLOCK}\nexemptions:\n  - {id: e, rules: [r], reason: agreed, when: 'findings.size() > 3'}";
    expect(rulesOf(exempted)).toMatchObject([{ ruleId: "r", reason: VerdictReason.EXEMPTION }]);
  });

  it("name a rule that is in shadow until a time, and none that is only in shadow or only flags", () => {
    const rule = (more: string) => `  - {id: r, stages: [input], detect: injection, ${more}}`;
    expect(rulesOf(`rules:\n${rule("action: BLOCK, shadow: {until: 2030-01-01T00:00:00Z}")}`)).toHaveLength(1);
    expect(rulesOf(`rules:\n${rule("action: BLOCK, mode: shadow")}`)).toEqual([]);
    expect(rulesOf(`rules:\n${rule("action: FLAG")}`)).toEqual([]);
  });

  it("agree with the streams and explanations of generated policies", () => {
    const random = seededRandom(29);
    const request = create(EvaluateRequestSchema, { agentId: "bot", sessionId: "s", text: "" });
    let waiting = 0;
    for (let run = 0; run < 16; run++) {
      const source = policySource(random);
      const engine = streamEngine(source);
      const stream = engine.openStream(create(EvaluateRequestSchema, { agentId: "bot", sessionId: "s" }), context);
      const told = rulesOf(source).map(({ ruleId, message }) => ({ ruleId, message }));
      const ids = told.map(({ ruleId }) => ruleId);
      // A condition about the request may rule a rule out that validate has to name.
      for (const { rule } of stream.untilVerdict) expect(ids).toContain(rule);
      const { untilVerdict } = engine.explain(request, context).explanation;
      expect(untilVerdict.map(({ ruleId }) => ruleId)).toEqual(stream.untilVerdict.map(({ rule }) => rule));
      for (const { ruleId, message } of untilVerdict) expect(told).toContainEqual({ ruleId, message });
      if (ids.length > 0) waiting++;
    }
    expect(waiting).toBeGreaterThan(3);
    expect(waiting).toBeLessThan(16);
  });
});

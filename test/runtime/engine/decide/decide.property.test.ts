// Properties of the whole evaluation, over random policies and texts, among them a plain oracle of the decision.

import { toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EvaluateResponseSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { OutcomeName, PolicyDocument } from "../../../../runtime/engine/policy/document.ts";
import { outcomes } from "../../../../runtime/engine/policy/enum-names.ts";
import { ask, engineOf } from "../sample-engine.ts";

interface RuleModel {
  readonly detector: "pii" | "secrets" | "injection";
  readonly threshold: number;
  readonly action: OutcomeName;
  readonly mode: "enforce" | "shadow" | "off";
  readonly untrustedOnly: boolean;
  readonly exempted: boolean;
}

interface PolicyModel {
  readonly agents: readonly string[] | undefined;
  readonly env: string;
  readonly rules: readonly RuleModel[];
}

const ruleModel: fc.Arbitrary<RuleModel> = fc.record({
  detector: fc.constantFrom("pii", "secrets", "injection"),
  threshold: fc.constantFrom(0.1, 0.6, 0.8, 1),
  action: fc.constantFrom("ALLOW", "FLAG", "REDACT", "BLOCK"),
  mode: fc.constantFrom("enforce", "enforce", "shadow", "off"),
  untrustedOnly: fc.boolean(),
  exempted: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
});
const policyModel: fc.Arbitrary<PolicyModel> = fc.record({
  agents: fc.constantFrom(undefined, undefined, ["bot-*"], ["other"]),
  env: fc.constantFrom("*", "*", "prod", "staging"),
  rules: fc.array(ruleModel, { minLength: 1, maxLength: 4 }),
});
const segmentModel = fc.record({
  role: fc.constantFrom("user", "system", "tool"),
  words: fc.array(
    fc.constantFrom("KEY-1", "KEY-22", "a@b.cc", "+1234567", "ignore all", "ignore this", "plain 😀", "e\u0301"),
    { maxLength: 5 },
  ),
});

/** What the detectors find in the words, by the table that the sample detectors were written from. */
const scores: Record<RuleModel["detector"], Record<string, number>> = {
  pii: { "a@b.cc": 0.99, "+1234567": 0.7 },
  secrets: { "KEY-1": 1, "KEY-22": 1 },
  injection: { "ignore all": 0.9, "ignore this": 0.55 },
};

function documentOf({ agents, rules }: PolicyModel, index: number): PolicyDocument {
  return {
    apiVersion: "policyguard/v1",
    kind: "Policy",
    metadata: { name: `p${index}` },
    ...(agents === undefined ? {} : { match: { agents } }),
    rules: rules.map(({ detector, threshold, action, mode, untrustedOnly, exempted }, at) => ({
      id: `${exempted ? "ex." : ""}r${at}`,
      stages: ["input"],
      detect: { ref: detector, threshold },
      action,
      mode,
      ...(untrustedOnly ? { when: 'segment.trust == "untrusted"' } : {}),
    })),
    exemptions: [{ id: "x", when: "size(subject.roles) > 0", rules: ["ex.*"], reason: "r" }],
  };
}

type Segments = readonly { readonly role: string; readonly words: readonly string[] }[];

/** The outcome by definition: the strictest action of any rule, of any policy, that finds anything. */
function oracle(policies: readonly PolicyModel[], segments: Segments, isSubjectExempt: boolean) {
  let enforced: Outcome = Outcome.ALLOW;
  let would: Outcome = Outcome.ALLOW;
  for (const { agents, env, rules } of policies) {
    if (agents?.includes("other") || env === "staging") continue;
    for (const { detector, threshold, action, mode, untrustedOnly, exempted } of rules) {
      const hits = segments.some(
        ({ role, words }) =>
          !(untrustedOnly && role === "system") && words.some((word) => (scores[detector][word] ?? -1) >= threshold),
      );
      if (!hits || mode === "off") continue;
      would = stricter(would, outcomes[action]);
      if (mode === "enforce" && !(exempted && isSubjectExempt)) enforced = stricter(enforced, outcomes[action]);
    }
  }
  return { enforced, would };
}

function stricter(a: Outcome, b: Outcome): Outcome {
  return a > b ? a : b;
}

function evaluate(policies: readonly PolicyModel[], segments: Segments, isSubjectExempt: boolean) {
  const engine = engineOf(
    policies.map((policy, index) => ({ source: documentOf(policy, index), scope: { env: policy.env } })),
  );
  return ask(engine, {
    agentId: "bot-1",
    subject: { roles: isSubjectExempt ? ["exempt"] : [] },
    segments: segments.map(({ role, words }) => ({ role, text: words.join(" ") })),
  });
}

const cases = [
  fc.array(policyModel, { maxLength: 3 }),
  fc.array(segmentModel, { maxLength: 3 }),
  fc.boolean(),
] as const;
const settings = { seed: 20261120, numRuns: 1000 };

describe("an evaluation", () => {
  it("decides as the definition does", () => {
    fc.assert(
      fc.property(...cases, (policies, segments, isExempt) => {
        const { response } = evaluate(policies, segments, isExempt);
        const { enforced, would } = oracle(policies, segments, isExempt);
        expect([response.outcome, response.wouldBeOutcome, response.blocked]).toEqual([
          enforced,
          would,
          enforced === Outcome.BLOCK,
        ]);
      }),
      settings,
    );
  });

  it("is never weakened by a further policy", () => {
    fc.assert(
      fc.property(...cases, policyModel, (policies, segments, isExempt, more) => {
        const before = evaluate(policies, segments, isExempt).response;
        const after = evaluate([...policies, more], segments, isExempt).response;
        expect(after.outcome).toBeGreaterThanOrEqual(before.outcome);
        expect(after.wouldBeOutcome).toBeGreaterThanOrEqual(before.wouldBeOutcome);
        const policyFindings = (response: typeof before) =>
          response.findings.filter(({ policy }) => policy !== `p${policies.length}`);
        expect(policyFindings(after)).toEqual(before.findings);
      }),
      settings,
    );
  });

  it("gives the same bytes for the same bundle and request", () => {
    fc.assert(
      fc.property(...cases, (policies, segments, isExempt) => {
        const bytes = () => toBinary(EvaluateResponseSchema, evaluate(policies, segments, isExempt).response);
        expect(bytes()).toEqual(bytes());
      }),
      settings,
    );
  });

  it("gives the same answer for every order of policies in the bundle", () => {
    fc.assert(
      fc.property(...cases, (policies, segments, isExempt) => {
        const sources = policies.map((policy, index) => ({
          source: documentOf(policy, index),
          scope: { env: policy.env },
        }));
        const request = {
          segments: segments.map(({ role, words }) => ({ role, text: words.join(" ") })),
          subject: { roles: isExempt ? ["x"] : [] },
        };
        const bytes = (list: typeof sources) => toBinary(EvaluateResponseSchema, ask(engineOf(list), request).response);
        expect(bytes([...sources].reverse())).toEqual(bytes(sources));
      }),
      settings,
    );
  });
});

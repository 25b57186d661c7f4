import { describe, expect, it } from "vitest";
import { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { findCounterexamples } from "../../../../runtime/engine/authoring/counterexamples.ts";
import { sampleKit } from "../sample-detectors.ts";
import { policyOf } from "../sample-engine.ts";

const options = { now: new Date("2026-11-20T10:00:00Z"), kit: sampleKit };

describe("findWitnesses", () => {
  const before = policyOf(`rules: [{id: r, stages: [input], detect: secrets, action: BLOCK}]
tests: [{name: key, text: KEY-1, expect: {outcome: BLOCK}}, {name: none, text: hi, expect: {outcome: ALLOW}}]`);

  it("finds the tests of either version that come out differently", () => {
    const after = policyOf(`rules: [{id: r, stages: [input], detect: pii, action: FLAG}]
tests: [{name: mail, text: a@b.cc, expect: {outcome: FLAG}}]`);
    expect(findCounterexamples(before, after, options)).toEqual([
      { test: "key", before: Outcome.BLOCK, after: Outcome.ALLOW },
      { test: "mail", before: Outcome.ALLOW, after: Outcome.FLAG },
    ]);
    expect(findCounterexamples(before, before, options)).toEqual([]);
  });

  it("asks both versions for the same agent in the same environment", () => {
    const narrowed = { ...before, match: { agents: ["bot-*"], envs: ["prod"] } };
    expect(findCounterexamples(before, narrowed, options)).toEqual([
      { test: "key", before: Outcome.BLOCK, after: Outcome.ALLOW },
    ]);
  });
});

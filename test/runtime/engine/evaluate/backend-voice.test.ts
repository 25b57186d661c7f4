// Two voices judge a text: the detector itself, and its backend. An explanation and a record say which of them spoke, and
// why one did not.

import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { BackendAnswer, BackendFailure } from "../../../../runtime/engine/backend/backend.ts";
import { compileEngine } from "../../../../runtime/engine/engine.ts";
import { maxVoices } from "../../../../runtime/engine/evaluate/backend-voice.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";

const bird = "a blue bird";
const question = "When does my order arrive?";

const words =
  "words: {use: keywords, keywords: [blue bird], backend: {key: model}, threshold: 0.9, on_error: fail_open}";

/** What is said of segments by a detector and its backend, in an explanation and in a record. */
function voicesIn(
  segments: readonly { readonly text: string; readonly origin?: string }[],
  { detector = words, answer }: { readonly detector?: string; readonly answer?: BackendAnswer },
  stage: typeof Stage.INPUT | typeof Stage.OUTPUT = Stage.INPUT,
) {
  const { policy, problems } = parsePolicy(`apiVersion: policyguard/v1
kind: Policy
metadata: {name: p}
detectors: {${detector}}
rules: [{id: r, stages: [input, tool_result], detect: words, action: BLOCK}]
`);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  if (policy === undefined) throw new Error("the policy is not valid");
  const scope = { tenantId: "*", appId: "*", agentId: "*", env: "*" };
  const policies = [{ policyId: "1", name: "p", version: 1, scope, document: policy }];
  const engine = compileEngine({ policies, environment: "prod", projectId: "x" });
  const request = create(EvaluateRequestSchema, { segments: [...segments] });
  const context = {
    ...{ stage, now: new Date(0), evaluationId: "1", fingerprintKey: new Uint8Array(32) },
    ...{ bundle: create(BundleReferenceSchema), elapsedUs: () => 0 },
    backends: answer && (() => answer),
  };
  const explained = engine.explain(request, context).explanation.segments.map(({ backends }) => backends);
  const { backends: recorded } = engine.evaluate(request, context).replayFacts();
  // Both say the same.
  expect(recorded.map(({ reason, score, ownScore }) => ({ reason, score, ownScore }))).toEqual(
    explained.flat().map(({ reason, score, ownScore }) => ({ reason, score, ownScore })),
  );
  return { explained, recorded };
}

const said: BackendAnswer = {
  findings: [
    { label: "BAD", score: 0.4 },
    { label: "WORSE", score: 0.6 },
  ],
};

describe("two voices", () => {
  it("are told with the highest score of each", () => {
    const { explained, recorded } = voicesIn([{ text: bird }, { text: question }], { answer: said });
    const about = { detectors: ["words"], backend: "model", reason: "", score: 0.6 };
    expect(explained).toMatchObject([
      [{ ...about, ownScore: 1, text: "it answered; its highest score is 0.6" }],
      [{ ...about, ownScore: 0 }],
    ]);
    expect(recorded.map(({ segment }) => segment)).toEqual(["s1", "s2"]);
  });

  it("are one where the detector is the backend alone", () => {
    const { explained } = voicesIn([{ text: bird }], {
      detector: "words: {use: backend, backend: model}",
      answer: said,
    });
    expect(explained).toMatchObject([[{ detectors: ["words"], score: 0.6 }]]);
    expect(explained[0]?.[0]?.ownScore).toBeUndefined();
  });

  it.each<[string, string, string, string]>([
    ["the score of the detector", ", ask: {between: [0, 0.9]}", "between", "own score 1 is not between 0 and 0.9"],
    ["the stage", ", ask: {stages: [tool_result]}", "stage", "the policy asks it at tool_result only"],
    ["the origin", ', ask: {origins: ["web:*"]}', "origin", "the policy asks it about origins web:* only"],
  ])("are one where %s keeps the policy from asking", (_, ask, reason, sentence) => {
    // An answer that another detector asked for does not count here.
    const detector = words.replace("key: model", `key: model${ask}`);
    const { explained } = voicesIn([{ text: bird, origin: "mail" }], { detector, answer: said });
    expect(explained).toMatchObject([[{ reason, ownScore: 1, text: expect.stringContaining(sentence) }]]);
    expect(explained[0]?.[0]?.score).toBeUndefined();
    expect(explained[0]?.[0]?.text).toMatch(/^it was not asked: /);
  });

  it.each<[BackendFailure, RegExp]>([
    ["timeout", /within its budget/],
    ["model_busy", /^it was not asked: .*within its budget/],
    ["circuit_open", /^it was not asked: it failed repeatedly/],
    ["model_mismatch", /^it gave no answer: model_mismatch/],
  ])("are one when the backend says nothing: %s", (failure, sentence) => {
    const { explained } = voicesIn([{ text: bird }], { answer: { failure } });
    expect(explained).toMatchObject([[{ reason: failure, ownScore: 1, text: expect.stringMatching(sentence) }]]);
    expect(explained[0]?.[0]?.score).toBeUndefined();
  });

  it("are one at a stage whose rules do not ask, and where nobody asks backends", () => {
    expect(voicesIn([{ text: bird }], {}, Stage.OUTPUT).explained).toMatchObject([[{ reason: "no_rule" }]]);
    expect(voicesIn([{ text: bird }], {}).explained).toMatchObject([[{ reason: "backend_unavailable" }]]);
  });

  it("say when one of them read a part of the text only", () => {
    const answer: BackendAnswer = { ...said, limit: "model_text_limit" };
    const { explained } = voicesIn([{ text: bird }], { answer });
    expect(explained).toMatchObject([[{ reason: "model_text_limit", score: 0.6 }]]);
  });

  it("are kept of a bounded number of texts", () => {
    const segments = Array.from({ length: maxVoices + 5 }, (_, at) => ({ text: `${question} ${at}` }));
    expect(voicesIn(segments, { answer: said }).recorded).toHaveLength(maxVoices);
  });
});

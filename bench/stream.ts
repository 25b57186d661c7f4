// 64 KB in 1,000 chunks against one unary call, engine alone. The policy is that of W without what makes a stream wait
// for the verdict: its condition on the length of the text, and the disguises of "injection". Before the table stands
// what streams hold back.

import { create } from "@bufbuild/protobuf";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { compileEngine } from "../runtime/engine/engine.ts";
import type { PolicyDocument } from "../runtime/engine/policy/document.ts";
import { shippedModels } from "../src/kit/process/model-file.ts";
import { heldBack } from "./held-back.ts";
import { workLoadTexts } from "./load/bodies.ts";
import { workLoadPolicy } from "./load/policy.ts";
import { type Bench, measure, timed } from "./measure.ts";

const chunkCount = 1_000;
const unary = "one unary call, 64 KB";
const scope = { tenantId: "*", appId: "*", agentId: "*", env: "*" };
const context = {
  stage: Stage.INPUT,
  now: new Date(0),
  evaluationId: "bench",
  fingerprintKey: new Uint8Array(32),
  bundle: create(BundleReferenceSchema),
  elapsedUs: () => 0,
};

/** Measures streams. */
export const streamBench: Bench = () => {
  const document = streamedPolicy();
  const policies = [{ policyId: "w", name: "work-load", version: 1, scope, document }];
  const engine = compileEngine({ policies, environment: "prod", projectId: "p", models: shippedModels() });
  const texts = workLoadTexts({ count: 8, sizeBytes: 64_000 });
  const { chunks, all, beyond, mostBeyond } = heldBack(engine, workLoadTexts({ count: 4, sizeBytes: 4_000 }), context);
  console.log(
    `held back after each of ${chunks} chunks: ${all.toFixed(1)} units on average; beyond what a match could still need at most ${beyond.toFixed(1)}, ${mostBeyond} after one chunk\n`,
  );
  const evaluate = (text: string) => engine.evaluate(create(EvaluateRequestSchema, { text }), context).findings.length;
  const stream = (text: string) => {
    const open = engine.openStream(create(EvaluateRequestSchema), context);
    if (open.untilVerdict.length > 0) throw new Error("this stream waits for its verdict");
    const size = Math.ceil(text.length / chunkCount);
    let released = 0;
    for (let at = 0; at < text.length; at += size) released += open.push(text.slice(at, at + size)).released.length;
    return released + open.finish().evaluation.findings.length;
  };
  return measure([
    { name: unary, run: () => timed(texts, 2, evaluate) },
    { name: "the same in 1,000 chunks, verdict included", against: unary, run: () => timed(texts, 2, stream) },
  ]);
};

function streamedPolicy(): PolicyDocument {
  const policy = workLoadPolicy();
  const injection = { use: "injection", disguises: false };
  const rules = policy.rules.map((rule) =>
    rule.id === "injection" ? { ...rule, detect: "attacks", when: "finding.score > 0.4" } : rule,
  );
  return { ...policy, detectors: { ...policy.detectors, attacks: injection }, rules };
}

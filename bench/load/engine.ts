// The engine of W, as benches run it.

import { create } from "@bufbuild/protobuf";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { compileEngine } from "../../runtime/engine/compile.ts";
import { workLoadPolicy } from "./policy.ts";

const scope = { tenantId: "*", appId: "*", agentId: "*", env: "*" };
const context = {
  stage: Stage.INPUT,
  now: new Date(0),
  evaluationId: "bench",
  fingerprintKey: new Uint8Array(32),
  bundle: create(BundleReferenceSchema),
  elapsedUs: () => 0,
};

/** Evaluates a text by the policy of W; returns the number of findings. */
export type EvaluateText = (text: string) => number;

/** Compiles the policy of W with so many patterns. */
export function workLoadEngine(patternCount = 300): EvaluateText {
  const document = workLoadPolicy({ patternCount });
  const engine = compileEngine({
    policies: [{ policyId: "w", name: "w", version: 1, scope, document }],
    environment: "prod",
    projectId: "p",
  });
  return (text) => engine.evaluate(create(EvaluateRequestSchema, { text }), context).findings.length;
}

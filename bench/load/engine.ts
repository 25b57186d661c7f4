// The engine of W, as benches run it.

import { create } from "@bufbuild/protobuf";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { compileEngine } from "../../runtime/engine/engine.ts";
import { shippedModels } from "../../src/kit/process/model-file.ts";
import { patterns } from "./patterns.ts";
import { patternPolicy, workLoadPolicy } from "./policy.ts";

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

/** Patterns of one policy: a document has a limit. */
const patternsPerPolicy = 180;

/** Compiles the policy of W; with more than its 300 patterns, beside policies of the others. */
export function workLoadEngine(patternCount = 300): EvaluateText {
  const documents = [workLoadPolicy()];
  const more = patterns(patternCount).slice(300);
  for (let from = 0; from < more.length; from += patternsPerPolicy) {
    documents.push(patternPolicy(`patterns-${from}`, more.slice(from, from + patternsPerPolicy)));
  }
  const policies = documents.map((document) => {
    const { name } = document.metadata;
    return { policyId: name, name, version: 1, scope, document };
  });
  const engine = compileEngine({ policies, environment: "prod", projectId: "p", models: shippedModels() });
  return (text) => engine.evaluate(create(EvaluateRequestSchema, { text }), context).findings.length;
}

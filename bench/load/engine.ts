// The engine of W, as benches run it.

import { create } from "@bufbuild/protobuf";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { compileEngine, type Engine } from "../../runtime/engine/engine.ts";
import type { EvaluationContext } from "../../runtime/engine/evaluate/context.ts";
import { shippedModels } from "../../src/kit/process/model-file.ts";
import { patterns } from "./patterns.ts";
import { patternPolicy, workLoadPolicy } from "./policy.ts";

const scope = { tenantId: "*", appId: "*", agentId: "*", env: "*" };
/** What is around each evaluation of a bench. */
export const benchContext: EvaluationContext = {
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

/** Evaluates texts by the policy of W; with more than its 300 patterns, beside policies of the others. */
export function workLoadEngine(patternCount = 300): EvaluateText {
  const engine = compiledWorkLoad(patternCount);
  return (text) => engine.evaluate(create(EvaluateRequestSchema, { text }), benchContext).findings.length;
}

/** Compiles the policy of W. */
export function compiledWorkLoad(patternCount = 300): Engine {
  const documents = [workLoadPolicy()];
  const more = patterns(patternCount).slice(300);
  for (let from = 0; from < more.length; from += patternsPerPolicy) {
    documents.push(patternPolicy(`patterns-${from}`, more.slice(from, from + patternsPerPolicy)));
  }
  const policies = documents.map((document) => {
    const { name } = document.metadata;
    return { policyId: name, name, version: 1, scope, document };
  });
  return compileEngine({ policies, environment: "prod", projectId: "p", models: shippedModels() });
}

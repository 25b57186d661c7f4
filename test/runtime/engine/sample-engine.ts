// Short ways to an engine and an evaluation, for tests.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { compileEngine, type Engine } from "../../../runtime/engine/engine.ts";
import type { EvaluationContext } from "../../../runtime/engine/evaluate/context.ts";
import type { Evaluation } from "../../../runtime/engine/evaluate/evaluation.ts";
import type { PolicyDocument } from "../../../runtime/engine/policy/document.ts";
import type { PackSource } from "../../../runtime/engine/policy/extend.ts";
import { parsePolicy } from "../../../runtime/engine/policy/parse.ts";
import type { NamedList } from "../../../runtime/engine/policy-plan/applicability.ts";
import type { PolicyScope, PolicySource } from "../../../runtime/engine/policy-plan/compiled-policy.ts";
import { sampleKit } from "./sample-detectors.ts";

const head = "apiVersion: policyguard/v1\nkind: Policy\n";

/** Parses a policy that has to be valid. Adds the head when it is missing. */
export function policyOf(source: string, packs?: PackSource): PolicyDocument {
  const full = source.includes("apiVersion")
    ? source
    : `${head}${source.includes("metadata:") ? "" : "metadata: {name: p}\n"}${source}`;
  const { policy, problems } = parsePolicy(full, sampleKit.definitions, packs);
  if (policy === undefined) throw new Error(JSON.stringify(problems, undefined, 1));
  return policy;
}

/** A policy with its scope, as far as tests need it. */
export interface SamplePolicy {
  readonly source: string | PolicyDocument;
  readonly scope: Partial<PolicyScope>;
  readonly packs?: PackSource;
}

/** An engine of policies, given as YAML or as documents, of every scope unless they say otherwise. */
export function engineOf(
  policies: readonly (string | SamplePolicy)[],
  environment = "prod",
  lists: readonly NamedList[] = [],
): Engine {
  const sources = policies.map((policy, index): PolicySource => {
    const { source, scope, packs } = typeof policy === "string" ? { source: policy, scope: {} } : policy;
    const document = typeof source === "string" ? policyOf(source, packs) : source;
    return {
      policyId: `id-${index}`,
      name: document.metadata.name,
      version: 1,
      scope: { tenantId: "t", appId: "*", agentId: "*", env: "*", ...scope },
      document,
      ...(packs === undefined ? {} : { packs }),
    };
  });
  return compileEngine({ policies: sources, lists, environment, projectId: "project-1" }, sampleKit);
}

/** Evaluates a request at a fixed time. */
export function ask(
  engine: Engine,
  request: MessageInitShape<typeof EvaluateRequestSchema>,
  context: Partial<EvaluationContext> = {},
): Evaluation {
  return engine.evaluate(create(EvaluateRequestSchema, request), {
    stage: Stage.INPUT,
    now: new Date("2026-11-20T10:00:00Z"),
    evaluationId: "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d11",
    fingerprintKey: new Uint8Array(32).fill(7),
    bundle: create(BundleReferenceSchema, { version: 41, digest: "sha256:00", activationSeq: 57 }),
    elapsedUs: () => 180,
    ...context,
  });
}

// Policies, texts and chunkings for tests of streams.

import { create } from "@bufbuild/protobuf";
import {
  BundleReferenceSchema,
  EvaluateRequestSchema,
  type ToolCall,
} from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Random } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { compileEngine, type Engine } from "../../../../runtime/engine/engine.ts";
import type { EvaluationContext } from "../../../../runtime/engine/evaluate/context.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { shippedModels } from "../../../../src/kit/process/model-file.ts";

/** The models that the product has. */
export const models = shippedModels();

/** One of a list. */
export function oneOf<T>(list: readonly T[], random: Random): T {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error("an empty list");
  return found;
}

/** What every evaluation of these tests is told. */
export const context: EvaluationContext = {
  stage: Stage.OUTPUT,
  now: new Date("2026-11-20T10:00:00Z"),
  evaluationId: "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d11",
  fingerprintKey: new Uint8Array(32).fill(7),
  bundle: create(BundleReferenceSchema, { version: 41, digest: "sha256:00", activationSeq: 57 }),
  elapsedUs: () => 180,
};

/** An engine of one policy, given as YAML without its head. */
export function streamEngine(source: string): Engine {
  const { policy, problems } = parsePolicy(`apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: p}\n${source}`);
  if (policy === undefined) throw new Error(JSON.stringify(problems, undefined, 1));
  const scope = { tenantId: "t", appId: "*", agentId: "*", env: "*" };
  const policies = [{ policyId: "p", name: "p", version: 1, scope, document: policy }];
  return compileEngine({ policies, environment: "prod", projectId: "project-1", models });
}

/** What a text comes with. */
export interface About {
  /** Default: `Stage.OUTPUT`. */
  readonly stage?: Stage;
  /** Default: none. */
  readonly toolCalls?: readonly ToolCall[];
}

/** What a stream of these chunks let through, and its verdict. */
export function streamed(engine: Engine, chunks: readonly string[], { stage, toolCalls }: About = {}) {
  const stream = engine.openStream(create(EvaluateRequestSchema), { ...context, stage: stage ?? context.stage });
  const steps = chunks.map((chunk) => stream.push(chunk));
  const { released, evaluation } = stream.finish({ toolCalls });
  return { steps, released: steps.map((step) => step.released).join("") + released, evaluation };
}

/** What the engine says of the whole text. */
export function whole(engine: Engine, text: string, { stage, toolCalls = [] }: About = {}) {
  const request = create(EvaluateRequestSchema, { text, toolCalls: [...toolCalls] });
  const evaluation = engine.evaluate(request, { ...context, stage: stage ?? context.stage });
  return { released: evaluation.released(), evaluation };
}

/** The text in chunks: of one size or another, cut anywhere, within pairs as well. */
export function chunksOf(text: string, random: Random): string[] {
  const longest = oneOf([1, 2, 3, 8, 40, 200, 1000], random);
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + Math.floor(random() * longest);
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
}

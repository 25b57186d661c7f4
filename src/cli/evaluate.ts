// Evaluates a request by policy files, in the engine that runtimes use.

import { create, type JsonObject } from "@bufbuild/protobuf";
import { BundleReferenceSchema, type Finding } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Explanation } from "../../gen/policyguard/policy/v1/explanation_pb.ts";
import { compileEngine, type Engine } from "../../runtime/engine/engine.ts";
import type { EvaluationContext } from "../../runtime/engine/evaluate/context.ts";
import type { Evaluation } from "../../runtime/engine/evaluate/evaluation.ts";
import type { PolicyDocument } from "../../runtime/engine/policy/document.ts";
import { failModes, modes, nameOf, outcomes, severities, stages } from "../../runtime/engine/policy/enum-names.ts";
import { matchesGlob } from "../../runtime/engine/text/glob.ts";
import { shippedModels } from "../kit/process/model-file.ts";
import { refusal } from "./failure.ts";
import { ownPackSource } from "./pack-library.ts";
import type { PolicyFile } from "./policy-file.ts";
import type { Subject } from "./request.ts";

/** A policy that takes part in an evaluation, and its file. */
export type JudgingFile = PolicyFile & { readonly policy: PolicyDocument };

/** An evaluation: its request, its environment and its decision. */
export interface Judged {
  readonly subject: Subject;
  readonly env: string;
  readonly evaluation: Evaluation;
  /** Time to compile the policies. */
  readonly compileUs: number;
}

/** An evaluation with its explanation. */
export interface Explained extends Judged {
  readonly explanation: Explanation;
}

const anywhere = { tenantId: "*", appId: "*", agentId: "*", env: "*" };

/** The default environment of requests: the first one that a policy names. */
export function environmentOf(files: readonly JudgingFile[], given: string | undefined): string {
  return given ?? files.flatMap(({ policy }) => policy.match?.envs ?? [])[0] ?? "test";
}

/** Evaluates a request. Placeholders and hashes are the same in every run, since their key is fixed. */
export function judge(files: readonly JudgingFile[], subject: Subject, env: string, now: Date): Judged {
  const { engine, compileUs } = compile(files, env);
  return { subject, env, compileUs, evaluation: engine.evaluate(subject.request, contextOf(subject, now)) };
}

/** Evaluates many requests by the same policies. */
export function evaluatorOf(files: readonly JudgingFile[], env: string, now: Date): (subject: Subject) => Evaluation {
  const { engine } = compile(files, env);
  return (subject) => engine.evaluate(subject.request, contextOf(subject, now));
}

/** Evaluates a request and explains the decision. */
export function explainRequest(files: readonly JudgingFile[], subject: Subject, env: string, now: Date): Explained {
  const { engine, compileUs } = compile(files, env);
  // One evaluation comes first, since the first one of an engine builds tables; a runtime does not pay for that.
  engine.evaluate(subject.request, contextOf(subject, now));
  return { subject, env, compileUs, ...engine.explain(subject.request, contextOf(subject, now)) };
}

function compile(files: readonly JudgingFile[], env: string): { engine: Engine; compileUs: number } {
  refuseDuplicates(files);
  const policies = files.map(({ policy }) => {
    const name = policy.metadata.name;
    return { policyId: name, name, version: 1, scope: anywhere, document: policy, packs: ownPackSource };
  });
  const beganMs = performance.now();
  const engine = compileEngine({ policies, environment: env, projectId: "", models: shippedModels() });
  return { engine, compileUs: Math.round((performance.now() - beganMs) * 1000) };
}

function contextOf({ request, stage }: Subject, now: Date): EvaluationContext {
  const beganMs = performance.now();
  return {
    stage: stages[stage],
    isTranscript: request.transcript,
    now,
    evaluationId: "local",
    fingerprintKey: new Uint8Array(32),
    bundle: create(BundleReferenceSchema),
    elapsedUs: () => (performance.now() - beganMs) * 1000,
  };
}

// Findings name their policy, so two policies of the same name could not be told apart.
function refuseDuplicates(files: readonly JudgingFile[]): void {
  const first = new Map<string, string>();
  for (const { path, policy } of files) {
    const other = first.get(policy.metadata.name);
    if (other !== undefined) {
      throw refusal("duplicate_policy", `${other} and ${path} are both named "${policy.metadata.name}"`, {
        hint: "A name is unique in an organization: rename one of them, or judge by one of them.",
      });
    }
    first.set(policy.metadata.name, path);
  }
}

/** Why a policy takes no part; undefined when it takes part. */
export function whyAbsent({ match }: PolicyDocument, env: string, agent: string): string | undefined {
  if (match?.envs !== undefined && !match.envs.includes(env)) return `it is for ${match.envs.join(", ")}, not ${env}`;
  if (match?.agents === undefined || match.agents.some((glob) => matchesGlob(glob, agent))) return undefined;
  const who = agent === "" ? "no agent was named (--agent)" : `not ${agent}`;
  return `it is for agents ${match.agents.join(", ")}; ${who}`;
}

/** A decision for programs, in the terms of the evaluate endpoints. */
export function decisionJson({ evaluation, subject, env }: Judged): JsonObject {
  const { response, decidedByPolicy, decidedByRule } = evaluation;
  return {
    outcome: nameOf(outcomes, response.outcome),
    blocked: response.blocked,
    would_be_outcome: nameOf(outcomes, response.wouldBeOutcome),
    decided_by: decidedByRule === "" ? null : { policy: decidedByPolicy, rule: decidedByRule },
    message: response.message ?? null,
    text: response.text ?? null,
    findings: evaluation.findings.map(findingJson),
    redacted_segments: response.redactedSegments.map(({ id, text }) => ({ id, text })),
    tool_calls: response.toolCalls.map(({ id, outcome, ruleIds }) => ({
      id,
      outcome: nameOf(outcomes, outcome),
      rule_ids: [...ruleIds],
    })),
    unjudged: response.unjudged.map(({ detector, reason, onError }) => ({
      detector,
      reason,
      on_error: nameOf(failModes, onError),
    })),
    stage: subject.stage,
    env,
    agent_id: subject.request.agentId ?? null,
    latency_us: response.latencyUs,
  };
}

/** A finding for programs. */
export function findingJson(finding: Finding): JsonObject {
  const { ruleId, policy, detector, category, segment, start, end, score, threshold, layer } = finding;
  return {
    policy,
    rule_id: ruleId,
    detector,
    category,
    severity: nameOf(severities, finding.severity),
    action: nameOf(outcomes, finding.action),
    mode: nameOf(modes, finding.mode),
    exempted_by: finding.exemptedBy ?? null,
    segment,
    start,
    end,
    score,
    threshold,
    layer,
  };
}

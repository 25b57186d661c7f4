// Tries policies out: runs their tests, obfuscated variants too, and evaluates and explains a request.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import {
  type BundleReference,
  BundleReferenceSchema,
  type EvaluateRequest,
} from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Explanation } from "../../../gen/policyguard/policy/v1/explanation_pb.ts";
import type { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { gradeRobustness, type RobustnessGrade } from "../../../runtime/engine/authoring/robustness.ts";
import type { PolicyTestResult } from "../../../runtime/engine/authoring/test-runner.ts";
import { catalog } from "../../../runtime/engine/detectors/catalog.ts";
import { compileEngine, type Engine, type EngineSource } from "../../../runtime/engine/engine.ts";
import { learnPatterns } from "../../../runtime/engine/pattern/compile-pattern.ts";
import type { PolicyDocument, PolicyTest } from "../../../runtime/engine/policy/document.ts";
import type { PackSource } from "../../../runtime/engine/policy/extend.ts";
import { canonicalPolicy, parsePolicy } from "../../../runtime/engine/policy/parse.ts";
import { PolicyInvalid } from "../../../runtime/engine/policy/problem.ts";
import type { PolicyScope } from "../../../runtime/engine/policy-plan/compiled-policy.ts";
import { factsOfPart, patternPartPath } from "../../../runtime/engine/policy-plan/pattern-part.ts";
import type { SchemaSource } from "../../../runtime/engine/schema/output-schema.ts";
import { stageOfTranscript } from "../../../runtime/engine/segment/segment.ts";
import { runTests } from "./check-policy.ts";
import { policyInvalid } from "./policy-document.ts";
import {
  type ListText,
  listSources,
  overlaySources,
  parsedList,
  policySources,
  type StoredPart,
  schemaSources,
} from "./stored-part.ts";
import type { Tools } from "./tools.ts";

/** A policy whose tests are to run. */
export interface PolicyTrial {
  readonly document: JsonValue;
  /** Tests besides its own. */
  readonly tests: readonly JsonObject[];
  readonly robustness: boolean;
  readonly now: Date;
}

/** The results of its tests. */
export interface PolicyTestResults {
  readonly name: string;
  readonly tests: readonly PolicyTestResult[];
  readonly robustness: RobustnessGrade | undefined;
}

/** Runs the tests of a policy, and these. */
export function tryPolicy({ document, tests: more, robustness, now }: PolicyTrial, tools: Tools): PolicyTestResults {
  const { packs, models, enter } = tools;
  enter("reading the document");
  const policy = soundPolicy(document, packs);
  const tests = [...(policy.tests ?? []), ...withTests(policy, more, packs)];
  const results = runTests(policy, tests, now, tools);
  enter(`the robustness of the policy ${policy.metadata.name}`);
  const grade = robustness ? gradeRobustness(policy, { now, packs, models }, tests) : undefined;
  return { name: policy.metadata.name, tests: results, robustness: grade };
}

/** A request to evaluate. */
interface Question {
  readonly request: EvaluateRequest;
  /** Ignored for a transcript: each of its turns has a stage of its own. */
  readonly stage: Stage;
  readonly now: Date;
  readonly evaluationId: string;
}

/** A request to evaluate by one policy. */
export interface PolicyQuestion extends Question {
  readonly document: JsonValue;
  readonly policyId: string;
  readonly version: number;
  readonly scope: PolicyScope;
  /** Default: one that the policy applies to. */
  readonly environment: string | undefined;
  readonly lists: readonly ListText[];
  readonly schemas: readonly SchemaSource[];
}

/** A request to evaluate by a bundle. */
export interface BundleQuestion extends Question {
  readonly parts: readonly StoredPart[];
  readonly environment: string;
  readonly projectId: string;
  readonly bundle: BundleReference;
}

/** Evaluates a request by one policy, and explains the answer. */
export function explainPolicy(question: PolicyQuestion, tools: Tools): Explanation {
  const { document, policyId, version, scope, environment, lists, schemas } = question;
  const { packs, enter } = tools;
  enter("reading the document");
  const policy = soundPolicy(document, packs);
  const { metadata } = policy;
  const source = {
    policies: [{ policyId, name: metadata.name, version, scope, document: canonicalPolicy(policy), packs }],
    ...{
      lists: lists.map(parsedList),
      schemas,
      environment: environment ?? usualEnvironment(policy, scope),
      projectId: scope.appId === "*" ? "" : scope.appId,
    },
  };
  return explained(source, question, create(BundleReferenceSchema), tools);
}

/** Evaluates a request by a bundle, and explains the answer. */
export function explainBundle(question: BundleQuestion, tools: Tools): Explanation {
  const { parts, environment, projectId, bundle } = question;
  tools.enter("reading the bundle");
  return explained({ ...bundleSource(parts), environment, projectId }, question, bundle, tools);
}

/** An environment that the policy applies to. */
export function usualEnvironment({ match }: PolicyDocument, scope: PolicyScope): string {
  return scope.env === "*" ? (match?.envs?.[0] ?? "test") : scope.env;
}

/** What an engine is made from, of the parts of a bundle. */
export function bundleSource(
  parts: readonly StoredPart[],
): Pick<EngineSource, "policies" | "lists" | "schemas" | "overlays"> {
  const facts = parts.find(({ path }) => path === patternPartPath);
  // This control plane computed the facts itself when it published the bundle.
  if (facts !== undefined) learnPatterns(factsOfPart(JSON.parse(Buffer.from(facts.data).toString("utf8"))));
  return {
    policies: policySources(parts),
    lists: listSources(parts),
    schemas: schemaSources(parts),
    overlays: overlaySources(parts),
  };
}

function explained(source: EngineSource, question: Question, bundle: BundleReference, tools: Tools): Explanation {
  const { request, stage, now, evaluationId } = question;
  tools.enter("compiling the policies");
  const engine = compiled(source, tools);
  const context = () => ({
    stage: request.transcript ? stageOfTranscript(request) : stage,
    isTranscript: request.transcript,
    ...{ now, evaluationId, bundle },
    // Fingerprints need the organization's secret key. These are made with another one and match nothing outside of
    // this answer.
    fingerprintKey: new Uint8Array(32),
    elapsedUs: stopwatch(),
  });
  tools.enter("judging the request");
  // Evaluated once before it is measured: the first evaluation of an engine also builds tables, a cost that a running
  // runtime has already paid.
  engine.evaluate(request, context());
  return engine.explain(request, context()).explanation;
}

/** The engine of policies; a 422 with every problem of one that this version cannot run. */
export function compiled(source: EngineSource, { models }: Tools): Engine {
  try {
    return compileEngine({ ...source, models });
  } catch (error) {
    if (error instanceof PolicyInvalid) throw policyInvalid(error.problems);
    throw error;
  }
}

function stopwatch(): () => number {
  const beganMs = performance.now();
  return () => (performance.now() - beganMs) * 1000;
}

/** The policy of a document; a 422 with every problem when it is not a policy. */
export function soundPolicy(document: JsonValue, packs: PackSource): PolicyDocument {
  const { policy, problems } = parsePolicy(document, catalog, packs);
  if (policy === undefined) throw policyInvalid(problems);
  return policy;
}

/** The tests of a call, checked against the document as if they were its own. */
function withTests(policy: PolicyDocument, tests: readonly JsonObject[], packs: PackSource): readonly PolicyTest[] {
  if (tests.length === 0) return [];
  return soundPolicy({ ...canonicalPolicy(policy), tests: [...tests] }, packs).tests ?? [];
}

// The playground: policies tried out, on their own tests or on whatever somebody types. Nothing is enforced, and nothing of the text is
// kept; how often it is used is counted.

import { setImmediate } from "node:timers/promises";
import { create, type JsonObject } from "@bufbuild/protobuf";
import {
  type BundleReference,
  BundleReferenceSchema,
  type EvaluateRequest,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Explanation } from "../../gen/policyguard/policy/v1/explanation_pb.ts";
import type { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { NamedList } from "../../runtime/engine/applicability.ts";
import { compileEngine, type Engine } from "../../runtime/engine/compile.ts";
import type { PolicySource } from "../../runtime/engine/compiled-policy.ts";
import { catalog } from "../../runtime/engine/detectors/catalog.ts";
import type { SchemaSource } from "../../runtime/engine/output-schema.ts";
import { stageOfTranscript } from "../../runtime/engine/piece.ts";
import { noPacks, type PackSource } from "../../runtime/engine/policy/extend.ts";
import { PolicyInvalid } from "../../runtime/engine/policy/problem.ts";
import { publishedSchema, type SchemaKind } from "../../runtime/engine/policy/published-schema.ts";
import { gradeRobustness, type RobustnessGrade } from "../../runtime/engine/robustness.ts";
import { type PolicyTestResult, runPolicyTests } from "../../runtime/engine/test-runner.ts";
import type { Clock } from "../kit/clock.ts";
import type { Caller } from "../kit/context.ts";
import { validationFailed } from "../kit/error.ts";
import { isId, isUuid, newId } from "../kit/id.ts";
import { shippedModels } from "../kit/model-file.ts";
import { planLimitExceeded } from "../kit/quota-fault.ts";
import { findAgentById } from "../store/agent.ts";
import type { Database, Transaction } from "../store/database.ts";
import { listsOfProject } from "../store/list.ts";
import { findOrganization } from "../store/organization.ts";
import { addPlaygroundUsage } from "../store/usage.ts";
import { listPart, namedList } from "./bundle-list.ts";
import { enabledSchemas } from "./output-schema.ts";
import { type Candidate, CandidateFinder, type CandidateInput, soundPolicy, withTests } from "./policy-candidate.ts";
import { policyInvalid } from "./policy-document.ts";
import { quotaResetsAt, remainingQuota } from "./quota.ts";

/** A policy with the results of its tests. */
export interface TestedPolicy {
  readonly candidate: Candidate;
  readonly tests: readonly PolicyTestResult[];
  readonly robustness: RobustnessGrade | undefined;
}

/** A request to try out. */
export interface PlaygroundRequest extends CandidateInput {
  /** By default one that the policy applies to. */
  readonly environment?: string;
  /** Not read of a transcript, each turn of which has its own. */
  readonly stage: Stage;
  readonly request: EvaluateRequest;
}

/** The policies that judge, and where. */
interface Jury {
  readonly policies: readonly PolicySource[];
  readonly lists: readonly NamedList[];
  readonly schemas: readonly SchemaSource[];
  readonly environment: string;
  readonly projectId: string;
  readonly bundle: BundleReference;
}

/** Tries policies out. */
export class Playground {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #finder: CandidateFinder;
  readonly #packs: PackSource;

  /** `packs` are those that policies may extend. */
  constructor(database: Database, clock: Clock, packs: PackSource = noPacks) {
    this.#database = database;
    this.#clock = clock;
    this.#packs = packs;
    this.#finder = new CandidateFinder(database, packs);
  }

  /** Runs the tests of the policies that are named, and these. */
  async test(
    caller: Caller,
    input: CandidateInput & { readonly tests: readonly JsonObject[]; readonly robustness: boolean },
  ): Promise<TestedPolicy[]> {
    const packs = this.#packs;
    const models = shippedModels();
    const now = this.#clock.now();
    const candidates = await this.#finder.find(caller, input);
    const tested: TestedPolicy[] = [];
    for (const candidate of candidates) {
      // A project may have many policies; other calls get their turn between them.
      await setImmediate();
      const policy = soundPolicy(candidate.document, packs);
      const more = withTests(candidate.document, input.tests, packs);
      const tests = [...(policy.tests ?? []), ...more];
      tested.push({
        candidate,
        tests: runPolicyTests(policy, { now, packs, models }, tests),
        robustness: input.robustness ? gradeRobustness(policy, { now, packs, models }, tests) : undefined,
      });
    }
    return tested;
  }

  /** Judges a request and explains the answer. */
  async explain(caller: Caller, input: PlaygroundRequest): Promise<Explanation> {
    const evaluationId = evaluationIdOf(input.request);
    const jury = await this.#jury(caller, input);
    const engine = compiled(jury);
    const request = await this.#byAgentKey(caller, input.request);
    const context = () => ({
      stage: request.transcript ? stageOfTranscript(request) : input.stage,
      isTranscript: request.transcript,
      now: this.#clock.now(),
      evaluationId,
      // Fingerprints are the organization's secret; these are no good outside of this answer.
      fingerprintKey: new Uint8Array(32),
      bundle: jury.bundle,
      elapsedUs: stopwatch(),
    });
    // Once before, since the first evaluation of an engine also builds tables, which is not what a runtime would pay.
    engine.evaluate(request, context());
    const { explanation } = engine.explain(request, context());
    await this.#database.systemTransaction(caller.orgId, meterPlayground);
    return explanation;
  }

  /** The request with its agent by key, as runtimes judge one that names it by its id. */
  async #byAgentKey({ orgId }: Caller, request: EvaluateRequest): Promise<EvaluateRequest> {
    const { agentId } = request;
    if (agentId === undefined || !isUuid(agentId)) return request;
    const agent = await this.#database.read(orgId, (tx) => findAgentById(tx, agentId.toLowerCase()));
    return agent === null ? request : { ...request, agentId: agent.key };
  }

  /** The organization's lists as they are now. */
  #lists({ orgId }: Caller, projectId: string): Promise<NamedList[]> {
    return this.#database.read(orgId, async (tx) => (await listsOfProject(tx, projectId)).map(listPart).map(namedList));
  }

  /** The output schemas that a bundle would carry now. */
  #schemas({ orgId }: Caller): Promise<SchemaSource[]> {
    return this.#database.read(orgId, enabledSchemas);
  }

  async #jury(caller: Caller, input: PlaygroundRequest): Promise<Jury> {
    if (input.projectId !== undefined) return this.#finder.activeBundle(caller, input);
    const [candidate] = await this.#finder.find(caller, input);
    if (candidate === undefined) throw new Error("a document or a policy is one candidate");
    const { document, policyId = "", version = 0, scope } = candidate;
    const { metadata, match } = soundPolicy(document, this.#packs);
    const usual = scope.env === "*" ? (match?.envs?.[0] ?? "test") : scope.env;
    return {
      policies: [{ policyId, name: metadata.name, version, scope, document, packs: this.#packs }],
      lists: await this.#lists(caller, scope.appId),
      schemas: await this.#schemas(caller),
      environment: input.environment ?? usual,
      projectId: scope.appId === "*" ? "" : scope.appId,
      bundle: create(BundleReferenceSchema),
    };
  }
}

/** Counts one evaluation, unless the plan is used up. */
async function meterPlayground(tx: Transaction): Promise<void> {
  const quota = await remainingQuota(tx, await findOrganization(tx));
  if (quota !== null && quota.room < 1) {
    throw planLimitExceeded({ limit: quota.limit, used: quota.used, resetsAt: quotaResetsAt(tx.now) });
  }
  await addPlaygroundUsage(tx);
}

// As runtimes take and answer it.
function evaluationIdOf({ evaluationId = newId() }: EvaluateRequest): string {
  if (isId(evaluationId)) return evaluationId.toLowerCase();
  throw validationFailed([{ field: "request.evaluation_id", message: "expected a UUID of version 4" }]);
}

function compiled(jury: Jury): Engine {
  try {
    return compileEngine({ ...jury, models: shippedModels() });
  } catch (error) {
    if (error instanceof PolicyInvalid) throw policyInvalid(error.problems);
    throw error;
  }
}

function stopwatch(): () => number {
  const beganMs = performance.now();
  return () => (performance.now() - beganMs) * 1000;
}

/** JSON Schemas of policy documents and of files of tests, with the detectors of the catalog. */
export const documentSchemas: Readonly<Record<SchemaKind, JsonObject>> = {
  policy: publishedSchema("policy", catalog),
  tests: publishedSchema("tests", catalog),
};

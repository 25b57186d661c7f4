// The playground: runs policies on their own tests, or on a request that a person types. Nothing is enforced and no
// text is kept; only the number of uses is counted.

import type { JsonObject } from "@bufbuild/protobuf";
import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Explanation } from "../../../gen/policyguard/policy/v1/explanation_pb.ts";
import type { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { publishedSchema, type SchemaKind } from "../../../runtime/engine/authoring/published-schema.ts";
import { catalog } from "../../../runtime/engine/detectors/catalog.ts";
import { maxContentBytes } from "../../kit/bundle/bundle-size.ts";
import { validationFailed } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { isId, isUuid, newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { planLimitExceeded } from "../../kit/rpc/quota-fault.ts";
import { addPlaygroundUsage } from "../../store/billing/usage.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { itemTexts, listHeadsOfProject } from "../../store/policy/list.ts";
import { findAgentById } from "../../store/project/agent.ts";
import type { Analysis } from "../analysis/analysis.ts";
import type { ListText } from "../analysis/stored-part.ts";
import type { PolicyTestResults } from "../analysis/try-policy.ts";
import { type BillingMode, quotaAdvice } from "../billing/advice.ts";
import { quotaResetsAt, remainingQuota } from "../billing/quota.ts";
import { contentTooLarge } from "../bundle/content.ts";
import { enabledSchemas } from "../policy/output-schema.ts";
import { PolicyFinder, type PolicySelection, type SelectedPolicy } from "./selection.ts";

/** A policy with the results of its tests. */
export interface TestedPolicy extends PolicyTestResults {
  readonly selected: SelectedPolicy;
}

/** A request to evaluate, and the policies to evaluate it by. */
export interface PlaygroundRequest extends PolicySelection {
  /** Default: one that the policy applies to. */
  readonly environment?: string;
  /** Ignored for a transcript: each of its turns has a stage of its own. */
  readonly stage: Stage;
  readonly request: EvaluateRequest;
}

/** Why a request was judged as it was, and how many evaluations of the month are left; undefined without a limit. */
export interface PlaygroundAnswer {
  readonly explanation: Explanation;
  readonly remaining: number | undefined;
}

/** Tries policies out. */
export class Playground {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #analysis: Analysis;
  readonly #finder: PolicyFinder;

  readonly #mode: BillingMode;

  /** `mode` decides what a refusal advises. */
  constructor(
    database: Database,
    clock: Clock,
    { analysis, mode }: { readonly analysis: Analysis; readonly mode: BillingMode },
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#analysis = analysis;
    this.#mode = mode;
    this.#finder = new PolicyFinder(database);
  }

  /** Runs the tests of the selected policies, and those of the input. Each policy has the limits of one document. */
  async test(
    caller: Caller,
    input: PolicySelection & { readonly tests: readonly JsonObject[]; readonly robustness: boolean },
    signal?: AbortSignal,
  ): Promise<TestedPolicy[]> {
    const now = this.#clock.now();
    const policies = await this.#finder.find(caller, input);
    const { tests, robustness } = input;
    const tested: TestedPolicy[] = [];
    for (const selected of policies) {
      const trial = { document: await selected.document(), tests, robustness, now };
      const tried = await this.#analysis.run("tryPolicy", trial, { orgId: caller.orgId, signal });
      tested.push({ selected, ...tried });
    }
    return tested;
  }

  /**
   * Evaluates a request and explains the answer. A plan that is used up is refused before the evaluation, which is
   * counted after it.
   */
  async explain(caller: Caller, input: PlaygroundRequest, signal?: AbortSignal): Promise<PlaygroundAnswer> {
    const evaluationId = evaluationIdOf(input.request);
    const { orgId } = caller;
    const request = await this.#byAgentKey(caller, input.request);
    const question = { request, stage: input.stage, now: this.#clock.now(), evaluationId };
    const asker = { orgId, signal };
    const ask =
      input.projectId === undefined
        ? await this.#askPolicy(caller, input)
        : { name: "explainBundle" as const, ...(await this.#finder.selectedBundle(caller, input)) };
    await this.#database.systemTransaction(orgId, (tx) => assertQuota(tx, this.#mode));
    const explanation =
      ask.name === "explainBundle"
        ? await this.#analysis.run(ask.name, { ...ask, ...question }, asker)
        : await this.#analysis.run(ask.name, { ...ask, ...question }, asker);
    const remaining = await this.#database.systemTransaction(orgId, async (tx) => {
      const room = await assertQuota(tx, this.#mode);
      await addPlaygroundUsage(tx);
      return room === null ? undefined : room - 1;
    });
    return { explanation, remaining };
  }

  /** The request with its agent's key in place of its id, as runtimes evaluate it. */
  async #byAgentKey({ orgId }: Caller, request: EvaluateRequest): Promise<EvaluateRequest> {
    const { agentId } = request;
    if (agentId === undefined || !isUuid(agentId)) return request;
    const agent = await this.#database.read(orgId, (tx) => findAgentById(tx, agentId.toLowerCase()));
    return agent === null ? request : { ...request, agentId: agent.key };
  }

  /**
   * The job that explains one policy, with the organization's present lists, and the output schemas that a bundle would
   * contain.
   */
  async #askPolicy(caller: Caller, input: PlaygroundRequest) {
    const [selected] = await this.#finder.find(caller, input);
    if (selected === undefined) throw new Error("a document or a policy selects one policy");
    const { policyId = "", version = 0, scope } = selected;
    const document = await selected.document();
    const around = await this.#database.read(caller.orgId, async (tx) => ({
      lists: await listTexts(tx, scope.appId),
      schemas: await enabledSchemas(tx),
    }));
    const { environment } = input;
    return { name: "explainPolicy" as const, ...around, document, policyId, version, scope, environment };
  }
}

/** The lists that may apply in the project. More than a bundle could contain are refused. */
export async function listTexts(tx: Transaction, projectId: string): Promise<ListText[]> {
  const lists: ListText[] = [];
  let length = 0;
  for await (const { head, text: itemsText } of itemTexts(tx, await listHeadsOfProject(tx, projectId))) {
    length += itemsText.length;
    if (length > maxContentBytes) throw contentTooLarge();
    const { name, appId, agentId, env } = head;
    lists.push({ name, scope: { tenantId: tx.orgId, appId, agentId, env }, itemsText });
  }
  return lists;
}

/** How much of the plan is left; null without a limit. Throws when it is used up. */
async function assertQuota(tx: Transaction, mode: BillingMode): Promise<number | null> {
  const quota = await remainingQuota(tx);
  if (quota === null) return null;
  if (quota.room >= 1) return quota.room;
  const advice = quotaAdvice(mode, tx.orgId);
  throw planLimitExceeded({ limit: quota.limit, used: quota.used, resetsAt: quotaResetsAt(tx.now), advice });
}

// Checked and answered as runtimes do.
function evaluationIdOf({ evaluationId = newId() }: EvaluateRequest): string {
  if (isId(evaluationId)) return evaluationId.toLowerCase();
  throw validationFailed([{ field: "request.evaluation_id", message: "expected a UUID of version 4" }]);
}

/** JSON Schemas of policy documents and of files of tests, with the detectors of the catalog. */
export const documentSchemas: Readonly<Record<SchemaKind, JsonObject>> = {
  policy: publishedSchema("policy", catalog),
  tests: publishedSchema("tests", catalog),
};

// Where a policy applies. A scope names only what exists in its organization; agents are stored by key.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import type { Caller } from "../kit/context.ts";
import { Fault, notFound, validationFailed } from "../kit/error.ts";
import { isUuid } from "../kit/id.ts";
import { findAgentById } from "../store/agent.ts";
import type { Transaction } from "../store/database.ts";
import type { CurrentPolicy } from "../store/policy.ts";
import { findProject } from "../store/project.ts";

/** Scope without the tenant, which is always the organization; "*" for all. */
export interface PolicyScope {
  readonly appId: string;
  readonly agentId: string;
  readonly env: string;
}

/** Parts of a scope as a request gives them; empty or unset parts are "*". */
export type ScopeInput = Partial<PolicyScope>;

/** The scope that the input names, with its project and agent looked up. `prefix` begins the names of its fields in the request. */
export async function resolveScope(tx: Transaction, input: ScopeInput, prefix = "scope."): Promise<PolicyScope> {
  const appId = input.appId || "*";
  if (appId !== "*" && (await findProject(tx, appId)) === null) {
    throw validationFailed([{ field: `${prefix}app_id`, message: "no such project in this organization" }]);
  }
  return {
    appId: appId.toLowerCase(),
    agentId: await agentKey(tx, input.agentId || "*", prefix),
    env: input.env || "*",
  };
}

/** A ci token writes policies of its own project and no others. */
export function assertMayWrite(caller: Caller, scope: PolicyScope): void {
  const { kind, projectId } = caller.credential;
  if (kind !== CredentialKind.CI || scope.appId === projectId) return;
  throw new Fault(
    Reason.INSUFFICIENT_SCOPE,
    `a ci token may write only policies of its own project; set scope.app_id to ${projectId}`,
  );
}

/** The projects whose policies the caller sees; undefined for all. */
export function visibleApps(caller: Caller): readonly string[] | undefined {
  const { kind, projectId } = caller.credential;
  return kind === CredentialKind.CI && projectId !== undefined ? ["*", projectId] : undefined;
}

/** The policy that was found, if the caller sees it. */
export function requireVisible(caller: Caller, found: CurrentPolicy | null): CurrentPolicy {
  const apps = visibleApps(caller);
  if (found === null || (apps !== undefined && !apps.includes(found.policy.appId))) throw notFound("policy");
  return found;
}

async function agentKey(tx: Transaction, agentId: string, prefix: string): Promise<string> {
  if (!isUuid(agentId)) return agentId;
  const agent = await findAgentById(tx, agentId);
  if (agent === null) {
    throw validationFailed([{ field: `${prefix}agent_id`, message: "no agent of this organization has this id" }]);
  }
  return agent.key;
}

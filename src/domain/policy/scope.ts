// Scopes: where a policy applies. A scope names only what exists in its organization; agents are stored by key.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { Fault, notFound, validationFailed } from "../../kit/fault/fault.ts";
import { isUuid } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { CurrentPolicy } from "../../store/policy/policy.ts";
import { findAgentById } from "../../store/project/agent.ts";
import { environmentNames } from "../../store/project/environment.ts";
import { findProject } from "../../store/project/project.ts";

/** Scope without the tenant, which is always the organization; "*" for all. */
export interface PolicyScope {
  readonly appId: string;
  readonly agentId: string;
  readonly env: string;
}

/** Parts of a scope as a request gives them; empty or unset parts are "*". */
export type ScopeInput = Partial<PolicyScope>;

/** Options of looking up a scope. */
export interface ScopeLookup {
  /** Prefix of the scope's fields in the request. */
  readonly prefix?: string;
  /** The present scope. It may keep what was deleted since. */
  readonly current?: PolicyScope;
}

/** The scope that the input names, with its project, environment and agent looked up. */
export async function resolveScope(
  tx: Transaction,
  input: ScopeInput,
  { prefix = "scope.", current }: ScopeLookup = {},
): Promise<PolicyScope> {
  const appId = (input.appId || "*").toLowerCase();
  const env = input.env || "*";
  if (appId !== "*" && (await findProject(tx, appId)) === null) {
    throw validationFailed([{ field: `${prefix}app_id`, message: "no such project in this organization" }]);
  }
  const isKept = current?.appId === appId && current.env === env;
  if (env !== "*" && !isKept) await assertEnvironment(tx, { appId, env }, prefix);
  return { appId, agentId: await agentKey(tx, input.agentId || "*", prefix), env };
}

// A policy for an environment that does not exist would never run, and nobody would notice. In a scope of all projects,
// at least one project has to have the environment; before the first project there is nothing to compare with.
async function assertEnvironment(tx: Transaction, { appId, env }: Omit<PolicyScope, "agentId">, prefix: string) {
  const names = await environmentNames(tx, appId === "*" ? undefined : appId);
  if (names.includes(env) || (appId === "*" && names.length === 0)) return;
  const whose = appId === "*" ? "no project of this organization has" : "the project does not have";
  const message = `${whose} this environment; expected one of ${["*", ...names].join(", ")}`;
  throw validationFailed([{ field: `${prefix}env`, message }]);
}

/** Throws when a ci token would write a policy of another than its own project. */
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
  const projectId = visibleProject(caller);
  return projectId === undefined ? undefined : ["*", projectId];
}

/** The one project whose environments the caller sees, or undefined for those who see all. */
export function visibleProject(caller: Caller): string | undefined {
  const { kind, projectId } = caller.credential;
  return kind === CredentialKind.CI ? projectId : undefined;
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

// The lists of a bundle: those that its policies read by name, with their items as they are now.

import type { NamedList } from "../../runtime/engine/applicability.ts";
import type { PolicySource } from "../../runtime/engine/compiled-policy.ts";
import { catalog } from "../../runtime/engine/detectors/catalog.ts";
import type { PolicyDocument } from "../../runtime/engine/policy/document.ts";
import { noPacks } from "../../runtime/engine/policy/extend.ts";
import { isNamed, requiredLists } from "../../runtime/engine/policy/list.ts";
import { layersOf } from "../../runtime/engine/policy/parse.ts";
import type { PolicyProblem } from "../../runtime/engine/policy/problem.ts";
import type { ListRow } from "../store/list.ts";
import { policyInvalid } from "./policy-document.ts";

/** A list as a bundle carries it. */
export interface ListPart {
  readonly list_id: string;
  readonly name: string;
  readonly scope: {
    readonly tenant_id: string;
    readonly app_id: string;
    readonly agent_id: string;
    readonly env: string;
  };
  readonly items: readonly string[];
}

/** The lists that the policies read. A policy that needs one that nobody keeps is a 422. */
export function neededLists(policies: readonly PolicySource[], lists: readonly ListRow[]): ListRow[] {
  const names = new Set(policies.flatMap((policy) => documentsOf(policy).flatMap(namedLists)));
  const problems = policies.flatMap((policy) => missingLists(policy, lists));
  if (problems.length > 0) throw policyInvalid(problems);
  return lists.filter(({ name }) => names.has(name));
}

/** A list for a bundle. */
export function listPart(list: ListRow): ListPart {
  const { orgId, appId, agentId, env, name, items } = list;
  return { list_id: list.id, name, scope: { tenant_id: orgId, app_id: appId, agent_id: agentId, env }, items };
}

/** A list of a bundle, as an engine takes it. */
export function namedList({ name, scope, items }: ListPart): NamedList {
  const { tenant_id: tenantId, app_id: appId, agent_id: agentId, env } = scope;
  return { name, items, scope: { tenantId, appId, agentId, env } };
}

function documentsOf({ document, packs = noPacks }: PolicySource): PolicyDocument[] {
  const policy = document as unknown as PolicyDocument; // it was valid when it was stored
  return [policy, ...layersOf(policy, catalog, packs).map((layer) => layer.document)];
}

function namedLists({ lists = {} }: PolicyDocument): string[] {
  return Object.entries(lists).flatMap(([name, list]) => (isNamed(list) ? [name] : []));
}

function missingLists(policy: PolicySource, lists: readonly ListRow[]): PolicyProblem[] {
  const required = new Set(documentsOf(policy).flatMap((document) => requiredLists(document.lists ?? {})));
  const missing = [...required].filter((name) => !lists.some((list) => list.name === name && meets(list, policy)));
  return missing.map((name) => ({
    ...{ line: 0, column: 0, path: `lists.${name}`, severity: "error" as const },
    message: `policy "${policy.name}" reads the list "${name}", which nobody keeps in its scope`,
    suggestion: "create the list, or give the policy a default for it",
  }));
}

/** Whether there can be a request that both the list and the policy are for. */
function meets(list: ListRow, { scope }: PolicySource): boolean {
  const overlap = (a: string, b: string) => a === "*" || b === "*" || a === b;
  return overlap(list.appId, scope.appId) && overlap(list.agentId, scope.agentId) && overlap(list.env, scope.env);
}

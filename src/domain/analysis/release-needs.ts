// Finds everything that policies refer to, since it goes into the bundle with them: lists that they read by name,
// detector backends, and agents that they distinguish from others. A missing one is a 422.

import { catalog } from "../../../runtime/engine/detectors/catalog.ts";
import type { PolicyDocument } from "../../../runtime/engine/policy/document.ts";
import { noPacks } from "../../../runtime/engine/policy/extend.ts";
import { isNamed, requiredLists } from "../../../runtime/engine/policy/list.ts";
import { layersOf } from "../../../runtime/engine/policy/parse.ts";
import { nowhere, type PolicyProblem } from "../../../runtime/engine/policy/problem.ts";
import { backendOf } from "../../../runtime/engine/policy/reference.ts";
import type { PolicySource } from "../../../runtime/engine/policy-plan/compiled-policy.ts";
import type { AgentPart } from "../../../runtime/engine/segment/agent-part.ts";
import { matchesGlob } from "../../../runtime/engine/text/glob.ts";
import { policyInvalid } from "./policy-document.ts";

/** A list of the project, without its items. */
export interface ListHead {
  readonly id: string;
  readonly name: string;
  readonly appId: string;
  readonly agentId: string;
  readonly env: string;
}

function documentsOf({ document, packs = noPacks }: PolicySource): PolicyDocument[] {
  const policy = document as unknown as PolicyDocument; // it was just checked
  return [policy, ...layersOf(policy, catalog, packs).map((layer) => layer.document)];
}

/** The lists that the policies read. A list that does not exist is a 422. */
export function neededLists(policies: readonly PolicySource[], lists: readonly ListHead[]): ListHead[] {
  const names = new Set<string>();
  const problems = policies.flatMap((policy) => {
    const documents = documentsOf(policy);
    for (const name of documents.flatMap(namedLists)) names.add(name);
    return missingLists(policy, documents, lists);
  });
  if (problems.length > 0) throw policyInvalid(problems);
  return lists.filter(({ name }) => names.has(name));
}

function namedLists({ lists = {} }: PolicyDocument): string[] {
  return Object.entries(lists).flatMap(([name, list]) => (isNamed(list) ? [name] : []));
}

function missingLists(
  policy: PolicySource,
  documents: readonly PolicyDocument[],
  lists: readonly ListHead[],
): PolicyProblem[] {
  const required = new Set(documents.flatMap((document) => requiredLists(document.lists ?? {})));
  const missing = [...required].filter((name) => !lists.some((list) => list.name === name && meets(list, policy)));
  return missing.map((name) => ({
    ...{ code: "unknown_list" as const, ...nowhere, path: `lists.${name}`, severity: "error" as const },
    message: `policy "${policy.name}" reads the list "${name}", which does not exist in its scope`,
    suggestion: "create the list, or give the policy a default for it",
  }));
}

/** Whether there can be a request to which both the list and the policy apply. */
function meets(list: ListHead, { scope }: PolicySource): boolean {
  const overlap = (a: string, b: string) => a === "*" || b === "*" || a === b;
  return overlap(list.appId, scope.appId) && overlap(list.agentId, scope.agentId) && overlap(list.env, scope.env);
}

/** The keys of the backends that the policies name. A backend that is not set is a 422. */
export function neededBackends(policies: readonly PolicySource[], known: readonly string[]): string[] {
  const needed = new Set<string>();
  const problems = policies.flatMap((policy) => {
    const keys = namedBackends(policy);
    for (const key of keys) needed.add(key);
    const missing = [...keys].filter((key) => !known.includes(key));
    return missing.map((key) => ({
      ...{ code: "unknown_backend" as const, ...nowhere, path: "detectors", severity: "error" as const },
      message: `policy "${policy.name}" names the detector backend "${key}", which does not exist`,
      suggestion: `set it at /v1/orgs/{org_id}/detector-backends/${key}`,
    }));
  });
  if (problems.length > 0) throw policyInvalid(problems);
  return known.filter((key) => needed.has(key));
}

function namedBackends(policy: PolicySource): Set<string> {
  const uses = documentsOf(policy).flatMap(({ detectors = {} }) => Object.values(detectors));
  return new Set(uses.flatMap((use) => backendOf(use)?.key ?? []));
}

/** An agent of the project. */
export interface Agent {
  readonly id: string;
  readonly key: string;
}

/** Everything that can refer to agents. */
export interface AgentReaders {
  readonly policies: readonly PolicySource[];
  /** The policies' parts as they are written, with the packs that they extend. */
  readonly written: readonly { readonly data: Uint8Array }[];
  readonly lists: readonly ListHead[];
}

/** The agents that scopes, `match.agents` or conditions distinguish from others; undefined when there are none. */
export function neededAgents(agents: readonly Agent[], readers: AgentReaders): AgentPart | undefined {
  const globs = [...new Set(globsOf(readers))];
  const named = agents.filter(({ key }) => globs.some((glob) => matchesGlob(glob, key)));
  return named.length === 0 ? undefined : { keys: Object.fromEntries(named.map(({ id, key }) => [id, key])) };
}

/** A condition may compare the agent's key with anything, and a rollout samples by it. */
const readsAnyKey = /request\s*\.\s*agent_id|"by":"agent_id"/;

function globsOf({ policies, written, lists }: AgentReaders): string[] {
  if (written.some(({ data }) => readsAnyKey.test(Buffer.from(data).toString("utf8")))) return ["*"];
  const ofPolicies = policies.flatMap(({ scope, document }) => {
    const { match } = document as { readonly match?: { readonly agents?: readonly string[] } }; // it was just checked
    return [scope.agentId, ...(match?.agents ?? [])];
  });
  // A scope for all agents distinguishes none.
  return [...ofPolicies, ...lists.map(({ agentId }) => agentId)].filter((glob) => glob !== "*");
}

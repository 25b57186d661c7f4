// Selects the policies of an engine that apply to a request, and the lists that they read. All policies in scope run
// independently of each other. Lists that are kept beside the policies have their own scope; of several with one name,
// the one with the most specific scope is read.

import { BoundedCache } from "../../../src/kit/process/bounded-cache.ts";
import { type ListDeclarations, type Lists, resolvedLists } from "../policy/list.ts";
import { matchesGlob } from "../text/glob.ts";
import type { CompiledPolicy, PolicyScope } from "./compiled-policy.ts";

/** A list that is kept beside the policies. */
export interface NamedList {
  readonly name: string;
  readonly scope: PolicyScope;
  readonly items: readonly string[];
}

/** A policy that applies, with the lists that its conditions read. */
export interface ApplicablePolicy {
  readonly policy: CompiledPolicy;
  readonly lists: Lists;
  /** Lists for the exemptions of documents that extend this one, the nearest document first. */
  readonly outerLists: readonly Lists[];
}

/** Agents whose policies are remembered. */
const maxAgents = 1000;

/** Finds the policies that apply to an agent, and caches the answer, which depends only on the agent. */
export class Applicability {
  readonly #policies: readonly CompiledPolicy[];
  readonly #lists: readonly NamedList[];
  readonly #byAgent = new BoundedCache<string, readonly ApplicablePolicy[]>({ maxEntries: maxAgents });

  /** `lists` are the named lists of the environment and the project. */
  constructor(policies: readonly CompiledPolicy[], lists: readonly NamedList[]) {
    this.#policies = policies;
    this.#lists = lists;
  }

  /** The policies that apply to an agent's key; "" for a request that names no agent. */
  forAgent(agentId: string): readonly ApplicablePolicy[] {
    const known = this.#byAgent.get(agentId);
    if (known !== undefined) return known;
    const policies = this.#policies.filter((policy) => appliesToAgent(policy, agentId));
    const named = byName(this.#lists.filter(({ scope }) => scope.agentId === "*" || scope.agentId === agentId));
    const resolve = (declared: ListDeclarations) => resolvedLists(declared, (name) => named.get(name)?.items);
    const applicable = policies.map((policy) => ({
      policy,
      lists: resolve(policy.lists),
      outerLists: policy.outerLists.map(resolve),
    }));
    this.#byAgent.set(agentId, applicable);
    return applicable;
  }
}

/** Whether a policy applies to an agent's key; "" for a request that names no agent. */
export function appliesToAgent({ scope, agents }: CompiledPolicy, agentId: string): boolean {
  if (scope.agentId !== "*" && scope.agentId !== agentId) return false;
  return agents === undefined || agents.some((glob) => matchesGlob(glob, agentId));
}

/** The list of each name with the most specific scope; of equally specific ones, the first. */
function byName(lists: readonly NamedList[]): Map<string, NamedList> {
  const best = new Map<string, NamedList>();
  for (const list of lists) {
    const other = best.get(list.name);
    if (other === undefined || specificity(list.scope) > specificity(other.scope)) best.set(list.name, list);
  }
  return best;
}

/** An agent is more specific than an environment, and an environment more specific than a project. */
function specificity({ appId, agentId, env }: PolicyScope): number {
  return (agentId === "*" ? 0 : 4) + (env === "*" ? 0 : 2) + (appId === "*" ? 0 : 1);
}

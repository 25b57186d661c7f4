// Which policies of an engine apply to a request, and which lists they read.
// All policies in scope run, and nothing in one changes another, except lists by name: the most specific scope wins.

import type { CompiledPolicy, PolicyScope } from "./compiled-policy.ts";
import { matchesGlob } from "./glob.ts";

/** A policy that applies, with the lists that its conditions read. */
export interface ApplicablePolicy {
  readonly policy: CompiledPolicy;
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

const cacheSize = 1000;

/** Finds the policies that apply to an agent, and remembers the answer: it depends on the agent alone. */
export class Applicability {
  readonly #policies: readonly CompiledPolicy[];
  readonly #byAgent = new Map<string, readonly ApplicablePolicy[]>();

  constructor(policies: readonly CompiledPolicy[]) {
    this.#policies = policies;
  }

  /** The policies that apply to an agent's key; "" for a request that names none. */
  forAgent(agentId: string): readonly ApplicablePolicy[] {
    const known = this.#byAgent.get(agentId);
    if (known !== undefined) return known;
    const policies = this.#policies.filter((policy) => appliesToAgent(policy, agentId));
    const applicable = policies.map((policy) => ({ policy, lists: listsFor(policy, policies) }));
    if (this.#byAgent.size >= cacheSize) this.#byAgent.clear();
    this.#byAgent.set(agentId, applicable);
    return applicable;
  }
}

/** Whether a policy is for an agent, by its key; "" for a request that names none. */
export function appliesToAgent({ scope, agents }: CompiledPolicy, agentId: string): boolean {
  if (scope.agentId !== "*" && scope.agentId !== agentId) return false;
  return agents === undefined || agents.some((glob) => matchesGlob(glob, agentId));
}

function listsFor(policy: CompiledPolicy, all: readonly CompiledPolicy[]): ApplicablePolicy["lists"] {
  const names = Object.keys(policy.lists);
  return Object.fromEntries(names.map((name) => [name, mostSpecific(name, policy, all).lists[name] ?? []]));
}

function mostSpecific(list: string, own: CompiledPolicy, all: readonly CompiledPolicy[]): CompiledPolicy {
  return all
    .filter(({ lists }) => Object.hasOwn(lists, list))
    .reduce((best, other) => (specificity(other.scope) > specificity(best.scope) ? other : best), own);
}

/** An agent is more specific than an environment, an environment more than a project. */
function specificity({ appId, agentId, env }: PolicyScope): number {
  return (agentId === "*" ? 0 : 4) + (env === "*" ? 0 : 2) + (appId === "*" ? 0 : 1);
}

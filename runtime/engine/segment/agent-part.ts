// The agents of a bundle. Applications may name an agent by its id, while policies, lists and conditions use keys. So
// the bundle maps the ids of its agents to their keys.

/** The path of this part in a bundle. */
export const agentPartPath = "facts/agents.json";

/** The content of the part. */
export interface AgentPart {
  /** Keys of agents by their ids, which are UUIDs in lower case. */
  readonly keys: { readonly [id: string]: string };
}

/** Keys of agents by their ids. */
export type AgentKeys = ReadonlyMap<string, string>;

/**
 * The key of an agent that is named by its key or its id. A name that the bundle does not know is returned unchanged.
 */
export function agentKeyOf(named: string, keys: AgentKeys): string {
  return keys.size === 0 ? named : (keys.get(named.toLowerCase()) ?? named);
}

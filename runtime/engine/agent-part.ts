// What a bundle says about agents. Applications may name an agent by its id, while policies, lists and conditions speak of keys; so the
// bundle says which keys the ids of those agents stand for.

/** The path of the part. */
export const agentPartPath = "facts/agents.json";

/** The content of the part. */
export interface AgentPart {
  /** Keys of agents by their ids, which are UUIDs in lower case. */
  readonly keys: { readonly [id: string]: string };
}

/** Keys of agents by their ids. */
export type AgentKeys = ReadonlyMap<string, string>;

/** The key of an agent that is named by its key or its id. What the bundle does not know stays as it is. */
export function agentKeyOf(named: string, keys: AgentKeys): string {
  return keys.size === 0 ? named : (keys.get(named.toLowerCase()) ?? named);
}

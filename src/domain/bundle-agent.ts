// The agents that a bundle knows by their ids: those that what is in it can tell from others.

import type { AgentPart } from "../../runtime/engine/agent-part.ts";
import type { PolicySource } from "../../runtime/engine/compiled-policy.ts";
import { matchesGlob } from "../../runtime/engine/glob.ts";
import { newestAgents } from "../store/agent.ts";
import type { Transaction } from "../store/database.ts";
import type { ListRow } from "../store/list.ts";

/** The newest agents of a project that are looked at. A project with more of them names them by key. */
const mostAgents = 5_000;

/** What may speak of agents. */
export interface AgentReaders {
  readonly policies: readonly PolicySource[];
  /** The policies' parts as they are written, with the packs that they extend. */
  readonly written: readonly { readonly data: Uint8Array }[];
  readonly lists: readonly ListRow[];
}

/** The agents of the project that scopes, `match.agents` or conditions tell from others; undefined when there is none. */
export async function neededAgents(
  tx: Transaction,
  projectId: string,
  readers: AgentReaders,
): Promise<AgentPart | undefined> {
  const globs = globsOf(readers);
  if (globs.length === 0) return undefined;
  const agents = await newestAgents(tx, projectId, mostAgents);
  const named = agents.filter(({ key }) => globs.some((glob) => matchesGlob(glob, key)));
  return named.length === 0 ? undefined : { keys: Object.fromEntries(named.map(({ id, key }) => [id, key])) };
}

/** A condition may compare the key with anything, and a roll-out draws by it. */
const readsAnyKey = /request\s*\.\s*agent_id|"by":"agent_id"/;

function globsOf({ policies, written, lists }: AgentReaders): string[] {
  if (written.some(({ data }) => readsAnyKey.test(Buffer.from(data).toString("utf8")))) return ["*"];
  const ofPolicies = policies.flatMap(({ scope, document }) => {
    const { match } = document as { readonly match?: { readonly agents?: readonly string[] } }; // it was valid when it was stored
    return [scope.agentId, ...(match?.agents ?? [])];
  });
  // What is for all agents tells none from another.
  return [...ofPolicies, ...lists.map(({ agentId }) => agentId)].filter((glob) => glob !== "*");
}

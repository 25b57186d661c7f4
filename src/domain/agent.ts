// Agents appear by use; people rename and delete them.

import type { Caller } from "../kit/context.ts";
import { notFound } from "../kit/error.ts";
import type { Page } from "../kit/page.ts";
import { type AgentRow, deleteAgent, findAgent, listAgents } from "../store/agent.ts";
import type { Database, Transaction } from "../store/database.ts";
import { requireProject } from "./lookup.ts";

/** Lists, renames and deletes agents. */
export class Agents {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A page of the project's agents. */
  list(caller: Caller, projectId: string, page: Page): Promise<[AgentRow[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, projectId);
      return listAgents(tx, projectId, page);
    });
  }

  /** Changes the display name; the key stays. */
  rename(caller: Caller, projectId: string, id: string, name: string): Promise<AgentRow> {
    return this.#database.transaction(caller, async (tx) => {
      const agent = await requireAgent(tx, projectId, id);
      const before = { name: agent.name };
      agent.name = name;
      tx.changed({ resource: `agent/${agent.id}`, before, after: { name } });
      return agent;
    });
  }

  /** Forgets the agent. When its key is used again it appears under a new id. */
  delete(caller: Caller, projectId: string, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const agent = await requireAgent(tx, projectId, id);
      if (!(await deleteAgent(tx, agent.id))) throw notFound("agent");
      tx.changed({ resource: `agent/${agent.id}`, before: { key: agent.key, name: agent.name }, after: null });
    });
  }
}

async function requireAgent(tx: Transaction, projectId: string, id: string): Promise<AgentRow> {
  const agent = await findAgent(tx, projectId, id);
  if (agent === null) throw notFound("agent");
  return agent;
}

// Agents. They are created when their key is first used; people rename and delete them.

import { notFound } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { SearchedPage } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { type AgentRow, deleteAgent, findAgent, listAgents } from "../../store/project/agent.ts";
import { requireProject } from "../lookup.ts";

/** Lists, renames and deletes agents. */
export class Agents {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A page of the project's agents. */
  list(caller: Caller, projectId: string, page: SearchedPage): Promise<[AgentRow[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, projectId);
      return listAgents(tx, projectId, page);
    });
  }

  /** Changes the display name; the key stays. */
  rename(caller: Caller, projectId: string, id: string, name: string): Promise<AgentRow> {
    return this.#database.transaction(caller, async (tx) => {
      const agent = await requireAgent(tx, projectId, id);
      const before = auditView(agent);
      agent.name = name;
      tx.changed({ resource: `agent/${agent.id}`, before, after: auditView(agent) });
      return agent;
    });
  }

  /** Deletes the agent. When its key is used again, it gets a new id. */
  delete(caller: Caller, projectId: string, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const agent = await requireAgent(tx, projectId, id);
      if (!(await deleteAgent(tx, agent.id))) throw notFound("agent");
      tx.changed({ resource: `agent/${agent.id}`, before: auditView(agent), after: null });
    });
  }
}

function auditView({ projectId, key, name }: AgentRow) {
  return { project_id: projectId, key, name };
}

async function requireAgent(tx: Transaction, projectId: string, id: string): Promise<AgentRow> {
  const agent = await findAgent(tx, projectId, id);
  if (agent === null) throw notFound("agent");
  return agent;
}

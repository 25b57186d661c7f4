import { defineEntity, p } from "@mikro-orm/core";
import { newId } from "../../kit/process/id.ts";
import type { SearchedPage } from "../../kit/rpc/page.ts";
import { containsIn } from "../core/substring.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "Agent",
  tableName: "agent",
  ...tenantTable,
  uniques: [{ name: "agent_key", properties: ["orgId", "projectId", "key"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    projectId: p.uuid(),
    key: p.text(),
    name: p.text(),
    firstSeenAt: p.datetime(3),
    lastSeenAt: p.datetime(3),
  },
});

/** A part of a project's application that asks for evaluations under a key of its own. */
export class AgentRow extends schema.class {}
schema.setClass(AgentRow);

/** The agent, or null when the project has none with this id. */
export function findAgent(tx: Transaction, projectId: string, id: string): Promise<AgentRow | null> {
  return tx.em.findOne(AgentRow, { orgId: tx.orgId, projectId, id });
}

/** The agent with this key, or null. */
export function findAgentByKey(tx: Transaction, projectId: string, key: string): Promise<AgentRow | null> {
  return tx.em.findOne(AgentRow, { orgId: tx.orgId, projectId, key });
}

/** The keys of agents by their ids. Ids that no agent of the project has are left out. */
export async function findAgentKeys(
  tx: Transaction,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const agents = await tx.em.find(AgentRow, { orgId: tx.orgId, projectId, id: { $in: [...ids] } }, { fields: ["key"] });
  return new Map(agents.map((agent) => [agent.id, agent.key]));
}

/** A page of agents, most recently first seen first, and their count. `query` is in their name or key. */
export function listAgents(
  tx: Transaction,
  projectId: string,
  { query, ...page }: SearchedPage,
): Promise<[AgentRow[], number]> {
  const where = { orgId: tx.orgId, projectId, ...containsIn(query, "name", "key") };
  return tx.em.findAndCount(AgentRow, where, { ...page, orderBy: { firstSeenAt: "desc", id: "asc" } });
}

/** At most `limit` agents of a project, most recently first seen first. */
export function newestAgents(tx: Transaction, projectId: string, limit: number): Promise<AgentRow[]> {
  const order = { firstSeenAt: "desc", id: "asc" } as const;
  return tx.em.find(AgentRow, { orgId: tx.orgId, projectId }, { limit, orderBy: order });
}

/** Records that agents were in use, and adds new ones. Keys are locked in order, so that ingests cannot deadlock. */
export function touchAgents(tx: Transaction, projectId: string, lastSeen: ReadonlyMap<string, Date>): void {
  if (lastSeen.size === 0) return;
  const rows = [...lastSeen].sort(([a], [b]) => (a < b ? -1 : 1));
  const values = rows.map(() => "(?, ?, ?, ?, ?, ?, ?)").join(", ");
  const parameters = rows.flatMap(([key, at]) => [tx.orgId, newId(), projectId, key, key, at, at]);
  tx.writeAtEnd(
    `insert into agent (org_id, id, project_id, key, name, first_seen_at, last_seen_at) values ${values}
     on conflict (org_id, project_id, key) do update
       set last_seen_at = greatest(agent.last_seen_at, excluded.last_seen_at)`,
    parameters,
  );
}

/** The agent with this id in whichever project of the organization, or null. */
export function findAgentById(tx: Transaction, id: string): Promise<AgentRow | null> {
  return tx.em.findOne(AgentRow, { orgId: tx.orgId, id });
}

/** Deletes the agent. False when another call was faster. */
export async function deleteAgent(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.em.nativeDelete(AgentRow, { orgId: tx.orgId, id })) > 0;
}

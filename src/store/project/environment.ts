import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "Environment",
  tableName: "environment",
  ...tenantTable,
  uniques: [{ name: "environment_name", properties: ["orgId", "projectId", "name"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    position: p.integer(),
    isProtected: p.boolean(),
    /** Whether nothing can be activated in it. */
    isFrozen: p.boolean().default(false),
    /** People who have to approve a version before it can be activated. */
    requiredApprovals: p.integer().default(0),
    /** Whether an admin may go past its gates; null for as its protection says. */
    allowGateOverride: p.boolean().nullable(),
    capture: p.text().$type<"none" | "redacted" | "full">(),
    /** Whether records carry facts for replays. */
    replayFacts: p.boolean().default(true),
    /** Percent of the evaluations with the outcome ALLOW, and FLAG or REDACT, of which runtimes send a trace. */
    sampledAllowPercent: p.double().$type<number>().default(100),
    sampledOtherPercent: p.double().$type<number>().default(100),
    /**
     * The last number of a version; 0 before the first. Counted here, so that its row lock orders publishes. After a
     * restore it is ahead of the newest version.
     */
    latestVersion: p.integer().default(0),
    /** Sequence number of the last activation; 0 before the first. */
    activationSeq: p.integer().default(0),
    activeVersion: p.integer().nullable(),
    createdAt: p.datetime(3),
  },
});

/** A stage of a project's life, with an active bundle of its own. */
export class EnvironmentRow extends schema.class {}
schema.setClass(EnvironmentRow);

/** The environment, or null when the project has none with this name. */
export function findEnvironment(tx: Transaction, projectId: string, name: string): Promise<EnvironmentRow | null> {
  return tx.em.findOne(EnvironmentRow, { orgId: tx.orgId, projectId, name });
}

/** The same, locked until the commit: publishes and activations of one environment happen one after the other. */
export async function lockEnvironment(
  tx: Transaction,
  projectId: string,
  name: string,
): Promise<EnvironmentRow | null> {
  const rows = await tx.sql<{ id: string }>(
    "select id from environment where org_id = ? and project_id = ? and name = ? for no key update",
    [tx.orgId, projectId, name],
  );
  const id = rows[0]?.id;
  if (id === undefined) return null;
  return tx.em.findOne(EnvironmentRow, { orgId: tx.orgId, id }, { refresh: true });
}

/** Whether the environment exists. If so, nobody can delete it before the commit. */
export async function shareEnvironment(tx: Transaction, projectId: string, name: string): Promise<boolean> {
  const rows = await tx.sql(
    "select 1 as found from environment where org_id = ? and project_id = ? and name = ? for key share",
    [tx.orgId, projectId, name],
  );
  return rows.length > 0;
}

/** A page of environments in the order of promotion, and their count. */
export function listEnvironments(tx: Transaction, projectId: string, page: Page): Promise<[EnvironmentRow[], number]> {
  return tx.em.findAndCount(
    EnvironmentRow,
    { orgId: tx.orgId, projectId },
    { ...page, orderBy: { position: "asc", id: "asc" } },
  );
}

/** Names of the environments of a project, or of all projects of the organization, each once and in order. */
export async function environmentNames(tx: Transaction, projectId?: string): Promise<string[]> {
  const [where, values] = projectId === undefined ? ["", []] : [" and project_id = ?", [projectId]];
  const text = `select distinct name from environment where org_id = ?${where} order by name`;
  return (await tx.sql<{ name: string }>(text, [tx.orgId, ...values])).map(({ name }) => name);
}

/** All environments of a project, locked until the commit. */
export async function lockEnvironments(tx: Transaction, projectId: string): Promise<EnvironmentRow[]> {
  await tx.sql("select id from environment where org_id = ? and project_id = ? order by id for update", [
    tx.orgId,
    projectId,
  ]);
  return tx.em.find(EnvironmentRow, { orgId: tx.orgId, projectId }, { refresh: true, orderBy: { position: "asc" } });
}

/** Deletes the environment and, by its foreign keys, all that belongs to it. */
export async function deleteEnvironment(tx: Transaction, id: string): Promise<void> {
  await tx.em.nativeDelete(EnvironmentRow, { orgId: tx.orgId, id });
}

/** The environment with this id in whichever project of the organization, or null. */
export function findEnvironmentById(tx: Transaction, id: string): Promise<EnvironmentRow | null> {
  return tx.em.findOne(EnvironmentRow, { orgId: tx.orgId, id });
}

/** The ids of all environments of the organization. */
export async function listEnvironmentIds(tx: Transaction): Promise<string[]> {
  const rows = await tx.sql<{ id: string }>("select id from environment where org_id = ? order by id", [tx.orgId]);
  return rows.map(({ id }) => id);
}

/** The environment with this id, locked until the commit; null when it is gone. */
export async function lockEnvironmentById(tx: Transaction, id: string): Promise<EnvironmentRow | null> {
  await tx.sql("select id from environment where org_id = ? and id = ? for no key update", [tx.orgId, id]);
  return tx.em.findOne(EnvironmentRow, { orgId: tx.orgId, id }, { refresh: true });
}

/** Every environment of the organization that has an active bundle, always in the same order, for locking. */
export function activeEnvironments(tx: Transaction): Promise<EnvironmentRow[]> {
  return tx.em.find(EnvironmentRow, { orgId: tx.orgId, activeVersion: { $ne: null } }, { orderBy: { id: "asc" } });
}

/** How many environments a scope contains, and how many of them are protected; "*" is all. */
export async function protectionOf(
  tx: Transaction,
  { appId, env }: { readonly appId: string; readonly env: string },
): Promise<{ readonly environments: number; readonly protected: number }> {
  const rows = await tx.sql<{ environments: number; protected: number }>(
    `select count(*)::int as environments, count(*) filter (where is_protected)::int as protected from environment
     where org_id = ? and (? = '*' or project_id::text = ?) and (? = '*' or name = ?)`,
    [tx.orgId, appId, appId, env, env],
  );
  return rows[0] ?? { environments: 0, protected: 0 };
}

/** Waits for all who store evaluations in the organization, and keeps others from it until the commit. */
export async function lockAllEnvironments(tx: Transaction): Promise<void> {
  await tx.sql("select id from environment where org_id = ? order by id for update", [tx.orgId]);
}

/** Keeps erasures from beginning until the commit, as storing an evaluation does. */
export async function shareAllEnvironments(tx: Transaction): Promise<void> {
  await tx.sql("select id from environment where org_id = ? order by id for key share", [tx.orgId]);
}

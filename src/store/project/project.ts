import { defineEntity, p } from "@mikro-orm/core";
import type { SearchedPage } from "../../kit/rpc/page.ts";
import { containsIn } from "../core/substring.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "Project",
  tableName: "project",
  ...tenantTable,
  uniques: [{ name: "project_name", properties: ["orgId", "name"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    description: p.text().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** One AI application of an organization. */
export class ProjectRow extends schema.class {}
schema.setClass(ProjectRow);

/** The project, or null when the organization has none with this id. */
export function findProject(tx: Transaction, id: string): Promise<ProjectRow | null> {
  return tx.em.findOne(ProjectRow, { orgId: tx.orgId, id });
}

/**
 * A page of projects, newest first, and their count. `query` is in their name or description, `onlyId` narrows to one
 * project.
 */
export function listProjects(
  tx: Transaction,
  { query, ...page }: SearchedPage,
  onlyId?: string,
): Promise<[ProjectRow[], number]> {
  const where = {
    ...{ orgId: tx.orgId, ...(onlyId === undefined ? {} : { id: onlyId }) },
    ...containsIn(query, "name", "description"),
  };
  return tx.em.findAndCount(ProjectRow, where, { ...page, orderBy: { createdAt: "desc", id: "asc" } });
}

/** Deletes the project and, by its foreign keys, all that belongs to it. False when another call was faster. */
export async function deleteProject(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.em.nativeDelete(ProjectRow, { orgId: tx.orgId, id })) > 0;
}

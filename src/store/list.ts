import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../kit/page.ts";
import type { Transaction } from "./database.ts";
import { tenantTable } from "./tenant.ts";

const schema = defineEntity({
  name: "List",
  tableName: "list",
  ...tenantTable,
  uniques: [{ name: "list_scope", properties: ["orgId", "name", "appId", "agentId", "env"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    description: p.text().nullable(),
    /** Scope without the tenant, which is the organization; "*" for all. */
    appId: p.text(),
    agentId: p.text(),
    env: p.text(),
    items: p.json<readonly string[]>(),
    itemCount: p.integer(),
    revision: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A list that policies read by its name. */
export class ListRow extends schema.class {}
schema.setClass(ListRow);

/** The list, or null when the organization has none with this id. */
export function findList(tx: Transaction, id: string): Promise<ListRow | null> {
  return tx.em.findOne(ListRow, { orgId: tx.orgId, id });
}

/** The same, locked until the commit: changes of one list happen one after the other. */
export async function lockList(tx: Transaction, id: string): Promise<ListRow | null> {
  await tx.sql("select id from list where org_id = ? and id = ? for no key update", [tx.orgId, id]);
  return findList(tx, id);
}

/** A page of lists without their items, newest first, and their count. `appIds` narrows to lists of these scopes. */
export function listLists(tx: Transaction, page: Page, appIds?: readonly string[]): Promise<[ListRow[], number]> {
  const where = { orgId: tx.orgId, ...(appIds === undefined ? {} : { appId: { $in: [...appIds] } }) };
  return tx.em.findAndCount(ListRow, where, {
    ...page,
    orderBy: { createdAt: "desc", id: "asc" },
    exclude: ["items"],
  }) as Promise<[ListRow[], number]>; // nobody reads the items of a summary
}

/** Every list that may hold in the project, in the order of their names and ids. */
export function listsOfProject(tx: Transaction, projectId: string): Promise<ListRow[]> {
  return tx.em.find(
    ListRow,
    { orgId: tx.orgId, appId: { $in: ["*", projectId] } },
    { orderBy: { name: "asc", id: "asc" } },
  );
}

/** Deletes the list. */
export async function deleteList(tx: Transaction, id: string): Promise<void> {
  await tx.em.nativeDelete(ListRow, { orgId: tx.orgId, id });
}

import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

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

/** A list without its items. */
export interface ListHead {
  readonly id: string;
  readonly name: string;
  readonly appId: string;
  readonly agentId: string;
  readonly env: string;
}

/** Every list that may apply in the project, in the order of their names and ids. */
export function listHeadsOfProject(tx: Transaction, projectId: string): Promise<ListHead[]> {
  return tx.sql<ListHead>(
    `select id, name, app_id as "appId", agent_id as "agentId", env from list
     where org_id = ? and app_id in ('*', ?) order by name, id`,
    [tx.orgId, projectId],
  );
}

/**
 * The items of these lists as JSON texts, one list after the other. Parsing is left to the caller, who may do it in
 * another process.
 */
export async function* itemTexts(
  tx: Transaction,
  heads: readonly ListHead[],
): AsyncGenerator<{ readonly head: ListHead; readonly text: string }> {
  for (const head of heads) {
    const [row] = await tx.sql<{ text: string }>("select items::text as text from list where org_id = ? and id = ?", [
      tx.orgId,
      head.id,
    ]);
    if (row !== undefined) yield { head, text: row.text };
  }
}

/** Deletes the list. */
export async function deleteList(tx: Transaction, id: string): Promise<void> {
  await tx.em.nativeDelete(ListRow, { orgId: tx.orgId, id });
}

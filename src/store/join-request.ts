import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../kit/page.ts";
import type { Transaction } from "./database.ts";
import { tenantTable } from "./tenant.ts";

const schema = defineEntity({
  name: "JoinRequest",
  tableName: "join_request",
  ...tenantTable,
  indexes: [
    { name: "join_request_created", properties: ["orgId", "createdAt"] },
    { name: "join_request_account", properties: ["accountId"] },
  ],
  uniques: [
    {
      // One waits for each account; racing requests meet here.
      name: "join_request_pending",
      properties: ["orgId", "accountId"],
      where: "state = 'pending'",
    },
  ],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    accountId: p.uuid(),
    /** The account's address and name when it asked. */
    email: p.text(),
    emailKey: p.text(),
    name: p.text(),
    message: p.text().nullable(),
    state: p.text().$type<JoinRequestState>(),
    createdAt: p.datetime(3),
    decidedAt: p.datetime(3).nullable(),
    /** As audit entries name whoever decided. */
    decidedBy: p.text().nullable(),
  },
});

/** Where a join request stands. */
export type JoinRequestState = "pending" | "approved" | "rejected";

/** Somebody's wish to join an organization. */
export class JoinRequestRow extends schema.class {}
schema.setClass(JoinRequestRow);

/** What a request says. */
export type NewJoinRequest = Pick<JoinRequestRow, "id" | "accountId" | "email" | "emailKey" | "name" | "message">;

/**
 * Adds a request to the transaction's organization, unless that does not exist, has the account as a member or as an asker who
 * waits, or rejected it after this moment.
 */
export async function insertJoinRequest(
  tx: Transaction,
  row: NewJoinRequest,
  options: { readonly unlessRejectedSince: Date },
): Promise<void> {
  await tx.sql(
    `insert into join_request (org_id, id, account_id, email, email_key, name, message, state, created_at)
     select o.id, ?::uuid, ?::uuid, ?::text, ?::text, ?::text, ?::text, 'pending', ?::timestamptz from organization o
     where o.id = ? and not exists (select from member m where m.org_id = o.id and m.account_id = ?)
       and not exists (select from join_request r
         where r.org_id = o.id and r.account_id = ? and r.state = 'rejected' and r.decided_at > ?)
     on conflict (org_id, account_id) where state = 'pending' do nothing`,
    [
      ...[row.id, row.accountId, row.email, row.emailKey, row.name, row.message ?? null, tx.now],
      ...[tx.orgId, row.accountId, row.accountId, options.unlessRejectedSince],
    ],
  );
}

/** A page of requests, newest first, and their count. */
export function listJoinRequests(
  tx: Transaction,
  page: Page,
  state: JoinRequestState | undefined,
): Promise<[JoinRequestRow[], number]> {
  const where = state === undefined ? { orgId: tx.orgId } : { orgId: tx.orgId, state };
  return tx.em.findAndCount(JoinRequestRow, where, { ...page, orderBy: { createdAt: "desc", id: "asc" } });
}

/** The request, locked until the commit, or null when the organization has none with this id. */
export async function lockJoinRequest(tx: Transaction, id: string): Promise<JoinRequestRow | null> {
  await tx.sql("select from join_request where org_id = ? and id = ? for update", [tx.orgId, id]);
  return tx.em.findOne(JoinRequestRow, { orgId: tx.orgId, id });
}

import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { idArray } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

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
      // At most one open request for each account, even when requests race.
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
    /** The name in audit entries of the person who decided. */
    decidedBy: p.text().nullable(),
  },
});

/** The state of a join request. */
export type JoinRequestState = "pending" | "approved" | "rejected";

/** A person's request to join an organization. */
export class JoinRequestRow extends schema.class {}
schema.setClass(JoinRequestRow);

/** The input of a request. */
export type NewJoinRequest = Pick<JoinRequestRow, "id" | "accountId" | "email" | "emailKey" | "name" | "message">;

/**
 * Adds a request to the transaction's organization, unless the organization does not exist, or the account is a member,
 * has an open request or was rejected after this moment.
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

/** A request with what is known about the account. */
export interface JoinRequestView {
  readonly row: JoinRequestRow;
  /** Whether the address has been shown to be theirs, as of now. */
  readonly isVerified: boolean;
}

/** The requests, with what is known about their accounts. */
export async function viewJoinRequests(tx: Transaction, rows: readonly JoinRequestRow[]): Promise<JoinRequestView[]> {
  const proven = await tx.sql<{ id: string }>("select id from unnest(?::uuid[]) id where app.address_proven(id)", [
    idArray(rows.map(({ accountId }) => accountId)),
  ]);
  const ids = new Set(proven.map(({ id }) => id));
  return rows.map((row) => ({ row, isVerified: ids.has(row.accountId) }));
}

/** The request, locked until the commit, or null when the organization has none with this id. */
export async function lockJoinRequest(tx: Transaction, id: string): Promise<JoinRequestRow | null> {
  await tx.sql("select from join_request where org_id = ? and id = ? for update", [tx.orgId, id]);
  return tx.em.findOne(JoinRequestRow, { orgId: tx.orgId, id });
}

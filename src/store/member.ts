import { defineEntity, p } from "@mikro-orm/core";
import type { Database, Transaction } from "./database.ts";
import { lookupTenantTable } from "./tenant.ts";

const schema = defineEntity({
  name: "Member",
  tableName: "member",
  ...lookupTenantTable,
  indexes: [
    { name: "member_account", properties: ["accountId"] },
    { name: "member_invitation", properties: ["invitationDigest"] },
  ],
  uniques: [
    { name: "member_email", properties: ["orgId", "emailKey"] },
    { name: "member_person", properties: ["orgId", "accountId"] },
  ],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** Null until an invitation is accepted. */
    accountId: p.uuid().nullable(),
    email: p.text(),
    /** Normalised, as in account. */
    emailKey: p.text(),
    role: p.text().$type<MemberRole>(),
    state: p.text().$type<MemberState>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** Of the link's token; null when there is no open invitation. */
    invitationDigest: p.blob().nullable(),
    invitationExpiresAt: p.datetime(3).nullable(),
    invitedBy: p.text().nullable(),
  },
});

/** What a member may do. */
export type MemberRole = "viewer" | "editor" | "admin" | "owner";
/** Whether somebody is a member yet, or still. */
export type MemberState = "invited" | "active" | "deactivated";

/** A person in an organization, or one who was invited. */
export class MemberRow extends schema.class {}
schema.setClass(MemberRow);

/** An account's place in an organization. */
export interface FoundMembership {
  readonly org_id: string;
  readonly org_name: string;
  readonly member_id: string;
  readonly role: MemberRole;
  readonly state: MemberState;
}

/** The organizations of an account, by name. */
export function lookUpMemberships(database: Database, accountId: string): Promise<FoundMembership[]> {
  return database.lookup<FoundMembership>("find_memberships", [accountId]);
}

/** What an organization may know of the accounts of its members. */
export interface MemberAccount {
  readonly account_id: string;
  readonly name: string;
  readonly email: string;
  readonly mfa_enabled: boolean;
}

/** The accounts of the members of the transaction's organization. */
export function listMemberAccounts(tx: Transaction): Promise<MemberAccount[]> {
  return tx.sql<MemberAccount>("select * from app.member_accounts()");
}

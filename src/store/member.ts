import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../kit/page.ts";
import type { AccountTransaction, Database, Transaction } from "./database.ts";
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
    /** Whether the link was mailed; otherwise an admin was given it, and who opens it has not shown that the address is theirs. */
    invitationMailed: p.boolean().default(false),
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

/** A member as lists show them: with what the organization may know of the account. */
export interface MemberView {
  readonly id: string;
  readonly org_id: string;
  readonly account_id: string | null;
  readonly email: string;
  readonly name: string | null;
  readonly role: MemberRole;
  readonly state: MemberState;
  readonly mfa_enabled: boolean;
  readonly created_at: Date;
  readonly invitation_expires_at: Date | null;
}

const views = `select m.id, m.org_id, m.account_id, m.email, a.name, m.role, m.state,
    coalesce(a.mfa_enabled, false) as mfa_enabled, m.created_at, m.invitation_expires_at
  from member m left join app.member_accounts() a on a.account_id = m.account_id where m.org_id = ?`;

/** A page of members and invitations, longest here first, and their count. */
export async function listMembers(tx: Transaction, { limit, offset }: Page): Promise<[MemberView[], number]> {
  const rows = await tx.sql<MemberView>(`${views} order by m.created_at, m.id limit ? offset ?`, [
    tx.orgId,
    limit,
    offset,
  ]);
  return [rows, await tx.em.count(MemberRow, { orgId: tx.orgId })];
}

/** One of them. Throws when it is gone. */
export async function viewMember(tx: Transaction, id: string): Promise<MemberView> {
  await tx.em.flush();
  const [row] = await tx.sql<MemberView>(`${views} and m.id = ?`, [tx.orgId, id]);
  if (row === undefined) throw new Error(`member ${id} is gone`);
  return row;
}

/** The member or invitation, or null when the organization has none with this id. */
export function findMember(tx: Transaction, id: string): Promise<MemberRow | null> {
  return tx.em.findOne(MemberRow, { orgId: tx.orgId, id });
}

/** The place of an account in the organization, or null when it has none. */
export function findMemberOfAccount(tx: Transaction, accountId: string): Promise<MemberRow | null> {
  return tx.em.findOne(MemberRow, { orgId: tx.orgId, accountId });
}

/** The member or invitation with this address, or null. */
export function findMemberByEmail(tx: Transaction, emailKey: string): Promise<MemberRow | null> {
  return tx.em.findOne(MemberRow, { orgId: tx.orgId, emailKey });
}

/**
 * Locks who belongs to the organization, until the commit: of changes that depend on who the owners are, or on how many
 * invitations there are, one is made at a time. Read members after it, not before.
 */
export async function lockTeam(tx: Transaction): Promise<void> {
  await tx.sql("select from organization where id = ? for no key update", [tx.orgId]);
}

/** How many owners the organization has. */
export function countOwners(tx: Transaction): Promise<number> {
  return tx.em.count(MemberRow, { orgId: tx.orgId, role: "owner", state: "active" });
}

/** How many invitations can still be accepted. */
export function countInvitations(tx: Transaction): Promise<number> {
  return tx.em.count(MemberRow, { orgId: tx.orgId, state: "invited", invitationExpiresAt: { $gt: tx.now } });
}

/** Deletes the expired invitation of an address, so that its place is free for a new one. */
export async function deleteExpiredInvitation(tx: Transaction, emailKey: string): Promise<void> {
  await tx.sql(
    "delete from member where org_id = ? and email_key = ? and state = 'invited' and invitation_expires_at <= ?",
    [tx.orgId, emailKey, tx.now],
  );
}

/** Deletes the member or invitation. */
export async function deleteMember(tx: Transaction, id: string): Promise<void> {
  await tx.em.nativeDelete(MemberRow, { orgId: tx.orgId, id });
}

/** What the look-up of an invitation's link finds, before the organization is known. */
export interface FoundInvitation {
  readonly org_id: string;
  readonly org_name: string;
  readonly member_id: string;
  readonly email: string;
  readonly email_key: string;
  readonly mailed: boolean;
}

/** The open invitation whose link has this digest, of whichever organization. */
export async function lookUpInvitation(
  database: Database,
  digest: Uint8Array,
  now: Date,
): Promise<FoundInvitation | undefined> {
  const rows = await database.lookup<FoundInvitation>("find_invitation", [digest, now]);
  return rows[0];
}

/** Makes the account the member that the link was for, and returns its role: of racing uses of the link one gets it. */
export async function takeInvitation(
  tx: Transaction,
  digest: Uint8Array,
  accountId: string,
): Promise<{ readonly id: string; readonly role: MemberRole } | undefined> {
  const rows = await tx.sql<{ id: string; role: MemberRole }>(
    `update member set account_id = ?, state = 'active', invitation_digest = null, invitation_expires_at = null, updated_at = ?
     where org_id = ? and invitation_digest = ? and state = 'invited' and invitation_expires_at > ? returning id, role`,
    [accountId, tx.now, tx.orgId, Buffer.from(digest), tx.now],
  );
  return rows[0];
}

/** In how many other organizations the account is an active member. */
export async function countOtherMemberships(tx: Transaction, accountId: string): Promise<number> {
  const rows = await tx.sql<{ n: number }>(
    "select count(*)::int as n from app.find_memberships(?) where state = 'active' and org_id <> ?",
    [accountId, tx.orgId],
  );
  return rows[0]?.n ?? 0;
}

/** How many organizations the transaction's account owns. */
export async function countOwned(tx: AccountTransaction): Promise<number> {
  const rows = await tx.sql<{ n: number }>(
    "select count(*)::int as n from app.find_memberships(?) where state = 'active' and role = 'owner'",
    [tx.accountId],
  );
  return rows[0]?.n ?? 0;
}

import { defineEntity, p } from "@mikro-orm/core";
import type { SearchedPage } from "../../kit/rpc/page.ts";
import { patternOf } from "../core/substring.ts";
import { lookupTenantTable } from "../core/tenant.ts";
import type { AccountTransaction, Lookups, Transaction } from "../core/transaction.ts";

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
    /**
     * Whether the link was mailed. Otherwise an admin got it, and opening it does not prove that the address is the
     * person's.
     */
    invitationMailed: p.boolean().default(false),
    /** The name in audit entries of the person who invited them; null for members who were not invited. */
    invitedBy: p.text().nullable(),
    /** The person responsible for the invitation; null when nobody is known. */
    invitedByAccountId: p.uuid().nullable(),
  },
});

/** The role of a member. */
export type MemberRole = "viewer" | "editor" | "admin" | "owner";
/** The state of a membership. */
export type MemberState = "invited" | "active" | "deactivated";

/** A person in an organization, or one who was invited. */
export class MemberRow extends schema.class {}
schema.setClass(MemberRow);

/** An account's membership in an organization. */
export interface FoundMembership {
  readonly org_id: string;
  readonly org_name: string;
  readonly member_id: string;
  readonly role: MemberRole;
  readonly state: MemberState;
}

/** The organizations of an account, by name. */
export function lookUpMemberships(database: Lookups, accountId: string): Promise<FoundMembership[]> {
  return database.lookup<FoundMembership>("find_memberships", [accountId]);
}

/** The fields of its members' accounts that an organization may read. */
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

/** The addresses of active members whose accounts have no second factor. */
export async function listWithoutFactor(tx: Transaction): Promise<string[]> {
  const rows = await tx.sql<{ email: string }>(
    `select a.email from member m join app.member_accounts() a on a.account_id = m.account_id
     where m.org_id = ? and m.state = 'active' and not a.mfa_enabled order by a.email`,
    [tx.orgId],
  );
  return rows.map(({ email }) => email);
}

/** A member as lists show them, with the readable fields of the account. */
export interface MemberView {
  readonly id: string;
  readonly org_id: string;
  readonly account_id: string | null;
  readonly email: string;
  readonly name: string | null;
  readonly role: MemberRole;
  readonly state: MemberState;
  readonly mfa_enabled: boolean;
  readonly email_verified: boolean;
  readonly created_at: Date;
  readonly invitation_expires_at: Date | null;
  readonly invited_by: string | null;
  /** By the organization's directory. */
  readonly is_managed: boolean;
  /** In the directory. */
  readonly external_id: string | null;
  readonly is_role_managed: boolean;
}

const views = `select m.id, m.org_id, m.account_id, m.email, a.name, m.role, m.state,
    coalesce(a.mfa_enabled, false) as mfa_enabled, app.address_proven(m.account_id) as email_verified, m.created_at, m.invitation_expires_at, m.invited_by,
    u.member_id is not null and d.is_there as is_managed, u.external_id,
    d.is_there and exists (select from scim_group_member i where i.org_id = m.org_id and i.member_id = m.id)
      as is_role_managed
  from member m
    cross join (select exists (select from token where org_id = current_setting('app.org_id')::uuid
      and kind = 'scim' and revoked_at is null) as is_there) d
    left join scim_user u on u.org_id = m.org_id and u.member_id = m.id
    left join app.member_accounts() a on a.account_id = m.account_id
  where m.org_id = ?`;

/** A page of members and invitations, newest first, and their count. `query` is in their name or address. */
export async function listMembers(
  tx: Transaction,
  { query, limit, offset }: SearchedPage,
): Promise<[MemberView[], number]> {
  const pattern = patternOf(query ?? "");
  const where = query === undefined ? "" : "and (m.email ilike ? or a.name ilike ?)";
  const parameters = query === undefined ? [tx.orgId] : [tx.orgId, pattern, pattern];
  const rows = await tx.sql<MemberView>(`${views} ${where} order by m.created_at desc, m.id limit ? offset ?`, [
    ...parameters,
    limit,
    offset,
  ]);
  if (query === undefined) return [rows, await tx.em.count(MemberRow, { orgId: tx.orgId })];
  const [counted] = await tx.sql<{ n: number }>(
    `select count(*)::int as n from member m left join app.member_accounts() a on a.account_id = m.account_id
     where m.org_id = ? ${where}`,
    parameters,
  );
  return [rows, counted?.n ?? 0];
}

/** The membership of this id as lists show it. Throws when it is gone. */
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

/** The members and invitations with these ids. */
export function findMembers(tx: Transaction, ids: readonly string[]): Promise<MemberRow[]> {
  return tx.em.find(MemberRow, { orgId: tx.orgId, id: { $in: [...ids] } });
}

/** The membership of an account in the organization, or null when it has none. */
export function findMemberOfAccount(tx: Transaction, accountId: string): Promise<MemberRow | null> {
  return tx.em.findOne(MemberRow, { orgId: tx.orgId, accountId });
}

/** The member or invitation with this address, or null. */
export function findMemberByEmail(tx: Transaction, emailKey: string): Promise<MemberRow | null> {
  return tx.em.findOne(MemberRow, { orgId: tx.orgId, emailKey });
}

/**
 * Locks the list of members until the commit, so that changes that depend on the owners or on the number of invitations
 * are made one after the other. Read members after this call, not before.
 */
export async function lockTeam(tx: Transaction): Promise<void> {
  await tx.sql("select from organization where id = ? for no key update", [tx.orgId]);
}

/** The owners and admins who are members, at most `limit`: owners first, then by age of their membership. */
export function listAdministrators(tx: Transaction, limit: number): Promise<MemberRow[]> {
  const where = { orgId: tx.orgId, state: "active" as const, role: { $in: ["owner" as const, "admin" as const] } };
  return tx.em.find(MemberRow, where, { limit, orderBy: { role: "desc", createdAt: "asc", id: "asc" } });
}

/** How many owners the organization has. */
export function countOwners(tx: Transaction): Promise<number> {
  return tx.em.count(MemberRow, { orgId: tx.orgId, role: "owner", state: "active" });
}

// What a directory knows by its id, only the directory removes.
const unmanaged = "not exists (select from scim_user u where u.org_id = m.org_id and u.member_id = m.id)";

/** How many invitations by people and tokens can still be accepted. */
export async function countInvitations(tx: Transaction): Promise<number> {
  const rows = await tx.sql<{ n: number }>(
    `select count(*)::int as n from member m
     where m.org_id = ? and m.state = 'invited' and m.invitation_expires_at > ? and ${unmanaged}`,
    [tx.orgId, tx.now],
  );
  return rows[0]?.n ?? 0;
}

/**
 * Deletes the expired invitation of an address, so that there can be a new one. One by a directory stays: it is renewed
 * instead.
 */
export async function deleteExpiredInvitation(tx: Transaction, emailKey: string): Promise<void> {
  await tx.sql(
    `delete from member m where m.org_id = ? and m.email_key = ? and m.state = 'invited'
       and m.invitation_expires_at <= ? and ${unmanaged}`,
    [tx.orgId, emailKey, tx.now],
  );
}

/** Deletes the member or invitation. */
export async function deleteMember(tx: Transaction, id: string): Promise<void> {
  await tx.em.nativeDelete(MemberRow, { orgId: tx.orgId, id });
}

/** An invitation that was withdrawn. */
export interface WithdrawnInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: MemberRole;
}

/** Deletes the open invitations that a person is responsible for, and returns them. */
export function withdrawInvitations(tx: Transaction, accountId: string): Promise<WithdrawnInvitation[]> {
  return tx.sql<WithdrawnInvitation>(
    `delete from member m where m.org_id = ? and m.invited_by_account_id = ? and m.state = 'invited'
       and m.invitation_expires_at > ? and ${unmanaged} returning m.id, m.email, m.role`,
    [tx.orgId, accountId, tx.now],
  );
}

/** The result of looking up an invitation's link before the organization is known. */
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
  database: Lookups,
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

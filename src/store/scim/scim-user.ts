import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import { idArray } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";
import type { MemberRole, MemberState } from "../identity/member.ts";

const schema = defineEntity({
  name: "ScimUser",
  tableName: "scim_user",
  ...tenantTable,
  uniques: [
    { name: "scim_user_name", properties: ["orgId", "userNameKey"] },
    { name: "scim_user_external", properties: ["orgId", "externalId"] },
  ],
  properties: {
    orgId: p.uuid().primary(),
    memberId: p.uuid().primary(),
    userName: p.text(),
    /** Two spellings of one name have the same. */
    userNameKey: p.text(),
    externalId: p.text().nullable(),
    /** All other attributes, under their canonical names. */
    attributes: p.json<JsonObject>(),
    /** Whether the directory's request made the account, whose name it may then change. */
    madeAccount: p.boolean().default(false),
    /** Counts what the directory has changed. */
    version: p.integer(),
    updatedAt: p.datetime(3),
  },
});

/** What the directory says about a member. A member with such a row is managed by the directory. */
export class ScimUserRow extends schema.class {}
schema.setClass(ScimUserRow);

const addressSchema = defineEntity({
  name: "ScimUserAddress",
  tableName: "scim_user_address",
  ...tenantTable,
  indexes: [{ name: "scim_user_address_of", properties: ["orgId", "memberId"] }],
  properties: {
    orgId: p.uuid().primary(),
    /** Two spellings of one address have the same. */
    addressKey: p.text().primary(),
    memberId: p.uuid().primary(),
  },
});

/** An address among the attributes of a user, by which filters find them. */
export class ScimUserAddressRow extends addressSchema.class {}
addressSchema.setClass(ScimUserAddressRow);

/** A member as SCIM shows them. */
export interface ScimUserView {
  readonly id: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly state: MemberState;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly account_name: string | null;
  readonly user_name: string | null;
  readonly external_id: string | null;
  readonly attributes: JsonObject | null;
  readonly version: number | null;
  readonly changed_at: Date | null;
  /** The directory's groups that they are in. */
  readonly groups: readonly { readonly id: string; readonly display_name: string }[];
}

/** A condition on members `m` and what the directory says about them, `u`: SQL with `?` parameters. */
export interface UserCondition {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** What a list of members answers. */
export interface ScimUserPage {
  /** How many members fulfil the condition. */
  readonly total: number;
  readonly views: readonly ScimUserView[];
}

// Accounts and groups are looked up for the page alone: a function over all members would be read whole for each.
const view = `m.org_id, m.id, m.email, m.role, m.state, m.created_at, m.updated_at, u.user_name, u.external_id,
  u.attributes, u.version, u.updated_at as changed_at, app.member_name(m.account_id) as account_name,
  coalesce((select json_agg(json_build_object('id', g.id, 'display_name', g.display_name) order by g.name_key)
    from scim_group_member i join scim_group g on g.org_id = i.org_id and g.id = i.group_id
    where i.org_id = m.org_id and i.member_id = m.id), '[]') as groups`;
const said = "left join scim_user u on u.org_id = m.org_id and u.member_id = m.id";

/**
 * A page of members, oldest first. Members are compared with the condition once, for the number of them and for the
 * page; what is shown of them is read for the page alone.
 */
export async function listScimUsers(
  tx: Transaction,
  { text, parameters }: UserCondition,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<ScimUserPage> {
  const [first, ...rest] = await tx.sql<ScimUserView & { readonly total: number; readonly shown: string | null }>(
    `with found as materialized (select m.id, m.created_at from member m ${said} where m.org_id = ? and ${text}),
      page as (select id from found order by created_at, id limit ? offset ?)
     select (select count(*)::int from found) as total, v.* from (select) always left join (
       select p.id as shown, ${view} from page p join member m on m.org_id = ? and m.id = p.id ${said}) v on true
     order by v.created_at, v.id`,
    [tx.orgId, ...parameters, limit, offset, tx.orgId],
  );
  return { total: first?.total ?? 0, views: first?.shown == null ? [] : [first, ...rest] };
}

/** The member of this id, with all that was changed in the transaction so far; undefined when there is none. */
export async function viewScimUser(tx: Transaction, id: string): Promise<ScimUserView | undefined> {
  await tx.em.flush();
  const rows = await tx.sql<ScimUserView>(`select ${view} from member m ${said} where m.org_id = ? and m.id = ?`, [
    tx.orgId,
    id,
  ]);
  return rows[0];
}

/** Notes the addresses by which filters find a user, in place of the former ones. */
export async function setUserAddresses(tx: Transaction, memberId: string, keys: readonly string[]): Promise<void> {
  await tx.em.nativeDelete(ScimUserAddressRow, { orgId: tx.orgId, memberId });
  if (keys.length > 0) {
    await tx.em.insertMany(
      ScimUserAddressRow,
      keys.map((addressKey) => ({ orgId: tx.orgId, addressKey, memberId })),
    );
  }
}

/** What the directory says about a member, or null when it has said nothing. */
export function findScimUser(tx: Transaction, memberId: string): Promise<ScimUserRow | null> {
  return tx.em.findOne(ScimUserRow, { orgId: tx.orgId, memberId });
}

/**
 * The member who has this user name, in any spelling; of members about whom the directory has said nothing it is the
 * address.
 */
export async function findMemberByUserName(
  tx: Transaction,
  { key, emailKey }: { readonly key: string; readonly emailKey: string },
): Promise<string | undefined> {
  const rows = await tx.sql<{ id: string }>(
    `select member_id as id from scim_user where org_id = ? and user_name_key = ? union all
     select m.id from member m where m.org_id = ? and m.email_key = ?
       and not exists (select from scim_user u where u.org_id = m.org_id and u.member_id = m.id) limit 1`,
    [tx.orgId, key, tx.orgId, emailKey],
  );
  return rows[0]?.id;
}

/** The member who has this external id. */
export async function findMemberByExternalId(tx: Transaction, externalId: string): Promise<string | undefined> {
  const row = await tx.em.findOne(ScimUserRow, { orgId: tx.orgId, externalId });
  return row?.memberId;
}

/**
 * Notes for members about whom the directory has said nothing yet that it knows them, by their address. Where another
 * user has that name they stay without a note.
 */
export async function addUnsaidUsers(tx: Transaction, memberIds: readonly string[]): Promise<void> {
  await tx.sql(
    `insert into scim_user (org_id, member_id, user_name, user_name_key, attributes, version, updated_at)
     select m.org_id, m.id, m.email, m.email_key, '{}', 0, ? from member m where m.org_id = ? and m.id = any(?::uuid[])
     on conflict do nothing`,
    [tx.now, tx.orgId, idArray(memberIds)],
  );
}

/** Gives users a new version. */
export async function touchUsers(tx: Transaction, memberIds: readonly string[]): Promise<void> {
  await tx.sql(
    "update scim_user set version = version + 1, updated_at = ? where org_id = ? and member_id = any(?::uuid[])",
    [tx.now, tx.orgId, idArray(memberIds)],
  );
}

/** Whether the organization's directory manages the member: it has said something about them, and has a token. */
export async function isManaged(tx: Transaction, memberId: string): Promise<boolean> {
  const rows = await tx.sql(
    `select from scim_user u where u.org_id = ? and u.member_id = ?
       and exists (select from token t where t.org_id = u.org_id and t.kind = 'scim' and t.revoked_at is null)`,
    [tx.orgId, memberId],
  );
  return rows.length > 0;
}

/** Whether the directory has made the account of the member, and so decides the name: it can still change it. */
export async function isNameManaged(tx: Transaction, memberId: string): Promise<boolean> {
  const rows = await tx.sql(
    `select from scim_user u where u.org_id = ? and u.member_id = ? and u.made_account
       and exists (select from token t where t.org_id = u.org_id and t.kind = 'scim' and t.revoked_at is null)`,
    [tx.orgId, memberId],
  );
  return rows.length > 0;
}

/** Whether the directory decides the member's role: it has put them into a group. */
export async function isRoleManaged(tx: Transaction, memberId: string): Promise<boolean> {
  const rows = await tx.sql(
    `select from scim_group_member i where i.org_id = ? and i.member_id = ?
       and exists (select from token t where t.org_id = i.org_id and t.kind = 'scim' and t.revoked_at is null) limit 1`,
    [tx.orgId, memberId],
  );
  return rows.length > 0;
}

/** Whether the organization has a directory: a token that was not revoked, expired or not. */
export async function hasDirectory(tx: Transaction): Promise<boolean> {
  const rows = await tx.sql("select from token where org_id = ? and kind = 'scim' and revoked_at is null limit 1", [
    tx.orgId,
  ]);
  return rows.length > 0;
}

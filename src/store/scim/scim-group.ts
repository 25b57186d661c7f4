import { defineEntity, p } from "@mikro-orm/core";
import { newId } from "../../kit/process/id.ts";
import { idArray, insertRows } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";
import type { MemberRole } from "../identity/member.ts";

const groupSchema = defineEntity({
  name: "ScimGroup",
  tableName: "scim_group",
  ...tenantTable,
  uniques: [{ name: "scim_group_name", properties: ["orgId", "nameKey"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    role: p.text().$type<MemberRole>(),
    displayName: p.text(),
    /** Two spellings of one name have the same. */
    nameKey: p.text(),
    externalId: p.text().nullable(),
    /** Whether it is a role under its own name, which always exists. */
    isBuiltIn: p.boolean(),
    version: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A group of the directory. Its members have at least its role. */
export class ScimGroupRow extends groupSchema.class {}
groupSchema.setClass(ScimGroupRow);

const memberSchema = defineEntity({
  name: "ScimGroupMember",
  tableName: "scim_group_member",
  ...tenantTable,
  indexes: [{ name: "scim_group_member_of", properties: ["orgId", "memberId"] }],
  properties: { orgId: p.uuid().primary(), groupId: p.uuid().primary(), memberId: p.uuid().primary() },
});

/** A member whom the directory has put into a group. */
export class ScimGroupMemberRow extends memberSchema.class {}
memberSchema.setClass(ScimGroupMemberRow);

const settingSchema = defineEntity({
  name: "ScimSetting",
  tableName: "scim_setting",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** Of members who are in no group. */
    defaultRole: p.text().$type<DefaultRole>(),
    updatedAt: p.datetime(3),
  },
});

/** The role of members who are in no group of the directory. */
export type DefaultRole = Exclude<MemberRole, "owner">;

/** How an organization and its directory work together. */
export class ScimSettingRow extends settingSchema.class {}
settingSchema.setClass(ScimSettingRow);

const roles: readonly MemberRole[] = ["viewer", "editor", "admin", "owner"];

/** Adds the groups that every directory finds: the roles under their own names. Those that are there stay. */
export async function addBuiltInGroups(tx: Transaction): Promise<void> {
  await insertRows(tx, {
    table: "scim_group",
    columns: ["org_id", "id", "role", "display_name", "name_key", "is_built_in", "version", "created_at", "updated_at"],
    rows: roles.map((role) => [tx.orgId, newId(), role, role, role, true, 1, tx.now, tx.now]),
    suffix: "on conflict do nothing",
  });
}

/** All groups: the built-in ones first, then by name. */
export function listScimGroups(tx: Transaction): Promise<ScimGroupRow[]> {
  return tx.em.find(ScimGroupRow, { orgId: tx.orgId }, { orderBy: { isBuiltIn: "desc", nameKey: "asc" } });
}

/** The group, or null when the organization has none with this id. */
export function findScimGroup(tx: Transaction, id: string): Promise<ScimGroupRow | null> {
  return tx.em.findOne(ScimGroupRow, { orgId: tx.orgId, id });
}

/** Deletes a group, and takes its members out of it. */
export async function deleteScimGroup(tx: Transaction, id: string): Promise<void> {
  await tx.em.nativeDelete(ScimGroupRow, { orgId: tx.orgId, id });
}

/** A member of a group, as SCIM shows them. */
export interface GroupMember {
  readonly group_id: string;
  readonly id: string;
  readonly display: string;
}

/** The members of these groups, in the order in which they came to the organization. */
export function listGroupMembers(tx: Transaction, groupIds: readonly string[]): Promise<GroupMember[]> {
  return tx.sql<GroupMember>(
    `select i.group_id, m.id, coalesce(u.user_name, m.email) as display
     from scim_group_member i join member m on m.org_id = i.org_id and m.id = i.member_id
     left join scim_user u on u.org_id = m.org_id and u.member_id = m.id
     where i.org_id = ? and i.group_id = any(?::uuid[]) order by m.created_at, m.id`,
    [tx.orgId, idArray(groupIds)],
  );
}

/** The ids of a group's members. */
export async function groupMemberIds(tx: Transaction, groupId: string): Promise<Set<string>> {
  const rows = await tx.sql<{ member_id: string }>(
    "select member_id from scim_group_member where org_id = ? and group_id = ?",
    [tx.orgId, groupId],
  );
  return new Set(rows.map(({ member_id }) => member_id));
}

/** Puts members into a group; those that are there stay. */
export async function addGroupMembers(tx: Transaction, groupId: string, memberIds: readonly string[]): Promise<void> {
  await tx.sql(
    `insert into scim_group_member (org_id, group_id, member_id)
     select ?, ?, unnest(?::uuid[]) on conflict do nothing`,
    [tx.orgId, groupId, idArray(memberIds)],
  );
}

/** Takes members out of a group. */
export async function removeGroupMembers(
  tx: Transaction,
  groupId: string,
  memberIds: readonly string[],
): Promise<void> {
  await tx.sql("delete from scim_group_member where org_id = ? and group_id = ? and member_id = any(?::uuid[])", [
    tx.orgId,
    groupId,
    idArray(memberIds),
  ]);
}

/** The roles of the groups that each of these members is in. */
export async function rolesInGroups(tx: Transaction, memberIds: readonly string[]): Promise<Map<string, MemberRole[]>> {
  const rows = await tx.sql<{ member_id: string; role: MemberRole }>(
    `select i.member_id, g.role from scim_group_member i join scim_group g on g.org_id = i.org_id and g.id = i.group_id
     where i.org_id = ? and i.member_id = any(?::uuid[])`,
    [tx.orgId, idArray(memberIds)],
  );
  return new Map(
    [...Map.groupBy(rows, ({ member_id }) => member_id)].map(([id, found]) => [id, found.map(({ role }) => role)]),
  );
}

/** The role of members who are in no group. */
export async function findDefaultRole(tx: Transaction): Promise<DefaultRole> {
  return (await tx.em.findOne(ScimSettingRow, { orgId: tx.orgId }))?.defaultRole ?? "viewer";
}

/** Sets it. */
export async function setDefaultRole(tx: Transaction, role: DefaultRole): Promise<void> {
  await tx.sql(
    `insert into scim_setting (org_id, default_role, updated_at) values (?, ?, ?)
     on conflict (org_id) do update set default_role = excluded.default_role, updated_at = excluded.updated_at`,
    [tx.orgId, role, tx.now],
  );
}

/** The group of this name, or null. */
export function findGroupByName(tx: Transaction, nameKey: string): Promise<ScimGroupRow | null> {
  return tx.em.findOne(ScimGroupRow, { orgId: tx.orgId, nameKey });
}

/** Which of these members are in which groups. */
export function groupsWithMembers(
  tx: Transaction,
  memberIds: readonly string[],
): Promise<{ readonly group_id: string; readonly member_id: string }[]> {
  if (memberIds.length === 0) return Promise.resolve([]);
  return tx.sql("select group_id, member_id from scim_group_member where org_id = ? and member_id = any(?::uuid[])", [
    tx.orgId,
    idArray(memberIds),
  ]);
}

/** Gives the groups that these members are in a new version. */
export async function touchGroupsOf(tx: Transaction, memberIds: readonly string[]): Promise<void> {
  await tx.sql(
    `update scim_group g set version = g.version + 1, updated_at = ? where g.org_id = ? and exists (
       select from scim_group_member i where i.org_id = g.org_id and i.group_id = g.id and i.member_id = any(?::uuid[]))`,
    [tx.now, tx.orgId, idArray(memberIds)],
  );
}

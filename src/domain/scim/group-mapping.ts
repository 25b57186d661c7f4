// The names under which a directory finds groups, and the role of each. An admin adds them, since a directory looks for
// its groups by name and would make the missing ones.

import { validationFailed } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { MemberRole } from "../../store/identity/member.ts";
import {
  addBuiltInGroups,
  type DefaultRole,
  deleteScimGroup,
  findDefaultRole,
  listGroupMembers,
  listScimGroups,
  ScimGroupRow,
  setDefaultRole,
} from "../../store/scim/scim-group.ts";
import { touchUsers } from "../../store/scim/scim-user.ts";
import { type Actor, assertMayGive, lockTeamAs } from "../tenancy/team-rule.ts";
import { groupNameKey } from "./group-resource.ts";
import { settleRoles } from "./member-role.ts";

/** A name and its role. */
export interface GroupName {
  readonly role: MemberRole;
  readonly displayName: string;
}

/** All names. */
export interface GroupMapping {
  readonly groups: readonly GroupName[];
  readonly defaultRole: DefaultRole;
}

/** Reads and sets the names. */
export class GroupMappings {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The names, in their order. */
  get(caller: Caller): Promise<GroupMapping> {
    return this.#database.read(caller.orgId, mappingOf);
  }

  /** Replaces the names. */
  set(caller: Caller, wanted: GroupMapping): Promise<GroupMapping> {
    return this.#database.transaction(caller, async (tx) => {
      const actor = await lockTeamAs(tx, caller, "admin");
      await addBuiltInGroups(tx);
      const groups = await listScimGroups(tx);
      const names = keyed(
        wanted.groups,
        groups.filter(({ isBuiltIn }) => isBuiltIn),
      );
      const before = auditView(await mappingOf(tx));
      await setDefaultRole(tx, wanted.defaultRole);
      const touched = await change(
        tx,
        groups.filter(({ isBuiltIn }) => !isBuiltIn),
        names,
        actor,
      );
      await touchUsers(tx, touched);
      const roles = await settleRoles(tx, touched, actor);
      const mapping = await mappingOf(tx);
      tx.changed({ resource: `organization/${tx.orgId}`, before, after: { ...auditView(mapping), ...roles } });
      return mapping;
    });
  }
}

/** Makes the groups those of the names. Returns the members whose role may change. */
async function change(
  tx: Transaction,
  present: readonly ScimGroupRow[],
  names: ReadonlyMap<string, GroupName>,
  actor: Actor,
): Promise<string[]> {
  const known = new Map(present.map((group) => [group.nameKey, group]));
  const changed = present.filter(({ nameKey, role }) => names.get(nameKey)?.role !== role);
  const members = await listGroupMembers(
    tx,
    changed.map(({ id }) => id),
  );
  for (const group of changed) {
    assertMayGive(actor, group.role);
    const name = names.get(group.nameKey);
    if (name === undefined) await deleteScimGroup(tx, group.id);
    else {
      assertMayGive(actor, name.role);
      Object.assign(group, { role: name.role, version: group.version + 1, updatedAt: tx.now });
    }
  }
  for (const [nameKey, { role, displayName }] of names) {
    if (known.has(nameKey)) continue;
    assertMayGive(actor, role);
    const own = { orgId: tx.orgId, id: newId(), role, displayName, nameKey, externalId: null, isBuiltIn: false };
    tx.em.create(ScimGroupRow, { ...own, version: 1, createdAt: tx.now, updatedAt: tx.now });
  }
  await tx.em.flush();
  return [...new Set(members.map(({ id }) => id))];
}

function keyed(names: readonly GroupName[], builtIn: readonly ScimGroupRow[]): ReadonlyMap<string, GroupName> {
  const keys = new Map<string, GroupName>();
  for (const [index, name] of names.entries()) {
    const key = groupNameKey(name.displayName);
    const field = `groups[${index}].display_name`;
    if (keys.has(key)) throw validationFailed([{ field, message: "is the name of another entry too" }]);
    if (builtIn.some(({ nameKey }) => nameKey === key)) {
      throw validationFailed([{ field, message: "is the name of a role, which is a group already" }]);
    }
    keys.set(key, name);
  }
  return keys;
}

async function mappingOf(tx: Transaction): Promise<GroupMapping> {
  const groups = (await listScimGroups(tx)).filter(({ isBuiltIn }) => !isBuiltIn);
  return {
    groups: groups.map(({ role, displayName }) => ({ role, displayName })),
    defaultRole: await findDefaultRole(tx),
  };
}

function auditView({ groups, defaultRole }: GroupMapping) {
  return {
    groups: groups.map(({ role, displayName }) => ({ role, display_name: displayName })),
    default_role: defaultRole,
  };
}

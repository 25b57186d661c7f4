// Groups of the directory: the four roles under their own names, and names that an admin has added. A directory finds
// its groups by name and fills them; it makes and deletes none.

import type { JsonObject } from "@bufbuild/protobuf";
import { notFound } from "../../kit/fault/fault.ts";
import { isUuid } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findMembers } from "../../store/identity/member.ts";
import {
  addGroupMembers,
  findGroupByName,
  findScimGroup,
  type GroupMember,
  groupMemberIds,
  groupsWithMembers,
  listGroupMembers,
  listScimGroups,
  removeGroupMembers,
  type ScimGroupRow,
} from "../../store/scim/scim-group.ts";
import { addUnsaidUsers, touchUsers } from "../../store/scim/scim-user.ts";
import { type Actor, lockTeamAs } from "../tenancy/team-rule.ts";
import { namedReader } from "./attribute.ts";
import { notUnique, scimInvalid } from "./fault.ts";
import { parseFilter } from "./filter.ts";
import { type GroupState, patchedGroup, readMembers, readNames } from "./group-patch.ts";
import { groupLocation, groupNameKey, groupResource, groupVersion } from "./group-resource.ts";
import { fulfils, membersAsked } from "./match.ts";
import { settleRoles } from "./member-role.ts";
import { assertMayTouch, tellingOwners } from "./owner-rule.ts";
import { type ListInput, listAnswer, pageOf } from "./page.ts";
import { readOperations } from "./patch.ts";
import { isWanted, type Projection, projected } from "./projection.ts";
import { groupShape } from "./schema.ts";
import { type Answered, type ChangeInput, type ScimParts, scimBaseUrl } from "./users.ts";
import { assertMatch, namesVersion } from "./version.ts";

/** Lists, reads and changes groups on a directory's behalf. */
export class ScimGroups {
  readonly #database: Database;
  readonly #parts: ScimParts;

  constructor(database: Database, parts: ScimParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /** A page of groups. */
  list(caller: Caller, input: ListInput & Projection): Promise<JsonObject> {
    const isMeant = input.filter === undefined || input.filter.trim() === "" ? undefined : filterOf(input.filter);
    const { offset, limit } = pageOf(input);
    return this.#parts.gate.run(caller.orgId, () =>
      this.#database.read(caller.orgId, async (tx) => {
        const groups = await listScimGroups(tx);
        const found = isMeant === undefined ? groups : await isMeant(tx, groups);
        const page = found.slice(offset, offset + limit);
        const members = await this.#members(tx, page, input);
        const resources = page.map((group) => this.#resource(tx, group, members, input));
        return listAnswer(resources, found.length, offset);
      }),
    );
  }

  /** One group. */
  get(
    caller: Caller,
    { id, ifNoneMatch, ...projection }: Projection & { readonly id: string; readonly ifNoneMatch?: string | undefined },
  ): Promise<Answered> {
    return this.#parts.gate.run(caller.orgId, () =>
      this.#database.read(caller.orgId, async (tx) => {
        const group = await requireGroup(tx, id);
        const notModified = ifNoneMatch !== undefined && namesVersion(ifNoneMatch, groupVersion(group));
        return { ...(await this.#answered(tx, group, projection)), notModified };
      }),
    );
  }

  /** Replaces names and members. Members that the body does not name stay; a list that is empty or null empties. */
  replace(caller: Caller, body: JsonObject, input: ChangeInput): Promise<Answered> {
    const read = namedReader(groupShape, body);
    const names = readNames({ displayName: read("displayName") ?? null, externalId: read("externalId") ?? null });
    const members = read("members");
    const ids = members === undefined ? undefined : readMembers(members);
    return this.#change(caller, input, (state) => ({
      ...names,
      members: ids === undefined ? state.members : new Set(ids),
    }));
  }

  /** Changes names or members by operations. */
  patch(caller: Caller, body: JsonObject, input: ChangeInput): Promise<Answered> {
    const operations = readOperations(body);
    // Without either the answer has no body, so nobody reads the members, who may be thousands.
    const isBodyWanted = input.attributes !== undefined || input.excludedAttributes !== undefined;
    const asked = isBodyWanted ? input : { ...input, excludedAttributes: "members" };
    return this.#change(caller, asked, (state) => patchedGroup(state, operations, input.id.toLowerCase()));
  }

  #change(
    caller: Caller,
    { id, ifMatch, ...projection }: ChangeInput,
    wanted: (state: GroupState) => GroupState,
  ): Promise<Answered> {
    const { gate, mailer } = this.#parts;
    const change = () =>
      this.#database.transaction(caller, async (tx) => {
        const actor = await lockTeamAs(tx, caller, "admin");
        const group = await requireGroup(tx, id);
        assertMatch(ifMatch, groupVersion(group));
        await this.#apply(tx, group, wanted, actor);
        return this.#answered(tx, group, projection);
      });
    return gate.run(caller.orgId, () => tellingOwners(this.#database, { orgId: caller.orgId, mailer }, change));
  }

  async #apply(tx: Transaction, group: ScimGroupRow, wanted: (state: GroupState) => GroupState, actor: Actor) {
    const present = await groupMemberIds(tx, group.id);
    const { displayName, externalId } = group;
    const next = wanted({ displayName, externalId: externalId ?? undefined, members: present });
    const before = { display_name: displayName, role: group.role, members: present.size };
    await rename(tx, group, next.displayName);
    const added = [...next.members].filter((id) => !present.has(id));
    const removed = [...present].filter((id) => !next.members.has(id));
    await requireUsers(tx, added);
    for (const { email, role } of await findMembers(tx, [...added, ...removed])) {
      assertMayTouch(actor, email, [role, group.role]);
    }
    Object.assign(group, { externalId: next.externalId ?? null, version: group.version + 1, updatedAt: tx.now });
    await tx.em.flush();
    await addUnsaidUsers(tx, added);
    await addGroupMembers(tx, group.id, added);
    await removeGroupMembers(tx, group.id, removed);
    // Users show the names of their groups.
    const isRenamed = next.displayName !== displayName;
    await touchUsers(tx, [...(isRenamed ? next.members : added), ...removed]);
    const roles = await settleRoles(tx, [...added, ...removed], actor);
    const resource = { display_name: next.displayName, external_id: next.externalId ?? null };
    const counts = { role: group.role, members: next.members.size, added: added.length, removed: removed.length };
    tx.changed({ resource: `scim_group/${group.id}`, before, after: { resource, ...counts, ...roles } });
  }

  async #answered(tx: Transaction, group: ScimGroupRow, projection: Projection): Promise<Answered> {
    const members = await this.#members(tx, [group], projection);
    return {
      resource: this.#resource(tx, group, members, projection),
      etag: groupVersion(group),
      location: groupLocation(group.id, this.#baseUrl(tx)),
    };
  }

  /** The members of the groups, by group; undefined when nobody asks for them. */
  async #members(tx: Transaction, groups: readonly ScimGroupRow[], projection: Projection) {
    if (!isWanted(groupShape, projection, "members")) return undefined;
    const members = await listGroupMembers(
      tx,
      groups.map(({ id }) => id),
    );
    return Map.groupBy(members, ({ group_id }) => group_id);
  }

  #resource(
    tx: Transaction,
    group: ScimGroupRow,
    members: ReadonlyMap<string, readonly GroupMember[]> | undefined,
    projection: Projection,
  ): JsonObject {
    const own = members && (members.get(group.id) ?? []);
    return projected(groupShape, groupResource(group, own, this.#baseUrl(tx)), projection);
  }

  #baseUrl({ orgId }: Transaction): string {
    return scimBaseUrl(this.#parts.publicUrl, orgId);
  }
}

type GroupFilter = (tx: Transaction, groups: readonly ScimGroupRow[]) => Promise<ScimGroupRow[]>;

// There are at most some fifty groups; only their members are many, so those are asked for by id.
function filterOf(text: string): GroupFilter {
  const filter = parseFilter(groupShape, text);
  const asked = membersAsked(filter).filter(isUuid);
  return async (tx, groups) => {
    const holding = await groupsWithMembers(tx, asked);
    return groups.filter((group) => {
      const members = holding
        .filter(({ group_id }) => group_id === group.id)
        .map(({ member_id }) => ({ group_id: group.id, id: member_id, display: "" }));
      return fulfils(filter, groupResource(group, members, ""));
    });
  };
}

async function requireGroup(tx: Transaction, id: string): Promise<ScimGroupRow> {
  const group = isUuid(id) ? await findScimGroup(tx, id) : null;
  if (group === null) throw notFound("group");
  return group;
}

async function requireUsers(tx: Transaction, ids: readonly string[]): Promise<void> {
  const known = new Set((await findMembers(tx, ids.filter(isUuid))).map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return;
  throw scimInvalid(
    "invalidValue",
    `no user has the id ${unknown.slice(0, 64)}; members of groups are users, not groups`,
  );
}

async function rename(tx: Transaction, group: ScimGroupRow, displayName: string): Promise<void> {
  if (displayName === group.displayName) return;
  if (group.isBuiltIn) {
    throw scimInvalid("mutability", `the group ${group.displayName} is a role under its own name and keeps it`);
  }
  const nameKey = groupNameKey(displayName);
  const other = await findGroupByName(tx, nameKey);
  if (other !== null && other.id !== group.id) throw notUnique("another group has this displayName");
  Object.assign(group, { displayName, nameKey });
}

// The role of a member in groups of the directory: the highest of theirs, and the default one in none.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Transaction } from "../../store/core/transaction.ts";
import { countOwners, findMembers, type MemberRole } from "../../store/identity/member.ts";
import { findDefaultRole, rolesInGroups } from "../../store/scim/scim-group.ts";
import { endGrantsLater, mayHoldTokens } from "../identity/departure.ts";
import { type Actor, conflict, isAbove } from "../tenancy/team-rule.ts";
import { assertMayTouch } from "./owner-rule.ts";

/** Members whose new role an audit entry names; it counts all of them. */
const maxNamed = 100;

/** Gives members the role that follows from their groups. Returns the changes for the audit entry. */
export async function settleRoles(tx: Transaction, memberIds: readonly string[], actor: Actor): Promise<JsonObject> {
  if (memberIds.length === 0) return { roles_changed: 0, roles: [] };
  const roles = await rolesInGroups(tx, memberIds);
  const defaultRole = await findDefaultRole(tx);
  const changes: JsonObject[] = [];
  for (const member of await findMembers(tx, memberIds)) {
    const role = highest(roles.get(member.id) ?? [defaultRole]);
    if (role === member.role) continue;
    assertMayTouch(actor, member.email, [member.role, role]);
    const { accountId } = member;
    if (mayHoldTokens(member.role) && !mayHoldTokens(role) && accountId != null)
      await endGrantsLater(tx, { accountId });
    changes.push({ member: member.id, before: member.role, after: role });
    member.role = role;
    member.updatedAt = tx.now;
  }
  await tx.em.flush();
  if (changes.some(({ before }) => before === "owner") && (await countOwners(tx)) === 0) {
    throw conflict("an organization needs an owner, and this would depose the last one");
  }
  return { roles_changed: changes.length, roles: changes.slice(0, maxNamed) };
}

function highest(roles: readonly MemberRole[]): MemberRole {
  return roles.reduce((best, role) => (isAbove(role, best) ? role : best));
}

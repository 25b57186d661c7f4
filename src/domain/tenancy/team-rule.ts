// Who may change which members. Only an owner changes members of an equal or higher role, nobody gives a role above
// their own, and an organization always has an owner. An admin token counts as an admin, a SCIM token as whoever issued
// it.
//
// The role of a call is read with the credential, before its transaction. Here it is read again under the lock of the
// team, so that a person who is demoted or removed at the same moment cannot change anything anymore.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { Fault, foreignOrganization, insufficientScope, unauthenticated } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  countOwners,
  findMemberOfAccount,
  lockTeam,
  type MemberRole,
  type MemberRow,
} from "../../store/identity/member.ts";
import { findToken, type TokenRow } from "../../store/identity/token.ts";
import { isRoleManaged } from "../../store/scim/scim-user.ts";

const ranks: Readonly<Record<MemberRole, number>> = { viewer: 1, editor: 2, admin: 3, owner: 4 };

/** Who changes the team. */
export interface Actor {
  readonly role: MemberRole;
  /** The actor's own membership; undefined for a token. */
  readonly member: MemberRow | undefined;
}

/**
 * Locks the team until the commit, and returns the caller with their present role. Throws when it is not enough for the
 * call anymore.
 */
export async function lockTeamAs(tx: Transaction, caller: Caller, minRole: MemberRole): Promise<Actor> {
  await lockTeam(tx);
  const { kind, id, digest } = caller.credential;
  if (kind !== CredentialKind.MEMBER) {
    // Only a presented token has a digest: changes by the product itself have none.
    const token = digest === undefined ? null : await findToken(tx, id);
    if (digest !== undefined && !isValueOf(token, digest)) throw unauthenticated();
    return { role: token?.authority ?? "admin", member: undefined };
  }
  const member = await findMemberOfAccount(tx, id);
  if (member?.state !== "active") throw foreignOrganization();
  // A session of single sign-on has the role of an admin at most.
  const role = caller.credential.providerOrgId !== undefined && member.role === "owner" ? "admin" : member.role;
  if (ranks[role] < ranks[minRole]) {
    throw insufficientScope(`this operation needs the role ${minRole}`, { role: minRole });
  }
  return { role, member };
}

/**
 * Whether this is the digest of a value of the token that still works: a rotation or a departure may have ended it
 * meanwhile.
 */
function isValueOf(token: TokenRow | null, digest: string): boolean {
  const digests = [token?.digest, token?.previousDigest];
  return digests.some((own) => own != null && Buffer.from(own).toString("hex") === digest);
}

/** Whether the first role may do more than the second. */
export function isAbove(first: MemberRole, second: MemberRole): boolean {
  return ranks[first] > ranks[second];
}

/** Throws unless the actor may change somebody of this role. */
export function assertMayChange(actor: Actor, role: MemberRole): void {
  if (actor.role === "owner" || ranks[role] < ranks[actor.role]) return;
  throw insufficientScope("only an owner can change a member of equal or higher role", { role: "owner" });
}

/** Throws unless the actor may give somebody this role. */
export function assertMayGive(actor: Actor, role: MemberRole): void {
  if (ranks[role] <= ranks[actor.role]) return;
  throw insufficientScope(`only an owner can give the role ${role}`, { role: "owner" });
}

/** Throws when the organization would be left without an owner. Call it under the lock of the team. */
export async function assertNotLastOwner(tx: Transaction, { role, state }: MemberRow): Promise<void> {
  if (role !== "owner" || state !== "active" || (await countOwners(tx)) > 1) return;
  throw conflict("an organization needs an owner, and this is the last one; transfer the ownership first");
}

/** Throws when the organization's directory decides the role of the member. */
export async function assertRoleUnmanaged(tx: Transaction, id: string): Promise<void> {
  if (!(await isRoleManaged(tx, id))) return;
  throw managedByScim("this role follows from the groups of the directory; change the groups there");
}

/** The fault of a change that the organization's directory would undo. */
export function managedByScim(message: string): Fault {
  return new Fault(Reason.MANAGED_BY_SCIM, message);
}

/** The fault of a change that the present state does not allow. */
export function conflict(message: string): Fault {
  return new Fault(Reason.CONFLICT, message);
}

// Who may change whom. Nobody changes a member of equal or higher role except an owner, nobody gives a role above their own, and an
// organization never is without an owner. An admin token counts as an admin.
//
// The role of a call is read with the credential, before its transaction. Here it is read again under the lock of the team, so that
// somebody who is demoted or removed at the same moment changes nothing any more.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import type { Caller } from "../kit/context.ts";
import { Fault, foreignOrganization, insufficientScope } from "../kit/error.ts";
import type { Transaction } from "../store/database.ts";
import { countOwners, findMemberOfAccount, lockTeam, type MemberRole, type MemberRow } from "../store/member.ts";

const ranks: Readonly<Record<MemberRole, number>> = { viewer: 1, editor: 2, admin: 3, owner: 4 };

/** Who changes the team. */
export interface Actor {
  readonly role: MemberRole;
  /** The actor's own membership; undefined for a token. */
  readonly member: MemberRow | undefined;
}

/** Locks the team until the commit, and returns the caller as they are now. Throws when they are not what the call needs any more. */
export async function lockTeamAs(tx: Transaction, caller: Caller, leastRole: MemberRole): Promise<Actor> {
  await lockTeam(tx);
  if (caller.credential.kind !== CredentialKind.MEMBER) return { role: "admin", member: undefined };
  const member = await findMemberOfAccount(tx, caller.credential.id);
  if (member?.state !== "active") throw foreignOrganization();
  // A session of single sign-on has the role of an admin at most.
  const role = caller.credential.providerOrgId !== undefined && member.role === "owner" ? "admin" : member.role;
  if (ranks[role] < ranks[leastRole]) throw insufficientScope(`this operation needs the role ${leastRole}`);
  return { role, member };
}

/** Throws unless the actor may change somebody of this role. */
export function assertMayChange(actor: Actor, role: MemberRole): void {
  if (actor.role === "owner" || ranks[role] < ranks[actor.role]) return;
  throw insufficientScope("only an owner changes a member of equal or higher role");
}

/** Throws unless the actor may give somebody this role. */
export function assertMayGive(actor: Actor, role: MemberRole): void {
  if (ranks[role] <= ranks[actor.role]) return;
  throw insufficientScope(`only an owner makes an ${role}`);
}

/** Throws when the organization would be left without an owner. Call it under the lock of the team. */
export async function assertNotLastOwner(tx: Transaction, { role, state }: MemberRow): Promise<void> {
  if (role !== "owner" || state !== "active" || (await countOwners(tx)) > 1) return;
  throw conflict("an organization needs an owner, and this is the last one; transfer the ownership first");
}

/** What somebody wants cannot be done as things stand. */
export function conflict(message: string): Fault {
  return new Fault(Reason.CONFLICT, message);
}

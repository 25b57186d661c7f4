// What somebody may do with a member. The server decides; this says which of its refusals can be known beforehand, so
// that nothing is offered that would be refused.

import type { DescMethod } from "@bufbuild/protobuf";
import { type Member, MemberState } from "../../../gen/policyguard/control/v1/team_pb.ts";
import { TeamService } from "../../../gen/policyguard/control/v1/team_service_pb.ts";
import { Role } from "../../../gen/policyguard/options/v1/options_pb.ts";

/** What can be done with a member. */
export type Deed = "changeRole" | "remove" | "deactivate" | "withdraw" | "dropFactor" | "transfer" | "leave";

/** Who wants to do it. */
export interface Actor {
  readonly isMe: boolean;
  readonly role: Role;
  /** Whether their own role follows from the directory's groups. */
  readonly isRoleManaged: boolean;
  readonly can: (method: DescMethod) => boolean;
}

/** What may be done with this member, in the order of the menu. */
export function deedsFor(member: Member, { isMe, role, isRoleManaged, can }: Actor): readonly Deed[] {
  const { state, managedByScim, roleManagedByScim, mfaEnabled } = member;
  const { method } = TeamService;
  // Only an owner acts on somebody of equal or higher role.
  const isBelow = role === Role.OWNER || member.role < role;
  const isActive = state === MemberState.ACTIVE;
  const deeds: [Deed, boolean][] = [
    ["changeRole", can(method.updateMember) && !isMe && isBelow && !roleManagedByScim && isActive],
    ["dropFactor", can(method.disableMemberMfa) && !isMe && isBelow && isActive && mfaEnabled],
    ["transfer", can(method.transferOwnership) && !isMe && isActive && !roleManagedByScim && !isRoleManaged],
    ["withdraw", can(method.removeMember) && isBelow && state === MemberState.INVITED],
    // Whom the directory manages, it alone removes.
    ["deactivate", can(method.removeMember) && !isMe && isBelow && managedByScim && isActive],
    ["remove", can(method.removeMember) && !isMe && isBelow && !managedByScim && state !== MemberState.INVITED],
    ["leave", can(method.leaveOrganization) && isMe && !managedByScim && role !== Role.OWNER],
  ];
  return deeds.filter(([, isOffered]) => isOffered).map(([deed]) => deed);
}

// What somebody may do with a member. The server decides; this says which of its refusals can be known beforehand, so
// that nothing is offered that would be refused.

import type { DescMethod } from "@bufbuild/protobuf";
import { type Member, MemberState } from "../../../gen/policyguard/control/v1/team_pb.ts";
import { TeamService } from "../../../gen/policyguard/control/v1/team_service_pb.ts";
import { Role } from "../../../gen/policyguard/options/v1/options_pb.ts";

/** What can be done with a member. */
export type Deed = "changeRole" | "remove" | "withdraw" | "dropFactor" | "transfer" | "leave";

/** Who wants to do it. */
export interface Actor {
  readonly isMe: boolean;
  readonly role: Role;
  readonly can: (method: DescMethod) => boolean;
}

/** What may be done with this member, in the order of the menu. */
export function deedsFor(member: Member, { isMe, role, can }: Actor): readonly Deed[] {
  const { state, managedByScim, mfaEnabled } = member;
  const { method } = TeamService;
  // Only an owner acts on somebody of equal or higher role.
  const isBelow = role === Role.OWNER || member.role < role;
  const isActive = state === MemberState.ACTIVE;
  const deeds: [Deed, boolean][] = [
    ["changeRole", can(method.updateMember) && !isMe && isBelow && !managedByScim && isActive],
    ["dropFactor", can(method.disableMemberMfa) && !isMe && isBelow && isActive && mfaEnabled],
    ["transfer", can(method.transferOwnership) && !isMe && isActive && !managedByScim],
    ["withdraw", can(method.removeMember) && isBelow && state === MemberState.INVITED],
    ["remove", can(method.removeMember) && !isMe && isBelow && state !== MemberState.INVITED],
    ["leave", can(method.leaveOrganization) && isMe && !managedByScim && role !== Role.OWNER],
  ];
  return deeds.filter(([, isOffered]) => isOffered).map(([deed]) => deed);
}

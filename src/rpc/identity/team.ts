import type { DescService, MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type JoinRequestSchema,
  JoinRequestState,
  type MemberSchema,
  MemberState,
} from "../../../gen/policyguard/control/v1/team_pb.ts";
import type { TeamService } from "../../../gen/policyguard/control/v1/team_service_pb.ts";
import { Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import type { Invitations } from "../../domain/identity/invitation.ts";
import type { JoinRequests } from "../../domain/identity/join-request.ts";
import { roleOf } from "../../domain/identity/session.ts";
import type { Team } from "../../domain/identity/team.ts";
import { accountCallerOf, callerOf } from "../../kit/rpc/context.ts";
import { pageOf, searchOf } from "../../kit/rpc/page.ts";
import { permittedMethods } from "../../kit/rpc/permission.ts";
import { timestamp } from "../time.ts";
import { roleName } from "./role.ts";

/** What the handlers call. */
export interface TeamDomain {
  readonly team: Team;
  readonly invitations: Invitations;
  readonly joinRequests: JoinRequests;
}

type Handlers = ServiceImpl<typeof TeamService>;

/** Handlers of TeamService. `services` are those whose methods GetPermissions lists. */
export function teamHandlers(domain: TeamDomain, services: readonly DescService[]): Handlers {
  return { ...memberHandlers(domain), ...joinRequestHandlers(domain), ...permissionHandlers(services) };
}

function memberHandlers({ team, invitations }: TeamDomain) {
  return {
    inviteMember: async ({ email, role }, context) => {
      const { member, link } = await invitations.invite(callerOf(context), { email, role: roleName(role) });
      return { member: memberMessage(member), invitationLink: link };
    },
    listMembers: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await team.list(callerOf(context), { ...page, ...searchOf(request) });
      return { total, ...page, members: rows.map(memberMessage) };
    },
    updateMember: async ({ memberId, role }, context) => ({
      member: memberMessage(await team.setRole(callerOf(context), memberId, roleName(role))),
    }),
    removeMember: async ({ memberId }, context) => {
      await team.remove(callerOf(context), memberId);
      return {};
    },
    leaveOrganization: async (_request, context) => {
      await team.leave(callerOf(context));
      return {};
    },
    disableMemberMfa: async ({ memberId }, context) => {
      await team.removeSecondFactor(callerOf(context), memberId);
      return {};
    },
    transferOwnership: async ({ memberId }, context) => ({
      member: memberMessage(await team.transferOwnership(callerOf(context), memberId)),
    }),
  } satisfies Partial<Handlers>;
}

function joinRequestHandlers({ joinRequests }: TeamDomain) {
  return {
    askToJoin: async ({ orgId, message }, context) => {
      await joinRequests.ask(accountCallerOf(context), orgId, message);
      return { status: "sent_if_known" };
    },
    listJoinRequests: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await joinRequests.list(callerOf(context), page, requestStateName(request.state));
      return { total, ...page, joinRequests: rows.map(joinRequestMessage) };
    },
    approveJoinRequest: async ({ requestId, role }, context) => {
      const given = role === Role.UNSPECIFIED ? "viewer" : roleName(role);
      return { joinRequest: joinRequestMessage(await joinRequests.approve(callerOf(context), requestId, given)) };
    },
    rejectJoinRequest: async ({ requestId }, context) => ({
      joinRequest: joinRequestMessage(await joinRequests.reject(callerOf(context), requestId)),
    }),
  } satisfies Partial<Handlers>;
}

function permissionHandlers(services: readonly DescService[]) {
  return {
    getPermissions: (_request, context) => {
      const { credential, role } = callerOf(context);
      return {
        credential: credential.kind,
        role: role === undefined ? undefined : roleName(role),
        methods: permittedMethods(services, {
          ...{ kind: credential.kind, role },
          isProvided: credential.providerOrgId !== undefined,
        }),
      };
    },
  } satisfies Partial<Handlers>;
}

type MemberView = Awaited<ReturnType<Team["setRole"]>>;

const memberStates: Record<MemberView["state"], MemberState> = {
  invited: MemberState.INVITED,
  active: MemberState.ACTIVE,
  deactivated: MemberState.DEACTIVATED,
};

function memberMessage(row: MemberView): MessageInitShape<typeof MemberSchema> {
  return {
    ...{ id: row.id, orgId: row.org_id, accountId: row.account_id ?? undefined },
    ...{ email: row.email, name: row.name ?? undefined },
    role: roleOf(row.role),
    state: memberStates[row.state],
    mfaEnabled: row.mfa_enabled,
    emailVerified: row.email_verified,
    createdAt: timestamp(row.created_at),
    invitationExpiresAt: timestamp(row.invitation_expires_at),
    invitedBy: row.invited_by ?? undefined,
    managedByScim: row.is_managed,
    externalId: row.external_id ?? undefined,
    roleManagedByScim: row.is_role_managed,
  };
}

type RequestView = Awaited<ReturnType<JoinRequests["reject"]>>;
type RequestState = RequestView["row"]["state"];

const requestStates: Record<RequestState, JoinRequestState> = {
  pending: JoinRequestState.PENDING,
  approved: JoinRequestState.APPROVED,
  rejected: JoinRequestState.REJECTED,
};

function joinRequestMessage({ row, isVerified }: RequestView): MessageInitShape<typeof JoinRequestSchema> {
  return {
    ...{ id: row.id, orgId: row.orgId, accountId: row.accountId },
    ...{ email: row.email, name: row.name, message: row.message ?? undefined },
    state: requestStates[row.state],
    createdAt: timestamp(row.createdAt),
    decidedAt: timestamp(row.decidedAt),
    decidedBy: row.decidedBy ?? undefined,
    emailVerified: isVerified,
  };
}

function requestStateName(state: JoinRequestState): RequestState | undefined {
  const names: readonly RequestState[] = ["pending", "approved", "rejected"];
  return names.find((name) => requestStates[name] === state);
}

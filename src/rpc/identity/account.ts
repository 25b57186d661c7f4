import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type {
  AccountSchema,
  MembershipSchema,
  SessionSchema,
  SessionTokensSchema,
} from "../../../gen/policyguard/control/v1/account_pb.ts";
import type { AccountService } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import type { Accounts } from "../../domain/identity/account.ts";
import type { Logins } from "../../domain/identity/login.ts";
import type { Passwords } from "../../domain/identity/password-change.ts";
import type { Registrations } from "../../domain/identity/registration.ts";
import type { SecondFactors } from "../../domain/identity/second-factor.ts";
import { type IssuedSession, roleOf, type Sessions } from "../../domain/identity/session.ts";
import type { CallOrigin, SignedIn } from "../../domain/identity/sign-in.ts";
import { accountCallerOf, auditKey, connectionKey } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { qrSvg } from "../../platform/qr.ts";
import { timestamp } from "../time.ts";

/** What the handlers of AccountService call. */
export interface AccountDomain {
  readonly accounts: Accounts;
  readonly registrations: Registrations;
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly factors: SecondFactors;
}

type Handlers = ServiceImpl<typeof AccountService>;

/** Handlers of AccountService. */
export function accountHandlers(domain: AccountDomain): Omit<Handlers, "acceptInvitation"> {
  return { ...entryHandlers(domain), ...sessionHandlers(domain), ...credentialHandlers(domain) };
}

/** Handlers of calls without a session. */
function entryHandlers({ registrations, logins, passwords }: AccountDomain) {
  return {
    register: async (request, context) => {
      const begun = await registrations.register(request, originOf(context));
      return begun === undefined
        ? { status: "confirmation_sent" }
        : { status: "active", ...signedInMessage(begun), orgId: begun.orgId };
    },
    confirmEmail: async ({ token }, context) => {
      const begun = await registrations.confirm(token, originOf(context));
      return { ...signedInMessage(begun), orgId: begun.orgId };
    },
    login: async (request, context) => {
      const answer = await logins.login(request, originOf(context));
      return "mfaToken" in answer ? { mfaRequired: true, mfaToken: answer.mfaToken } : signedInMessage(answer);
    },
    completeLogin: async (request, context) => signedInMessage(await logins.complete(request, originOf(context))),
    requestPasswordReset: async (request) => {
      await passwords.requestReset(request);
      return { status: "sent_if_known" };
    },
    resetPassword: async ({ token, newPassword }, { values }) => {
      await passwords.reset({ token, next: newPassword }, values.get(auditKey));
      return {};
    },
  } satisfies Partial<Handlers>;
}

function sessionHandlers({ accounts, sessions }: AccountDomain) {
  return {
    refreshSession: async ({ refreshToken }, context) => {
      const origin = originOf(context);
      return { tokens: tokensMessage(await sessions.refresh(refreshToken, origin, origin.audit)) };
    },
    logout: async (_request, context) => {
      await sessions.logOut(accountCallerOf(context));
      return {};
    },
    getMe: async (_request, context) => {
      const { account, memberships } = await accounts.me(accountCallerOf(context));
      return { account: accountMessage(account), organizations: memberships.map(membershipMessage) };
    },
    listSessions: async (request, context) => {
      const caller = accountCallerOf(context);
      const page = pageOf(request);
      const [rows, total] = await sessions.list(caller, page);
      return { total, ...page, sessions: rows.map((row) => sessionMessage(row, caller.sessionId)) };
    },
    revokeSession: async ({ sessionId }, context) => {
      await sessions.revoke(accountCallerOf(context), sessionId);
      return {};
    },
  } satisfies Partial<Handlers>;
}

function credentialHandlers({ passwords, factors }: AccountDomain) {
  return {
    changePassword: async ({ currentPassword, newPassword }, context) => {
      await passwords.change(accountCallerOf(context), { current: currentPassword, next: newPassword });
      return {};
    },
    enrolMfa: async ({ password }, context) => {
      const { keyUri, secret } = await factors.enrol(accountCallerOf(context), { password });
      return { otpauthUri: keyUri, qrSvg: qrSvg(keyUri), secret };
    },
    confirmMfa: async ({ code, password }, context) => ({
      recoveryCodes: await factors.confirm(accountCallerOf(context), { code, password }),
    }),
    disableMfa: async ({ code }, context) => {
      await factors.disable(accountCallerOf(context), code);
      return {};
    },
  } satisfies Partial<Handlers>;
}

/** The origin of a call. */
export function originOf({ values, requestHeader }: HandlerContext): CallOrigin {
  return {
    address: values.get(connectionKey).address,
    userAgent: requestHeader.get("User-Agent") ?? "",
    audit: values.get(auditKey),
  };
}

function signedInMessage({ account, session }: SignedIn) {
  return { account: accountMessage(account), tokens: tokensMessage(session) };
}

/** An account as callers see it. */
export function accountMessage(row: SignedIn["account"]): MessageInitShape<typeof AccountSchema> {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    mfaEnabled: row.mfaEnabledAt != null,
    createdAt: timestamp(row.createdAt),
    emailVerified: row.emailVerifiedAt != null,
  };
}

/** A session's credentials as callers see them. */
export function tokensMessage(session: IssuedSession): MessageInitShape<typeof SessionTokensSchema> {
  return {
    accessToken: session.accessToken,
    refreshToken: session.refreshToken,
    tokenType: "Bearer",
    expiresIn: session.expiresInSeconds,
  };
}

type SessionRow = Awaited<ReturnType<Sessions["list"]>>[0][number];

function sessionMessage(row: SessionRow, currentId: string): MessageInitShape<typeof SessionSchema> {
  return {
    id: row.id,
    isCurrent: row.id === currentId,
    address: row.address,
    userAgent: row.userAgent,
    method: row.method,
    createdAt: timestamp(row.createdAt),
    lastUsedAt: timestamp(row.lastUsedAt),
    expiresAt: timestamp(row.expiresAt),
  };
}

type MembershipRow = Awaited<ReturnType<Accounts["me"]>>["memberships"][number];

function membershipMessage(row: MembershipRow): MessageInitShape<typeof MembershipSchema> {
  return { orgId: row.org_id, orgName: row.org_name, role: roleOf(row.role) };
}

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { AccountSchema, MembershipSchema, SessionSchema } from "../../../gen/policyguard/control/v1/account_pb.ts";
import type { AccountService } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import type { Accounts } from "../../domain/identity/account.ts";
import type { Installation } from "../../domain/identity/installation.ts";
import type { Logins } from "../../domain/identity/login.ts";
import type { Passwords } from "../../domain/identity/password-change.ts";
import type { Registrations } from "../../domain/identity/registration.ts";
import type { SecondFactors } from "../../domain/identity/second-factor.ts";
import { roleOf, type Sessions } from "../../domain/identity/session.ts";
import type { SignedIn } from "../../domain/identity/sign-in.ts";
import { type AccountCaller, accountCallerOf, auditKey, signedInAccount } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { qrSvg } from "../../platform/qr.ts";
import { timestamp } from "../time.ts";
import type { ConsoleSessions } from "./console-session.ts";
import { tokensMessage } from "./tokens.ts";

/** What the handlers of AccountService call. */
export interface AccountDomain {
  readonly accounts: Accounts;
  readonly registrations: Registrations;
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly factors: SecondFactors;
  readonly installation: Installation;
}

type Handlers = ServiceImpl<typeof AccountService>;

/** Handlers of AccountService. */
export function accountHandlers(
  domain: AccountDomain,
  consoles: ConsoleSessions,
): Omit<Handlers, "acceptInvitation" | "lookUpInvitation"> {
  return { ...entryHandlers(domain, consoles), ...sessionHandlers(domain, consoles), ...credentialHandlers(domain) };
}

/** Handlers of calls without a session. */
function entryHandlers(domain: AccountDomain, consoles: ConsoleSessions) {
  const { registrations, logins, passwords, installation } = domain;
  return {
    getInstallation: () => installation,
    register: async (request, context) => {
      const begun = await registrations.register(request, consoles.originOf(context, request));
      return begun === undefined
        ? { status: "confirmation_sent" }
        : { status: "active", ...(await signedInMessage(consoles, context, begun)), orgId: begun.orgId };
    },
    confirmEmail: async (request, context) => {
      const begun = await registrations.confirm(request.token, consoles.originOf(context, request));
      return { ...(await signedInMessage(consoles, context, begun)), orgId: begun.orgId };
    },
    login: async (request, context) => {
      const answer = await logins.login(request, consoles.originOf(context, request));
      if ("mfaToken" in answer) return { mfaRequired: true, mfaToken: answer.mfaToken };
      return signedInMessage(consoles, context, answer);
    },
    completeLogin: async (request, context) =>
      signedInMessage(consoles, context, await logins.complete(request, consoles.originOf(context, request))),
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

function sessionHandlers({ accounts, sessions }: AccountDomain, consoles: ConsoleSessions) {
  return {
    refreshSession: async ({ refreshToken }, context) => {
      const origin = consoles.originOf(context, { asCookie: false });
      return { tokens: tokensMessage(await sessions.refresh(refreshToken, origin, origin.audit)) };
    },
    logout: async (_request, context) => {
      const caller = signedInAccount(context);
      if (caller !== undefined) await sessions.logOut(caller);
      return { setCookie: consoles.cleared(context) };
    },
    getMe: async (_request, context) => {
      const caller = accountCallerOf(context);
      const { account, memberships } = await accounts.me(caller);
      return {
        account: accountMessage(account),
        organizations: memberships.map((row) => membershipMessage(row, caller)),
        sessionId: caller.sessionId,
        setCookie: consoles.renewed(context),
      };
    },
    updateAccount: async (request, context) => ({
      account: accountMessage(await accounts.update(accountCallerOf(context), request)),
    }),
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
    renewRecoveryCodes: async ({ code }, context) => ({
      recoveryCodes: await factors.renewRecoveryCodes(accountCallerOf(context), code),
    }),
    disableMfa: async ({ code }, context) => {
      await factors.disable(accountCallerOf(context), code);
      return {};
    },
  } satisfies Partial<Handlers>;
}

async function signedInMessage(consoles: ConsoleSessions, context: HandlerContext, { account, session }: SignedIn) {
  return { account: accountMessage(account), ...(await consoles.answer(context, session)) };
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

function membershipMessage(
  row: MembershipRow,
  { credential: { secondFactorRequired } }: AccountCaller,
): MessageInitShape<typeof MembershipSchema> {
  return {
    orgId: row.org_id,
    orgName: row.org_name,
    role: roleOf(row.role),
    secondFactorRequired: secondFactorRequired?.has(row.org_id) ?? false,
  };
}

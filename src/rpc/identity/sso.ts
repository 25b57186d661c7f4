import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  type SsoConfigurationSchema,
  type SsoDomainSchema,
  SsoJoin,
} from "../../../gen/policyguard/control/v1/sso_pb.ts";
import type { ConfigureSsoRequest, SsoService } from "../../../gen/policyguard/control/v1/sso_service_pb.ts";
import { Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { roleOf } from "../../domain/identity/session.ts";
import type { SsoConfigurations, SsoInput } from "../../domain/identity/sso.ts";
import { recordName, type SsoDomains } from "../../domain/identity/sso-domain.ts";
import { flowMs, type SsoLogins } from "../../domain/identity/sso-login.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";
import { accountMessage } from "./account.ts";
import type { ConsoleSessions } from "./console-session.ts";
import { roleName } from "./role.ts";

/** What the handlers of SsoService call. */
export interface SsoDomain {
  readonly ssoConfigurations: SsoConfigurations;
  readonly ssoDomains: SsoDomains;
  readonly ssoLogins: SsoLogins;
}

type Handlers = ServiceImpl<typeof SsoService>;
type ConfigurationRow = Awaited<ReturnType<SsoConfigurations["get"]>>;
type DomainRow = Awaited<ReturnType<SsoDomains["add"]>>;

/** Handlers of SsoService. */
export function ssoHandlers(domain: SsoDomain, consoles: ConsoleSessions): Handlers {
  return {
    ...configurationHandlers(domain),
    ...domainHandlers(domain.ssoDomains),
    ...loginHandlers(domain.ssoLogins, consoles),
  };
}

function configurationHandlers({ ssoConfigurations, ssoLogins }: SsoDomain) {
  const message = (row: ConfigurationRow) => ({ sso: configurationMessage(row, ssoLogins.redirectUri) });
  return {
    getSso: async (_request, context) => message(await ssoConfigurations.get(callerOf(context))),
    configureSso: async (request, context) =>
      message(await ssoConfigurations.configure(callerOf(context), inputOf(request))),
    removeSso: async (_request, context) => {
      await ssoConfigurations.remove(callerOf(context));
      return {};
    },
  } satisfies Partial<Handlers>;
}

function domainHandlers(domains: SsoDomains) {
  return {
    addSsoDomain: async ({ domain }, context) => ({
      domain: domainMessage(await domains.add(callerOf(context), domain)),
    }),
    listSsoDomains: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await domains.list(callerOf(context), page);
      return { total, ...page, domains: rows.map(domainMessage) };
    },
    verifySsoDomain: async ({ domainId }, context) => ({
      domain: domainMessage(await domains.verify(callerOf(context), domainId)),
    }),
    removeSsoDomain: async ({ domainId }, context) => {
      await domains.remove(callerOf(context), domainId);
      return {};
    },
  } satisfies Partial<Handlers>;
}

function loginHandlers(logins: SsoLogins, consoles: ConsoleSessions) {
  const { cookies } = consoles;
  const holderOf = ({ flowToken, cookie }: { flowToken?: string; cookie?: string }) =>
    flowToken ?? cookies.sso.read(cookie);
  return {
    startSso: async ({ email, orgId, returnTo, redirect = true }) => {
      const { authorizationUrl, holder } = await logins.start({ email, orgId, returnTo });
      const maxAgeSeconds = flowMs / 1000;
      if (!redirect) return { authorizationUrl, flowToken: holder, expiresIn: maxAgeSeconds };
      const setCookie = cookies.sso.set(holder, maxAgeSeconds);
      return { isRedirect: true, location: authorizationUrl, setCookie, expiresIn: maxAgeSeconds };
    },
    finishSso: async (request, context: HandlerContext) => {
      const { code, state, iss, error } = request;
      const callback = { code, state, iss, error };
      const origin = consoles.originOf(context, { asCookie: false });
      const { account, session, ...finished } = await logins.finish(callback, holderOf(request), origin);
      const message = { status: finished.status, orgId: finished.orgId, account: accountMessage(account) };
      // The code in the redirect only works together with the cookie, so the cookie stays.
      if (finished.location !== undefined) return { ...message, isRedirect: true, location: finished.location };
      return { ...message, ...(await consoles.answer(context, session)), setCookie: cookies.sso.clear() };
    },
    exchangeSsoCode: async (request, context: HandlerContext) => {
      const origin = consoles.originOf(context, request);
      const { orgId, account, session } = await logins.exchange(request.code, holderOf(request), origin);
      const { tokens, setCookie: setSessionCookie } = await consoles.answer(context, session);
      return { orgId, account: accountMessage(account), tokens, setSessionCookie, setCookie: cookies.sso.clear() };
    },
  } satisfies Partial<Handlers>;
}

const joins: ReadonlyMap<SsoJoin, SsoInput["join"]> = new Map([
  [SsoJoin.MEMBER, "member"],
  [SsoJoin.REQUEST, "request"],
]);

function inputOf(request: ConfigureSsoRequest): SsoInput {
  const { issuer, clientId, clientSecret, enforced, roleClaim } = request;
  return {
    ...{ issuer, clientId, clientSecret, enforced, roleClaim },
    defaultRole: providedRole(request.defaultRole ?? Role.VIEWER),
    join: joins.get(request.join ?? SsoJoin.REQUEST) ?? "request",
    roleMapping: Object.fromEntries(
      Object.entries(request.roleMapping).map(([value, role]) => [value, providedRole(role)]),
    ),
  };
}

function providedRole(role: Role): SsoInput["defaultRole"] {
  const name = roleName(role);
  if (name === "owner") throw new Error("the rules of the request let no owner through");
  return name;
}

function configurationMessage(
  row: ConfigurationRow,
  redirectUri: string,
): MessageInitShape<typeof SsoConfigurationSchema> {
  return {
    orgId: row.orgId,
    issuer: row.issuer,
    clientId: row.clientId,
    hasClientSecret: row.clientSecret != null,
    enforced: row.enforced,
    defaultRole: roleOf(row.defaultRole),
    join: row.join === "member" ? SsoJoin.MEMBER : SsoJoin.REQUEST,
    roleClaim: row.roleClaim ?? undefined,
    roleMapping: Object.fromEntries(Object.entries(row.roleMapping).map(([value, role]) => [value, roleOf(role)])),
    redirectUri,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}

function domainMessage(row: DomainRow): MessageInitShape<typeof SsoDomainSchema> {
  return {
    id: row.id,
    orgId: row.orgId,
    domain: row.domain,
    verified: row.verifiedAt != null,
    recordName: recordName(row.domain),
    recordValue: row.challenge,
    createdAt: timestamp(row.createdAt),
    verifiedAt: row.verifiedAt == null ? undefined : timestamp(row.verifiedAt),
  };
}

// What belongs to one call, from its arrival to its answer.

import { type ContextKey, type ContextValues, createContextKey } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { CredentialKind, Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import type { Fault } from "../fault/fault.ts";

/** A verified credential: who calls, and where it reaches. */
export interface Credential {
  readonly kind: CredentialKind;
  /** Token id or account id. */
  readonly id: string;
  /** How audit entries and authors name the caller: an e-mail address or a token's prefix. */
  readonly label: string;
  /** The organization of a token; undefined for a member, who may belong to several. */
  readonly orgId: string | undefined;
  /** Project of a runtime or ci token. */
  readonly projectId: string | undefined;
  /** Environment of a runtime token. */
  readonly environment: string | undefined;
  /** Role by organization id, for a member; empty for a token. */
  readonly roles: ReadonlyMap<string, Role>;
  /** A member's session. */
  readonly sessionId?: string;
  /** The session is a cookie of the console's page. */
  readonly isCookie?: boolean;
  /**
   * For a session that began at an organization's identity provider: that organization, the only one that it reaches.
   */
  readonly providerOrgId?: string;
  /** The member's organizations that admit only sessions of their identity provider. */
  readonly ssoRequired?: ReadonlySet<string>;
  /**
   * The member's organizations that demand a second factor of this session. They are among `roles` only when the account
   * has one.
   */
  readonly secondFactorRequired?: ReadonlySet<string>;
  /** For a token: the SHA-256 of the presented value, in hex. During a rotation a token has two values. */
  readonly digest?: string;
}

/** Who the call acts as, once authorized. Domain methods take it as their first argument. */
export interface Caller {
  readonly credential: Credential;
  /** The organization that the call is about. */
  readonly orgId: string;
  /** The member's role there; undefined for a token. */
  readonly role: Role | undefined;
  /** The audit action of the method, and where it came from; the store writes it with the change. */
  readonly audit: AuditIntent;
}

/** A signed-in person, acting on their own account rather than in an organization. */
export interface AccountCaller {
  readonly credential: Credential;
  readonly accountId: string;
  readonly sessionId: string;
  readonly audit: AuditIntent;
}

/** What the audit entry of a change will say besides the change itself. */
export interface AuditIntent {
  /** Such as "webhook.create"; "" for methods that change nothing. */
  readonly action: string;
  readonly requestId: string;
  /** The peer's network address. */
  readonly address: string;
}

/** Facts of the connection that only the listener knows. */
export interface Connection {
  /** The peer's network address, or "" in process. */
  readonly address: string;
  /** The host that the call names, with its port. */
  readonly host?: string | undefined;
  /**
   * Asks the caller to make its further calls over another connection (GOAWAY); calls that are under way go on. Only for
   * calls over HTTP/2.
   */
  readonly retire?: (() => void) | undefined;
  /**
   * For a REST call: reads the body into the request message. Called once the caller is authorized; returns what could
   * not be bound, path and query included. Throws when the body cannot be read at all.
   */
  readonly readBody?: () => Promise<Fault | undefined>;
}

/** Facts of the connection; set by the listener and by the gateway. */
export const connectionKey: ContextKey<Connection> = createContextKey<Connection>(
  { address: "" },
  { description: "connection" },
);

/** Id of the call: taken over from X-Request-Id when that is well-formed, made otherwise. */
export const requestIdKey: ContextKey<string> = createContextKey("", { description: "request id" });

/** The call's logger. */
export const loggerKey: ContextKey<Logger | undefined> = createContextKey<Logger | undefined>(undefined, {
  description: "logger",
});

/** The verified credential; undefined on public methods without one. */
export const credentialKey: ContextKey<Credential | undefined> = createContextKey<Credential | undefined>(undefined, {
  description: "credential",
});

/** Who the call acts as; set by the authorize interceptor. */
export const callerKey: ContextKey<Caller | undefined> = createContextKey<Caller | undefined>(undefined, {
  description: "caller",
});

/** The audit intent of the call; set by the audit interceptor. */
export const auditKey: ContextKey<AuditIntent> = createContextKey<AuditIntent>(
  { action: "", requestId: "", address: "" },
  { description: "audit intent" },
);

/** The caller of an authorized call. Throws when the method is public and came without a credential. */
export function callerOf(context: { readonly values: ContextValues }): Caller {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw new Error("this method has no caller: it is public or was not authorized");
  return caller;
}

/** The signed-in person of a call about their own account; undefined when a public method came without a credential. */
export function signedInAccount(context: { readonly values: ContextValues }): AccountCaller | undefined {
  const credential = context.values.get(credentialKey);
  if (credential?.sessionId === undefined) return undefined;
  const { id, sessionId } = credential;
  return { credential, accountId: id, sessionId, audit: context.values.get(auditKey) };
}

/** The same for methods that are not public. */
export function accountCallerOf(context: { readonly values: ContextValues }): AccountCaller {
  const caller = signedInAccount(context);
  if (caller === undefined) throw new Error("this method has no signed-in account: it is public, or for tokens too");
  return caller;
}

// A sign-in at an organization's identity provider, from its start to a session.
//
// The caller who begins one gets a secret: a browser as a cookie, others as a flow token. The provider's answer is
// accepted only together with it, so that nobody can be tricked into finishing a sign-in that somebody else began (RFC
// 6749, section 10.12; RFC 9700, section 4.7). Nonce and PKCE verifier are derived from it, so nobody can finish a
// sign-in with the content of the database.

import { createHmac } from "node:crypto";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { isTicket, newTicket, tokenDigest } from "../../kit/crypto/token.ts";
import { Fault, reasonRule, validationFailed } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { OidcCallback, OidcFlow, OidcIdentity } from "../../platform/oidc/oidc.ts";
import { ssoRefused } from "../../platform/oidc/oidc-error.ts";
import type { Database } from "../../store/connection/database.ts";
import { findAccount } from "../../store/identity/account.ts";
import { addOneTimeToken, lookUpOneTimeToken, useOneTimeToken } from "../../store/identity/one-time-token.ts";
import { findSso, lookUpSsoOrganization, type SsoRow } from "../../store/identity/sso.ts";
import {
  deleteOldSsoLogins,
  lookUpSsoLogin,
  SsoLoginRow,
  type UsedSsoLogin,
  useSsoLogin,
} from "../../store/identity/sso-login.ts";
import { domainPart, parseEmail } from "../mail/email.ts";
import { requireAccount } from "./account.ts";
import { openSession } from "./session.ts";
import type { CallOrigin, SignedIn } from "./sign-in.ts";
import type { NoteRefusal } from "./sign-in-refusal.ts";
import { providerOf, type SsoParts } from "./sso.ts";
import { type Admitted, admit } from "./sso-member.ts";

/** Time to sign in at the provider. */
export const flowMs = 10 * 60_000;
const codeMs = 60_000;

/** The address or the organization that a sign-in is for. */
export interface SsoStart {
  readonly email: string | undefined;
  readonly orgId: string | undefined;
  readonly returnTo: string | undefined;
}

/** A sign-in that has begun. */
export interface SsoBegun {
  readonly authorizationUrl: string;
  /** The secret of the caller who began it. */
  readonly holder: string;
}

/** A finished sign-in: the person is a member, or waits to be admitted. */
export interface SsoFinished extends Admitted {
  readonly orgId: string;
  /**
   * Where the browser goes, with the code for the session when there is one. Undefined when the answer carries the
   * session.
   */
  readonly location: string | undefined;
}

/** What the service is built from. */
export interface SsoLoginParts extends SsoParts {
  readonly clock: Clock;
  /** Address of this service as browsers reach it, without a slash at its end. */
  readonly publicUrl: string;
  /** Called for each refusal. */
  readonly note?: NoteRefusal;
}

/** Signs people in at the providers of their organizations. */
export class SsoLogins {
  readonly #database: Database;
  readonly #parts: SsoLoginParts;

  constructor(database: Database, parts: SsoLoginParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /** The redirect URI that is registered at providers. */
  get redirectUri(): string {
    return `${this.#parts.publicUrl}/v1/auth/sso/callback`;
  }

  /** Whether browsers reach this service by TLS. */
  get isSecure(): boolean {
    return this.#parts.publicUrl.startsWith("https:");
  }

  /** Begins a sign-in. */
  async start(input: SsoStart): Promise<SsoBegun> {
    const returnTo = input.returnTo === undefined ? null : this.#checkReturn(input.returnTo);
    const orgId = await this.#organizationOf(input);
    const sso = orgId === undefined ? null : await this.#database.read(orgId, findSso);
    if (orgId === undefined || sso === null) throw unknownOrganization();
    const [state, holder] = [newTicket("sso"), newTicket("sso")];
    const flow = this.#flow(state, holder);
    const authorizationUrl = await this.#parts.oidc.authorizationUrl(providerOf(sso, this.#parts.sealer), flow);
    await this.#database.systemTransaction(orgId, async (tx) => {
      await deleteOldSsoLogins(tx);
      const expiresAt = new Date(tx.now.getTime() + flowMs);
      const { issuer, clientId } = sso;
      const digests = { stateDigest: tokenDigest(state), holderDigest: tokenDigest(holder) };
      const times = { createdAt: tx.now, expiresAt, usedAt: null };
      tx.em.create(SsoLoginRow, { orgId, ...digests, issuer, clientId, returnTo, ...times });
    });
    return { authorizationUrl, holder };
  }

  /** Finishes a sign-in with what the provider sent back. */
  finish(callback: OidcCallback, holder: string | undefined, origin: CallOrigin): Promise<SsoFinished> {
    return this.#noted(this.#finish(callback, holder, origin), origin);
  }

  async #finish(callback: OidcCallback, holder: string | undefined, origin: CallOrigin): Promise<SsoFinished> {
    const { orgId, login, flow } = await this.#use(callback.state, holder);
    try {
      return await this.#signIn(callback, { orgId, login, flow, holder: holder ?? "", origin });
    } catch (error) {
      throw this.#sentBack(error, login);
    }
  }

  async #signIn(callback: OidcCallback, { orgId, login, flow, holder, origin }: FlowUse): Promise<SsoFinished> {
    const sso = await this.#database.read(orgId, findSso);
    if (sso === null || !isBegunAt(sso, login))
      throw ssoRefused("single sign-on was reconfigured meanwhile; begin again");
    const needed = ["email", "email_verified", ...(sso.roleClaim == null ? [] : [sso.roleClaim])];
    const provider = providerOf(sso, this.#parts.sealer);
    const identity = await this.#parts.oidc.signIn(provider, { ...flow, callback, needed });
    return this.#admit(sso, identity, { login, holder, origin });
  }

  // A browser goes back to the page where its person began, which says why nobody is signed in.
  #sentBack(error: unknown, { return_to }: UsedSsoLogin): unknown {
    if (!(error instanceof Fault) || return_to === null) return error;
    const { reason, message, cause, extra, context } = error;
    const location = `${this.#parts.publicUrl}${return_to}#sso_error=${reasonRule(reason).error}`;
    return new Fault(reason, message, { cause, extra, context, headers: { ...error.headers, Location: location } });
  }

  /** Exchanges the code of a finished sign-in for its session. */
  exchange(code: string, holder: string | undefined, origin: CallOrigin): Promise<SignedIn & { orgId: string }> {
    return this.#noted(this.#exchange(code, holder, origin), origin);
  }

  async #noted<T>(signIn: Promise<T>, { audit }: CallOrigin): Promise<T> {
    return signIn.catch((error: unknown) => {
      if (error instanceof Fault && error.reason === Reason.SSO_REFUSED) this.#parts.note?.("single_sign_on", audit);
      throw error;
    });
  }

  async #exchange(code: string, holder: string | undefined, origin: CallOrigin): Promise<SignedIn & { orgId: string }> {
    const refusal = ssoRefused("this code is unknown, used or expired, or the sign-in began elsewhere; begin again");
    if (!isTicket("sso", code) || holder === undefined || !isTicket("sso", holder)) throw refusal;
    const digest = digestOf(code, holder);
    const accountId = await lookUpOneTimeToken(this.#database, "sso", digest, this.#parts.clock.now());
    if (accountId === undefined) throw refusal;
    return this.#database.accountTransaction(accountId, async (tx) => {
      const payload = await useOneTimeToken(tx, "sso", digest);
      if (typeof payload?.org_id !== "string") throw refusal;
      const orgId = payload.org_id;
      const session = await openSession(tx, "sso", origin, { providerOrgId: orgId });
      return { account: requireAccount(await findAccount(tx)), session, orgId };
    });
  }

  async #admit(
    sso: SsoRow,
    identity: OidcIdentity,
    { login, holder, origin }: { readonly login: UsedSsoLogin; readonly holder: string; readonly origin: CallOrigin },
  ): Promise<SsoFinished> {
    const { orgId } = sso;
    const code = newTicket("sso");
    const admitted = await admit(this.#database, { sso, identity, origin }, async (tx, account) => {
      if (login.return_to === null) return openSession(tx, "sso", origin, { providerOrgId: orgId });
      const digest = digestOf(code, holder);
      addOneTimeToken(tx, "sso", { digest, payload: { org_id: orgId, account_id: account.id }, lifeMs: codeMs });
      return undefined;
    });
    if (login.return_to === null) return { ...admitted, orgId, location: undefined };
    const fragment = admitted.status === "signed_in" ? `sso_code=${code}` : `sso=${admitted.status}`;
    return { ...admitted, orgId, location: `${this.#parts.publicUrl}${login.return_to}#${fragment}` };
  }

  // A caller with the wrong secret does not use up the sign-in.
  async #use(state: string | undefined, holder: string | undefined) {
    const refusal = ssoRefused("this sign-in is unknown, finished or expired, or began elsewhere; begin again");
    if (state === undefined || !isTicket("sso", state)) throw refusal;
    if (holder === undefined || !isTicket("sso", holder)) throw refusal;
    const digests = { stateDigest: tokenDigest(state), holderDigest: tokenDigest(holder) };
    const orgId = await lookUpSsoLogin(this.#database, digests.stateDigest);
    if (orgId === undefined) throw refusal;
    const login = await this.#database.systemTransaction(orgId, (tx) => useSsoLogin(tx, digests));
    if (login === undefined) throw refusal;
    return { orgId, login, flow: this.#flow(state, holder) };
  }

  async #organizationOf({ email, orgId }: SsoStart): Promise<string | undefined> {
    if ((email === undefined) === (orgId === undefined)) {
      throw validationFailed([{ field: "email", message: "give either email or org_id" }]);
    }
    if (email === undefined) return orgId;
    return lookUpSsoOrganization(this.#database, domainPart(parseEmail(email)));
  }

  #flow(state: string, holder: string): OidcFlow {
    const derive = (purpose: string) => createHmac("sha256", holder).update(`${purpose} ${state}`).digest("base64url");
    return { redirectUri: this.redirectUri, state, nonce: derive("nonce"), verifier: derive("verifier") };
  }

  // A path on this service. Browsers take "//host" and "/\\host" for other hosts, and drop control characters.
  #checkReturn(path: string): string {
    const refusal = validationFailed([
      { field: "return_to", message: "must be a path of this service, such as /console" },
    ]);
    if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(path) || /[\\#]/.test(path)) throw refusal;
    const url = URL.parse(path, this.#parts.publicUrl);
    if (url === null || url.origin !== new URL(this.#parts.publicUrl).origin) throw refusal;
    const normal = url.pathname + url.search;
    if (normal.startsWith("//")) throw refusal;
    return normal;
  }
}

/** A sign-in that is being finished. */
interface FlowUse {
  readonly orgId: string;
  readonly login: UsedSsoLogin;
  readonly flow: OidcFlow;
  readonly holder: string;
  readonly origin: CallOrigin;
}

function isBegunAt({ issuer, clientId }: SsoRow, login: UsedSsoLogin): boolean {
  return issuer === login.issuer && clientId === login.client_id;
}

function digestOf(code: string, holder: string): Buffer {
  return tokenDigest(`${code} ${holder}`);
}

function unknownOrganization(): Fault {
  return new Fault(Reason.NOT_FOUND, "no such organization uses single sign-on; sign in with a password");
}

// A sign-in at an organization's identity provider, from its start to a session.
//
// Whoever begins one gets a secret: browsers as a cookie, other callers as a flow token. The answer of the provider counts only together
// with it, so that nobody can be made to finish a sign-in that somebody else began (RFC 6749, section 10.12; RFC 9700, section 4.7).
// Nonce and PKCE verifier are derived from it, so the database holds nothing that would help anybody to finish one.

import { createHmac } from "node:crypto";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { Clock } from "../kit/clock.ts";
import { Fault, validationFailed } from "../kit/error.ts";
import type { OidcCallback, OidcFlow, OidcIdentity } from "../kit/outbound/oidc.ts";
import { ssoRefused } from "../kit/outbound/oidc-error.ts";
import { isTicket, newTicket, tokenDigest } from "../kit/token.ts";
import { findAccount } from "../store/account.ts";
import type { Database } from "../store/database.ts";
import { addOneTimeToken, lookUpOneTimeToken, useOneTimeToken } from "../store/one-time-token.ts";
import { findSso, lookUpSsoOrganization, type SsoRow } from "../store/sso.ts";
import { deleteOldSsoLogins, lookUpSsoLogin, SsoLoginRow, type UsedSsoLogin, useSsoLogin } from "../store/sso-login.ts";
import { requireAccount } from "./account.ts";
import { domainPart, parseEmail } from "./email.ts";
import type { SignedIn } from "./login.ts";
import type { CallOrigin } from "./registration.ts";
import { openSession } from "./session.ts";
import { providerOf, type SsoParts } from "./sso.ts";
import { type Admitted, admit } from "./sso-member.ts";

/** Time to sign in at the provider. */
export const flowMs = 10 * 60_000;
const codeMs = 60_000;

/** Whom a sign-in is for: an address, or an organization. */
export interface SsoStart {
  readonly email: string | undefined;
  readonly orgId: string | undefined;
  readonly returnTo: string | undefined;
}

/** A sign-in that has begun. */
export interface SsoBegun {
  readonly authorizationUrl: string;
  /** The secret of whoever began it. */
  readonly holder: string;
}

/** A sign-in that is over: the person is in, or waits to be let in. */
export interface SsoFinished extends Admitted {
  readonly orgId: string;
  /** Where the browser goes, with the code for the session when there is one. Undefined when the answer carries the session. */
  readonly location: string | undefined;
}

/** What sign-ins are made of. */
export interface SsoLoginParts extends SsoParts {
  readonly clock: Clock;
  /** Address of this service as browsers reach it, without a slash at its end. */
  readonly publicUrl: string;
}

/** Signs people in at the providers of their organizations. */
export class SsoLogins {
  readonly #database: Database;
  readonly #parts: SsoLoginParts;

  constructor(database: Database, parts: SsoLoginParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /** What is registered at providers. */
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
  async finish(callback: OidcCallback, holder: string | undefined, origin: CallOrigin): Promise<SsoFinished> {
    const { orgId, login, flow } = await this.#use(callback.state, holder);
    const sso = await this.#database.read(orgId, findSso);
    if (sso === null || !isBegunAt(sso, login)) throw ssoRefused("single sign-on was set up anew; begin again");
    const needed = ["email", "email_verified", ...(sso.roleClaim == null ? [] : [sso.roleClaim])];
    const provider = providerOf(sso, this.#parts.sealer);
    const identity = await this.#parts.oidc.signIn(provider, { ...flow, callback, needed });
    return this.#admit(sso, identity, { login, holder: holder ?? "", origin });
  }

  /** Exchanges the code of a finished sign-in for its session. */
  async exchange(code: string, holder: string | undefined, origin: CallOrigin): Promise<SignedIn & { orgId: string }> {
    const refusal = ssoRefused(
      "this code is unknown, used or expired, or the sign-in was begun elsewhere; begin again",
    );
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

  // Whoever holds the wrong secret does not use the sign-in up either.
  async #use(state: string | undefined, holder: string | undefined) {
    const refusal = ssoRefused("this sign-in is unknown, over, took too long, or was begun elsewhere; begin again");
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

  // A path on this very service: browsers read "//host", "/\host" and control characters in ways of their own.
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

function isBegunAt({ issuer, clientId }: SsoRow, login: UsedSsoLogin): boolean {
  return issuer === login.issuer && clientId === login.client_id;
}

function digestOf(code: string, holder: string): Buffer {
  return tokenDigest(`${code} ${holder}`);
}

function unknownOrganization(): Fault {
  return new Fault(Reason.NOT_FOUND, "no organization signs in this way; sign in with a password");
}

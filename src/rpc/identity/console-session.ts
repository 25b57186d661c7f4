// Sessions as cookies: what the sign-in methods do when the console's page asks for one.

import type { HandlerContext } from "@connectrpc/connect";
import type { IssuedSession, Sessions } from "../../domain/identity/session.ts";
import type { CallOrigin } from "../../domain/identity/sign-in.ts";
import { unauthenticated } from "../../kit/fault/fault.ts";
import { type ConsoleFacts, consoleFacts, isForeignPage, isOwnPage } from "../../kit/rpc/browser.ts";
import { auditKey, connectionKey, signedInAccount } from "../../kit/rpc/context.ts";
import { type Cookies, createCookies } from "./cookie.ts";
import { tokensMessage } from "./tokens.ts";

/** Gives browsers their sessions. */
export class ConsoleSessions {
  readonly #sessions: Sessions;
  readonly #facts: ConsoleFacts;
  readonly cookies: Cookies;

  /** `publicUrl` is where browsers reach the service. */
  constructor(sessions: Sessions, publicUrl: string) {
    this.#sessions = sessions;
    this.#facts = consoleFacts(publicUrl);
    this.cookies = createCookies(publicUrl);
  }

  /** The origin of a sign-in. Throws when it asks for a cookie and comes from elsewhere than the console's page. */
  originOf(context: HandlerContext, { asCookie }: { readonly asCookie: boolean }): CallOrigin {
    const { values, requestHeader } = context;
    const { address, host } = values.get(connectionKey);
    if (asCookie && !isOwnPage(requestHeader, host, this.#facts)) throw foreignPage();
    return { address, userAgent: requestHeader.get("User-Agent") ?? "", audit: values.get(auditKey), asCookie };
  }

  /**
   * The session as the answer carries it: tokens, or a cookie. The session that the browser had before ends, since its
   * cookie is overwritten and nobody could end it by signing out.
   */
  async answer({ requestHeader, values }: HandlerContext, session: IssuedSession | undefined) {
    if (session === undefined || session.kind === "tokens") return { tokens: session && tokensMessage(session) };
    const former = this.cookies.session.read(requestHeader.get("Cookie"));
    if (former !== undefined) await this.#sessions.endCookie(former, values.get(auditKey));
    return { setCookie: this.cookies.session.set(session.cookie, session.expiresInSeconds) };
  }

  /**
   * The deletion of the browser's cookie; undefined for a call of another origin's page, which otherwise could sign
   * people out: on another port, or on another host of the domain, browsers take the deletion.
   */
  cleared({ requestHeader, values }: HandlerContext): string | undefined {
    const { host } = values.get(connectionKey);
    return isForeignPage(requestHeader, host, this.#facts) ? undefined : this.cookies.session.clear();
  }

  /** The cookie of the call's session, with its time renewed; undefined for a session of tokens. */
  renewed(context: HandlerContext): string | undefined {
    const caller = signedInAccount(context);
    const cookie = this.cookies.session.read(context.requestHeader.get("Cookie"));
    if (caller?.credential.isCookie !== true || cookie === undefined) return undefined;
    return this.cookies.session.set(cookie, this.#sessions.cookieSeconds(caller.credential));
  }
}

function foreignPage() {
  return unauthenticated(
    "a session as a cookie is for the console of this service: leave out as_cookie to get tokens instead",
  );
}

import type { Interceptor, StreamRequest, UnaryRequest } from "@connectrpc/connect";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, sessionChanged, unauthenticated } from "../../fault/fault.ts";
import { type ConsoleFacts, consoleHeader, cookieValue, isOwnPage, unknownSession } from "../browser.ts";
import { type Credential, connectionKey, credentialKey, requestIdKey } from "../context.ts";
import { methodFacts } from "../options.ts";

type Request = UnaryRequest | StreamRequest;

/** Facts of a call for the check of its token. */
export interface AuthenticationContext {
  readonly requestId: string;
  /** The peer's network address. */
  readonly address: string;
  readonly signal: AbortSignal;
}

/** The credential of a token; undefined for one that is unknown, expired or revoked. */
export type Authenticate = (token: string, context: AuthenticationContext) => Promise<Credential | undefined>;

/** How the cookies of the console's sessions are recognised. */
export interface ConsoleSessions extends ConsoleFacts {
  /** The credential of a cookie; undefined for one that is unknown, expired or revoked. */
  readonly authenticate: Authenticate;
}

/** What the interceptor is built from. */
export interface AuthenticateParts {
  readonly authenticate: Authenticate;
  readonly console?: ConsoleSessions;
}

/**
 * Authenticates the caller. Without a valid credential only public methods proceed. A public method about accounts
 * recognises somebody who is signed in; everybody else is anonymous to it.
 */
export function createAuthenticateInterceptor(parts: AuthenticateParts): Interceptor {
  return (next) => async (req) => {
    const { access } = methodFacts(req.method);
    if (access.public && !access.account) return next(req);
    const credential = await credentialOf(req, parts);
    if (credential === undefined && !access.public) throw unauthenticated();
    req.contextValues.set(credentialKey, credential);
    return next(req);
  };
}

async function credentialOf(
  req: Request,
  { authenticate, console }: AuthenticateParts,
): Promise<Credential | undefined> {
  const values = req.contextValues;
  const { address, host } = values.get(connectionKey);
  const context = { requestId: values.get(requestIdKey), address, signal: req.signal };
  const tokens = tokensOf(req.header, methodFacts(req.method).access.apiKeyHeader);
  if (tokens.length > 0) return theOne(await Promise.all(tokens.map((token) => authenticate(token, context))));
  if (console === undefined || !isOwnPage(req.header, host, console)) return undefined;
  const cookie = cookieValue(req.header.get("Cookie"), console.cookieName);
  const credential = cookie === undefined ? undefined : await console.authenticate(cookie, context);
  return credential && ofThePage(req, credential);
}

// A page that was loaded with another session than the browser's present one must not act for the person of the new
// one. A page that knows no session yet may read about the account, by which it learns its session.
function ofThePage({ header, method }: Request, credential: Credential): Credential | undefined {
  const stated = header.get(consoleHeader);
  if (stated === credential.sessionId) return credential;
  const { access, audit } = methodFacts(method);
  if (stated === unknownSession && access.account && audit === "") return credential;
  if (access.public) return undefined;
  throw stated === unknownSession ? unauthenticated() : sessionChanged();
}

/** The tokens that a call carries, each once. An empty header counts as absent. */
function tokensOf(header: Headers, withApiKey: boolean): string[] {
  const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header.get("Authorization") ?? "")?.[1]; // RFC 6750, section 2.1
  const apiKey = (withApiKey && header.get("X-API-Key")) || undefined;
  return [...new Set([bearer, apiKey])].filter((token) => token !== undefined);
}

// One good credential suffices. Two good ones are refused, so that no proxy and no log can take the call for another
// caller's; the two values that a token has around its rotation are one credential.
function theOne(credentials: readonly (Credential | undefined)[]): Credential | undefined {
  const [first, second] = credentials.filter((credential) => credential !== undefined);
  if (first === undefined || second === undefined || first.id === second.id) return first;
  const message = "carry two different tokens; send one of them";
  throw new Fault(Reason.INVALID_PARAMETER, `Authorization and X-API-Key ${message}`, {
    extra: {
      fields: ["Authorization", "X-API-Key"].map((field) => ({ field, message: `the two headers ${message}` })),
    },
  });
}

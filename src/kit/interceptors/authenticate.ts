import type { Interceptor } from "@connectrpc/connect";
import { type Credential, connectionKey, credentialKey, requestIdKey } from "../context.ts";
import { unauthenticated } from "../error.ts";
import { methodFacts } from "../options.ts";

/** What is known of a call whose token is checked. */
export interface AuthenticationContext {
  readonly requestId: string;
  /** The peer's network address. */
  readonly address: string;
  readonly signal: AbortSignal;
}

/** The credential of a token; undefined for one that is unknown, expired or revoked. */
export type Authenticate = (token: string, context: AuthenticationContext) => Promise<Credential | undefined>;

/**
 * Finds out who calls. Without a valid credential only public methods go on. A public method about accounts recognises somebody
 * who is signed in, and takes everybody else for a stranger.
 */
export function createAuthenticateInterceptor({ authenticate }: { authenticate: Authenticate }): Interceptor {
  return (next) => async (req) => {
    const { access } = methodFacts(req.method);
    if (access.public && !access.account) return next(req);
    const token = tokenOf(req.header, access.apiKeyHeader);
    if (token === undefined) {
      if (access.public) return next(req);
      throw unauthenticated();
    }
    const values = req.contextValues;
    const context = {
      requestId: values.get(requestIdKey),
      address: values.get(connectionKey).address,
      signal: req.signal,
    };
    const credential = await authenticate(token, context);
    if (credential === undefined && !access.public) throw unauthenticated();
    values.set(credentialKey, credential);
    return next(req);
  };
}

// Two different tokens on one call are refused, so that no proxy and no log can take it for another caller's.
function tokenOf(header: Headers, withApiKey: boolean): string | undefined {
  const authorization = header.get("Authorization");
  const apiKey = withApiKey ? header.get("X-API-Key") : null;
  if (authorization === null) return apiKey === null || apiKey === "" ? undefined : apiKey;
  const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1]; // RFC 6750, section 2.1
  return apiKey === null || apiKey === bearer ? bearer : undefined;
}

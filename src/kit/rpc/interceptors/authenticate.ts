import type { Interceptor } from "@connectrpc/connect";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, unauthenticated } from "../../fault/fault.ts";
import { type Credential, connectionKey, credentialKey, requestIdKey } from "../context.ts";
import { methodFacts } from "../options.ts";

/** Facts of a call for the check of its token. */
export interface AuthenticationContext {
  readonly requestId: string;
  /** The peer's network address. */
  readonly address: string;
  readonly signal: AbortSignal;
}

/** The credential of a token; undefined for one that is unknown, expired or revoked. */
export type Authenticate = (token: string, context: AuthenticationContext) => Promise<Credential | undefined>;

/**
 * Authenticates the caller. Without a valid credential only public methods proceed. A public method about accounts
 * recognises somebody who is signed in; everybody else is anonymous to it.
 */
export function createAuthenticateInterceptor({ authenticate }: { authenticate: Authenticate }): Interceptor {
  return (next) => async (req) => {
    const { access } = methodFacts(req.method);
    if (access.public && !access.account) return next(req);
    const tokens = tokensOf(req.header, access.apiKeyHeader);
    if (tokens.length === 0) {
      if (access.public) return next(req);
      throw unauthenticated();
    }
    const values = req.contextValues;
    const context = {
      requestId: values.get(requestIdKey),
      address: values.get(connectionKey).address,
      signal: req.signal,
    };
    const credential = theOne(await Promise.all(tokens.map((token) => authenticate(token, context))));
    if (credential === undefined && !access.public) throw unauthenticated();
    values.set(credentialKey, credential);
    return next(req);
  };
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

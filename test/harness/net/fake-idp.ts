// An identity provider (OpenID Connect Core 1.0) on the loopback network that does right unless a test makes it lie.
// There is no page to sign in at: `authorize` does what a person and a browser would do there.

import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "../../../src/kit/process/clock.ts";

/** JSON of whatever form. */
export type Claims = Record<string, unknown>;

/** Who signs in. */
export interface Subject {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

/** A signing key of the provider. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** How the provider may lie. What is not set is done right. */
export interface Lies {
  /** Changes the metadata. */
  metadata?: (metadata: Claims) => unknown;
  /** Changes the claims of the ID token. */
  claims?: (claims: Claims) => Claims;
  /** Makes the ID token. */
  token?: (claims: Claims) => string;
  /** Changes the user info. */
  userInfo?: (claims: Claims) => Claims;
  /** Answers a request in place of the provider; false leaves it to it. */
  answer?: (path: string, request: IncomingMessage, response: ServerResponse) => boolean;
  /** Takes any PKCE verifier. */
  ignoresPkce?: boolean;
  /** Claims that are told by the user info only. */
  onlyInUserInfo?: readonly string[];
}

/** What the browser brings back. */
export type Callback = Record<"code" | "state" | "iss" | "error", string>;

interface Grant {
  readonly subject: Subject;
  readonly nonce: string | null;
  readonly challenge: string | null;
  readonly clientId: string;
}

/** A provider under a test's control. */
export interface FakeIdp {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Requests, as "METHOD /path". */
  readonly requests: readonly string[];
  /** Keys, of which the first signs; those that are published. */
  keys: readonly SigningKey[];
  lies: Lies;
  readonly clock: Clock;
  /** Signs somebody in, as a person at the address of a sign-in would; returns what the browser brings back. */
  authorize(authorizationUrl: string, subject: Subject): Omit<Callback, "error">;
  /** An ID token with these claims, signed by this key or none. */
  sign(claims: Claims, options?: { readonly key?: SigningKey; readonly alg?: string; readonly kid?: string }): string;
  close(): Promise<void>;
}

/** A new signing key. */
export function newSigningKey(): SigningKey {
  return { kid: randomBytes(6).toString("hex"), ...generateKeyPairSync("rsa", { modulusLength: 2048 }) };
}

/** Starts a provider. */
export async function startFakeIdp({ clock = systemClock }: { readonly clock?: Clock } = {}): Promise<FakeIdp> {
  const grants = new Map<string, Grant>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    serve(idp, grants, request, response).catch((error: unknown) => send(response, 500, { error: String(error) }));
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // listens on TCP
  const idp: FakeIdp & { requests: string[] } = {
    issuer: `http://127.0.0.1:${port}`,
    clientId: "policy-guard",
    clientSecret: ["fake", "idp", "secret"].join("-"),
    requests,
    keys: [newSigningKey()],
    lies: {},
    clock,
    authorize(authorizationUrl, subject) {
      const { searchParams } = new URL(authorizationUrl);
      const code = randomBytes(16).toString("hex");
      grants.set(code, {
        subject,
        nonce: searchParams.get("nonce"),
        challenge: searchParams.get("code_challenge"),
        clientId: searchParams.get("client_id") ?? "",
      });
      return { code, state: searchParams.get("state") ?? "", iss: idp.issuer };
    },
    sign: (claims, options = {}) => signToken(idp, claims, options),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return idp;
}

async function serve(
  idp: FakeIdp & { requests: string[] },
  grants: Map<string, Grant>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(request.url ?? "/", idp.issuer).pathname;
  idp.requests.push(`${request.method} ${path}`);
  if (idp.lies.answer?.(path, request, response)) return;
  const body = new URLSearchParams(Buffer.concat(await Array.fromAsync(request)).toString("utf8"));
  if (path === "/.well-known/openid-configuration") send(response, 200, told(idp));
  else if (path === "/jwks") send(response, 200, { keys: idp.keys.map(publicJwk) });
  else if (path === "/token") answerToken(idp, grants, { request, body, response });
  else if (path === "/userinfo") answerUserInfo(idp, grants, request, response);
  else send(response, 404, {});
}

function told(idp: FakeIdp): unknown {
  const metadata: Claims = {
    issuer: idp.issuer,
    authorization_endpoint: `${idp.issuer}/authorize`,
    token_endpoint: `${idp.issuer}/token`,
    userinfo_endpoint: `${idp.issuer}/userinfo`,
    jwks_uri: `${idp.issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    // As careless providers do.
    id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
    authorization_response_iss_parameter_supported: true,
  };
  return idp.lies.metadata?.(metadata) ?? metadata;
}

function publicJwk({ kid, publicKey }: SigningKey): Claims {
  return { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" };
}

function answerToken(
  idp: FakeIdp,
  grants: Map<string, Grant>,
  { request, body, response }: { request: IncomingMessage; body: URLSearchParams; response: ServerResponse },
): void {
  if (!isClient(idp, request.headers.authorization)) {
    send(response, 401, { error: "invalid_client" });
    return;
  }
  const code = body.get("code") ?? "";
  const grant = grants.get(code);
  grants.delete(code);
  const challenge = createHash("sha256")
    .update(body.get("code_verifier") ?? "")
    .digest("base64url");
  if (grant === undefined || (grant.challenge !== challenge && idp.lies.ignoresPkce !== true)) {
    send(response, 400, { error: "invalid_grant" });
    return;
  }
  const accessToken = randomBytes(16).toString("hex");
  grants.set(accessToken, grant);
  const claims = idTokenClaims(idp, grant);
  send(response, 200, {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: 60,
    id_token: idp.lies.token?.(claims) ?? idp.sign(claims),
  });
}

// RFC 6749, section 2.3.1: both parts are form-encoded before they are put together.
function isClient({ clientId, clientSecret }: FakeIdp, authorization = ""): boolean {
  const [id, secret] = Buffer.from(authorization.replace("Basic ", ""), "base64").toString("utf8").split(":");
  return decodeURIComponent(id ?? "") === clientId && decodeURIComponent(secret ?? "") === clientSecret;
}

function idTokenClaims(idp: FakeIdp, { subject, nonce, clientId }: Grant): Claims {
  const now = Math.floor(idp.clock.now().getTime() / 1000);
  const hidden = new Set(idp.lies.onlyInUserInfo ?? []);
  const claims: Claims = {
    iss: idp.issuer,
    aud: clientId,
    iat: now,
    exp: now + 300,
    ...(nonce === null ? {} : { nonce }),
    ...Object.fromEntries(Object.entries(subject).filter(([name]) => !hidden.has(name))),
  };
  return idp.lies.claims?.(claims) ?? claims;
}

function answerUserInfo(
  idp: FakeIdp,
  grants: Map<string, Grant>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const grant = grants.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
  if (grant === undefined) send(response, 401, { error: "invalid_token" });
  else send(response, 200, idp.lies.userInfo?.({ ...grant.subject }) ?? grant.subject);
}

function signToken(
  idp: FakeIdp,
  claims: Claims,
  { key = idp.keys[0], alg = "RS256", kid = key?.kid }: { key?: SigningKey; alg?: string; kid?: string },
): string {
  if (key === undefined) throw new Error("the provider has no key");
  const part = (value: Claims) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const input = `${part({ alg, typ: "JWT", ...(alg === "none" ? {} : { kid }) })}.${part(claims)}`;
  return `${input}.${signatureOf(input, key, alg)}`;
}

function signatureOf(input: string, { privateKey, publicKey }: SigningKey, alg: string): string {
  if (alg === "none") return "";
  // The public key as if it were a shared secret: whoever verifies by the name in the header alone takes it.
  if (alg === "HS256") {
    return createHmac("sha256", publicKey.export({ type: "spki", format: "pem" }))
      .update(input)
      .digest("base64url");
  }
  return sign("sha256", Buffer.from(input), privateKey).toString("base64url");
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

// The relying party of OpenID Connect Core 1.0: authorization code flow with PKCE (RFC 7636), state and nonce always,
// and the issuer of the authorization response (RFC 9207). openid-client runs the flow. It takes the signature of an ID
// token that came over TLS as given; we do not, since http is possible within allowed networks: jose verifies it with
// the provider's keys, by our clock.
//
// Every address that is called comes from a customer or from a customer's provider, so all of it goes through the
// guarded fetch.

import type { JsonObject } from "@bufbuild/protobuf";
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey, jwtVerify } from "jose";
import * as client from "openid-client";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { validationFailed } from "../../kit/fault/fault.ts";
import type { Outbound } from "../../kit/net/outbound/client.ts";
import type { NetworkGuard } from "../../kit/net/outbound/guard.ts";
import { BoundedCache } from "../../kit/process/bounded-cache.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { createGuardedFetch, type GuardedFetch } from "./fetch.ts";
import { oidcFault, ssoRefused } from "./oidc-error.ts";

/** A provider, and who we are there. */
export interface OidcProvider {
  /** Whose provider it is. Connections and keys are kept apart by owner. */
  readonly owner: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
}

/** The values that bind an answer to its request. */
export interface OidcFlow {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier. */
  readonly verifier: string;
}

/** What the provider sent back with the browser. */
export type OidcCallback = Readonly<Partial<Record<"code" | "state" | "iss" | "error", string>>>;

/** A person, as a provider knows them. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** From the ID token, and from the user info when the ID token lacks a claim that is needed. */
  readonly claims: JsonObject;
}

/** What the client is made of. */
export interface OidcOptions {
  readonly outbound: Pick<Outbound, "request">;
  readonly guard: NetworkGuard;
  readonly clock: Clock;
  /** Minimum time between two requests for the provider's keys because of an unknown key id. Default: 10 s. */
  readonly keyCooldownMs?: number;
}

interface Known {
  readonly metadata: client.ServerMetadata;
  readonly keys: JWTVerifyGetKey;
  readonly until: number;
}

const metadataLifeMs = 10 * 60_000;
const keyLifeMs = 10 * 60_000;
const maxProviders = 1000;
const toleranceSeconds = 60;
/** An ID token is made for this very sign-in, so an older one is somebody else's. */
const maxTokenAge = "10 minutes";
const scope = "openid email profile";
const signatures = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** Signs people in at identity providers. */
export class OidcClient {
  readonly #options: OidcOptions;
  readonly #known = new BoundedCache<string, Promise<Known>>({ maxEntries: maxProviders });

  constructor(options: OidcOptions) {
    this.#options = options;
  }

  /** Asks the provider who it is. Throws ADDRESS_REFUSED, UNAVAILABLE, or a 422 that names the field. */
  async check(provider: OidcProvider, field: string): Promise<void> {
    await this.#options.guard.check(provider.issuer, { field });
    const invalid = (message: string) =>
      validationFailed([{ field, message: `is not an OpenID provider: ${message}` }]);
    const { metadata } = await this.#discover(provider).catch((error: unknown) => {
      throw oidcFault(error, invalid);
    });
    for (const url of [metadata.token_endpoint, metadata.jwks_uri]) {
      if (url !== undefined) await this.#options.guard.check(url, { field });
    }
  }

  /** Where to send the browser. */
  async authorizationUrl(provider: OidcProvider, { redirectUri, state, nonce, verifier }: OidcFlow): Promise<string> {
    const { metadata } = await this.#find(provider).catch(refuse);
    const url = client.buildAuthorizationUrl(this.#configure(provider, metadata), {
      redirect_uri: redirectUri,
      scope,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    return url.href;
  }

  /**
   * Exchanges the code for an identity. `needed` names claims that are fetched from the user info when the ID token
   * lacks them.
   */
  async signIn(
    provider: OidcProvider,
    flow: OidcFlow & { readonly callback: OidcCallback; readonly needed: readonly string[] },
  ): Promise<OidcIdentity> {
    try {
      const { metadata, keys } = await this.#find(provider);
      const configuration = this.#configure(provider, metadata);
      const tokens = await client.authorizationCodeGrant(configuration, callbackUrl(flow), {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      });
      const claims = await this.#verify(tokens.id_token ?? "", keys, { provider, metadata });
      const subject = String(claims.sub);
      const lacks = flow.needed.some((name) => claims[name] === undefined);
      if (!lacks || metadata.userinfo_endpoint === undefined) return { issuer: provider.issuer, subject, claims };
      const info = await client.fetchUserInfo(configuration, tokens.access_token, subject);
      // Parsed from JSON.
      return { issuer: provider.issuer, subject, claims: merged(claims, info as JsonObject) };
    } catch (error) {
      return refuse(error);
    }
  }

  async #verify(
    idToken: string,
    keys: JWTVerifyGetKey,
    { provider, metadata }: { readonly provider: OidcProvider; readonly metadata: client.ServerMetadata },
  ): Promise<JsonObject> {
    const offered = metadata.id_token_signing_alg_values_supported ?? ["RS256"];
    const { payload } = await jwtVerify(idToken, keys, {
      algorithms: signatures.filter((name) => offered.includes(name)),
      issuer: provider.issuer,
      audience: provider.clientId,
      requiredClaims: ["sub", "iat", "exp", "nonce"],
      currentDate: this.#options.clock.now(),
      clockTolerance: toleranceSeconds,
      maxTokenAge: maxTokenAge,
    });
    if (payload.azp !== undefined && payload.azp !== provider.clientId) throw new Error("made for another party");
    if (typeof payload.sub !== "string" || !/^[\x20-\x7e]{1,255}$/.test(payload.sub)) throw new Error("no subject");
    return payload as JsonObject; // parsed from JSON
  }

  async #find(provider: OidcProvider): Promise<Known> {
    const key = keyOf(provider);
    const known = await this.#known.get(key)?.catch(() => undefined);
    if (known !== undefined && this.#options.clock.now().getTime() < known.until) return known;
    return this.#discover(provider);
  }

  #discover(provider: OidcProvider): Promise<Known> {
    const key = keyOf(provider);
    const found = this.#ask(provider);
    this.#known.set(key, found);
    found.catch(() => {
      if (this.#known.get(key) === found) this.#known.delete(key);
    });
    return found;
  }

  async #ask(provider: OidcProvider): Promise<Known> {
    const fetch = this.#fetchOf(provider);
    const configuration = await client.discovery(new URL(provider.issuer), provider.clientId, undefined, undefined, {
      [client.customFetch]: fetch,
      execute: [client.allowInsecureRequests], // the guard decides where http is possible
    });
    const metadata = configuration.serverMetadata();
    // Compared exactly: openid-client accepts other spellings, and templates that stand for any tenant of a provider.
    if (metadata.issuer !== provider.issuer) throw new Error("it names another issuer");
    if (metadata.jwks_uri === undefined || metadata.token_endpoint === undefined) throw new Error("it lacks endpoints");
    assertOpenable(metadata.authorization_endpoint, provider.issuer);
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
      [customFetch]: fetch,
      cooldownDuration: this.#options.keyCooldownMs ?? 10_000,
      cacheMaxAge: keyLifeMs,
    });
    return { metadata, keys, until: this.#options.clock.now().getTime() + metadataLifeMs };
  }

  #configure({ owner, clientId, clientSecret }: OidcProvider, metadata: client.ServerMetadata): client.Configuration {
    const skewSeconds = Math.round((this.#options.clock.now().getTime() - Date.now()) / 1000);
    const times = { [client.clockSkew]: skewSeconds, [client.clockTolerance]: toleranceSeconds };
    const configuration = new client.Configuration(metadata, clientId, times, authentication(metadata, clientSecret));
    configuration[client.customFetch] = this.#fetchOf({ owner });
    client.allowInsecureRequests(configuration);
    return configuration;
  }

  #fetchOf({ owner }: Pick<OidcProvider, "owner">): GuardedFetch {
    return createGuardedFetch(this.#options.outbound, `sso/${owner}`);
  }
}

function keyOf({ owner, issuer }: OidcProvider): string {
  return JSON.stringify([owner, issuer]);
}

function refuse(error: unknown): never {
  const invalid = (message: string, cause: unknown) =>
    ssoRefused(`the identity provider's answer was refused: ${message}`, cause);
  const fault = oidcFault(error, invalid);
  // Not for the person who signs in, who has not chosen the address.
  throw fault.reason === Reason.ADDRESS_REFUSED ? invalid("it names an address that cannot be reached", error) : fault;
}

// The method that the provider prefers; without a preference, the default of OpenID Connect Core 1.0, section 9.
function authentication(metadata: client.ServerMetadata, clientSecret: string | undefined): client.ClientAuth {
  if (clientSecret === undefined) return client.None();
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const isPostOnly = methods.includes("client_secret_post") && !methods.includes("client_secret_basic");
  return isPostOnly ? client.ClientSecretPost(clientSecret) : client.ClientSecretBasic(clientSecret);
}

// An address and its verification must come from the same source.
function merged(claims: JsonObject, info: JsonObject): JsonObject {
  const all = { ...info, ...claims };
  if (claims.email_verified !== undefined || info.email === undefined) return all;
  return { ...all, email: info.email, email_verified: info.email_verified ?? false };
}

/** Browsers are sent there: no scheme but https, or http where the provider itself has it. */
function assertOpenable(authorizationEndpoint: string | undefined, issuer: string): void {
  const protocol = URL.parse(authorizationEndpoint ?? "")?.protocol;
  if (protocol !== "https:" && protocol !== new URL(issuer).protocol) throw new Error("no authorization endpoint");
}

function callbackUrl({
  redirectUri,
  callback,
}: {
  readonly redirectUri: string;
  readonly callback: OidcCallback;
}): URL {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(callback)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

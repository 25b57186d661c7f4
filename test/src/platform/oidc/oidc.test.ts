// What of a provider's keys and answers depends on time. Everything else is shown through the API, in test/api/sso.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createOutbound, type Outbound } from "../../../../src/kit/net/outbound/client.ts";
import { createNetworkGuard } from "../../../../src/kit/net/outbound/guard.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { OidcClient, type OidcFlow, type OidcProvider } from "../../../../src/platform/oidc/oidc.ts";
import { type FakeIdp, newSigningKey, startFakeIdp } from "../../../harness/net/fake-idp.ts";

const guard = createNetworkGuard({ allowNetworks: ["127.0.0.0/8"], dnsServers: [] });
const keyCooldownMs = 200;
const totalTimeoutMs = 400;
let idp: FakeIdp;
let outbound: Outbound;
let client: OidcClient;

beforeAll(async () => {
  idp = await startFakeIdp();
  outbound = createOutbound({ guard, totalTimeoutMs });
  client = new OidcClient({ outbound, guard, clock: systemClock, keyCooldownMs });
});
afterEach(() => {
  idp.lies = {};
});
afterAll(async () => {
  await outbound.close();
  await idp.close();
});

const providerOf = (owner: string): OidcProvider => ({
  owner,
  issuer: idp.issuer,
  clientId: idp.clientId,
  clientSecret: idp.clientSecret,
});
const flow: OidcFlow = {
  redirectUri: "https://guard.example.com/v1/auth/sso/callback",
  state: "state",
  nonce: "nonce",
  verifier: "v".repeat(43),
};
const jwksRequests = () => idp.requests.filter((request) => request === "GET /jwks").length;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function signIn(owner: string): Promise<string> {
  const provider = providerOf(owner);
  const callback = idp.authorize(await client.authorizationUrl(provider, flow), { sub: "ada", email: "ada@b.example" });
  const { subject } = await client.signIn(provider, { ...flow, callback, needed: ["email"] });
  return subject;
}

const refused = { message: expect.stringContaining("refused") };
const away = { message: expect.stringContaining("not available at the moment") };

describe("a provider's keys", () => {
  it("are requested once, however many people sign in meanwhile", async () => {
    const before = jwksRequests();
    await Promise.all(Array.from({ length: 10 }, () => signIn("once")));
    await signIn("once");
    expect(jwksRequests() - before).toBe(1);
  });

  it("are renewed after a rotation, without a restart", async () => {
    await signIn("rotation");
    idp.keys = [newSigningKey(), ...idp.keys];
    await pause(keyCooldownMs);
    expect(await signIn("rotation")).toBe("ada");
  });

  it("are not requested for each token with an unknown key id", async () => {
    await signIn("unknown");
    await pause(keyCooldownMs);
    const stranger = newSigningKey();
    idp.lies.token = (claims) => idp.sign(claims, { key: stranger });
    const before = jwksRequests();
    for (let n = 0; n < 5; n++) await expect(signIn("unknown")).rejects.toMatchObject(refused);
    expect(jwksRequests() - before).toBeLessThanOrEqual(2);
  });

  it("of one organization are not shared with another, even for the same issuer", async () => {
    const before = jwksRequests();
    await signIn("acme");
    await signIn("umbrella");
    expect(jwksRequests() - before).toBe(2);
  });

  it("that cannot be fetched make the provider unavailable", async () => {
    idp.lies.answer = (path, _request, response) => {
      if (path !== "/jwks") return false;
      response.writeHead(404).end();
      return true;
    };
    await expect(signIn("gone")).rejects.toMatchObject(away);
    idp.lies = {};
    expect(await signIn("gone")).toBe("ada");
  });
});

describe("a provider that does not answer", () => {
  it.each(["/.well-known/openid-configuration", "/token", "/jwks"])(
    "at %s is reported as unavailable, in time",
    async (silent) => {
      idp.lies.answer = (path) => path === silent;
      const startedAtMs = performance.now();
      await expect(signIn(`silent ${silent}`)).rejects.toMatchObject(away);
      expect(performance.now() - startedAtMs).toBeLessThan(20_000);
    },
  );

  it("but for a byte now and then is unavailable too", async () => {
    idp.lies.answer = (path, _request, response) => {
      if (path !== "/token") return false;
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), 20);
      response.once("close", () => clearInterval(timer));
      return true;
    };
    const startedAtMs = performance.now();
    await expect(signIn("drip")).rejects.toThrow();
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
  });
});

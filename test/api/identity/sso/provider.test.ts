// What providers try that are none, that point elsewhere, or that answer badly. See attack.test.ts for the rest.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Claims, type FakeIdp, startFakeIdp } from "../../../harness/net/fake-idp.ts";
import { ada, configuration, type SsoHome, type SsoRig, startSsoRig } from "./rig.ts";

let rig: SsoRig;
let idp: FakeIdp;
let other: FakeIdp;
let home: SsoHome;

beforeAll(async () => {
  rig = await startSsoRig();
  [idp, other] = [await startFakeIdp(rig), await startFakeIdp(rig)];
  home = await rig.home(idp);
});
beforeEach(() => {
  idp.lies = {};
});
afterAll(async () => {
  await rig.stop();
  await Promise.all([idp.close(), other.close()]);
});

const refused = { status: 401, error: "sso_refused" };
const metadataLifeMs = 10 * 60_000;

describe("a provider is not asked", () => {
  const asAdmin = () => ({ world: home.world, persona: "admin" });
  const configure = (issuer: string) => rig.call("SsoService/ConfigureSso", configuration(home, { issuer }), asAdmin());

  it.each([
    "http://10.0.0.1/",
    "https://10.1.2.3",
    "https://169.254.169.254/latest",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://0x0a000001/",
    "https://168.63.129.16/",
    "https://nowhere.example/",
  ])("at %s", async (issuer) => {
    expect(await configure(issuer)).toMatchObject({ status: 400, error: "address_refused" });
  });

  it.each([
    "ftp://127.0.0.1/",
    "javascript:alert(1)",
    "login.example.com",
    "https://a:b@127.0.0.1/",
    "http://93.184.216.34/",
  ])("at %s, which is no address of one", async (issuer) => {
    expect(await configure(issuer)).toMatchObject({ status: 422, error: "validation_failed", fields: ["issuer"] });
  });

  it("where its metadata points into a network", async () => {
    for (const name of ["token_endpoint", "jwks_uri"]) {
      idp.lies.metadata = (metadata) => ({ ...metadata, [name]: "https://10.0.0.7/x" });
      expect(await configure(idp.issuer)).toMatchObject({ status: 400, error: "address_refused" });
    }
  });

  it.each(["token_endpoint", "jwks_uri", "userinfo_endpoint"])("where a later %s points", async (name) => {
    const fresh = await rig.home(idp);
    rig.clock.pass(metadataLifeMs);
    idp.lies = {
      metadata: (metadata) => ({ ...metadata, [name]: "http://10.0.0.7/x" }),
      onlyInUserInfo: ["email"],
    };
    expect(await rig.signIn(fresh, ada(fresh))).toMatchObject(refused);
    idp.lies.metadata = undefined;
    rig.clock.pass(metadataLifeMs);
    expect(await rig.signIn(fresh, ada(fresh)), "but it is when that is over").toMatchObject({ status: 200 });
  });
});

describe("metadata is refused", () => {
  const cases: Record<string, (metadata: Claims) => unknown> = {
    "of another issuer": (metadata) => ({ ...metadata, issuer: "https://login.example.com" }),
    "of an issuer that differs by a slash": (metadata) => ({ ...metadata, issuer: `${idp.issuer}/` }),
    "without issuer": (metadata) => ({ ...metadata, issuer: undefined }),
    "without a token endpoint": (metadata) => ({ ...metadata, token_endpoint: undefined }),
    "without keys": (metadata) => ({ ...metadata, jwks_uri: undefined }),
    "with a script for an authorization endpoint": (metadata) => ({
      ...metadata,
      authorization_endpoint: "javascript:alert(1)",
    }),
    "that is a list": () => [],
    "that is a text": () => "hello",
  };

  it.each(Object.entries(cases))("%s", async (_, metadata) => {
    idp.lies.metadata = metadata;
    const as = { world: home.world, persona: "admin" };
    const answer = await rig.call("SsoService/ConfigureSso", configuration(home), as);
    expect(answer).toMatchObject({ status: 422, error: "validation_failed", fields: ["issuer"] });
  });
});

describe("a provider that misbehaves", () => {
  it("with a redirect of the token endpoint sends nobody's code elsewhere", async () => {
    const before = other.requests.length;
    idp.lies.answer = (path, _request, response) => {
      if (path !== "/token") return false;
      response.writeHead(307, { location: `${other.issuer}/token` }).end();
      return true;
    };
    expect(await rig.signIn(home, ada(home))).toMatchObject(refused);
    expect(other.requests.length).toBe(before);
  });

  it("by following a good answer with many megabytes is refused, and cut off", async () => {
    let sentBytes = 0;
    const metadata = await (await fetch(`${idp.issuer}/.well-known/openid-configuration`)).text();
    idp.lies.answer = (_path, _request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).write(metadata);
      const blanks = Buffer.alloc(64 * 1024, " ");
      const more = () => {
        while (!response.destroyed && sentBytes < 64 * 1024 * 1024) {
          sentBytes += blanks.length;
          if (!response.write(blanks)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
      return true;
    };
    const as = { world: home.world, persona: "admin" };
    const answer = await rig.call("SsoService/ConfigureSso", configuration(home), as);
    expect(answer).toMatchObject({ status: 422, fields: ["issuer"] });
    expect(sentBytes).toBeLessThan(16 * 1024 * 1024);
  });

  it("with errors of its own is not available at the moment, and says nothing through us", async () => {
    idp.lies.answer = (path, _request, response) => {
      if (path !== "/token") return false;
      response.writeHead(500, { "content-type": "text/plain" }).end("stack trace of the provider");
      return true;
    };
    const answer = await rig.signIn(home, ada(home));
    expect(answer).toMatchObject({ status: 503, error: "unavailable" });
    expect(JSON.stringify(answer.body)).not.toContain("stack trace");
  });

  it("by hanging up is not available at the moment", async () => {
    idp.lies.answer = (path, _request, response) => {
      if (path !== "/token") return false;
      response.destroy();
      return true;
    };
    expect(await rig.signIn(home, ada(home))).toMatchObject({ status: 503, error: "unavailable" });
  });

  it("by telling somebody else's user info is refused", async () => {
    idp.lies = { onlyInUserInfo: ["email", "email_verified"], userInfo: (info) => ({ ...info, sub: "grace" }) };
    expect(await rig.signIn(home, ada(home))).toMatchObject(refused);
  });
});

// What providers, attackers between them and us, and people who are somebody else try. The list follows the negative
// modules of the OpenID certification of relying parties.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Claims, type FakeIdp, newSigningKey, startFakeIdp } from "../../../harness/net/fake-idp.ts";
import { ada, publicUrl, type SsoHome, type SsoRig, startSsoRig } from "./rig.ts";

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
const notLetIn = { status: 403, error: "sso_account_refused" };
const now = () => Math.floor(rig.clock.now().getTime() / 1000);

describe("an ID token is refused", () => {
  const changed = (change: Claims | ((now: number) => Claims)) => () => {
    const changes = typeof change === "function" ? change(now()) : change;
    idp.lies.claims = (claims) => ({ ...claims, ...changes });
  };
  const cases: Record<string, () => void> = {
    "with the algorithm none": () => {
      idp.lies.token = (claims) => idp.sign(claims, { alg: "none" });
    },
    "signed with the public key as a shared secret": () => {
      idp.lies.token = (claims) => idp.sign(claims, { alg: "HS256" });
    },
    "whose signature is another key's": () => {
      const key = newSigningKey();
      idp.lies.token = (claims) => idp.sign(claims, { key, kid: idp.keys[0]?.kid ?? "" });
    },
    "whose claims were changed after signing": () => {
      idp.lies.token = (claims) => {
        const [head, , signature] = idp.sign(claims).split(".");
        const body = Buffer.from(JSON.stringify({ ...claims, sub: "grace" })).toString("base64url");
        return `${head}.${body}.${signature}`;
      };
    },
    "whose signature is cut off": () => {
      idp.lies.token = (claims) => idp.sign(claims).replace(/\.[^.]*$/, ".");
    },
    "of a key that is not published": () => {
      const key = newSigningKey();
      idp.lies.token = (claims) => idp.sign(claims, { key });
    },
    "that is no token": () => {
      idp.lies.token = () => "e30.e30";
    },
    "of another issuer": changed({ iss: "https://login.example.com" }),
    "of an issuer that differs by a slash": () => changed({ iss: `${idp.issuer}/` })(),
    "without issuer": changed({ iss: undefined }),
    "for another audience": changed({ aud: "somebody-else" }),
    "for an audience that contains ours": changed({ aud: "policy-guard-2" }),
    "for several audiences without a party": changed({ aud: ["policy-guard", "somebody-else"] }),
    "for several audiences and another party": changed({ aud: ["policy-guard", "other"], azp: "other" }),
    "for us but another party": changed({ azp: "somebody-else" }),
    "without audience": changed({ aud: undefined }),
    "with another nonce": changed({ nonce: "another" }),
    "without nonce": changed({ nonce: undefined }),
    "that has expired": changed((now) => ({ iat: now - 400, exp: now - 120 })),
    "without expiry": changed({ exp: undefined }),
    "with an expiry that is no number": changed({ exp: "tomorrow" }),
    "issued long ago": changed((now) => ({ iat: now - 7200 })),
    "issued in the future": changed((now) => ({ iat: now + 3600, exp: now + 7200 })),
    "without time of issue": changed({ iat: undefined }),
    "that is not valid yet": changed((now) => ({ nbf: now + 3600 })),
    "without subject": changed({ sub: undefined }),
    "with an empty subject": changed({ sub: "" }),
    "with a subject that is no text": changed({ sub: 7 }),
  };

  it.each(Object.entries(cases))("%s", async (_, lie) => {
    lie();
    expect(await rig.signIn(home, ada(home))).toMatchObject(refused);
    idp.lies = {};
    expect(await rig.signIn(home, ada(home)), "but an honest one is taken").toMatchObject({ status: 200 });
  });

  it("never when its times are off by less than a minute", async () => {
    changed((now) => ({ iat: now + 40, exp: now - 20 }))();
    expect(await rig.signIn(home, ada(home))).toMatchObject({ status: 200 });
  });
});

describe("an answer of the browser is refused", () => {
  const begin = async () => {
    const started = await rig.start(home);
    return { started, callback: idp.authorize(started.authorizationUrl, ada(home)) };
  };

  it("without state", async () => {
    const { started, callback } = await begin();
    expect(await rig.finish(started, { code: callback.code, iss: callback.iss })).toMatchObject(refused);
  });

  it("with the state of another sign-in", async () => {
    const [one, two] = [await begin(), await begin()];
    expect(await rig.finish(one.started, { ...one.callback, state: two.callback.state })).toMatchObject(refused);
  });

  it("with a state that nobody gave out", async () => {
    const { started, callback } = await begin();
    for (const state of ["", "x", callback.state.slice(0, -1), callback.state.replace(/.$/, "~")]) {
      expect(await rig.finish(started, { ...callback, state })).toMatchObject(refused);
    }
  });

  it("a second time, with the same code or a new one", async () => {
    const { started, callback } = await begin();
    expect(await rig.finish(started, callback)).toMatchObject({ status: 200 });
    expect(await rig.finish(started, callback)).toMatchObject(refused);
    const { code } = idp.authorize(started.authorizationUrl, ada(home));
    expect(await rig.finish(started, { ...callback, code })).toMatchObject(refused);
  });

  it("but for one of many at the same moment", async () => {
    const { started, callback } = await begin();
    const answers = await Promise.all(Array.from({ length: 20 }, () => rig.finish(started, callback)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)]);
  });

  it("after ten minutes", async () => {
    const { started, callback } = await begin();
    rig.clock.pass(10 * 60_000);
    expect(await rig.finish(started, callback)).toMatchObject(refused);
  });

  it("from somebody who did not begin the sign-in, which then is not used up", async () => {
    const [victim, attacker] = [await begin(), await begin()];
    expect(await rig.finish(victim.started, attacker.callback)).toMatchObject(refused);
    expect(await rig.call("SsoService/FinishSso", attacker.callback)).toMatchObject(refused);
    expect(await rig.finish(attacker.started, attacker.callback)).toMatchObject({ status: 200 });
  });

  it("of another provider (mix-up), or of none", async () => {
    const one = await begin();
    expect(await rig.finish(one.started, { ...one.callback, iss: other.issuer })).toMatchObject(refused);
    const two = await begin();
    expect(await rig.finish(two.started, { code: two.callback.code, state: two.callback.state })).toMatchObject(
      refused,
    );
  });

  it("that comes after single sign-on was set to another client", async () => {
    const own = await rig.home(idp);
    const started = await rig.start(own);
    const callback = idp.authorize(started.authorizationUrl, ada(own));
    await rig.plane.database.systemTransaction(own.world.orgId, (tx) =>
      tx.sql("update sso_configuration set client_id = 'another' where org_id = ?", [tx.orgId]),
    );
    const before = idp.requests.length;
    expect(await rig.finish(started, callback)).toMatchObject(refused);
    expect(idp.requests.slice(before), "the code stays here").toEqual([]);
  });

  it("with a code that was made for another sign-in, also when the provider ignores PKCE", async () => {
    for (const ignoresPkce of [false, true]) {
      idp.lies = { ignoresPkce };
      const [victim, attacker] = [await begin(), await begin()];
      const injected = { ...victim.callback, code: attacker.callback.code };
      expect(await rig.finish(victim.started, injected)).toMatchObject(refused);
    }
  });

  it("when the provider says no, and its words go no further than its code", async () => {
    const { started, callback } = await begin();
    const answer = await rig.finish(started, {
      state: callback.state,
      iss: callback.iss,
      error: "access_denied",
    });
    expect(answer).toMatchObject(refused);
    expect(JSON.stringify(answer.body)).toContain("access_denied");
    const again = await begin();
    const error = "<script>alert(1)</script>";
    const odd = await rig.finish(again.started, {
      state: again.callback.state,
      iss: again.callback.iss,
      error,
    });
    expect(odd).toMatchObject(refused);
    expect(JSON.stringify(odd.body)).not.toContain("script");
  });
});

describe("a sign-in always has", () => {
  it("PKCE with S256, a state and a nonce, independently of the provider's metadata", async () => {
    idp.lies.metadata = (metadata) => ({ ...metadata, code_challenge_methods_supported: ["plain"] });
    const fresh = await rig.home(idp);
    const { searchParams } = new URL((await rig.start(fresh)).authorizationUrl);
    expect(searchParams.get("code_challenge_method")).toBe("S256");
    expect(searchParams.get("code_challenge")).toMatch(/^[\w-]{43}$/);
    expect(searchParams.get("state")).toMatch(/^gr_sso_/);
    expect(searchParams.get("nonce")).toMatch(/^[\w-]{43}$/);
    expect(searchParams.get("response_type")).toBe("code");
  });
});

describe("the provider is not believed", () => {
  it.each([false, "true", 1, null, undefined])("about an address that it calls confirmed by %s", async (value) => {
    const stranger = ada(home, { sub: `s-${String(value)}`, email_verified: value });
    expect(await rig.signIn(home, stranger)).toMatchObject(notLetIn);
  });

  it("about addresses at domains that the organization has not verified, however alike they look", async () => {
    const alike = home.domain.replace("example", "ехample"); // Cyrillic е and х
    const domains = ["example.com", `x.${home.domain}`, `x${home.domain}`, `${home.domain}.example.com`, alike];
    for (const [n, domain] of domains.entries()) {
      const stranger = ada({ domain }, { sub: `stranger-${n}` });
      expect(await rig.signIn(home, stranger), domain).toMatchObject(notLetIn);
    }
  });

  it.each(["", "ada", "@", 7, ["a@b.example"], `ada@example.com, ada@`])("about %j for an address", async (email) => {
    const text = typeof email === "string" && email.endsWith("@") ? email + home.domain : email;
    expect(await rig.signIn(home, ada(home, { sub: "odd", email: text }))).toMatchObject(notLetIn);
  });

  it("when it vouches for an address from one place and for its confirmation from another", async () => {
    idp.lies = {
      onlyInUserInfo: ["email_verified"],
      userInfo: (info) => ({ ...info, email: "somebody@elsewhere.example", email_verified: true }),
    };
    expect(await rig.signIn(home, ada(home, { sub: "mixed" }))).toMatchObject(notLetIn);
  });
});

describe("after the sign-in the browser goes", () => {
  it.each([
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "\\\\evil.example",
    "/\t/evil.example",
    "/..//evil.example",
    "/%0d%0aLocation:https://evil.example\r\nx",
    "javascript:alert(1)",
    "console",
    "/#fragment",
    "/ console",
    "@evil.example",
    ".evil.example",
  ])("never to %j", async (return_to) => {
    const answer = await rig.call("SsoService/StartSso", { org_id: home.world.orgId, return_to });
    expect(answer).toMatchObject({ status: 400, fields: ["return_to"] });
  });

  it("to a path of this service, with a code that works once, soon, and in that browser", async () => {
    const started = await rig.start(home, { return_to: "/console?tab=1" });
    const finished = await rig.finish(started, idp.authorize(started.authorizationUrl, ada(home)));
    expect(finished.status).toBe(302);
    const location = new URL(finished.headers.get("location") ?? "");
    expect(location.href.startsWith(`${publicUrl}/console?tab=1#sso_code=gr_sso_`)).toBe(true);
    const code = location.hash.replace("#sso_code=", "");
    const stranger = await rig.start(home);
    const exchange = (flow_token: string) => rig.call("SsoService/ExchangeSsoCode", { code, flow_token });
    expect(await exchange(stranger.flowToken)).toMatchObject(refused);
    expect(await rig.call("SsoService/ExchangeSsoCode", { code })).toMatchObject(refused);
    expect(await exchange(started.flowToken)).toMatchObject({ status: 200 });
    expect(await exchange(started.flowToken)).toMatchObject(refused);
  });

  it("to a path of this service, with the code of the failure when the sign-in fails", async () => {
    const started = await rig.start(home, { return_to: "/console" });
    const { state } = idp.authorize(started.authorizationUrl, ada(home));
    const sent = await rig.finish(started, { state, error: "access_denied" });
    expect(sent).toMatchObject({ status: 302 });
    expect(sent.headers.get("location")).toBe(`${publicUrl}/console#sso_error=sso_refused`);
    expect(await rig.finish(started, { state })).toMatchObject(refused);
  });
});

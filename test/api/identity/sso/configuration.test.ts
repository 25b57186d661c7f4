// What an organization sets up: enforcement, its domains, its client's secret, and a provider that changes or goes
// away.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeIdp, newSigningKey, startFakeIdp } from "../../../harness/net/fake-idp.ts";
import { createPerson } from "../../../harness/vector/person.ts";
import { accessTokenOf, ada, configuration, type SsoHome, type SsoRig, startSsoRig, succeed } from "./rig.ts";

let rig: SsoRig;
let idp: FakeIdp;

beforeAll(async () => {
  rig = await startSsoRig();
  idp = await startFakeIdp(rig);
});
beforeEach(() => {
  idp.lies = {};
});
afterAll(async () => {
  await rig.stop();
  await idp.close();
});

const permissions = (home: SsoHome, token: string) =>
  rig.call("TeamService/GetPermissions", { org_id: home.world.orgId }, { token });
const reconfigure = (home: SsoHome, change: Record<string, never> | object) =>
  succeed(
    rig.call("SsoService/ConfigureSso", configuration(home, { ...change }), { world: home.world, persona: "admin" }),
  );

describe("enforced single sign-on", () => {
  it("lets members in by the provider only, but an owner by the password too", async () => {
    const home = await rig.home(idp, { enforced: true });
    const { orgId } = home.world;
    for (const role of ["viewer", "editor", "admin"] as const) {
      const member = await createPerson(rig.plane.database, { orgId, role });
      expect(await permissions(home, member.access_token), role).toMatchObject({ status: 403, error: "sso_required" });
      expect(await rig.call("AccountService/GetMe", {}, { token: member.access_token })).toMatchObject({ status: 200 });
    }
    const owner = await createPerson(rig.plane.database, { orgId, role: "owner" });
    expect(await permissions(home, owner.access_token)).toMatchObject({ status: 200, body: { role: "owner" } });
    const token = accessTokenOf(await rig.signIn(home, ada(home)));
    expect(await permissions(home, token)).toMatchObject({ status: 200 });
    await reconfigure(home, { enforced: false });
    const member = await createPerson(rig.plane.database, { orgId, role: "viewer" });
    expect(await permissions(home, member.access_token)).toMatchObject({ status: 200 });
  });

  it("says nothing of an organization to those who are not its members", async () => {
    const [home, other] = [await rig.home(idp, { enforced: true }), await rig.home(idp)];
    const stranger = await createPerson(rig.plane.database, { orgId: other.world.orgId, role: "admin" });
    expect(await permissions(home, stranger.access_token)).toMatchObject({
      status: 403,
      error: "no_access_to_organization",
    });
  });
});

describe("a provider", () => {
  it("is asked for its keys at most every ten seconds, even if tokens name unknown keys", async () => {
    const home = await rig.home(idp);
    expect((await rig.signIn(home, ada(home))).status).toBe(200);
    const asked = () => idp.requests.filter((request) => request === "GET /jwks").length;
    const before = asked();
    idp.keys = [newSigningKey(), ...idp.keys];
    const first = await rig.signIn(home, ada(home));
    expect(first.status, "within the ten seconds").toBe(401);
    expect(asked()).toBe(before);
  });

  it("that is away is told so, and is asked again once it is back", async () => {
    const home = await rig.home(idp);
    rig.clock.pass(10 * 60_000);
    idp.lies.answer = (_path, _request, response) => {
      response.destroy();
      return true;
    };
    const start = () => rig.call("SsoService/StartSso", { org_id: home.world.orgId, redirect: false });
    expect(await start()).toMatchObject({ status: 503, error: "unavailable" });
    idp.lies = {};
    expect(await start()).toMatchObject({ status: 200 });
    idp.lies.answer = (path, _request, response) => {
      if (path !== "/jwks") return false;
      response.writeHead(503).end();
      return true;
    };
    expect(await rig.signIn(home, ada(home)), "without its keys").toMatchObject({ status: 503, error: "unavailable" });
  });
});

describe("what is stored", () => {
  it("has neither the client's secret nor anything that would finish a sign-in", async () => {
    const home = await rig.home(idp);
    const started = await rig.start(home);
    const { searchParams } = new URL(started.authorizationUrl);
    const { state } = idp.authorize(started.authorizationUrl, ada(home));
    const rows = await rig.plane.database.read(home.world.orgId, async (tx) => [
      ...(await tx.sql<{ line: string }>(
        "select encode(convert_to(c::text, 'utf8'), 'escape') as line from sso_configuration c",
      )),
      ...(await tx.sql<{ line: string }>("select l::text as line from sso_login l")),
      ...(await tx.sql<{ line: string }>("select a::text as line from audit_entry a")),
      ...(await tx.sql<{ line: string }>("select o::text as line from audit_opening o")),
    ]);
    const text = rows.map(({ line }) => line).join("\n");
    const hex = (secret: string) => Buffer.from(secret, "utf8").toString("hex");
    for (const secret of [idp.clientSecret, started.flowToken, state, searchParams.get("nonce") ?? ""]) {
      expect(secret.length).toBeGreaterThan(8);
      expect(text).not.toContain(secret);
      expect(text).not.toContain(hex(secret));
    }
  });

  it("of the secret never goes to another provider", async () => {
    const home = await rig.home(idp);
    const { client_secret: _, ...rest } = configuration(home);
    const kept = await reconfigure(home, { client_secret: undefined });
    expect(rest).not.toHaveProperty("client_secret");
    expect(kept.body).toMatchObject({ has_client_secret: true });
    const moved = await reconfigure(home, { client_secret: undefined, client_id: "another" });
    expect(moved.body).toMatchObject({ has_client_secret: false });
  });
});

describe("a domain", () => {
  it("belongs to one organization, also when two verify it at once", async () => {
    const [one, two] = [await rig.home(idp), await rig.home(idp)];
    const domain = `race-${one.domain}`;
    const answers = await Promise.all([rig.claim(one.world, domain), rig.claim(two.world, domain)]);
    // The record of the later claim replaces that of the earlier, whose look-up may come too late.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(1);
    const late = await rig.claim(one.world, two.domain);
    expect(late).toMatchObject({ status: 409, error: "already_exists" });
  });

  it("is the same in every spelling, and other texts are refused", async () => {
    const home = await rig.home(idp);
    const as = { world: home.world, persona: "admin" };
    const add = (domain: string) => rig.call("SsoService/AddSsoDomain", { org_id: home.world.orgId, domain }, as);
    expect((await add("BÜCHER.example.")).body).toMatchObject({ domain: "xn--bcher-kva.example" });
    expect(await add("xn--bcher-kva.EXAMPLE")).toMatchObject({ status: 409, error: "already_exists" });
    for (const domain of [
      "com",
      "a b.example",
      "127.0.0.1",
      "https://x.example",
      "*.example.com",
      "a@b.example",
      "..",
    ]) {
      expect(await add(domain), domain).toMatchObject({ status: 422, fields: ["domain"] });
    }
  });
});

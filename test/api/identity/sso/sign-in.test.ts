// Whom a sign-in at an organization's provider lets in, as what, and how far. What providers try is in attack.test.ts.

import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PasswordHasher } from "../../../../src/domain/identity/password-hash.ts";
import { PasswordRecovery } from "../../../../src/domain/identity/password-recovery.ts";
import { type FakeIdp, startFakeIdp } from "../../../harness/net/fake-idp.ts";
import { createPerson } from "../../../harness/vector/person.ts";
import { setPlan } from "../../../harness/vector/plan.ts";
import { caller } from "../../scim/directory.ts";
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

const notLetIn = { status: 403, error: "sso_account_refused" };
const permissions = (home: SsoHome, token: string) =>
  rig.call("TeamService/GetPermissions", { org_id: home.world.orgId }, { token });
const reconfigure = (home: SsoHome, change: Record<string, never> | object) =>
  succeed(
    rig.call("SsoService/ConfigureSso", configuration(home, { ...change }), { world: home.world, persona: "admin" }),
  );

async function endTokensJobs({ world }: SsoHome): Promise<{ in_seconds: string }[]> {
  const client = new pg.Client({ connectionString: rig.plane.urls.workerUrl });
  await client.connect();
  const { rows } = await client.query<{ in_seconds: string }>(
    `select extract(epoch from run_at - now()) as in_seconds from graphile_worker._private_jobs
     where key like 'end-tokens/' || $1 || '/%'`,
    [world.orgId],
  );
  await client.end();
  return rows;
}

describe("somebody new", () => {
  it("becomes a member with the default role, and is told of", async () => {
    const home = await rig.home(idp, { default_role: "editor" });
    const answer = await rig.signIn(home, ada(home));
    expect(answer).toMatchObject({ status: 200, body: { status: "signed_in", account: { name: "Ada Lovelace" } } });
    expect((await permissions(home, accessTokenOf(answer))).body).toMatchObject({ role: "editor" });
    const { events, actions } = await rig.plane.recorded(home.world.orgId);
    expect(events).toContain("team.member_added");
    expect(actions.at(-1)).toBe("sso.sign_in");
  });

  it("asks to join where the organization wants to be asked, gets no session, and gets in once approved", async () => {
    const home = await rig.home(idp, { join: "request" });
    expect(await rig.signIn(home, ada(home))).toMatchObject({
      status: 200,
      body: { status: "join_requested", tokens: null },
    });
    const as = { world: home.world, persona: "admin" };
    const { orgId: org_id } = home.world;
    const listed = await rig.call("TeamService/ListJoinRequests", { org_id }, as);
    const { join_requests: requests } = listed.body as { join_requests: { id: string; email: string }[] };
    expect(requests.map(({ email }) => email)).toEqual([`ada@${home.domain}`]);
    const request_id = requests[0]?.id ?? "";
    await succeed(rig.call("TeamService/ApproveJoinRequest", { org_id, request_id, role: "viewer" }, as));
    expect(await rig.signIn(home, ada(home))).toMatchObject({ body: { status: "signed_in" } });
  });

  it("gets the highest role that their claim stands for, and another one when it changes", async () => {
    const role_mapping = { guards: "editor", chiefs: "admin", guests: "viewer" };
    const home = await rig.home(idp, { role_claim: "groups", role_mapping });
    const roleWith = async (groups: unknown) =>
      ((await permissions(home, accessTokenOf(await rig.signIn(home, ada(home, { groups }))))).body as { role: string })
        .role;
    expect(await roleWith(["guests", "chiefs", "guards", "owners"])).toBe("admin");
    expect(await roleWith("guards")).toBe("editor");
    expect(await roleWith(["__proto__", "constructor", 7, null])).toBe("editor");
    expect(await roleWith(undefined)).toBe("editor");
    // What they made as an admin ends in a quarter of an hour, unless they are one again.
    const [job] = await endTokensJobs(home);
    expect(Number(job?.in_seconds)).toBeCloseTo(15 * 60, -2);
    expect(await endTokensJobs(home)).toHaveLength(1);
  });

  it("is one person, also when they come twenty times at once", async () => {
    const home = await rig.home(idp);
    const started = await Promise.all(Array.from({ length: 20 }, () => rig.start(home)));
    const answers = await Promise.all(
      started.map((each) => rig.finish(each, idp.authorize(each.authorizationUrl, ada(home)))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ body }) => (body as { account: { id: string } }).account.id)).size).toBe(1);
    const { events } = await rig.plane.recorded(home.world.orgId);
    expect(events.filter((name) => name === "team.member_added")).toHaveLength(1);
  });

  it("accepts the invitation that waits for them, with its role", async () => {
    const home = await rig.home(idp, { join: "request" });
    const as = { world: home.world, persona: "admin" };
    const invitation = { org_id: home.world.orgId, email: `ada@${home.domain}`, role: "editor" };
    await succeed(rig.call("TeamService/InviteMember", invitation, as));
    const token = accessTokenOf(await rig.signIn(home, ada(home)));
    expect((await permissions(home, token)).body).toMatchObject({ role: "editor" });
  });

  it("does not get the account that somebody else has registered for their address", async () => {
    const home = await rig.home(idp);
    const email = `ada@${home.domain}`;
    const password = ["correct", "horse", "battery", "staple"].join(" ");
    await succeed(rig.call("AccountService/Register", { email, password, name: "Mallory" }));
    expect(await rig.signIn(home, ada(home))).toMatchObject(notLetIn);
  });

  it("does not get it either when it has become a member, until its address is shown to be its owner's", async () => {
    const home = await rig.home(idp);
    const { orgId: org_id } = home.world;
    const as = { world: home.world, persona: "admin" };
    const password = ["correct", "horse", "battery", "staple"].join(" ");
    const mallory = { email: `ada@${home.domain}`, password, name: "Mallory" };
    const token = accessTokenOf(await succeed(rig.call("AccountService/Register", mallory)));
    await succeed(rig.call("TeamService/AskToJoin", { org_id }, { token }));
    const listed = await rig.call("TeamService/ListJoinRequests", { org_id }, as);
    const { join_requests: requests } = listed.body as { join_requests: { id: string; email_verified: boolean }[] };
    expect(requests).toMatchObject([{ email_verified: false }]);
    const request_id = requests[0]?.id ?? "";
    await succeed(rig.call("TeamService/ApproveJoinRequest", { org_id, request_id, role: "viewer" }, as));
    expect(await rig.signIn(home, ada(home))).toMatchObject(notLetIn);
    const recovery = new PasswordRecovery(rig.plane.database, new PasswordHasher());
    const audit = { action: "account.password_set", requestId: "test", address: "" };
    const own = { email: mallory.email, password: "nine patient herons", removeFactor: true, confirmAddress: true };
    await recovery.recover(own, audit);
    expect(await rig.signIn(home, ada(home))).toMatchObject({
      status: 200,
      body: { account: { email_verified: true } },
    });
  });
});

describe("somebody known", () => {
  it("is known by the provider's id for them, whatever their address becomes", async () => {
    const home = await rig.home(idp);
    const first = await rig.signIn(home, ada(home));
    const second = await rig.signIn(home, ada(home, { email: "ada@elsewhere.example", email_verified: false }));
    expect(second.body).toMatchObject({ account: { id: (first.body as { account: { id: string } }).account.id } });
  });

  it("is somebody else at another organization's provider, though the two call them the same", async () => {
    const [one, two] = [await rig.home(idp), await rig.home(idp)];
    const idOf = async (home: SsoHome) =>
      ((await rig.signIn(home, ada(home))).body as { account: { id: string } }).account.id;
    expect(await idOf(one)).not.toBe(await idOf(two));
    expect(await rig.signIn(two, ada(one, { sub: "new" }))).toMatchObject(notLetIn);
  });

  it("is out once they are deactivated", async () => {
    const home = await rig.home(idp);
    const token = accessTokenOf(await rig.signIn(home, ada(home)));
    await rig.plane.database.systemTransaction(home.world.orgId, (tx) =>
      tx.sql("update member set state = 'deactivated' where org_id = ? and account_id is not null", [tx.orgId]),
    );
    expect(await permissions(home, token)).toMatchObject({ status: 403 });
    expect(await rig.signIn(home, ada(home))).toMatchObject(notLetIn);
  });
});

describe("a session of single sign-on", () => {
  it("reaches its organization only, and not the account", async () => {
    const [home, other] = [await rig.home(idp), await rig.home(idp)];
    const answer = await rig.signIn(home, ada(home));
    const token = accessTokenOf(answer);
    const { id } = (answer.body as { account: { id: string } }).account;
    await rig.plane.database.systemTransaction(other.world.orgId, (tx) =>
      tx.sql(
        `insert into member (org_id, id, account_id, email, email_key, role, state, created_at, updated_at)
         values (?, gen_random_uuid(), ?, ?, ?, 'admin', 'active', ?, ?)`,
        [tx.orgId, id, "x", "x", tx.now, tx.now],
      ),
    );
    const foreign = await rig.call("TeamService/GetPermissions", { org_id: other.world.orgId }, { token });
    expect(foreign).toMatchObject({ status: 403, error: "no_access_to_organization" });
    const me = await rig.call("AccountService/GetMe", {}, { token });
    expect(me.body).toMatchObject({ organizations: [{ org_id: home.world.orgId }] });
    for (const [method, request] of [
      ["AccountService/EnrolMfa", {}],
      ["AccountService/ListSessions", {}],
      ["AccountService/ChangePassword", { current_password: "x", new_password: "y" }],
      ["TeamService/AskToJoin", { org_id: other.world.orgId }],
    ] as const) {
      expect(await rig.call(method, request, { token }), method).toMatchObject({
        status: 403,
        error: "insufficient_scope",
      });
    }
    expect(await rig.call("AccountService/Logout", {}, { token })).toMatchObject({ status: 204 });
  });

  it("never has an owner's rights: whoever chooses the provider does not become the owner by it", async () => {
    const home = await rig.home(idp);
    const owner = await createPerson(rig.plane.database, { orgId: home.world.orgId, role: "owner" });
    await rig.plane.database.systemTransaction(home.world.orgId, (tx) =>
      tx.sql("insert into sso_identity (org_id, issuer, subject, account_id, created_at) values (?, ?, 'boss', ?, ?)", [
        tx.orgId,
        idp.issuer,
        owner.account_id,
        tx.now,
      ]),
    );
    await reconfigure(home, { role_claim: "groups", role_mapping: { guests: "viewer" } });
    const token = accessTokenOf(await rig.signIn(home, ada(home, { sub: "boss", groups: ["guests"] })));
    expect((await permissions(home, owner.access_token)).body, "and stays one").toMatchObject({ role: "owner" });
    expect((await permissions(home, token)).body).toMatchObject({ role: "admin" });
    const { orgId: org_id } = home.world;
    for (const call of [
      rig.call("TeamService/UpdateMember", { org_id, member_id: owner.member_id ?? "", role: "viewer" }, { token }),
      rig.call("TeamService/TransferOwnership", { org_id, member_id: owner.member_id ?? "" }, { token }),
    ]) {
      expect(await call).toMatchObject({ status: 403, error: "insufficient_scope" });
    }
  });

  it("ends after half a day, however often it is refreshed", async () => {
    const home = await rig.home(idp);
    const { tokens } = (await rig.signIn(home, ada(home))).body as { tokens: { refresh_token: string } };
    let refresh_token = tokens.refresh_token;
    const refresh = async () => {
      const answer = await rig.call("AccountService/RefreshSession", { refresh_token });
      refresh_token = (answer.body as { refresh_token?: string }).refresh_token ?? "";
      return answer.status;
    };
    rig.clock.pass(11.9 * 3_600_000);
    expect(await refresh()).toBe(200);
    rig.clock.pass(0.2 * 3_600_000);
    expect(await refresh()).toBe(401);
  });

  it("ends with the provider: when single sign-on is removed, or set to another client", async () => {
    const home = await rig.home(idp);
    const as = { world: home.world, persona: "admin" };
    const token = async () => accessTokenOf(await rig.signIn(home, ada(home)));
    const one = await token();
    rig.clock.pass(1000);
    await reconfigure(home, { client_id: "another" });
    expect(await permissions(home, one)).toMatchObject({ status: 401 });
    rig.clock.pass(1000);
    await reconfigure(home, {});
    const two = await token();
    expect(await permissions(home, two)).toMatchObject({ status: 200 });
    await succeed(rig.call("SsoService/RemoveSso", { org_id: home.world.orgId }, as));
    expect(await permissions(home, two)).toMatchObject({ status: 401 });
  });
});

describe("a browser", () => {
  it("is sent to the provider, comes back, and is signed in, by the cookie alone", async () => {
    const home = await rig.home(idp);
    const begun = await fetch(`${rig.plane.baseUrl}/v1/auth/sso/start?email=ada@${home.domain}`, {
      redirect: "manual",
      headers: { "x-forwarded-for": "198.51.100.7" },
    });
    expect(begun.status).toBe(302);
    const [cookie = ""] = begun.headers.getSetCookie();
    expect(cookie).toMatch(/^policy_guard_sso=gr_sso_\w{39}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
    const callback = idp.authorize(begun.headers.get("location") ?? "", ada(home));
    const finish = (headers: Record<string, string>) =>
      fetch(`${rig.plane.baseUrl}/v1/auth/sso/callback?${new URLSearchParams(callback)}`, { headers });
    expect((await finish({})).status).toBe(401);
    expect((await finish({ cookie: "policy_guard_sso=gr_sso_x" })).status).toBe(401);
    const done = await finish({ cookie: `theme=dark; ${cookie.split(";")[0]}; a=b` });
    expect(done.status).toBe(200);
    expect(done.headers.getSetCookie()[0]).toMatch(/^policy_guard_sso=; Path=\/; Max-Age=0; /);
  });

  it("of somebody whose domain nobody has verified is sent nowhere", async () => {
    const answer = await rig.call("SsoService/StartSso", { email: "ada@unknown.example" });
    expect(answer).toMatchObject({ status: 404, error: "not_found" });
  });
});

describe("an organization with a directory", () => {
  it("lets in nobody whom the directory did not make a member, until it has no directory any more", async () => {
    const home = await rig.home(idp, { role_claim: "groups", role_mapping: { chiefs: "admin" } });
    await setPlan(rig.plane.database, home.world.orgId, "enterprise");
    const scim = caller(rig.plane, home.world.orgId, await home.world.directory("scim"));
    expect(await rig.signIn(home, ada(home))).toMatchObject(notLetIn);
    expect((await scim("GET", `/Users?filter=${encodeURIComponent(`userName eq "ada@${home.domain}"`)}`)).body).toEqual(
      expect.objectContaining({ totalResults: 0 }),
    );
    const { body } = await scim("POST", "/Users", { userName: `ada@${home.domain}` });
    // The directory has the last word on the role as well.
    const signedIn = await rig.signIn(home, ada(home, { groups: ["chiefs"] }));
    expect((await permissions(home, accessTokenOf(signedIn))).body).toMatchObject({ role: "viewer" });
    expect((await scim("DELETE", `/Users/${body.id}`)).status).toBe(204);
    expect(await rig.signIn(home, ada(home))).toMatchObject(notLetIn);
    const as = { world: home.world, persona: "admin" };
    await succeed(rig.call("ScimService/RevokeScimToken", { org_id: home.world.orgId }, as));
    expect(await rig.signIn(home, ada(home))).toMatchObject({ body: { status: "signed_in" } });
  });
});

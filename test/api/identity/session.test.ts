import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { createRunningClock, type MovedClock } from "../../harness/moved-clock.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { createPerson, type Person } from "../../harness/vector/person.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";
import { callAccount, memberOf, tally } from "./people.ts";

describe("sessions, at two processes", () => {
  let urls: TestDatabase;
  let clock: MovedClock;
  let plane: TestControlPlane;
  let second: TestControlPlane;
  let world: World;

  beforeAll(async () => {
    urls = await createTestDatabase();
    clock = createRunningClock();
    plane = await startTestControlPlane({ urls, clock });
    second = await startTestControlPlane({ urls, clock });
    world = await createWorld(plane.database);
  });

  afterAll(async () => {
    await plane.stop();
    await second.stop();
    await urls.drop();
  });

  const refresh = (refresh_token: string, at = plane) => callAccount(at, "RefreshSession", { refresh_token });
  const statusOf = async (token: string, at = plane) => (await callAccount(at, "GetMe", {}, { token })).status;
  const logIn = async ({ email, password }: Person) =>
    memberOf(await callAccount(plane, "Login", { email, password }), "tokens");

  test("of a hundred uses of one refresh token at once one succeeds, and the session ends", async () => {
    const person = await createPerson(plane.database, { orgId: world.orgId, role: "viewer" });
    const { refresh_token = "" } = await logIn(person);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => refresh(refresh_token, n % 2 === 0 ? plane : second)),
    );
    expect(tally(answers)).toEqual({ 200: 1, 401: 99 });
    const won = answers.find(({ status }) => status === 200)?.body as Record<string, string>;
    expect(await statusOf(won.access_token ?? "")).toBe(401);
    expect((await refresh(won.refresh_token ?? "")).status).toBe(401);
    const { actions } = await plane.recorded(world.orgId);
    expect(actions.filter((action) => action === "account.refresh_token_reused")).toHaveLength(1);
    // Other sessions of the account are none of the thief's.
    expect(await statusOf(person.access_token)).toBe(200);
  });

  test("signing in and out leave entries in the audit log of the person's organizations, refused tries none", async () => {
    const person = await createPerson(plane.database, { orgId: world.orgId, role: "viewer" });
    const seen = async () => (await plane.recorded(world.orgId)).actions.filter((name) => /sign_(in|out)$/.test(name));
    const before = (await seen()).length;
    const { access_token } = await logIn(person);
    await callAccount(plane, "Login", { email: person.email, password: "not this one, surely" });
    await callAccount(plane, "Logout", {}, { token: access_token });
    expect((await seen()).slice(before)).toEqual(["account.sign_in", "account.sign_out"]);
  });

  test("a refresh token that was used long ago still ends its session", async () => {
    const person = await createPerson(plane.database);
    const first = await logIn(person);
    let current = first;
    for (let n = 0; n < 3; n++) current = (await refresh(current.refresh_token ?? "")).body as Record<string, string>;
    expect(await statusOf(current.access_token ?? "")).toBe(200);
    expect((await refresh(first.refresh_token ?? "", second)).status).toBe(401);
    expect(await statusOf(current.access_token ?? "")).toBe(401);
  });

  test("an access token that was replaced serves until its end, so that no call in flight fails", async () => {
    const { access_token = "", refresh_token = "" } = await logIn(await createPerson(plane.database));
    await refresh(refresh_token);
    expect(await statusOf(access_token)).toBe(200);
    clock.pass(15 * 60_000 + 1_000);
    expect(await statusOf(access_token)).toBe(401);
  });

  test("a session that is revoked at one process is refused by the next call at the other", async () => {
    const person = await createPerson(plane.database);
    for (let n = 0; n < 20; n++) {
      const { access_token = "" } = await logIn(person);
      expect(await statusOf(access_token, second)).toBe(200);
      expect((await callAccount(plane, "Logout", {}, { token: access_token })).status).toBe(204);
      expect(await statusOf(access_token, second)).toBe(401);
    }
  });

  test("a session that is not refreshed ends after two weeks, and any after three months", async () => {
    const idle = await logIn(await createPerson(plane.database));
    clock.pass(14 * 86_400_000 + 1_000);
    expect((await refresh(idle.refresh_token ?? "")).status).toBe(401);
    let { refresh_token = "" } = await logIn(await createPerson(plane.database));
    let days = 0;
    for (let status = 200; status === 200 && days < 200; days += 10) {
      clock.pass(10 * 86_400_000);
      const answer = await refresh(refresh_token);
      status = answer.status;
      refresh_token = (answer.body as Record<string, string>).refresh_token ?? "";
    }
    expect(days).toBe(90);
  });

  test("a new password ends every other session, a reset every one, and the old password is worth nothing", async () => {
    const person = await createPerson(plane.database);
    const [mine, other] = [await logIn(person), await logIn(person)];
    const change = { current_password: person.password, new_password: "nine patient herons" };
    const changed = await callAccount(plane, "ChangePassword", change, { token: mine.access_token });
    expect(changed.status).toBe(204);
    expect([await statusOf(mine.access_token ?? ""), await statusOf(other.access_token ?? "", second)]).toEqual([
      200, 401,
    ]);
    expect((await refresh(other.refresh_token ?? "")).status).toBe(401);
    const { email } = person;
    expect((await callAccount(plane, "Login", { email, password: person.password })).status).toBe(401);
    expect((await callAccount(plane, "Login", { email, password: change.new_password })).status).toBe(200);
  });

  test("the role at the moment of the call counts", async () => {
    const person = await createPerson(plane.database, { orgId: world.orgId, role: "admin" });
    const request = { org_id: world.orgId, name: "Renamed" };
    const rename = () =>
      second.caller.call("rest", {
        method: "OrganizationService/UpdateOrganization",
        request,
        token: person.access_token,
      });
    const setRole = (change: string) =>
      plane.database.systemTransaction(world.orgId, (tx) =>
        tx.sql(`update member set ${change} where id = ?`, [person.member_id]),
      );
    expect((await rename()).status).toBe(200);
    await setRole("role = 'editor'");
    expect(await rename()).toMatchObject({ status: 403, error: "insufficient_scope" });
    await setRole("role = 'admin', state = 'deactivated'");
    expect(await rename()).toMatchObject({ status: 403, error: "no_access_to_organization" });
  });
});

// What becomes of people whom a directory deactivates, and of a directory that misbehaves.

import { afterAll, beforeAll, expect, test } from "vitest";
import { addToken } from "../../../src/domain/identity/token.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { connectDirectory } from "./directory.ts";

let plane: TestControlPlane;
let second: TestControlPlane;

beforeAll(async () => {
  plane = await startTestControlPlane();
  second = await startTestControlPlane({ urls: plane.urls });
});

afterAll(async () => {
  await second.stop();
  await plane.stop();
});

const off = { Operations: [{ op: "replace", value: { active: false } }] };

test("with the answer to a deactivation, both control planes refuse sessions and admin tokens; runtime tokens stay", async () => {
  const { call, world } = await connectDirectory(plane);
  const leaver = await world.person("administrator");
  const tokens = await plane.database.systemTransaction(world.orgId, async (tx) => {
    const author = { label: leaver.email, accountId: leaver.account_id, tokenId: null };
    const admin = await addToken(tx, author, "admin", { name: "theirs" });
    const scope = { projectId: world.projectId, environment: "prod" };
    const runtime = await addToken(tx, author, "runtime", { name: "guards", ...scope });
    return { admin: admin.value, runtime: runtime.value };
  });
  const read = (at: TestControlPlane, token: string) =>
    at.caller.call("rest", { method: "OrganizationService/GetOrganization", token, request: { org_id: world.orgId } });
  for (const at of [plane, second]) {
    for (const token of [leaver.access_token, tokens.admin]) expect((await read(at, token)).status).toBe(200);
  }
  expect((await call("PATCH", `/Users/${leaver.member_id}`, off)).status).toBe(200);
  for (const at of [plane, second]) {
    for (const token of [leaver.access_token, tokens.admin]) expect((await read(at, token)).status).toBe(401);
    const own = await at.caller.call("rest", {
      method: "TokenService/GetOwnToken",
      token: tokens.runtime,
      request: {},
    });
    expect(own.status).toBe(200);
  }
  // The membership comes back; sessions and tokens do not.
  const back = { Operations: [{ op: "replace", value: { active: true } }] };
  expect((await call("PATCH", `/Users/${leaver.member_id}`, back)).body.active).toBe(true);
  expect((await read(second, leaver.access_token)).status).toBe(401);
});

test("a directory that deletes everybody leaves the last owner, whoever issued its token", async () => {
  for (const authority of ["scim", "scim_owner"] as const) {
    const { call, world, domain } = await connectDirectory(plane, { authority });
    const owner = await world.person("owner");
    await world.person("editor");
    for (const name of ["ada", "bob"]) await call("POST", "/Users", { userName: `${name}@${domain}` });
    const { body } = await call("GET", "/Users");
    const answers = await Promise.all(body.Resources.map(({ id }: { id: string }) => call("DELETE", `/Users/${id}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 204, 204, authority === "scim" ? 403 : 409]);
    expect((await call("GET", "/Users")).body.Resources).toMatchObject([{ userName: owner.email, active: true }]);
  }
});

test("of fifty racing creations of one user name, one succeeds", async () => {
  const { call, domain } = await connectDirectory(plane);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      call("POST", "/Users", { userName: n % 2 ? `ada@${domain}` : `ADA@${domain}` }),
    ),
  );
  const statuses = Map.groupBy(answers, ({ status }) => status);
  expect(statuses.get(201)).toHaveLength(1);
  expect([...statuses.keys()].filter((status) => ![201, 409, 503].includes(status))).toEqual([]);
  expect((await call("GET", "/Users")).body.totalResults).toBe(1);
});

test("a body that is too large is refused in SCIM's form, and the prototype of objects stays as it is", async () => {
  const { call, domain } = await connectDirectory(plane);
  const large = await call("POST", "/Users", { userName: `ada@${domain}`, title: "x".repeat(20 * 1024 * 1024) });
  expect(large).toMatchObject({ status: 413, body: { status: "413" } });
  expect(large.headers.get("content-type")).toContain("application/scim+json");
  const { body } = await call("POST", "/Users", { userName: `bob@${domain}` });
  for (const path of [
    "__proto__.x",
    "constructor.prototype.x",
    "name.__proto__.x",
    'emails[type eq "work"].__proto__',
  ]) {
    const answer = await call("PATCH", `/Users/${body.id}`, { Operations: [{ op: "add", path, value: "1" }] });
    expect(answer.status, path).toBe(400);
  }
  const hostile = `{"Operations":[{"op":"add","value":{"__proto__":{"x":1},"name":{"__proto__":{"x":1}},"title":"kept"}}]}`;
  expect((await call("PATCH", `/Users/${body.id}`, hostile)).body.title).toBe("kept");
  expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
});

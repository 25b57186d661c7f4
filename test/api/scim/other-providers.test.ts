// What JumpCloud and OneLogin send, as far as they document it.
//
// OneLogin lists its calls in https://developers.onelogin.com/scim/implement-scim-api: Get User by userName, Create
// User, Get User by id, Update User (PUT), Get Groups, Patch Group, Delete User, Get Users; the bodies come from a
// template that an administrator fills in, so `active` is a text and unused members are null. JumpCloud tests a
// connection with a user and a group that it makes and deletes again, and deactivates where it may not delete
// ("Provision and manage users and groups in apps using custom SCIM identity management integration",
// https://jumpcloud.com/support).

import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { connectDirectory, type Directory } from "./directory.ts";

const userUrn = "urn:ietf:params:scim:schemas:core:2.0:User";
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const json = { "content-type": "application/json" };

let plane: TestControlPlane;

beforeAll(async () => {
  plane = await startTestControlPlane();
});

afterAll(() => plane.stop());

async function connect() {
  const directory = await connectDirectory(plane);
  const call: Directory["call"] = (verb, path, body) => directory.call(verb, path, body, json);
  const find = (path: string, filter: string) => call("GET", `${path}?filter=${encodeURIComponent(filter)}`);
  return { ...directory, call, find };
}

test("OneLogin finds, makes, updates, groups, suspends and deletes a user", async () => {
  const { call, find, domain } = await connect();
  expect(await find("/Users", `userName eq "nobody@${domain}"`)).toMatchObject({
    status: 200,
    body: { totalResults: 0 },
  });
  const userName = `bob@${domain}`;
  const filled = (more: object) => ({
    schemas: [userUrn, enterprise],
    id: null,
    meta: { resourceType: "User" },
    userName,
    name: { familyName: "Byte", givenName: "Bob", formatted: "Bob Byte" },
    emails: [{ value: userName, type: "work", primary: true }],
    active: "true",
    [enterprise]: { department: "", manager: { managerId: "", displayName: "Ada Lovelace" } },
    ...more,
  });
  const made = await call("POST", "/Users", filled({}));
  expect(made).toMatchObject({
    status: 201,
    body: { userName, active: true, [enterprise]: { manager: { displayName: "Ada Lovelace" } } },
  });
  const { id } = made.body;
  expect((await call("GET", `/Users/${id}`)).body.userName).toBe(userName);
  expect((await call("PUT", `/Users/${id}`, filled({ title: "Dr." }))).body).toMatchObject({ id, title: "Dr." });
  const group = (await call("GET", "/Groups")).body.Resources.find(
    (each: { displayName: string }) => each.displayName === "editor",
  );
  for (const op of ["add", "remove"]) {
    const change = { schemas: [patchUrn], Operations: [{ op, path: "members", value: [{ value: id }] }] };
    expect((await call("PATCH", `/Groups/${group.id}`, change)).status).toBe(204);
    const { roles } = (await call("GET", `/Users/${id}`)).body;
    expect(roles).toMatchObject([{ value: op === "add" ? "editor" : "viewer" }]);
  }
  expect((await call("PUT", `/Users/${id}`, filled({ active: "false" }))).body.active).toBe(false);
  expect((await call("GET", "/Users?startIndex=1&count=100")).body.Resources).toMatchObject([{ id, active: false }]);
  expect((await call("DELETE", `/Users/${id}`)).status).toBe(204);
});

test("JumpCloud's test of the connection leaves nothing, and its users come, change and go", async () => {
  const { call, find, domain } = await connect();
  const user = (name: string, active: boolean) => ({
    schemas: [userUrn],
    userName: `${name}@${domain}`,
    externalId: `64b0${name}`,
    name: { givenName: name, familyName: "Cloud" },
    displayName: `${name} Cloud`,
    emails: [{ type: "work", value: `${name}@${domain}`, primary: true }],
    phoneNumbers: [],
    addresses: [],
    active,
  });
  // The test user is made and deleted; the test group cannot be made, and says so.
  const trial = await call("POST", "/Users", user("trial", true));
  expect(trial.status).toBe(201);
  expect(await call("POST", "/Groups", { displayName: "JumpCloud test group" })).toMatchObject({
    status: 405,
    body: { status: "405" },
  });
  expect((await call("DELETE", `/Users/${trial.body.id}`)).status).toBe(204);
  expect((await find("/Users", `userName eq "trial@${domain}"`)).body.totalResults).toBe(0);

  const { id } = (await call("POST", "/Users", user("eve", true))).body;
  expect((await call("PUT", `/Users/${id}`, { ...user("eve", true), title: "Pilot" })).body.title).toBe("Pilot");
  // Groups that are bound get members by a list of values, without a filter.
  const { body } = await find("/Groups", 'displayName eq "viewer"');
  const group = `/Groups/${body.Resources[0].id}`;
  for (const [op, size] of [
    ["add", 1],
    ["remove", 0],
  ] as const) {
    const change = { schemas: [patchUrn], Operations: [{ op, path: "members", value: [{ value: id }] }] };
    expect((await call("PATCH", group, change)).status).toBe(204);
    expect((await call("GET", group)).body.members ?? []).toHaveLength(size);
  }
  const off = { schemas: [patchUrn], Operations: [{ op: "replace", path: "active", value: false }] };
  expect((await call("PATCH", `/Users/${id}`, off)).body.active).toBe(false);
  expect((await call("PUT", `/Users/${id}`, user("eve", true))).body.active).toBe(true);
});

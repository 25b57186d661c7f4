// What Entra ID sends, with and without the flag aadOptscim062020: the samples of its tutorial
// (https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups) and of the page
// about the flag
// (https://learn.microsoft.com/entra/identity/app-provisioning/application-provisioning-config-problem-scim-compatibility).

import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { connectDirectory } from "./directory.ts";

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

let plane: TestControlPlane;

beforeAll(async () => {
  plane = await startTestControlPlane();
});

afterAll(() => plane.stop());

/** The calls of a tenant whose address has the flag, or has none. */
async function connectTenant(flag: string) {
  const { call: plain, domain, world } = await connectDirectory(plane);
  const call: typeof plain = (verb, path, body, headers) =>
    plain(verb, flag === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${flag}`, body, headers);
  const patch = (path: string, ...Operations: unknown[]) => call("PATCH", path, { schemas: [patchUrn], Operations });
  const find = (resource: string, filter: string) => call("GET", `${resource}filter=${encodeURIComponent(filter)}`);
  const make = async (name: string) => {
    const userName = `${name}.${domain.slice(1, 9)}@${domain}`;
    const made = await call("POST", "/Users", {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User", enterprise],
      externalId: `0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef-${name}`,
      userName,
      active: true,
      emails: [{ primary: true, type: "work", value: userName }],
      meta: { resourceType: "User" },
      name: { formatted: "givenName familyName", familyName: "familyName", givenName: "givenName" },
      roles: [],
      [enterprise]: { department: "Sales", manager: "42" },
    });
    return { ...made, userName };
  };
  return { call, patch, find, make, domain, world };
}

test.each(["", "aadOptscim062020"])("the samples of users with the flag %j", async (flag) => {
  const { call, patch, find, make, domain } = await connectTenant(flag);
  // 1. The test of the connection asks for somebody who is not there (Get User by query, zero results).
  const missing = await find("/Users?", 'userName eq "non-existent user"');
  expect(missing).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } });
  // 2. Create User.
  const made = await make("test");
  expect(made).toMatchObject({
    status: 201,
    body: { [enterprise]: { department: "Sales", manager: { value: "42" } } },
  });
  const { userName } = made;
  const { id, externalId } = made.body;
  const path = `/Users/${id}`;
  // 3. Get User, found, 4. and not found. 5. Get User by query.
  expect(await call("GET", path)).toMatchObject({ status: 200, body: made.body });
  expect(await call("GET", "/Users/5171a35d82074e068ce2")).toMatchObject({ status: 404, body: { status: "404" } });
  expect((await find("/Users?", `userName eq "${userName}"`)).body).toMatchObject({
    totalResults: 1,
    Resources: [{ id, externalId }],
  });
  // 6. Update User, properties of several values.
  const name = { formatted: "givenName familyName", familyName: "updatedFamilyName", givenName: "givenName" };
  const address = { op: "Replace", path: 'emails[type eq "work"].value', value: `updated@${domain}` };
  expect(await patch(path, address, { op: "Replace", path: "name.familyName", value: name.familyName })).toMatchObject({
    status: 200,
    body: { emails: [{ type: "work", value: `updated@${domain}`, primary: true }], name },
  });
  // 7. Update User, properties of one value.
  const renamed = `5b50642d@${domain}`;
  expect(await patch(path, { op: "Replace", path: "userName", value: renamed })).toMatchObject({
    status: 200,
    body: { userName: renamed, active: true },
  });
  // 8. Disable User, as the tutorial has it; disabled users are still found. 9. Enable User.
  expect((await patch(path, { op: "Replace", path: "active", value: false })).body.active).toBe(false);
  const both = await find("/Users?", `externalId eq "${externalId}" and userName eq "${renamed}"`);
  expect(both.body).toMatchObject({ totalResults: 1, Resources: [{ active: false }] });
  expect((await patch(path, { op: "Replace", path: "active", value: true })).body.active).toBe(true);
  // 10. Delete User.
  expect((await call("DELETE", path)).status).toBe(204);
  expect((await call("GET", path)).status).toBe(404);
});

test.each(["", "aadOptscim062020"])("the samples of groups and schemas with the flag %j", async (flag) => {
  const { call, patch, find, make, world } = await connectTenant(flag);
  await plane.caller.call("rest", {
    method: "ScimService/SetScimGroupMapping",
    token: world.tokens.admin ?? "",
    request: { org_id: world.orgId, groups: [{ role: "editor", display_name: "PG Editors" }], default_role: "viewer" },
  });
  const { id: user } = (await make("member")).body;
  // 11. Create Group: groups are named here beforehand, as the guide says.
  const group = { schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"], displayName: "PG Editors" };
  expect(await call("POST", "/Groups", group)).toMatchObject({ status: 405, body: { status: "405" } });
  // 12. Get Group by displayName, 13. Get Group.
  const named = await find("/Groups?excludedAttributes=members&", 'displayName eq "PG Editors"');
  expect(named.body).toMatchObject({ totalResults: 1, Resources: [{ displayName: "PG Editors" }] });
  expect(named.body.Resources[0]).not.toHaveProperty("members");
  const path = `/Groups/${named.body.Resources[0].id}`;
  const alone = await call("GET", `${path}?excludedAttributes=members`);
  expect(alone).toMatchObject({ status: 200, body: { displayName: "PG Editors" } });
  // 14. Update Group, attributes beside members.
  expect((await patch(path, { op: "Replace", path: "displayName", value: "Guards" })).status).toBe(204);
  // 15. Update Group, add members: Entra ID asks afterwards whether they are in it. Ids have no case.
  expect((await patch(path, { op: "Add", path: "members", value: [{ $ref: null, value: user }] })).status).toBe(204);
  const isIn = async (id: string) => {
    const filter = `id eq "${named.body.Resources[0].id}" and members eq "${id}"`;
    return (await find("/Groups?excludedAttributes=members&", filter)).body.totalResults === 1;
  };
  expect([await isIn(user), await isIn(user.toUpperCase())]).toEqual([true, true]);
  expect((await call("GET", `/Users/${user}`)).body.roles).toMatchObject([{ value: "editor" }]);
  // 16. Update Group, remove members.
  expect((await patch(path, { op: "Remove", path: "members", value: [{ $ref: null, value: user }] })).status).toBe(204);
  expect(await isIn(user)).toBe(false);
  expect((await call("GET", `/Users/${user}`)).body.roles).toMatchObject([{ value: "viewer" }]);
  // 17. Delete Group, 18. Discover schema.
  expect((await call("DELETE", path)).status).toBe(405);
  const schemas = await call("GET", "/Schemas");
  expect(schemas.body.Resources.map((each: { id: string }) => each.id)).toContain(enterprise);
});

// 19 to 22, the samples of "Flags to alter the SCIM behavior": each in its two forms.
test("what the flag changes has the same result in both forms", async () => {
  const { call, patch, make, domain } = await connectTenant("");
  const { id } = (await make("flag")).body;
  const path = `/Users/${id}`;
  // Requests made to disable users.
  for (const off of [
    { op: "Replace", path: "active", value: "False" },
    { op: "replace", path: "active", value: false },
  ]) {
    expect((await patch(path, off)).body.active).toBe(false);
    expect((await patch(path, { ...off, value: typeof off.value === "string" ? "True" : true })).body.active).toBe(
      true,
    );
  }
  // Requests made to add a single-value string attribute.
  for (const op of ["Add", "add"]) {
    expect((await patch(path, { op, path: "nickName", value: `Babs ${op}` })).body.nickName).toBe(`Babs ${op}`);
  }
  // Requests to replace multiple attributes.
  const number = `${enterprise}:employeeNumber`;
  const replaced = (work: string, ...more: string[]) => ({
    status: 200,
    body: {
      ...{ displayName: more[0], name: { givenName: more[1], familyName: more[2] } },
      ...{ emails: [{ type: "work", value: work }], [enterprise]: { employeeNumber: more[3], department: "Sales" } },
    },
  });
  const old = [
    ["displayName", "Pvlo"],
    ['emails[type eq "work"].value', `TestBcwqnm@${domain}`],
    ["name.givenName", "Gtfd"],
    ["name.familyName", "Pkqf"],
    ["externalId", "Eqpj"],
    [number, "Eqpj"],
  ].map(([path, value]) => ({ op: "Replace", path, value }));
  expect(await patch(path, ...old)).toMatchObject(replaced(`TestBcwqnm@${domain}`, "Pvlo", "Gtfd", "Pkqf", "Eqpj"));
  const rest = { displayName: "Bjfe", "name.givenName": "Kkom", "name.familyName": "Unua", [number]: "Aklq" };
  const work = { op: "replace", path: 'emails[type eq "work"].value', value: `TestMhvaes@${domain}` };
  expect(await patch(path, work, { op: "replace", value: rest })).toMatchObject(
    replaced(`TestMhvaes@${domain}`, "Bjfe", "Kkom", "Unua", "Aklq"),
  );
  // Requests made to remove a group member; ids have no case here either.
  const { body } = await call("GET", `/Groups?filter=${encodeURIComponent('displayName eq "editor"')}`);
  const group = `/Groups/${body.Resources[0].id}`;
  for (const removal of [
    { op: "Remove", path: "members", value: [{ value: id }] },
    { op: "remove", path: `members[value eq "${id}"]` },
    { op: "remove", path: `members[value eq "${id.toUpperCase()}"]` },
  ]) {
    expect((await patch(group, { op: "Add", path: "members", value: [{ value: id }] })).status).toBe(204);
    expect((await call("GET", group)).body.members).toMatchObject([{ value: id }]);
    expect((await patch(group, removal)).status).toBe(204);
    expect((await call("GET", group)).body).not.toHaveProperty("members");
  }
});

test("a manager comes as a list of one, as a text and as an object, and goes", async () => {
  const { patch, make } = await connectTenant("");
  const path = `/Users/${(await make("report")).body.id}`;
  const manager = `${enterprise}:manager`;
  const set = (op: string, value: unknown) => patch(path, { op, path: manager, value });
  for (const value of [[{ $ref: "../Users/7", value: "7" }], ["7"], "7", { value: "7" }]) {
    expect((await set("Add", value)).body[enterprise]).toEqual({ department: "Sales", manager: { value: "7" } });
    expect((await set("Remove", undefined)).body[enterprise]).toEqual({ department: "Sales" });
  }
  // Which of two it is, nobody can say.
  expect(await set("Add", [{ value: "7" }, { value: "8" }])).toMatchObject({ status: 400 });
  expect((await set("Add", [null])).body[enterprise]).toEqual({ department: "Sales" });
});

// What Okta sends, as conversations: the 8 required steps of its suite "SCIM 2.0 SPEC Test"
// (https://developer.okta.com/docs/guides/scim-provisioning-integration-prepare/main/#test-your-scim-api), the 13 steps
// of "Runscope tests for CRUD", as the calls that they cause here
// (https://developer.okta.com/docs/guides/scim-provisioning-integration-test/main/), and groups that are pushed
// (https://developer.okta.com/docs/reference/scim/scim-20/).

import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { connectDirectory } from "./directory.ts";

const userUrn = "urn:ietf:params:scim:schemas:core:2.0:User";
const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const errorUrn = "urn:ietf:params:scim:api:messages:2.0:Error";
const listUrn = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

let plane: TestControlPlane;

beforeAll(async () => {
  plane = await startTestControlPlane();
});

afterAll(() => plane.stop());

test("Okta's test of the protocol, step by step", async () => {
  // The suite "SCIM 2.0 SPEC Test" reads the first user, who needs a name; it has to be somebody Okta knows.
  const { call, domain, world } = await connectDirectory(plane, { authority: "scim_owner" });
  const owner = await world.person("owner");
  const name = { givenName: "Olive", familyName: "Owner" };
  expect((await call("PUT", `/Users/${owner.member_id}`, { userName: owner.email, name, active: true })).status).toBe(
    200,
  );
  const json = { "content-type": "application/json", accept: "application/scim+json; charset=utf-8" };
  const scim = { "content-type": "application/scim+json; charset=utf-8", accept: "application/scim+json" };
  const named = (userName: string) => call("GET", `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`);

  // 1. Test Users endpoint: a page that is not empty, with numbers that are numbers.
  const first = await call("GET", "/Users?count=1&startIndex=1", undefined, scim);
  expect(first.body).toMatchObject({ schemas: [listUrn], totalResults: 1, startIndex: 1, itemsPerPage: 1 });
  const [known] = first.body.Resources;
  expect(known).toMatchObject({ id: owner.member_id, name, userName: owner.email, active: true });
  expect(known.emails[0].value).toBe(owner.email);
  // 2. Get Users/{id}.
  expect(await call("GET", `/Users/${known.id}`, undefined, scim)).toMatchObject({ status: 200, body: known });
  // 3. Test invalid user by user name, 4. by id.
  expect((await named("abcdefgh@atko.example")).body).toMatchObject({ schemas: [listUrn], totalResults: 0 });
  const unknown = await call("GET", "/Users/00919288221112222", undefined, scim);
  expect(unknown).toMatchObject({ status: 404, body: { schemas: [errorUrn], status: "404" } });
  expect(unknown.body.detail).not.toBe("");
  // 5. Make sure a random user doesn't exist.
  const userName = `Runscope300Ada@${domain}`;
  expect((await named(userName)).body.totalResults).toBe(0);
  // 6. Create a user with realistic values, 7. and verify that it was created.
  const user = {
    schemas: [userUrn],
    userName,
    name: { givenName: "Runscope300", familyName: "Ada" },
    emails: [{ primary: true, value: `Runscope300Ada@mail.${domain}`, type: "work" }],
    displayName: "Runscope300 Ada",
    active: true,
  };
  const made = await call("POST", "/Users", user, json);
  expect(made).toMatchObject({ status: 201, body: user });
  expect((await call("GET", `/Users/${made.body.id}`, undefined, scim)).body).toMatchObject(user);
  // 8. Expect failure when recreating the user with the same values.
  const again = { ...user, emails: [{ primary: true, value: userName, type: "work" }] };
  expect(await call("POST", "/Users", again, json)).toMatchObject({
    status: 409,
    body: { schemas: [errorUrn], scimType: "uniqueness", status: "409" },
  });
  // Besides: the case of a user name, and the groups.
  expect((await named(userName.toUpperCase())).body).toMatchObject({ totalResults: 1, Resources: [{ userName }] });
  expect((await call("GET", "/Groups?count=2&startIndex=1")).body).toMatchObject({ totalResults: 4, itemsPerPage: 2 });
});

test("Okta's test of a life, step by step: assigned, updated, deactivated, brought back, removed", async () => {
  const { call, domain } = await connectDirectory(plane);
  const userName = `ada@${domain}`;
  const filter = encodeURIComponent(`userName eq "${userName}"`);
  const find = () => call("GET", `/Users?filter=${filter}&startIndex=1&count=100`);
  // 1. The integration exists: its credentials are tried.
  expect((await call("GET", "/Users?startIndex=1&count=2")).status).toBe(200);
  // 2. A user is added in Okta, which says nothing yet. 3. It is assigned: Okta looks for it, then makes it.
  expect((await find()).body.totalResults).toBe(0);
  const made = await call("POST", "/Users", {
    schemas: [userUrn],
    userName,
    name: { givenName: "Ada", familyName: "Lovelace" },
    emails: [{ primary: true, value: userName, type: "work" }],
    displayName: "Ada Lovelace",
    locale: "en-US",
    externalId: "00ujl29u0le5T6Aj10h7",
    groups: [],
    password: "1mz050nq",
    active: true,
  });
  expect(made).toMatchObject({ status: 201, body: { active: true, userName, externalId: "00ujl29u0le5T6Aj10h7" } });
  expect(made.body).not.toHaveProperty("password");
  // 4. It was created.
  expect((await find()).body).toMatchObject({ totalResults: 1, Resources: [made.body] });
  const { id } = made.body;
  const read = async () => (await call("GET", `/Users/${id}`)).body;
  // 5. The first name changes: Okta reads the user and puts all of it. 6. It was updated.
  const { meta: _, ...known } = await read();
  const put = (body: object) => call("PUT", `/Users/${id}`, { ...known, ...body });
  const name = { givenName: "Augusta", familyName: "Lovelace" };
  expect(await put({ name })).toMatchObject({ status: 200, body: { name } });
  expect(await read()).toMatchObject({ name, displayName: "Ada Lovelace", active: true });
  // 7. Deactivated in Okta, 8. and here; it is still found.
  const deactivation = { schemas: [patchUrn], Operations: [{ op: "replace", value: { active: false } }] };
  expect(await call("PATCH", `/Users/${id}`, deactivation)).toMatchObject({ status: 200, body: { id, active: false } });
  expect((await find()).body.Resources).toMatchObject([{ id, active: false }]);
  // 9. Reactivated, 10. and assigned again: Okta finds the user of that name and puts it. 11. It is active.
  expect(await put({ name, active: true })).toMatchObject({ status: 200, body: { active: true } });
  expect(await read()).toMatchObject({ active: true, name });
  // 12. Removed from the integration, 13. and so deactivated: Okta never deletes.
  expect((await call("PATCH", `/Users/${id}`, deactivation)).status).toBe(200);
  expect(await read()).toMatchObject({ id, active: false });
});

test("Okta links a group by its name, and pushes the name with every change of members", async () => {
  const { call, domain, world } = await connectDirectory(plane);
  await plane.caller.call("rest", {
    method: "ScimService/SetScimGroupMapping",
    token: world.tokens.admin ?? "",
    request: { org_id: world.orgId, groups: [{ role: "editor", display_name: "PG Editors" }], default_role: "viewer" },
  });
  const ids: string[] = [];
  for (const name of ["ada", "bob"])
    ids.push((await call("POST", "/Users", { userName: `${name}@${domain}` })).body.id);
  const [ada, bob] = ids;
  const found = await call("GET", `/Groups?filter=${encodeURIComponent('displayName eq "PG Editors"')}`);
  const { id } = found.body.Resources[0];
  const push = (...Operations: unknown[]) => call("PATCH", `/Groups/${id}`, { schemas: [patchUrn], Operations });
  const naming = { op: "replace", value: { id, displayName: "PG Editors" } };
  const both = [
    { value: ada, display: "ada" },
    { value: bob, display: "bob" },
  ];
  expect((await push(naming, { op: "replace", path: "members", value: both })).status).toBe(204);
  expect((await call("GET", `/Users/${ada}`)).body.roles).toMatchObject([{ value: "editor" }]);
  expect((await push(naming, { op: "remove", path: `members[value eq "${ada}"]` })).status).toBe(204);
  expect((await call("GET", `/Users/${ada}`)).body.roles).toMatchObject([{ value: "viewer" }]);
  expect((await call("GET", `/Groups/${id}`)).body.members).toMatchObject([{ value: bob }]);
  // Okta would make and delete groups where it finds none.
  expect((await call("POST", "/Groups", { displayName: "Others" })).headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  expect((await call("DELETE", `/Groups/${id}`)).status).toBe(405);
});

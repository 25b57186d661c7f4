// What Okta sends (its public "SCIM 2.0 test suite" and the guide for lifecycle and groups), as a conversation.

import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { connectDirectory } from "./directory.ts";

const userUrn = "urn:ietf:params:scim:schemas:core:2.0:User";
const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const errorUrn = "urn:ietf:params:scim:api:messages:2.0:Error";

let plane: TestControlPlane;

beforeAll(async () => {
  plane = await startTestControlPlane();
});

afterAll(() => plane.stop());

test("Okta tests, creates, updates, deactivates and brings back a user", async () => {
  const { call, domain, world } = await connectDirectory(plane);
  const owner = await world.person("owner");

  // The test of the connection: a page that is not empty, with numbers that are numbers.
  const first = await call("GET", "/Users?count=2&startIndex=1");
  expect(first.body).toMatchObject({ totalResults: 1, startIndex: 1, itemsPerPage: 1 });
  expect(first.body.Resources[0]).toMatchObject({ userName: owner.email });
  expect((await call("GET", "/Groups?count=2&startIndex=1")).body).toMatchObject({ totalResults: 4, itemsPerPage: 2 });
  const unknown = await call("GET", "/Users/00919288221112222");
  expect(unknown).toMatchObject({ status: 404, body: { schemas: [errorUrn], status: "404" } });
  expect(unknown.body.detail).not.toBe("");

  const userName = `ada@${domain}`;
  const filter = encodeURIComponent(`userName eq "${userName}"`);
  expect((await call("GET", `/Users?filter=${filter}&startIndex=1&count=100`)).body.totalResults).toBe(0);
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
  expect(await call("POST", "/Users", { userName: userName.toUpperCase() })).toMatchObject({
    status: 409,
    body: { scimType: "uniqueness", status: "409" },
  });

  const { id } = made.body;
  const { meta: _, ...known } = (await call("GET", `/Users/${id}`)).body;
  const renamed = await call("PUT", `/Users/${id}`, { ...known, name: { ...known.name, givenName: "Augusta" } });
  expect(renamed).toMatchObject({ status: 200, body: { name: { givenName: "Augusta", familyName: "Lovelace" } } });
  const deactivation = { schemas: [patchUrn], Operations: [{ op: "replace", value: { active: false } }] };
  expect(await call("PATCH", `/Users/${id}`, deactivation)).toMatchObject({ status: 200, body: { id, active: false } });
  expect((await call("GET", `/Users?filter=${filter}`)).body.Resources).toMatchObject([{ id, active: false }]);
  expect(await call("PUT", `/Users/${id}`, { ...known, active: true })).toMatchObject({ body: { active: true } });
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

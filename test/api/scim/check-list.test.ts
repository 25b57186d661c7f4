// The check list of the public tool scim2-tester, carried over. Like the tool, it goes by what the service announces
// about itself: every schema, every resource type and every attribute is tried, so an attribute that is added is too.
//
// | check of the tool                                        | here                                                |
// | -------------------------------------------------------- | --------------------------------------------------- |
// | service_provider_config_endpoint                         | "what it announces"                                 |
// | query_all_schemas, query_schema_by_id                    | "what it announces", each schema                    |
// | access_invalid_schema                                    | "what it announces"; vector get-scim-schema_404     |
// | query_all_resource_types, query_resource_type_by_id      | "what it announces", each type                      |
// | access_invalid_resource_type                             | "what it announces"; vector get-resource-type_404   |
// | random_url                                               | "what it announces"                                 |
// | object_creation, object_query, object_query_without_id   | "a user from creation to deletion"                  |
// | object_replacement, object_deletion                      | "a user from creation to deletion"                  |
// | the same of groups                                       | "a group": POST and DELETE are 405 here, by design  |
// | add_attribute, replace_attribute, remove_attribute       | one test for each attribute and each of its parts   |
// | attributes, excludedAttributes                           | each attribute; vectors list-scim-users_200_*       |
// | filters and pages                                        | filter.property.test.ts; vectors list-scim-users_*  |
// | entity tags                                              | "a user from creation to deletion"; vectors 304,412 |

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Attribute } from "../../../src/domain/scim/attribute.ts";
import { enterpriseSchema, userSchema } from "../../../src/domain/scim/schema.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { connectDirectory, type Directory, type ScimAnswer } from "./directory.ts";

let plane: TestControlPlane;
let directory: Directory;

beforeAll(async () => {
  plane = await startTestControlPlane();
  directory = await connectDirectory(plane);
});

afterAll(() => plane.stop());

const errorUrn = "urn:ietf:params:scim:api:messages:2.0:Error";
const call: Directory["call"] = (...parameters) => directory.call(...parameters);
const addressOf = (name: string) => `${name}@${directory.domain}`;

function expectError(answer: ScimAnswer, status: number) {
  expect(answer).toMatchObject({ status, body: { schemas: [errorUrn], status: String(status) } });
  expect(answer.headers.get("content-type")).toContain("application/scim+json");
}

/** The path below the service's address that a location of a resource stands for. */
function pathOf(location: string): string {
  return location.slice(location.indexOf("/scim/v2") + "/scim/v2".length);
}

test("what it announces is there, each under its own address, and nothing else is", async () => {
  const config = await call("GET", "/ServiceProviderConfig");
  expect(config.status).toBe(200);
  for (const part of ["patch", "bulk", "filter", "changePassword", "sort", "etag"]) {
    expect(typeof config.body[part].supported).toBe("boolean");
  }
  expect(config.body.authenticationSchemes[0].type).toBe("oauthbearertoken");
  for (const list of ["/Schemas", "/ResourceTypes"]) {
    const { status, body } = await call("GET", list);
    expect([status, body.totalResults]).toEqual([200, body.Resources.length]);
    for (const resource of body.Resources) {
      const { body: alone } = await call("GET", pathOf(resource.meta.location));
      expect(alone).toEqual(resource);
    }
    expectError(await call("GET", `${list}/nothing`), 404);
  }
  const types = (await call("GET", "/ResourceTypes")).body.Resources;
  const known = (await call("GET", "/Schemas")).body.Resources.map(({ id }: { id: string }) => id);
  for (const { endpoint, schema, schemaExtensions } of types) {
    expect((await call("GET", endpoint)).status).toBe(200);
    for (const urn of [schema, ...schemaExtensions.map((each: { schema: string }) => each.schema)]) {
      expect(known).toContain(urn);
    }
  }
  for (const path of ["/nothing", "/Me", "/Bulk", "/Users/x/y", ""]) expectError(await call("GET", path), 404);
});

test("a user from creation to deletion", async () => {
  const userName = addressOf("life");
  const made = await call("POST", "/Users", { schemas: [userSchema.uri], userName, name: { givenName: "A" } });
  expect(made.status).toBe(201);
  const { id, meta } = made.body;
  expect(made.headers.get("location")).toBe(meta.location);
  expect(made.headers.get("etag")).toBe(meta.version);
  const path = `/Users/${id}`;
  expect((await call("GET", path)).body).toEqual(made.body);
  expect((await call("GET", pathOf(meta.location))).body).toEqual(made.body);
  expect((await call("GET", "/Users")).body.Resources).toContainEqual(made.body);
  expect((await call("GET", path, undefined, { "if-none-match": meta.version })).status).toBe(304);
  const replaced = await call("PUT", path, { userName, title: "Dr." });
  expect(replaced.body).toMatchObject({ id, userName, title: "Dr." });
  expect(replaced.body).not.toHaveProperty("name");
  expect(replaced.body.meta.version).not.toBe(meta.version);
  expectError(await call("PUT", path, { userName }, { "if-match": meta.version }), 412);
  expectError(await call("PUT", path, { title: "nobody" }), 400);
  expect((await call("DELETE", path)).status).toBe(204);
  for (const verb of ["GET", "DELETE"]) expectError(await call(verb, path), 404);
  expectError(await call("PUT", path, { userName }), 404);
  expectError(await call("PATCH", path, { Operations: [{ op: "add", path: "title", value: "x" }] }), 404);
});

test("a group is found, named and filled; it is neither made nor deleted", async () => {
  const { Resources } = (await call("GET", "/Groups")).body;
  for (const group of Resources) expect((await call("GET", pathOf(group.meta.location))).body).toEqual(group);
  const path = `/Groups/${Resources.find((each: { displayName: string }) => each.displayName === "viewer").id}`;
  const { body: user } = await call("POST", "/Users", { userName: addressOf("member") });
  const patch = (...Operations: object[]) => call("PATCH", `${path}?attributes=members,externalId`, { Operations });
  const members = [{ value: user.id, display: user.userName, type: "User" }];
  const add = { op: "add", path: "members", value: [{ value: user.id }] };
  expect((await patch(add, add)).body.members).toEqual(members);
  expect((await call("GET", `/Users/${user.id}`)).body.groups).toMatchObject([{ display: "viewer" }]);
  expect((await patch({ op: "remove", path: `members[value eq "${user.id}"]` })).body).not.toHaveProperty("members");
  expect((await patch({ ...add, op: "replace" })).body.members).toEqual(members);
  expect((await patch({ op: "remove", path: "members" })).body).not.toHaveProperty("members");
  expect((await patch({ op: "add", path: "externalId", value: "g7" })).body.externalId).toBe("g7");
  expect((await patch({ op: "remove", path: "externalId" })).body).not.toHaveProperty("externalId");
  expectError(await patch({ op: "remove", path: "displayName" }), 400);
  expect((await call("PUT", path, { displayName: "viewer", members: [{ value: user.id }] })).body.members).toEqual(
    members,
  );
  for (const [verb, at] of [
    ["POST", "/Groups"],
    ["DELETE", path],
  ] as const) {
    const refused = await call(verb, at, verb === "POST" ? { displayName: "x" } : undefined);
    expectError(refused, 405);
    expect(refused.headers.get("allow")).toContain("GET");
  }
});

test("the version of a resource changes with the names that it shows of others", async () => {
  const setNames = (...names: string[]) =>
    plane.caller.call("rest", {
      method: "ScimService/SetScimGroupMapping",
      token: directory.world.tokens.admin ?? "",
      request: {
        org_id: directory.world.orgId,
        groups: names.map((display_name) => ({ role: "viewer", display_name })),
        default_role: "viewer",
      },
    });
  await setNames("Team");
  const { body } = await call("GET", `/Groups?filter=${encodeURIComponent('displayName eq "Team"')}`);
  const { body: user } = await call("POST", "/Users", { userName: addressOf("shown") });
  const group = `/Groups/${body.Resources[0].id}`;
  const own = `/Users/${user.id}`;
  const change = (path: string, operation: object) => call("PATCH", path, { Operations: [operation] });
  await change(group, { op: "add", path: "members", value: [{ value: user.id }] });
  const tag = async (path: string) => (await call("GET", path)).headers.get("etag") ?? "";
  const since = async (path: string, version: string) =>
    (await call("GET", path, undefined, { "if-none-match": version })).status;

  const groupTag = await tag(group);
  expect((await change(own, { op: "replace", path: "userName", value: addressOf("renamed") })).status).toBe(200);
  expect(await since(group, groupTag)).toBe(200);
  const userTag = await tag(own);
  expect((await change(group, { op: "replace", path: "displayName", value: "Crew" })).status).toBe(204);
  expect(await since(own, userTag)).toBe(200);
  const lastTag = await tag(own);
  await setNames();
  expect(await since(own, lastTag)).toBe(200);
});

/** An attribute of users that can be written, with the name under which operations reach it. */
interface Target {
  readonly path: string;
  readonly uri: string | undefined;
  readonly attribute: Attribute;
}

const targets: readonly Target[] = [
  ...userSchema.attributes.map((attribute) => ({ path: attribute.name, uri: undefined, attribute })),
  { path: "externalId", uri: undefined, attribute: { name: "externalId", type: "string", description: "" } },
  ...enterpriseSchema.attributes.map((attribute) => ({
    path: `${enterpriseSchema.uri}:${attribute.name}`,
    uri: enterpriseSchema.uri,
    attribute,
  })),
];

/** A value of the attribute; another one for another number. */
function sampleValue(attribute: Attribute, n: number): unknown {
  const { name, type, isMulti, sub = [] } = attribute;
  if (name === "userName") return addressOf(`name${n}`);
  if (name === "emails") return [{ value: addressOf(`mail${n}`), type: "work", primary: true }];
  if (type === "boolean") return n % 2 === 0;
  if (type !== "complex") return `text ${n}`;
  const parts = sub.filter((each) => each.type !== "boolean").map((each) => [each.name, `${each.name} ${n}`]);
  const value = Object.fromEntries(parts);
  return isMulti === true ? [value] : value;
}

describe("each attribute of users is added, replaced and removed", () => {
  let id: string;

  beforeAll(async () => {
    id = (await call("POST", "/Users", { userName: addressOf("everything") })).body.id;
  });

  const change = (operation: object) => call("PATCH", `/Users/${id}`, { Operations: [operation] });
  const read = async ({ uri, attribute }: Target) => {
    const { body } = await call(
      "GET",
      `/Users/${id}?attributes=${uri === undefined ? "" : `${uri}:`}${attribute.name}`,
    );
    return (uri === undefined ? body : (body[uri] ?? {}))[attribute.name];
  };

  test.each(targets.map((target) => [target.path, target] as const))("%s", async (path, target) => {
    const { attribute } = target;
    if (attribute.mutability !== undefined) {
      const before = await read(target);
      const answer = await change({ op: "replace", path, value: "x" });
      // A password is taken and dropped; what is read-only is refused.
      if (attribute.mutability === "readOnly") expectError(answer, 400);
      else expect(answer.status).toBe(200);
      expect(await read(target)).toEqual(before);
      return;
    }
    for (const [n, op] of ["add", "replace", "add"].entries()) {
      const value = sampleValue(attribute, n);
      // The second one comes without a path, as a member of the value.
      const operation = n === 1 && target.uri === undefined ? { op, value: { [path]: value } } : { op, path, value };
      expect((await change(operation)).status, JSON.stringify(operation)).toBe(200);
      const found = await read(target);
      if (op === "replace") expect(found).toEqual(value);
      else if (Array.isArray(value)) expect(found).toEqual(expect.arrayContaining([expect.objectContaining(value[0])]));
      else expect(found).toEqual(value);
    }
    if (attribute.type === "complex" && attribute.isMulti !== true) {
      for (const { name } of attribute.sub ?? []) {
        expect((await change({ op: "replace", path: `${path}.${name}`, value: "part" })).status).toBe(200);
        expect(await read(target)).toMatchObject({ [name]: "part" });
        expect((await change({ op: "remove", path: `${path}.${name}` })).status).toBe(200);
        expect((await read(target)) ?? {}).not.toHaveProperty(name);
      }
    }
    const removed = await change({ op: "remove", path });
    if (attribute.isRequired === true || attribute.name === "active") return expectError(removed, 400);
    expect(removed.status).toBe(200);
    // Users whose addresses the directory no longer says are shown with the address of the member, and with the name
    // of the account.
    const shown = { emails: expect.anything(), displayName: expect.anything() }[attribute.name];
    expect(await read(target)).toEqual(shown);
  });
});

// What Entra ID sends (the samples of its public tutorial on SCIM), with and without the flag aadOptscim062020.

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

test.each(["", "aadOptscim062020"])("Entra ID provisions a user and a group with the flag %j", async (flag) => {
  const { call: plain, domain } = await connectDirectory(plane);
  const call: typeof plain = (verb, path, body, headers) =>
    plain(verb, flag === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${flag}`, body, headers);
  const userName = `test.user.${domain.slice(1, 9)}@${domain}`;

  // The test of the connection asks for somebody who is not there.
  const missing = await call("GET", `/Users?filter=${encodeURIComponent('userName eq "non-existent"')}`);
  expect(missing).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } });
  const made = await call("POST", "/Users", {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User", enterprise],
    externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
    userName,
    active: true,
    emails: [{ primary: true, type: "work", value: userName }],
    meta: { resourceType: "User" },
    name: { formatted: "givenName familyName", familyName: "familyName", givenName: "givenName" },
    roles: [],
    [enterprise]: { department: "Sales", manager: "42" },
  });
  expect(made).toMatchObject({
    status: 201,
    body: { [enterprise]: { department: "Sales", manager: { value: "42" } } },
  });
  const { id } = made.body;
  const patch = (...Operations: unknown[]) => call("PATCH", `/Users/${id}`, { schemas: [patchUrn], Operations });

  const several =
    flag === ""
      ? [
          { op: "Replace", path: 'emails[type eq "work"].value', value: `updated@${domain}` },
          { op: "Replace", path: "name.familyName", value: "updatedFamilyName" },
          { op: "Add", path: `${enterprise}:employeeNumber`, value: "7" },
          { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+49 30 1" },
        ]
      : [
          { op: "replace", path: 'emails[type eq "work"].value', value: `updated@${domain}` },
          { op: "replace", value: { "name.familyName": "updatedFamilyName", [`${enterprise}:employeeNumber`]: "7" } },
          { op: "add", path: 'phoneNumbers[type eq "mobile"].value', value: "+49 30 1" },
        ];
  expect(await patch(...several)).toMatchObject({
    status: 200,
    body: {
      emails: [{ type: "work", value: `updated@${domain}`, primary: true }],
      name: { familyName: "updatedFamilyName", givenName: "givenName" },
      phoneNumbers: [{ type: "mobile", value: "+49 30 1" }],
      [enterprise]: { employeeNumber: "7", department: "Sales" },
    },
  });
  const off = { op: flag === "" ? "Replace" : "replace", path: "active", value: flag === "" ? "False" : false };
  expect((await patch(off)).body.active).toBe(false);
  // Disabled users are still found.
  const filter = encodeURIComponent(
    `externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef" and userName eq "${userName}"`,
  );
  expect((await call("GET", `/Users?filter=${filter}`)).body.totalResults).toBe(1);
  expect((await patch({ ...off, value: flag === "" ? "True" : true })).body.active).toBe(true);

  const groups = await call(
    "GET",
    `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "editor"')}`,
  );
  expect(groups.body.Resources[0]).not.toHaveProperty("members");
  const { id: group } = groups.body.Resources[0];
  const change = (operation: unknown) =>
    call("PATCH", `/Groups/${group}`, { schemas: [patchUrn], Operations: [operation] });
  expect((await change({ op: "Add", path: "members", value: [{ $ref: null, value: id }] })).status).toBe(204);
  const holding = encodeURIComponent(`id eq "${group}" and members eq "${id}"`);
  expect((await call("GET", `/Groups?excludedAttributes=members&filter=${holding}`)).body.totalResults).toBe(1);
  const removal =
    flag === ""
      ? { op: "Remove", path: "members", value: [{ $ref: null, value: id }] }
      : { op: "remove", path: `members[value eq "${id}"]` };
  expect((await change(removal)).status).toBe(204);
  expect((await call("GET", `/Groups?excludedAttributes=members&filter=${holding}`)).body.totalResults).toBe(0);
  expect((await call("DELETE", `/Users/${id}`)).status).toBe(204);
  expect((await call("GET", `/Users/${id}`)).status).toBe(404);
});

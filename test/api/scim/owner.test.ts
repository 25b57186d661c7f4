// Owners and a directory whose token an admin has issued: it may repeat what is known about them, and change nothing.

import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { caller, connectDirectory } from "./directory.ts";

let plane: TestControlPlane;

beforeAll(async () => {
  plane = await startTestControlPlane();
});

afterAll(() => plane.stop());

test("with the authority of an admin, what is known of an owner may come again, and no part of it changes", async () => {
  const { call: asOwner, world } = await connectDirectory(plane, { authority: "scim_owner" });
  const owner = await world.person("owner");
  const path = `/Users/${owner.member_id}`;
  const said = {
    userName: owner.email,
    externalId: "00u7",
    name: { givenName: "Olive" },
    displayName: "Olive",
    title: "Founder",
    emails: [{ value: owner.email, type: "work", primary: true }],
    active: true,
  };
  expect((await asOwner("PUT", path, said)).status).toBe(200);
  const asAdmin = caller(plane, world.orgId, await world.directory("scim"));
  const before = (await asAdmin("GET", path)).body;

  expect(await asAdmin("PUT", path, said)).toMatchObject({ status: 200, body: before });
  const push = (value: object) => asAdmin("PATCH", path, { Operations: [{ op: "replace", value }] });
  expect(await push({ active: true, title: "Founder" })).toMatchObject({ status: 200, body: before });
  for (const change of [
    { title: "Dr." },
    { displayName: "O." },
    { userName: `new-${owner.email}` },
    { externalId: "00u8" },
    { nickName: "O" },
    { emails: [{ value: `new-${owner.email}`, type: "work" }] },
    { active: false },
  ]) {
    const refused = await push(change);
    expect(refused, JSON.stringify(change)).toMatchObject({ status: 403, body: { status: "403" } });
    expect(refused.headers.get("x-error-code")).toBe("insufficient_scope");
  }
  expect((await asAdmin("PUT", path, { ...said, title: undefined })).status).toBe(403);
  expect((await asAdmin("DELETE", path)).status).toBe(403);
  // Nor do they get into a group, whichever role it has.
  for (const { id } of (await asAdmin("GET", "/Groups")).body.Resources) {
    const add = { op: "add", path: "members", value: [{ value: owner.member_id }] };
    expect((await asAdmin("PATCH", `/Groups/${id}`, { Operations: [add] })).status).toBe(403);
  }
  expect((await asAdmin("GET", path)).body).toEqual(before);
});

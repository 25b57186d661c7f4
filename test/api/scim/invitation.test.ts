// People whom the directory names at other domains: they are invited, and an invitation that lapses is still theirs.

import { afterAll, beforeAll, expect, test } from "vitest";
import { createRunningClock } from "../../harness/moved-clock.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { connectDirectory } from "./directory.ts";

const clock = createRunningClock();
let plane: TestControlPlane;

beforeAll(async () => {
  plane = await startTestControlPlane({ clock });
});

afterAll(() => plane.stop());

test("a lapsed invitation keeps its user, its id and its role, and is renewed by an admin or the directory", async () => {
  const { call, world, domain } = await connectDirectory(plane);
  const userName = `ada@other-${domain}`;
  const { body: made } = await call("POST", "/Users", { userName, externalId: "7" });
  const { body: groups } = await call("GET", `/Groups?filter=${encodeURIComponent('displayName eq "editor"')}`);
  const Operations = [{ op: "add", path: "members", value: [{ value: made.id }] }];
  expect((await call("PATCH", `/Groups/${groups.Resources[0].id}`, { Operations })).status).toBe(204);
  clock.pass(30 * 86_400_000);

  // The directory still knows the user: it neither gets a second one nor loses the first.
  expect((await call("GET", `/Users/${made.id}`)).body).toMatchObject({ active: true, externalId: "7" });
  expect((await call("POST", "/Users", { userName })).body).toMatchObject({ status: "409", scimType: "uniqueness" });
  const invite = (role: string) =>
    plane.caller.call("rest", {
      method: "TeamService/InviteMember",
      token: world.tokens.admin ?? "",
      request: { org_id: world.orgId, email: userName, role },
    });
  // No mail is sent here, so the admin gets the link; the role stays that of the groups.
  const invited = await invite("viewer");
  expect(invited).toMatchObject({
    status: 201,
    body: { member: { id: made.id, role: "editor", state: "invited" } },
  });
  expect((await invite("viewer")).status).toBe(409);
  expect((await call("PUT", `/Users/${made.id}`, { userName, active: true })).body).toMatchObject({ id: made.id });
});

test("an admin gets no link to an invitation that a directory of the owners has raised to owner", async () => {
  const { call, world, domain } = await connectDirectory(plane, { authority: "scim_owner" });
  await world.person("owner");
  const userName = `eve@other-${domain}`;
  const { body: made } = await call("POST", "/Users", { userName });
  const { body: groups } = await call("GET", `/Groups?filter=${encodeURIComponent('displayName eq "owner"')}`);
  const Operations = [{ op: "add", path: "members", value: [{ value: made.id }] }];
  expect((await call("PATCH", `/Groups/${groups.Resources[0].id}`, { Operations })).status).toBe(204);
  clock.pass(30 * 86_400_000);
  const invited = await plane.caller.call("rest", {
    method: "TeamService/InviteMember",
    token: world.tokens.admin ?? "",
    request: { org_id: world.orgId, email: userName, role: "viewer" },
  });
  expect(invited).toMatchObject({ status: 403, error: "insufficient_scope" });
});

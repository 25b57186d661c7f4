// Organizations that demand a second factor: what it means for sessions that are there already, in every process.

import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openSession } from "../../../src/domain/identity/session.ts";
import { totpCode, totpStep } from "../../../src/domain/identity/totp.ts";
import { tokenDigest } from "../../../src/kit/crypto/token.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { createMovedClock, type MovedClock } from "../../harness/moved-clock.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { fromBase32, somewhere } from "../../harness/vector/account-step.ts";
import { createPerson, type Person } from "../../harness/vector/person.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";
import { callAccount } from "./people.ts";

let urls: TestDatabase;
let clock: MovedClock;
let first: TestControlPlane;
let second: TestControlPlane;
let world: World;
let admin: Person;
let editor: Person;

beforeAll(async () => {
  urls = await createTestDatabase();
  clock = createMovedClock();
  first = await startTestControlPlane({ urls, clock });
  second = await startTestControlPlane({ urls, clock });
});

afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()]);
  await urls.drop();
});

beforeEach(async () => {
  world = await createWorld(first.database);
  [admin, editor] = await Promise.all([world.person("administrator"), world.person("editor")]);
});

async function setUp({ access_token: token }: Person): Promise<Buffer> {
  const { body } = await callAccount(first, "EnrolMfa", {}, { token });
  const key = fromBase32(String((body as JsonObject).secret));
  const code = totpCode(key, totpStep(clock.now()));
  expect((await callAccount(first, "ConfirmMfa", { code }, { token })).status).toBe(200);
  return key;
}

/** How the organization answers a session: its status, and its error if it has one. */
async function reach(plane: TestControlPlane, token: string | undefined, orgId = world.orgId): Promise<string> {
  const method = "OrganizationService/GetOrganization";
  const { status, body } = await plane.caller.call("rest", {
    ...{ method, token, headers: somewhere() },
    request: { org_id: orgId },
  });
  const { detail } = body as { detail?: { error?: string } };
  return detail?.error === undefined ? String(status) : `${status} ${detail.error}`;
}

async function demand(value: boolean, token: string | undefined = admin.access_token): Promise<number> {
  const request = { org_id: world.orgId, second_factor_required: value };
  const method = "OrganizationService/UpdateOrganization";
  return (await first.caller.call("rest", { method, request, token, headers: somewhere() })).status;
}

const refused = "403 second_factor_required";

test("it takes effect with the next call of every session in every process, and ends the same way", async () => {
  await setUp(admin);
  const owner = await world.person("owner");
  for (const plane of [first, second]) expect(await reach(plane, editor.access_token)).toBe("200");
  expect(await demand(true)).toBe(200);
  for (const plane of [first, second]) {
    expect(await reach(plane, editor.access_token)).toBe(refused);
    // Owners are people like others.
    expect(await reach(plane, owner.access_token)).toBe(refused);
    expect(await reach(plane, admin.access_token)).toBe("200");
    expect(await reach(plane, world.tokens.ci)).toBe("200");
  }
  expect(await demand(false)).toBe(200);
  for (const plane of [first, second]) expect(await reach(plane, editor.access_token)).toBe("200");
});

test("a process of the last release refuses the same sessions", async () => {
  const rolesOf = async ({ access_token: token }: Person) => {
    const [found] = await first.database.lookup<{ roles: JsonObject }>("find_session", [
      tokenDigest(token),
      clock.now(),
    ]);
    return found?.roles;
  };
  await setUp(admin);
  expect(await rolesOf(editor)).toEqual({ [world.orgId]: "editor" });
  expect(await demand(true)).toBe(200);
  expect(await rolesOf(editor)).toEqual({});
  expect(await rolesOf(admin)).toEqual({ [world.orgId]: "admin" });
});

test("whoever is refused keeps the account and other organizations, and is let in by setting a factor up", async () => {
  await setUp(admin);
  const token = editor.access_token;
  const made = await first.caller.call("rest", {
    ...{ method: "OrganizationService/CreateOrganization", token, headers: somewhere() },
    request: { name: "Own" },
  });
  const ownId = String((made.body as JsonObject).id);
  expect(await demand(true)).toBe(200);
  expect(await reach(second, token)).toBe(refused);
  expect(await reach(second, token, ownId)).toBe("200");
  const { body } = await callAccount(second, "GetMe", {}, { token });
  expect(
    (body as { organizations: JsonObject[] }).organizations.map((each) => [each.org_id, each.second_factor_required]),
  ).toEqual(
    expect.arrayContaining([
      [world.orgId, true],
      [ownId, false],
    ]),
  );
  const key = await setUp(editor);
  expect(await reach(second, token)).toBe("200");

  // Whoever removes the factor is out again at once, and keeps the rest.
  const code = totpCode(key, totpStep(clock.now()) + 1);
  expect((await callAccount(first, "DisableMfa", { code }, { token })).status).toBe(204);
  expect(await reach(second, token)).toBe(refused);
  expect(await reach(second, token, ownId)).toBe("200");
});

test("a session of the organization's provider goes on: its second factor is the provider's", async () => {
  await setUp(admin);
  const { database } = first;
  await database.systemTransaction(world.orgId, (tx) =>
    tx.sql(
      `insert into sso_configuration (org_id, issuer, client_id, "join", default_role, role_mapping, enforced,
         created_at, updated_at, sessions_since)
       values (?, 'https://idp.example', 'c', 'invitation', 'viewer', '{}', false, ?, ?, ?)`,
      [world.orgId, clock.now(), clock.now(), clock.now()],
    ),
  );
  const origin = { address: "192.0.2.2", userAgent: "tests" };
  const session = await database.accountTransaction(editor.account_id, (tx) =>
    openSession(tx, "sso", origin, { providerOrgId: world.orgId }),
  );
  if (session.kind !== "tokens") throw new Error("tokens were asked for");
  expect(await demand(true)).toBe(200);
  expect(await reach(second, editor.access_token)).toBe(refused);
  expect(await reach(second, session.accessToken)).toBe("200");
});

test("a newcomer joins, and is asked for a second factor before anything else", async () => {
  await setUp(admin);
  expect(await demand(true)).toBe(200);
  const newcomer = await createPerson(first.database, { orgId: world.orgId, role: "viewer" });
  expect(await reach(first, newcomer.access_token)).toBe(refused);
  await setUp(newcomer);
  expect(await reach(first, newcomer.access_token)).toBe("200");
});

test("the demand is in the log of evidence, with who made it", async () => {
  await setUp(admin);
  expect(await demand(true)).toBe(200);
  const { entries } = await first.recorded(world.orgId);
  const entry = entries.find(({ action }) => action === "organization.update");
  expect(entry?.openings.actor).toContain(admin.email);
  expect(entry?.openings.before).toContain('"second_factor_required":false');
  expect(entry?.openings.after).toContain('"second_factor_required":true');
});

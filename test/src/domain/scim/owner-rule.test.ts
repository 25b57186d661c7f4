// Owners hear of what a directory without their authority tries.

import { afterAll, beforeAll, expect, it } from "vitest";
import type { MailMessage, TransactionalMailer } from "../../../../src/domain/mail/mail.ts";
import { assertMayTouch, tellingOwners } from "../../../../src/domain/scim/owner-rule.ts";
import { Organizations } from "../../../../src/domain/tenancy/organization.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createPerson, memberCaller } from "../../../harness/vector/person.ts";
import { createWorld } from "../../../harness/vector/world.ts";

let urls: TestDatabase;
let database: Database;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
});

afterAll(async () => {
  await database.close();
  await urls.drop();
});

it("a refused change about an owner is told once an hour to owners and the address for security, not to admins", async () => {
  const { orgId } = await createWorld(database);
  const owner = await createPerson(database, { orgId, role: "owner" });
  await createPerson(database, { orgId, role: "admin" });
  const securityEmail = "security@acme.example";
  await new Organizations(database).update(memberCaller(owner, orgId, "owner"), { securityEmail });
  const sent: MailMessage[] = [];
  const mailer: TransactionalMailer = { sendWithin: async (_tx, message) => void sent.push(message) };
  const attempt = () =>
    tellingOwners(database, { orgId, mailer }, async () =>
      assertMayTouch({ role: "admin", member: undefined }, owner.email, ["owner"]),
    );
  for (let tries = 0; tries < 2; tries++) {
    await expect(attempt()).rejects.toThrow(/is an owner/);
    expect(sent.map(({ to }) => to).sort()).toEqual([owner.email, securityEmail].sort());
  }
  expect(sent[0]?.text).toContain(owner.email);
});

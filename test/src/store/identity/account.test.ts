// What a transaction reaches of the tables about people, by row-level security alone.

import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../../src/kit/process/id.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { AccountRow, findAccount } from "../../../../src/store/identity/account.ts";
import { accountTables } from "../../../../src/store/identity/account-table.ts";
import { countHit } from "../../../../src/store/identity/address-limit.ts";
import { beginTry } from "../../../../src/store/identity/login-failure.ts";
import { listMemberAccounts, lookUpMemberships, MemberRow } from "../../../../src/store/identity/member.ts";
import { OneTimeTokenRow } from "../../../../src/store/identity/one-time-token.ts";
import { replaceRecoveryCodes } from "../../../../src/store/identity/recovery-code.ts";
import { SessionRow, SessionTokenRow } from "../../../../src/store/identity/session.ts";
import { OrganizationRow } from "../../../../src/store/tenancy/organization.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";

const author = {
  credential: { id: "c", label: "ada@example.com" },
  audit: { action: "x", requestId: "r", address: "" },
};
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

/** An account with a row in every table, and an organization that it owns. */
async function createPerson(): Promise<{ accountId: string; orgId: string }> {
  const [accountId, orgId] = [newId(), newId()];
  const email = `${accountId}@example.com`;
  await database.accountTransaction(accountId, async (tx) => {
    const times = { createdAt: tx.now, updatedAt: tx.now };
    tx.em.create(AccountRow, { id: accountId, email, emailKey: email, name: "Ada", ...times });
    await tx.em.flush();
    const sessionId = newId();
    const life = { createdAt: tx.now, expiresAt: tx.now };
    const origin = { method: "password" as const, address: "", userAgent: "" };
    tx.em.create(SessionRow, { id: sessionId, accountId, ...origin, ...life, lastUsedAt: tx.now });
    await tx.em.flush();
    const token = { accountId, expiresAt: tx.now };
    tx.em.create(SessionTokenRow, { digest: randomBytes(32), sessionId, kind: "access", ...token });
    tx.em.create(OneTimeTokenRow, {
      digest: randomBytes(32),
      purpose: "reset",
      payload: {},
      createdAt: tx.now,
      ...token,
    });
    await replaceRecoveryCodes(tx, [randomBytes(32)]);
    const organization = await tx.openOrganization(orgId, author);
    tx.em.create(OrganizationRow, { id: orgId, name: "Analytical", ...times });
    await tx.em.flush();
    const role = { role: "owner" as const, state: "active" as const };
    tx.em.create(MemberRow, { orgId, id: newId(), accountId, email, emailKey: email, ...role, ...times });
    organization.changed({ resource: `organization/${orgId}`, before: null, after: {} });
  });
  await beginTry(database, randomBytes(32), new Date());
  await countHit(database, accountId, new Date(), { aMinute: 1, anHour: 1 });
  return { accountId, orgId };
}

const ownTables = accountTables.filter((name) => name !== "login_failure" && name !== "address_limit");

describe("row-level security of the tables about people", () => {
  test("a transaction of an account sees its rows and nobody else's", async () => {
    const [ada] = [await createPerson(), await createPerson()];
    await database.accountTransaction(ada.accountId, async (tx) => {
      for (const table of ownTables) {
        const column = table === "account" ? "id" : "account_id";
        const rows = await tx.sql<{ owner: string }>(`select distinct ${column} as owner from ${table}`);
        expect(rows, table).toEqual([{ owner: ada.accountId }]);
      }
      expect(await tx.sql("select from member union all select from organization")).toEqual([]);
    });
  });

  test("a transaction of an organization sees none of them, not even those of its own members", async () => {
    const { orgId, accountId } = await createPerson();
    await database.systemTransaction(orgId, async (tx) => {
      for (const table of ownTables) expect(await tx.sql(`select from ${table}`), table).toEqual([]);
      expect(await listMemberAccounts(tx)).toEqual([
        { account_id: accountId, name: "Ada", email: `${accountId}@example.com`, mfa_enabled: false },
      ]);
    });
  });

  test("nothing is written for another account", async () => {
    const [ada, eve] = [await createPerson(), await createPerson()];
    await database.accountTransaction(eve.accountId, async (tx) => {
      for (const table of ownTables) {
        const column = table === "account" ? "id" : "account_id";
        expect(await tx.sql(`delete from ${table} where ${column} = ? returning 1`, [ada.accountId]), table).toEqual(
          [],
        );
      }
    });
    const forged = database.accountTransaction(eve.accountId, (tx) =>
      tx.sql("insert into recovery_code (account_id, digest) values (?, ?)", [ada.accountId, randomBytes(32)]),
    );
    await expect(forged).rejects.toThrow(/row-level security/);
  });

  test.each(["login_failure", "address_limit"])("%s is out of reach of the application's login", async (table) => {
    await createPerson();
    const client = new pg.Client({ connectionString: urls.applicationUrl });
    await client.connect();
    for (const statement of [`select * from ${table}`, `delete from ${table}`, `truncate ${table}`]) {
      await expect(client.query(statement), statement).rejects.toThrow(/permission denied/);
    }
    await client.end();
  });

  test("the rows of an account that a transaction opened go out of sight with its end", async () => {
    const { orgId, accountId } = await createPerson();
    const seen = await database.systemTransaction(orgId, async (tx) => findAccount(await tx.openAccount(accountId)));
    expect(seen?.id).toBe(accountId);
    const later = await Promise.all(
      Array.from({ length: 8 }, () => database.systemTransaction(orgId, (tx) => tx.sql("select from account"))),
    );
    expect(later).toEqual(later.map(() => []));
  });
});

describe("the audit entries of a change to an account", () => {
  test("stand in the log of each organization that it is an active member of, and in no other", async () => {
    const { orgId, accountId } = await createPerson();
    const stranger = await createPerson();
    const second = newId();
    await database.systemTransaction(second, async (tx) => {
      const times = { createdAt: tx.now, updatedAt: tx.now };
      tx.em.create(OrganizationRow, { id: second, name: "Second", ...times });
      await tx.em.flush();
      const role = { role: "viewer" as const, state: "active" as const };
      tx.em.create(MemberRow, { orgId: second, id: newId(), accountId, email: "a", emailKey: "a", ...role, ...times });
    });
    expect((await lookUpMemberships(database, accountId)).map((row) => row.org_id).toSorted()).toEqual(
      [orgId, second].toSorted(),
    );
    const change = { resource: `account/${accountId}`, before: null, after: null };
    await database.accountTransaction(accountId, async (tx) => tx.changed(author, change));
    const resources = (id: string) =>
      database.read(id, async (tx) =>
        (await tx.sql<{ resource: string }>("select resource from audit_entry order by seq")).map(
          (row) => row.resource,
        ),
      );
    expect(await resources(orgId)).toEqual([`organization/${orgId}`, `account/${accountId}`]);
    expect(await resources(second)).toEqual([`account/${accountId}`]);
    expect(await resources(stranger.orgId)).toEqual([`organization/${stranger.orgId}`]);
  });
});

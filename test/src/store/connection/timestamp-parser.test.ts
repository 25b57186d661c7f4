import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Tokens } from "../../../../src/domain/identity/token.ts";
import { Organizations } from "../../../../src/domain/tenancy/organization.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { adminCaller } from "../../../harness/vector/world.ts";

describe("readTimestampsAsDates()", () => {
  let urls: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  it("gives plain SQL dates to compare with, to the millisecond", async () => {
    const { id } = await new Organizations(database).create({ name: "Test" });
    const rows = await database.read(id, (tx) =>
      tx.sql<{ at: Date; none: Date | null }>(
        "select '2026-03-01 13:00:00.123+01'::timestamptz as at, null::timestamptz as none",
      ),
    );
    expect(rows).toEqual([{ at: new Date("2026-03-01T12:00:00.123Z"), none: null }]);
  });

  it("lets a token live until it expires and no longer", async () => {
    const { id } = await new Organizations(database).create({ name: "Test" });
    const tokens = new Tokens(database);
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { value } = await tokens.issue(adminCaller(id), "admin", { name: "short", expiresAt });
    expect(await tokens.authenticate(value, new Date(expiresAt.getTime() - 1))).toMatchObject({ orgId: id });
    expect(await tokens.authenticate(value, expiresAt)).toBeUndefined();
  });
});

// Row-level security stands behind the scoped queries: these reach around the queries on purpose.

import { MikroORM } from "@mikro-orm/postgresql";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Projects } from "../../../../src/domain/project/project.ts";
import { Organizations } from "../../../../src/domain/tenancy/organization.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { ormOptions } from "../../../../src/store/connection/orm.ts";
import { ProjectRow } from "../../../../src/store/project/project.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { adminCaller } from "../../../harness/vector/world.ts";

describe("row-level security", () => {
  let urls: TestDatabase;
  let database: Database;
  let own: string;
  let other: string;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    [own, other] = [await organizationWithProject("Own"), await organizationWithProject("Other")];
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  async function organizationWithProject(name: string): Promise<string> {
    const { id } = await new Organizations(database).create({ name });
    await new Projects(database).create(adminCaller(id), { name });
    return id;
  }

  it("shows one organization's rows, whatever the query asks for", async () => {
    const rows = await database.read(own, (tx) => tx.sql<{ org_id: string }>("select org_id from project"));
    expect(rows).toEqual([{ org_id: own }]);
    const asked = await database.read(own, (tx) => tx.em.find(ProjectRow, { orgId: other }));
    expect(asked).toEqual([]);
  });

  it("takes no row of another organization", async () => {
    const stolen = database.systemTransaction(own, (tx) =>
      tx.sql("update project set org_id = ? where org_id = ?", [other, own]),
    );
    await expect(stolen).rejects.toThrow(/row-level security/);
    const planted = database.systemTransaction(own, (tx) =>
      tx.sql("insert into audit_head (org_id, size) values (?, 1)", [other]),
    );
    await expect(planted).rejects.toThrow(/row-level security/);
  });

  it("changes no row of another organization", async () => {
    await database.systemTransaction(own, (tx) =>
      tx.sql("update project set name = 'taken' where org_id = ?", [other]),
    );
    await database.systemTransaction(own, (tx) => tx.sql("delete from project where org_id = ?", [other]));
    const rows = await database.read(other, (tx) => tx.sql<{ name: string }>("select name from project"));
    expect(rows).toEqual([{ name: "Other" }]);
  });

  it("shows nothing to a query outside of a transaction", async () => {
    const orm = await MikroORM.init(ormOptions({ url: urls.applicationUrl, poolSize: 1 }));
    try {
      const em = orm.em.fork({ session: { variables: { "app.org_id": own } } });
      // Kysely outside of a transaction knows nothing of the session's organization.
      expect(await em.getKysely<{ project: { id: string } }>().selectFrom("project").select("id").execute()).toEqual(
        [],
      );
      expect(await orm.em.fork().execute("select id from project")).toEqual([]);
    } finally {
      await orm.close(true);
    }
  });

  it("leaves no organization behind on a connection", async () => {
    const single = await openDatabase({ url: urls.applicationUrl, poolSize: 1 });
    try {
      await single.read(own, (tx) => tx.sql("select 1"));
      expect(await single.lookup("find_token", [Buffer.alloc(32)])).toEqual([]);
      const rows = await single.read(other, (tx) => tx.sql<{ org_id: string }>("select org_id from project"));
      expect(rows).toEqual([{ org_id: other }]);
    } finally {
      await single.close();
    }
  });

  it.each(["migrationUrl"] as const)("is not gone around by the login of %s", async (login) => {
    await expect(openDatabase({ url: urls[login], poolSize: 1 })).rejects.toThrow(
      "row-level security would not hold it",
    );
  });

  it("holds the worker's login as well", async () => {
    const worker = new pg.Client({ connectionString: urls.workerUrl });
    await worker.connect();
    try {
      expect((await worker.query("select id from project")).rows).toEqual([]);
    } finally {
      await worker.end();
    }
  });

  it("lets nobody rewrite the record of changes", async () => {
    const rewrite = database.systemTransaction(own, (tx) => tx.sql("update audit_entry set action = 'none'"));
    await expect(rewrite).rejects.toThrow(/permission denied/);
    const erase = database.systemTransaction(own, (tx) => tx.sql("delete from audit_entry"));
    await expect(erase).rejects.toThrow(/permission denied/);
  });
});

describe("a deadlock", () => {
  it("is tried again, so that both transactions happen", async () => {
    const urls = await createTestDatabase();
    const database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    try {
      const { id } = await new Organizations(database).create({ name: "Deadlock" });
      const projects = new Projects(database);
      const first = await projects.create(adminCaller(id), { name: "a" });
      const second = await projects.create(adminCaller(id), { name: "b" });
      const bothLocked = meeting(2);
      const rename = (order: readonly string[], mark: string) =>
        database.systemTransaction(id, async (tx) => {
          for (const projectId of order) {
            await tx.sql("update project set description = ? where org_id = ? and id = ?", [mark, id, projectId]);
            await bothLocked();
          }
        });
      await Promise.all([rename([first.id, second.id], "one"), rename([second.id, first.id], "two")]);
      const rows = await database.read(id, (tx) => tx.sql<{ description: string }>("select description from project"));
      expect(new Set(rows.map((row) => row.description)).size).toBe(1);
    } finally {
      await database.close();
      await urls.drop();
    }
  });
});

/** Resolves for the first callers when `count` of them have come, and at once for whoever comes later. */
function meeting(count: number): () => Promise<void> {
  const everybody = Promise.withResolvers<void>();
  let present = 0;
  return () => {
    present += 1;
    if (present >= count) everybody.resolve();
    return everybody.promise;
  };
}

import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { insertByColumns, runBound } from "../../../../src/store/core/bulk.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createWorld } from "../../../harness/vector/world.ts";

describe("rows that are inserted by columns", () => {
  let urls: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    urls = await createTestDatabase();
    const owner = new pg.Client({ connectionString: urls.migrationUrl });
    await owner.connect();
    await owner.query(
      `create table bulk_row (place serial, org uuid, id uuid, name text, size int, kind smallint,
         made_at timestamptz(3), labels text[], is_right boolean, digest bytea, content bytea);
       grant all on bulk_row, bulk_row_place_seq to public`,
    );
    await owner.end();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  it("have the values that were given, in their order", async () => {
    const { orgId } = await createWorld(database);
    const texts = ["", "NULL", null, 'a "b" \\ {c},d', "e\n'f'", "é😀", "null", " g "];
    const rows = texts.map((name, index) => ({
      id: randomUUID(),
      name,
      size: index === 1 ? null : index - 2 ** 31,
      kind: index - 3,
      labels: [[], ["a"], ["", "NULL"], [...texts.filter((text) => text !== null)]][index % 4] ?? [],
      isRight: index === 3 ? null : index % 2 === 0,
      digest: index === 4 ? null : Buffer.from([index, 0, 255, 92]),
      madeAt: index === 2 ? null : new Date(1_700_000_000_123 + index),
      content: Buffer.from("x\0\xff".repeat(index), "latin1"),
    }));
    const stored = await database.systemTransaction(orgId, async (tx) => {
      await insertByColumns(tx, {
        table: "bulk_row",
        common: [{ name: "org", type: "uuid", value: orgId }],
        columns: [
          { name: "id", type: "uuid", values: rows.map(({ id }) => id) },
          { name: "name", type: "text", values: rows.map(({ name }) => name) },
          { name: "size", type: "int", values: rows.map(({ size }) => size) },
          { name: "kind", type: "smallint", values: rows.map(({ kind }) => kind) },
          { name: "labels", type: "text[]", values: rows.map(({ labels }) => labels) },
          { name: "is_right", type: "boolean", values: rows.map(({ isRight }) => isRight) },
          { name: "digest", type: "hex", values: rows.map(({ digest }) => digest) },
          { name: "made_at", type: "timestamptz", values: rows.map(({ madeAt }) => madeAt) },
        ],
        bytes: { name: "content", values: rows.map(({ content }) => content) },
      });
      return runBound(
        tx,
        `select org, id, name, size, kind, made_at as "madeAt", labels, is_right as "isRight", digest, content
         from bulk_row order by place`,
        [],
      );
    });
    expect(stored).toEqual(rows.map((row) => ({ org: orgId, ...row })));
  });
});

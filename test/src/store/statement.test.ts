// Several servers may share the tables by organization, as row policies do already: whoever asks has to say of which.
// So every statement about an organization's rows names it.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";

const sources = join(import.meta.dirname, "..", "..", "..", "src");
const files = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith(join("store", "schema", "migrations")))
  // It knows no database: test/layers.test.ts holds that.
  .filter((file) => !file.startsWith("platform"))
  .map((file) => ({ file, text: readFileSync(join(sources, file), "utf8") }));

/** Text in backticks, or in double quotes on a line. */
const literals = /`((?:[^`\\]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/g;
const namedTables = /\b(?:from|join|into|update|using)\s+(?:only\s+)?(?:public\.)?"?([a-z_]+)"?/g;
/** A function of the schema `app`, which sees all organizations: src/store/schema/functions.ts says why each does. */
const definesFunction = /^\s*create or replace function/;
/** A look-up or a change by the entity manager. */
const entityCalls = /\bem\.(?:find|findOne|findOneOrFail|findAll|findAndCount|count|nativeDelete|nativeUpdate)\(/g;
const functionStarts = /^(?:export |async |function | {2}(?:async |#?[a-z]\w*\())/gm;
const functionEnd = /\n(?: {2})?\}\n/;

/** The function around a place of a file. */
function functionAround(text: string, at: number): string {
  const start = [...text.slice(0, at).matchAll(functionStarts)].at(-1)?.index ?? 0;
  return text.slice(start, at + Math.max(0, text.slice(at).search(functionEnd)));
}

describe("statements", () => {
  let database: TestDatabase;
  let tables: ReadonlySet<string>;

  beforeAll(async () => {
    database = await createTestDatabase();
    const owner = new pg.Client({ connectionString: database.migrationUrl });
    await owner.connect();
    const { rows } = await owner.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
       where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`,
    );
    tables = new Set(rows.map(({ name }) => name));
    await owner.end();
  });

  afterAll(() => database.drop());

  it("in SQL name the organization, themselves or by conditions that their file makes", () => {
    let read = 0;
    const without = files.flatMap(({ file, text }) =>
      [...text.matchAll(literals)].flatMap(([, long, short]) => {
        const literal = long ?? short ?? "";
        const isStatement = /\b(?:select|insert|update|delete)\b/.test(literal) && !definesFunction.test(literal);
        const named = [...literal.matchAll(namedTables)].filter(([, table = ""]) => tables.has(table));
        if (!isStatement || named.length === 0) return [];
        read += 1;
        const isMade = /\bwhere\s+\$\{/.test(literal) && /\borg_id\b/.test(text);
        return /\borg_id\b/.test(literal) || isMade ? [] : [`${file}: ${literal}`];
      }),
    );
    expect(read).toBeGreaterThan(200);
    expect(without).toEqual([]);
  });

  it("by entities name the organization, or the account of a person", () => {
    const calls = files.flatMap(({ file, text }) =>
      [...text.matchAll(entityCalls)].map(({ index }) => ({ file, body: functionAround(text, index) })),
    );
    expect(calls.length).toBeGreaterThan(100);
    expect(calls.filter(({ body }) => !/\borgId\b|\baccountId\b/.test(body))).toEqual([]);
  });
});

// The rows of organizations, as the tests' own eyes see them: what they are, and whose of them another organization's
// transaction sees.

import type pg from "pg";
import type { Database } from "../../../src/store/connection/database.ts";

/** Digest of an organization's rows, by table. */
export type Checksums = Readonly<Record<string, string>>;

const checksumTexts = new WeakMap<pg.Client, Promise<string>>();

/**
 * Digest of every row that the organization has, by table. When a token was last used is left out: each call changes
 * it. Planning a question about every table takes ten times as long as its answer, so it is planned once for each
 * witness.
 */
export async function checksums(witness: pg.Client, orgId: string): Promise<Checksums> {
  const known = checksumTexts.get(witness) ?? checksumText(witness);
  checksumTexts.set(witness, known);
  const { rows } = await witness.query({ name: "checksums", text: await known, values: [orgId] });
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}

async function checksumText(witness: pg.Client): Promise<string> {
  const { rows } = await witness.query<{ name: string }>(tenantTablesText);
  const parts = rows.map(
    ({ name }) =>
      `select '${name}' as name, md5(coalesce(string_agg(line, ' ' order by line), '')) as sum
       from (select (to_jsonb(t) - 'last_used_at')::text as line from ${name} t where ${owner(name)} = $1) lines`,
  );
  return parts.join(" union all ");
}

/** Tables in which a transaction of one organization sees or changes rows of another. */
export async function leakingTables(database: Database, orgId: string, otherId: string): Promise<string[]> {
  const leaking: string[] = [];
  for (const table of await tenantTables(database, orgId)) {
    const seen = await database.read(orgId, (tx) =>
      tx.sql(`select 1 as seen from ${table} where ${owner(table)} = ? limit 1`, [otherId]),
    );
    if (seen.length > 0) leaking.push(table);
  }
  return leaking;
}

/** Tables with rows of the organization. */
export async function filledTables(witness: pg.Client, orgId: string): Promise<string[]> {
  const empty = "d41d8cd98f00b204e9800998ecf8427e"; // MD5 of nothing
  const sums = await checksums(witness, orgId);
  return Object.keys(sums).filter((table) => sums[table] !== empty);
}

const tablesOf = new WeakMap<Database, Promise<string[]>>();

/**
 * Every table whose rows belong to an organization; partitions are seen through their parents. Looked up once: no test
 * makes one.
 */
export function tenantTables(database: Database, orgId: string): Promise<string[]> {
  const known = tablesOf.get(database) ?? findTables(database, orgId);
  tablesOf.set(database, known);
  return known;
}

async function findTables(database: Database, orgId: string): Promise<string[]> {
  const rows = await database.read(orgId, (tx) => tx.sql<{ name: string }>(tenantTablesText));
  return rows.map(({ name }) => name);
}

const tenantTablesText = `
  select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and has_table_privilege(c.oid, 'select')
    and (c.relname = 'organization' or exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped))
  order by 1`;

function owner(table: string): string {
  return table === "organization" ? "id" : "org_id";
}

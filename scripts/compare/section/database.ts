// The schema of the database, as PostgreSQL tells it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Json } from "../json.ts";
import type { Installation } from "../process/installation.ts";
import type { Recording } from "../recording.ts";

const own = "n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')";

/**
 * Kinds of objects; each row is a name and what it is. The objects of extensions and internal triggers are left out.
 */
const queries: Readonly<Record<string, string>> = {
  relation: `select n.nspname || '.' || c.relname as name,
      json_build_array(c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity, c.relispartition, r.rolname,
        c.reloptions, array(select x::text from unnest(c.relacl) x order by 1), obj_description(c.oid, 'pg_class')) as value
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.oid = c.relowner where ${own}`,
  column: `select n.nspname || '.' || c.relname || '.' || a.attname as name,
      json_build_array(a.attnum, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attidentity,
        a.attgenerated, a.attstorage, a.attcompression, a.attacl::text) as value
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where ${own} and a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'v', 'm', 'f')`,
  index: `select n.nspname || '.' || c.relname as name, json_build_array(pg_get_indexdef(c.oid)) as value
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${own} and c.relkind in ('i', 'I')`,
  constraint: `select n.nspname || '.' || coalesce(c.relname, t.typname) || '.' || k.conname as name,
      json_build_array(pg_get_constraintdef(k.oid), k.condeferrable, k.condeferred, k.convalidated) as value
    from pg_constraint k join pg_namespace n on n.oid = k.connamespace
    left join pg_class c on c.oid = k.conrelid left join pg_type t on t.oid = k.contypid where ${own}`,
  function: `select n.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as name,
      json_build_array(pg_get_functiondef(p.oid), r.rolname, array(select x::text from unnest(p.proacl) x order by 1)) as value
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_roles r on r.oid = p.proowner where ${own} and p.prokind in ('f', 'p')`,
  policy: `select schemaname || '.' || tablename || '.' || policyname as name,
      json_build_array(permissive, roles, cmd, qual, with_check) as value from pg_policies`,
  trigger: `select n.nspname || '.' || c.relname || '.' || t.tgname as name, json_build_array(pg_get_triggerdef(t.oid)) as value
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace where ${own} and not t.tgisinternal`,
  sequence: `select schemaname || '.' || sequencename as name,
      json_build_array(data_type::text, start_value, min_value, max_value, increment_by, cycle) as value from pg_sequences`,
  type: `select n.nspname || '.' || t.typname as name,
      json_build_array(t.typtype, array(select enumlabel::text from pg_enum e where e.enumtypid = t.oid order by enumsortorder)) as value
    from pg_type t join pg_namespace n on n.oid = t.typnamespace where ${own} and t.typtype in ('e', 'd')`,
  schema: `select n.nspname as name, json_build_array(r.rolname, array(select x::text from unnest(n.nspacl) x order by 1)) as value
    from pg_namespace n join pg_roles r on r.oid = n.nspowner where ${own} and n.nspname !~ '^pg_temp|^pg_toast_temp'`,
  extension: "select extname as name, json_build_array(extversion) as value from pg_extension",
  role: `select rolname as name, json_build_array(rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolbypassrls, rolconnlimit,
      rolconfig) as value from pg_roles where rolname !~ '^pg_'`,
  setting: `select coalesce(d.datname, '') || ' ' || coalesce(r.rolname, '') as name, to_json(s.setconfig) as value
    from pg_db_role_setting s left join pg_database d on d.oid = s.setdatabase left join pg_roles r on r.oid = s.setrole`,
};

/** Records the schema of an installation's own database. */
export async function recordDatabase({ dataFolder }: Installation, recording: Recording): Promise<void> {
  const record: { port: number; passwords: { superuser: string } } = JSON.parse(
    readFileSync(join(dataFolder, "postgres.json"), "utf8"),
  );
  const client = new pg.Client({
    host: "127.0.0.1",
    port: record.port,
    user: "postgres",
    password: record.passwords.superuser,
    database: "policy_guard",
  });
  await client.connect();
  try {
    for (const [kind, sql] of Object.entries(queries)) {
      const { rows } = await client.query<{ name: string; value: Json }>(`${sql} order by 1`);
      recording.addAll(
        "database",
        rows.map(({ name, value }) => [`${kind} ${name}`, value]),
      );
    }
  } finally {
    await client.end();
  }
}

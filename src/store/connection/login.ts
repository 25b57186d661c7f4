// Who the database knows us as. Row-level security holds neither a superuser nor the owner of the tables.

import type { MikroORM } from "@mikro-orm/postgresql";
import type pg from "pg";

/** Refuses a login that could bypass row-level security. */
export async function assertSubjectToRowLevelSecurity(orm: MikroORM, variable: string): Promise<void> {
  const rows = await orm.em.execute<{ name: string; above: boolean }[]>(
    `select current_user as name,
            r.rolsuper or r.rolbypassrls
              or exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                         where n.nspname = 'public' and c.relkind in ('r', 'p')
                           and pg_has_role(c.relowner, 'member')) as above
     from pg_roles r where r.rolname = current_user`,
  );
  const login = rows[0];
  if (login === undefined || login.above) {
    throw new Error(
      `the database login ${login?.name ?? "?"} is a superuser, has BYPASSRLS or owns the tables, so row-level security ` +
        `would not hold it; set ${variable} to the application's own login`,
    );
  }
}

/** Refuses a login that may not work on the job queue. One that does not exist yet is the migration's to make. */
export async function assertWorksOnQueue(pool: pg.Pool, variable: string): Promise<void> {
  const { rows } = await pool.query<{ name: string; may: boolean }>(
    `select current_user as name, has_schema_privilege(oid, 'create') as may
     from pg_namespace where nspname = 'graphile_worker'`,
  );
  const [login] = rows;
  if (login?.may === false) {
    throw new Error(
      `the database login ${login.name} may not work on the job queue; set ${variable} to the worker's own login`,
    );
  }
}

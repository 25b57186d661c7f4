// The database roles of the product. Operators of their own PostgreSQL create them with the SQL below; the embedded
// server does the same.

/** Owns the database and its tables; only migrations log in as it. */
export const ownerRole = "policy_guard_owner";
/** The control plane's login: no owner, no superuser, subject to row-level security. */
export const applicationRole = "policy_guard_app";
/** The worker's login: owns the job queue's schema, subject to row-level security on everything else. */
export const workerRole = "policy_guard_worker";
/** Cannot log in. Owns the look-up functions that run before the organization is known. */
export const lookupRole = "policy_guard_lookup";

/** A role that can log in, with its password. */
export interface LoginPasswords {
  readonly owner: string;
  readonly application: string;
  readonly worker: string;
}

/** SQL that a superuser runs once per cluster. Running it again only renews the passwords. */
export function createRolesSql(passwords: LoginPasswords): string {
  return [
    createRole(ownerRole, `login password ${literal(passwords.owner)}`),
    createRole(applicationRole, `login password ${literal(passwords.application)}`),
    createRole(workerRole, `login password ${literal(passwords.worker)}`),
    createRole(lookupRole, "nologin"),
    `grant ${workerRole} to ${ownerRole} with inherit false, set true;`,
    `grant ${lookupRole} to ${ownerRole} with inherit false, set true;`,
  ].join("\n");
}

/** SQL that a superuser runs once per database. */
export function prepareDatabaseSql(database: string): string {
  const name = `"${database.replaceAll('"', '""')}"`;
  return [
    `alter database ${name} owner to ${ownerRole};`,
    `revoke all on database ${name} from public;`,
    `grant connect on database ${name} to ${applicationRole};`,
    `grant connect, create on database ${name} to ${workerRole};`,
  ].join("\n");
}

function createRole(role: string, attributes: string): string {
  const restrictions = "nosuperuser nocreatedb nocreaterole noreplication nobypassrls";
  return `do $$ begin
  if not exists (select from pg_roles where rolname = '${role}') then create role ${role}; end if;
end $$;
alter role ${role} ${restrictions} ${attributes};`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

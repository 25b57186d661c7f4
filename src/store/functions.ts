// SQL functions of the schema `app`, created anew by every migration run. Look-ups work before the organization is known:
// they belong to a role that cannot log in and that a policy lets read exactly the tables concerned (rows of all
// organizations). Each has a fixed search_path, returns no more than its caller needs, and is granted to the logins that
// call it.

import { applicationRole, lookupRole, workerRole } from "./roles.ts";

/** A function with the role that owns it and the roles that may call it. */
export interface SqlFunction {
  /** Name and argument types, as in "find_token(bytea)". */
  readonly signature: string;
  readonly owner: string;
  readonly callers: readonly string[];
  /** `returns … language … as …`, following the signature with named arguments. */
  readonly create: string;
}

const definer = "security definer set search_path = pg_catalog, public";

/** Every function of the schema `app`. */
export const functions: readonly SqlFunction[] = [
  {
    signature: "find_token(bytea)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_token(wanted bytea)
      returns table (org_id uuid, id uuid, kind text, prefix text, project_id uuid, environment text, expires_at timestamptz)
      language sql stable ${definer} as $$
        select t.org_id, t.id, t.kind, t.prefix, t.project_id, t.environment, t.expires_at
        from public.token t where t.digest = wanted and t.revoked_at is null
      $$`,
  },
  {
    signature: "activations_issued_before(timestamptz)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.activations_issued_before(moment timestamptz)
      returns table (org_id uuid, environment_id uuid)
      language sql stable ${definer} as $$
        select a.org_id, a.environment_id from public.activation a
        where a.issued_at < moment and not exists (
          select from public.activation newer
          where newer.org_id = a.org_id and newer.environment_id = a.environment_id
            and newer.activation_seq > a.activation_seq)
      $$`,
  },
  {
    // graphile_worker belongs to the worker; the application may add jobs and nothing else.
    signature: "enqueue(text, json, timestamptz, text)",
    owner: workerRole,
    callers: [applicationRole, workerRole],
    create: `create or replace function app.enqueue(task text, payload json, run_at timestamptz, job_key text)
      returns void language sql ${definer} as $$
        select graphile_worker.add_job(task, payload := payload, run_at := run_at, job_key := job_key, max_attempts := 25)
      $$`,
  },
];

/** Tables whose rows of all organizations the look-up role may read. */
export const lookupTables: readonly string[] = ["token", "activation"];

/** SQL that creates a function as its owner. */
export function createFunctionSql({ signature, owner, callers, create }: SqlFunction): string[] {
  return [
    `set role ${owner}`,
    create,
    `revoke all on function app.${signature} from public`,
    ...callers.map((role) => `grant execute on function app.${signature} to ${role}`),
    "reset role",
  ];
}

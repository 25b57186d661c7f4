// Functions that find secrets that are sealed with another than the first master key and belong to no organization:
// those of accounts, and mails in the job queue.

import { lookupRole, workerRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";

const definer = "security definer set search_path = pg_catalog, public";
const waitingMails = `graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
  where t.identifier = 'send-mail'`;

/** Functions about sealed secrets. */
export const sealFunctions: readonly SqlFunction[] = [
  {
    signature: "accounts_sealed_otherwise(bytea, uuid, int)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.accounts_sealed_otherwise(wanted_prefix bytea, after uuid, most int)
      returns table (id uuid)
      language sql stable ${definer} as $$
        select a.id from public.account a
        where a.mfa_secret_sealed is not null and a.id > after
          and substring(a.mfa_secret_sealed for length(wanted_prefix)) <> wanted_prefix
        order by a.id limit most
      $$`,
  },
  {
    signature: "mails_sealed_otherwise(bytea, bigint, int)",
    owner: workerRole,
    callers: [workerRole],
    create: `create or replace function app.mails_sealed_otherwise(wanted_prefix bytea, after bigint, most int)
      returns table (job_id text, mail_id text, sealed text)
      language sql stable ${definer} as $$
        select j.id::text, j.payload->>'id', j.payload->>'sealed' from ${waitingMails}
          and j.id > after
          and substring(decode(j.payload->>'sealed', 'base64') for length(wanted_prefix)) <> wanted_prefix
        order by j.id limit most
      $$`,
  },
  {
    // Of a job that is being worked on, too: its handler has read the payload already, and fails or ends without
    // writing it.
    signature: "replace_mail(bigint, text, text)",
    owner: workerRole,
    callers: [workerRole],
    create: `create or replace function app.replace_mail(job bigint, former text, renewed text)
      returns table (job_id text)
      language sql volatile ${definer} as $$
        update graphile_worker._private_jobs
        set payload = jsonb_set(payload::jsonb, '{sealed}', to_jsonb(renewed))::json
        where id = job and payload->>'sealed' = former returning id::text
      $$`,
  },
];

// SQL functions of the schema `app`, created anew by every migration run. Look-ups work before the organization is
// known: they belong to a role that cannot log in and that a policy lets read exactly the tables concerned (rows of all
// organizations). Each has a fixed search_path, returns no more than its caller needs, and is granted to the logins
// that call it.

import { billingFunctions } from "../billing/billing-functions.ts";
import { identityFunctions } from "../core/database-identity.ts";
import { heartbeatFunctions } from "../core/process-heartbeat.ts";
import { applicationRole, lookupRole, workerRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";
import { poolLockClass } from "../core/worker-pool.ts";
import { accountFunctions } from "../identity/account-functions.ts";
import { ssoFunctions } from "../identity/sso-functions.ts";
import { importFunctions } from "../measure/dataset/dataset-import.ts";
import { runFunctions } from "../run/run.ts";
import { auditFunctions } from "../telemetry/audit-entry.ts";
import { evidenceLogFunctions } from "../telemetry/evidence-log.ts";
import { partitionFunctions } from "../telemetry/trace-partition.ts";
import { contractFunctions } from "./phase.ts";
import { sealFunctions } from "./seal-functions.ts";

const definer = "security definer set search_path = pg_catalog, public";

/** Every function of the schema `app`. */
export const functions: readonly SqlFunction[] = [
  {
    // Processes compare it with their own list before they are ready.
    signature: "applied_migrations()",
    owner: lookupRole,
    callers: [applicationRole, workerRole],
    create: `create or replace function app.applied_migrations() returns table (name text)
      language sql stable ${definer} as $$ select m.name::text from public.schema_migration m $$`,
  },
  {
    // The former value of a token works until its overlap ends.
    signature: "find_token(bytea)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_token(wanted bytea)
      returns table (org_id uuid, id uuid, kind text, prefix text, project_id uuid, environment text, expires_at timestamptz)
      language sql stable ${definer} as $$
        select t.org_id, t.id, t.kind, t.prefix, t.project_id, t.environment, t.expires_at
        from public.token t where t.digest = wanted and t.revoked_at is null
        union all
        select t.org_id, t.id, t.kind, t.prefix, t.project_id, t.environment, t.previous_expires_at
        from public.token t where t.previous_digest = wanted and t.revoked_at is null
      $$`,
  },
  {
    signature: "find_entitlements(uuid)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_entitlements(wanted uuid)
      returns table (plan text, billing_blocked boolean)
      language sql stable ${definer} as $$
        select o.plan, o.billing_blocked from public.organization o where o.id = wanted
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
    // For jobs that run for every organization in turn.
    signature: "list_organizations()",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.list_organizations()
      returns table (id uuid, plan text)
      language sql stable ${definer} as $$ select o.id, o.plan from public.organization o order by o.id $$`,
  },
  {
    // For notices: what a month has used, with what is leased to runtimes.
    signature: "monthly_use(date, timestamptz)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.monthly_use(wanted date, present timestamptz)
      returns table (org_id uuid, plan text, used bigint)
      language sql stable ${definer} as $$
        select o.id, o.plan, u.evaluations + u.playground_evaluations + coalesce(
          (select sum(l.size - l.spent) from public.quota_lease l
           where l.org_id = u.org_id and l.month = wanted and l.expires_at > present), 0)::bigint
        from public.usage_month u join public.organization o on o.id = u.org_id
        where u.month = wanted
        order by o.id
      $$`,
  },
  {
    // For the operator's metrics: one number, of no organization in particular.
    signature: "outstanding_leases()",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.outstanding_leases()
      returns table (evaluations bigint)
      language sql stable ${definer} as $$
        select coalesce(sum(l.size - l.spent), 0)::bigint from public.quota_lease l where l.expires_at > now()
      $$`,
  },
  {
    signature: "organizations_with_deltas()",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.organizations_with_deltas()
      returns table (org_id uuid, oldest timestamptz)
      language sql stable ${definer} as $$
        select d.org_id, min(d.created_at) from public.stat_delta d group by d.org_id order by d.org_id
      $$`,
  },
  {
    signature: "organizations_with_alert_rules()",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.organizations_with_alert_rules()
      returns table (org_id uuid)
      language sql stable ${definer} as $$
        select distinct r.org_id from public.alert_rule r join public.organization o on o.id = r.org_id
        where r.is_enabled and o.plan <> 'free' order by r.org_id
      $$`,
  },
  {
    // Counts only, without the organizations.
    signature: "count_detector_installs()",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.count_detector_installs()
      returns table (detector_id text, organizations int)
      language sql stable ${definer} as $$
        select d.detector_id, count(distinct d.org_id)::int from public.policy_detector d group by d.detector_id
      $$`,
  },
  {
    signature: "count_pack_installs()",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.count_pack_installs()
      returns table (pack_id text, organizations int)
      language sql stable ${definer} as $$
        select k.pack_id, count(distinct k.org_id)::int from public.policy_pack k group by k.pack_id
      $$`,
  },
  {
    signature: "count_language_installs()",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.count_language_installs()
      returns table (language text, organizations int)
      language sql stable ${definer} as $$
        select l.language, count(*)::int from public.enabled_language l group by l.language
      $$`,
  },
  ...heartbeatFunctions,
  ...contractFunctions,
  ...accountFunctions,
  ...ssoFunctions,
  ...partitionFunctions,
  ...sealFunctions,
  ...billingFunctions,
  ...auditFunctions,
  ...evidenceLogFunctions,
  ...identityFunctions,
  ...runFunctions,
  ...importFunctions,
  {
    // Goes from webhook to webhook along their index (a loose index scan) and looks at one row of each, however many
    // are due.
    signature: "overdue_webhooks(timestamptz, timestamptz, int)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.overdue_webhooks(present timestamptz, due_before timestamptz, most int)
      returns table (org_id uuid, webhook_id uuid)
      language sql stable ${definer} as $$
        with recursive target as (
          (select d.org_id, d.webhook_id from public.webhook_delivery d
           where d.state = 'pending' order by d.org_id, d.webhook_id, d.next_attempt_at limit 1)
          union all
          select n.org_id, n.webhook_id from target t cross join lateral (
            select d.org_id, d.webhook_id from public.webhook_delivery d
            where d.state = 'pending' and (d.org_id, d.webhook_id) > (t.org_id, t.webhook_id)
            order by d.org_id, d.webhook_id, d.next_attempt_at limit 1) n)
        select t.org_id, t.webhook_id from target t cross join lateral (
          select d.next_attempt_at from public.webhook_delivery d
          where d.org_id = t.org_id and d.webhook_id = t.webhook_id and d.state = 'pending' and d.next_attempt_at <= due_before
            and (d.claim_id is null or d.claimed_until <= present)
          order by d.next_attempt_at limit 1) due
        order by due.next_attempt_at limit most
      $$`,
  },
  {
    signature: "organizations_with_events_before(timestamptz)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.organizations_with_events_before(moment timestamptz)
      returns table (org_id uuid)
      language sql stable ${definer} as $$
        select distinct e.org_id from public.event e where e.created_at < moment
      $$`,
  },
  {
    // The key replaces the wake-up of an earlier sweep that has not started: at most one waits for each webhook.
    signature: "wake_overdue_webhooks(timestamptz, timestamptz, int)",
    owner: workerRole,
    callers: [workerRole],
    create: `create or replace function app.wake_overdue_webhooks(present timestamptz, due_before timestamptz, most int)
      returns table (added bigint)
      language sql ${definer} as $$
        select count(w.job_id) from (
          select (graphile_worker.add_job('deliver-webhook',
            payload := json_build_object('org_id', o.org_id, 'webhook_id', o.webhook_id),
            job_key := 'sweep-deliveries/' || o.webhook_id, max_attempts := 25)).id as job_id
          from app.overdue_webhooks(present, due_before, most) o) w
      $$`,
  },
  {
    // A pool that is not in worker_pool died before its first heartbeat.
    signature: "unlock_dead_pools(int)",
    owner: workerRole,
    callers: [workerRole],
    create: `create or replace function app.unlock_dead_pools(silent_ms int)
      returns table (pool_id text)
      language plpgsql ${definer} as $$
        declare
          oldest timestamptz := now() - silent_ms * interval '1 millisecond';
          dead text[];
        begin
          select array_agg(h.id) into dead from (
            select l.locked_by as id, max(l.locked_at) as locked_at from (
              select locked_by, locked_at from graphile_worker._private_jobs where locked_by is not null
              union all
              select locked_by, locked_at from graphile_worker._private_job_queues where locked_by is not null) l
            group by l.locked_by) h
          left join public.worker_pool p on p.id = h.id
          where coalesce(p.heartbeat_at, h.locked_at) < oldest
            and pg_try_advisory_xact_lock(${poolLockClass}, hashtext(h.id));
          perform graphile_worker.force_unlock_workers(dead);
          delete from public.worker_pool p where p.id = any(dead) or p.heartbeat_at < now() - interval '1 day';
          return query select unnest(dead);
        end
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
export const lookupTables: readonly string[] = [
  "token",
  "organization",
  "activation",
  "organization",
  "policy_detector",
  "quota_lease",
  "usage_month",
  "stat_delta",
  "alert_rule",
  "policy_pack",
  "enabled_language",
  "event",
  "webhook_delivery",
  "run",
  "dataset_import",
  "audit_head",
  "audit_log",
  "installation",
  "account",
  "session",
  "session_token",
  "one_time_token",
  "member",
  "sso_configuration",
  "sso_domain",
  "sso_login",
  "subscription",
  "checkout",
  "invoice",
  "billing_intent",
  "schema_contract",
];

/** Counters of attempts, and signs of life: only functions of the look-up role reach them. */
export const counterTables: readonly string[] = ["login_failure", "address_limit", "process_heartbeat"];

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

// Counts of traces by the fields for which lists give an exact total.

import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "TraceRollup",
  tableName: "trace_rollup",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** Day of the evaluations, in UTC. */
    day: p.date().primary(),
    projectId: p.uuid().primary(),
    environment: p.text().primary(),
    /** Empty for evaluations without an agent. */
    agentKey: p.text().primary(),
    outcome: p.smallint().primary(),
    count: p.bigint("number"),
  },
});

/** How many traces there are of one day, project, environment, agent and outcome. */
export class TraceRollupRow extends schema.class {}
schema.setClass(TraceRollupRow);

/** Traces to count. */
export interface RollupCount {
  readonly day: string;
  readonly projectId: string;
  readonly environment: string;
  readonly agentKey: string;
  readonly outcome: number;
  readonly count: number;
}

/** Counts traces. Rows are locked in their order, so that ingests wait for each other instead of deadlocking. */
export async function addRollups(tx: Transaction, counts: readonly RollupCount[]): Promise<void> {
  if (counts.length === 0) return;
  await runBound(
    tx,
    `insert into trace_rollup (org_id, day, project_id, environment, agent_key, outcome, count)
     select $1, day, project_id, environment, agent_key, outcome, count
     from unnest($2::date[], $3::uuid[], $4::text[], $5::text[], $6::smallint[], $7::bigint[])
       as added (day, project_id, environment, agent_key, outcome, count)
     order by day, project_id, environment, agent_key, outcome
     on conflict (org_id, day, project_id, environment, agent_key, outcome)
       do update set count = trace_rollup.count + excluded.count`,
    [
      tx.orgId,
      counts.map((row) => row.day),
      counts.map((row) => row.projectId),
      counts.map((row) => row.environment),
      counts.map((row) => row.agentKey),
      counts.map((row) => row.outcome),
      counts.map((row) => row.count),
    ],
  );
}

/** The fields by which counts can be filtered. */
export interface RollupFilter {
  readonly projectId?: string;
  readonly environment?: string;
  readonly agentKey?: string;
  readonly outcome?: number;
  /** First day, in UTC. */
  readonly sinceDay?: string;
  /** Day after the last one, in UTC. */
  readonly untilDay?: string;
}

/** How many traces match, exactly. */
export async function countByRollups(tx: Transaction, filter: RollupFilter): Promise<number> {
  const rows = await runBound<{ total: string | number }>(
    tx,
    `select coalesce(sum(count), 0) as total from trace_rollup
     where org_id = $1 and ($2::uuid is null or project_id = $2) and ($3::text is null or environment = $3)
       and ($4::text is null or agent_key = $4) and ($5::smallint is null or outcome = $5)
       and ($6::date is null or day >= $6) and ($7::date is null or day < $7)`,
    [
      tx.orgId,
      filter.projectId ?? null,
      filter.environment ?? null,
      filter.agentKey ?? null,
      filter.outcome ?? null,
      filter.sinceDay ?? null,
      filter.untilDay ?? null,
    ],
  );
  return Number(rows[0]?.total ?? 0);
}

/** An environment of a project. */
export interface TraceEnvironment {
  readonly projectId: string;
  readonly environment: string;
}

/** The environments that have traces between two moments, or on the days (UTC) of them. */
export async function listTraceEnvironments(
  tx: Transaction,
  { since, until, projectId, environment }: Partial<TraceEnvironment> & { readonly since: Date; readonly until: Date },
): Promise<TraceEnvironment[]> {
  const rows = await runBound<{ project_id: string; environment: string }>(
    tx,
    `select distinct project_id, environment from trace_rollup
     where org_id = $1 and day >= ($2::timestamptz at time zone 'UTC')::date
       and day <= ($3::timestamptz at time zone 'UTC')::date
       and ($4::uuid is null or project_id = $4) and ($5::text is null or environment = $5)
     order by project_id, environment`,
    [tx.orgId, since, until, projectId ?? null, environment ?? null],
  );
  return rows.map((row) => ({ projectId: row.project_id, environment: row.environment }));
}

/** A day of a project with traces. */
export interface TraceDay {
  readonly day: string;
  readonly projectId: string;
}

/** Days before this one, and all days of projects that are gone, oldest first. */
export async function listExpiredDays(tx: Transaction, beforeDay: string): Promise<TraceDay[]> {
  const rows = await tx.sql<{ day: string; project_id: string }>(
    `select distinct r.day::text as day, r.project_id from trace_rollup r
     where r.org_id = ? and (r.day < ? or not exists
       (select from project p where p.org_id = r.org_id and p.id = r.project_id))
     order by day, project_id`,
    [tx.orgId, beforeDay],
  );
  return rows.map((row) => ({ day: row.day, projectId: row.project_id }));
}

/** Removes the counts of a day. */
export async function deleteRollups(tx: Transaction, { day, projectId }: TraceDay): Promise<void> {
  await tx.sql("delete from trace_rollup where org_id = ? and day = ? and project_id = ?", [tx.orgId, day, projectId]);
}

import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";
import type { InstanceKey, InstanceScope } from "./runtime-instance.ts";

const schema = defineEntity({
  name: "ReportingGap",
  tableName: "reporting_gap",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    projectId: p.uuid().primary(),
    environment: p.text().primary(),
    instanceId: p.uuid().primary(),
    /** Spool sequence number of the first evaluation that is missing. */
    firstSeq: p.bigint("number").primary(),
    reason: p.text().primary(),
    lastSeq: p.bigint("number"),
    /** Evaluations that are missing. */
    count: p.bigint("number"),
    createdAt: p.datetime(3),
  },
});

/** Evaluations that a runtime made and that are not stored as traces: lost on the way, or refused here. */
export class ReportingGapRow extends schema.class {}
schema.setClass(ReportingGapRow);

/** A gap to note. */
export interface NewGap {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly count: number;
  /**
   * "spool_full", "write_failed" or "corrupt" from a runtime; "invalid", "too_old" or "in_future" for what was refused
   * here.
   */
  readonly reason: string;
}

/** Evaluations that were not known to be missing before. */
export interface NewLoss {
  readonly reason: string;
  readonly evaluations: number;
}

/**
 * Records gaps. One that is reported again, whole or in part, changes nothing; one that has grown is updated. Returns
 * by how much they grew.
 */
export async function addGaps(tx: Transaction, key: InstanceKey, gaps: readonly NewGap[]): Promise<NewLoss[]> {
  if (gaps.length === 0) return [];
  const rows = await runBound<{ reason: string; added: string }>(
    tx,
    `with gap as (
       select * from unnest($6::bigint[], $7::text[], $8::bigint[], $9::bigint[]) as gap (first_seq, reason, last_seq, count)),
     known as (
       select k.first_seq, k.last_seq, k.reason, k.count from reporting_gap k
       where k.org_id = $1 and k.project_id = $2 and k.environment = $3 and k.instance_id = $4
         and k.reason in (select reason from gap)),
     written as (
       insert into reporting_gap
         (org_id, project_id, environment, instance_id, first_seq, reason, last_seq, count, created_at)
       select $1, $2, $3, $4, first_seq, reason, last_seq, count, $5 from gap
       where not exists (select from known where known.reason = gap.reason
         and known.first_seq < gap.first_seq and known.last_seq >= gap.last_seq)
       on conflict (org_id, project_id, environment, instance_id, first_seq, reason) do update
         set last_seq = greatest(reporting_gap.last_seq, excluded.last_seq),
             count = greatest(reporting_gap.count, excluded.count)
       returning first_seq, reason, count)
     select reason, sum(written.count - coalesce(known.count, 0)) as added
     from written left join known using (first_seq, reason) group by reason`,
    [
      tx.orgId,
      key.projectId,
      key.environment,
      key.instanceId,
      tx.now,
      gaps.map((gap) => gap.firstSeq),
      gaps.map((gap) => gap.reason),
      gaps.map((gap) => gap.lastSeq),
      gaps.map((gap) => gap.count),
    ],
  );
  return rows
    .map(({ reason, added }) => ({ reason, evaluations: Number(added) }))
    .filter(({ evaluations }) => evaluations > 0);
}

/** The name of a runtime within its project: environments may have runtimes of the same id. */
export function instanceName({ environment, id }: { readonly environment: string; readonly id: string }): string {
  return `${environment}/${id}`;
}

/** Evaluations that runtimes of a project lost, by `instanceName`; runtimes that lost none are left out. */
export async function lostEvaluations(
  tx: Transaction,
  projectId: string,
  instances: readonly { readonly environment: string; readonly id: string }[],
): Promise<Map<string, number>> {
  const rows = await runBound<{ environment: string; instance_id: string; lost: string }>(
    tx,
    `select environment, instance_id, sum(count) as lost from reporting_gap
     where org_id = $1 and project_id = $2
       and (environment, instance_id) in (select * from unnest($3::text[], $4::uuid[]))
     group by environment, instance_id`,
    [tx.orgId, projectId, instances.map(({ environment }) => environment), instances.map(({ id }) => id)],
  );
  return new Map(
    rows.map(({ environment, instance_id: id, lost }) => [instanceName({ environment, id }), Number(lost)]),
  );
}

/** Evaluations that the runtimes of a project or environment lost, those that were forgotten among them. */
export async function lostInScope(tx: Transaction, { projectId, environment }: InstanceScope): Promise<number> {
  const [row] = await tx.sql<{ lost: string }>(
    `select coalesce(sum(count), 0) as lost from reporting_gap
     where org_id = ? and project_id = ?${environment === undefined ? "" : " and environment = ?"}`,
    [tx.orgId, projectId, ...(environment === undefined ? [] : [environment])],
  );
  return Number(row?.lost ?? 0);
}

/** The gaps of a runtime, in the order of its spool. */
export function listGaps(tx: Transaction, key: InstanceKey): Promise<ReportingGapRow[]> {
  return tx.em.find(ReportingGapRow, { orgId: tx.orgId, ...key }, { orderBy: { firstSeq: "asc", reason: "asc" } });
}

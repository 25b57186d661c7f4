import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";
import type { InstanceKey } from "../fleet/runtime-instance.ts";

const schema = defineEntity({
  name: "QuotaLease",
  tableName: "quota_lease",
  ...lookupTenantTable,
  indexes: [{ name: "quota_lease_month", properties: ["orgId", "month"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** First day of the month (UTC) that it is for. */
    month: p.date(),
    projectId: p.uuid(),
    environment: p.text(),
    instanceId: p.uuid(),
    /** Evaluations that it allows. */
    size: p.integer(),
    /** Those of them that were stored as traces. */
    spent: p.integer().default(0),
    /** When the rest goes back to the organization, unless its runtime reports before. */
    expiresAt: p.datetime(3),
    /** When it was called back. What was made with it until then, and a little later, still spends it. */
    closedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
});

/** Evaluations that a runtime may make without asking. A lease that is used up, or was reclaimed, has no row. */
export class QuotaLeaseRow extends schema.class {}
schema.setClass(QuotaLeaseRow);

/** The counters of an organization's month. */
export interface MonthState {
  /** Evaluations that were stored, with a lease or without. */
  readonly evaluations: number;
  readonly playground: number;
  /** Those of the evaluations that no lease covered. */
  readonly overage: number;
}

/** A lease of a runtime. */
export interface Lease {
  readonly id: string;
  readonly month: string;
  readonly size: number;
}

/** The month's counters, locked until the commit: grants, spending and the playground wait for each other here. */
export async function lockMonth(tx: Transaction, month: string): Promise<MonthState> {
  const [row] = await tx.sql<{ evaluations: string; playground_evaluations: string; overage: string }>(
    `insert into usage_month (org_id, month, evaluations, playground_evaluations, overage) values (?, ?, 0, 0, 0)
     on conflict (org_id, month) do update set evaluations = usage_month.evaluations
     returning evaluations, playground_evaluations, overage`,
    [tx.orgId, month],
  );
  if (row === undefined) throw new Error("an upsert returns its row");
  const { evaluations, playground_evaluations: playground, overage } = row;
  return { evaluations: Number(evaluations), playground: Number(playground), overage: Number(overage) };
}

/** How much of a month is leased and not spent yet, and how many other runtimes hold it. */
export async function readOutstanding(
  tx: Transaction,
  month: string,
  { instanceId }: Pick<InstanceKey, "instanceId">,
): Promise<{ readonly outstanding: number; readonly others: number }> {
  const [row] = await tx.sql<{ outstanding: string; others: string }>(
    `select coalesce(sum(size - spent), 0) as outstanding,
            count(distinct instance_id) filter (where instance_id <> ?) as others
     from quota_lease where org_id = ? and month = ?`,
    [instanceId, tx.orgId, month],
  );
  return { outstanding: Number(row?.outstanding ?? 0), others: Number(row?.others ?? 0) };
}

/** Grants a lease. The month has to be locked. */
export async function insertLease(
  tx: Transaction,
  key: InstanceKey,
  lease: Lease & { readonly expiresAt: Date },
): Promise<void> {
  await tx.sql(
    `insert into quota_lease
       (org_id, id, month, project_id, environment, instance_id, size, spent, expires_at, created_at)
     values (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
    [
      ...[tx.orgId, lease.id, lease.month, key.projectId, key.environment, key.instanceId],
      ...[lease.size, lease.expiresAt, tx.now],
    ],
  );
}

/** Takes back the rest of expired leases. The month has to be locked. */
export async function reclaimLeases(tx: Transaction): Promise<void> {
  await tx.sql("delete from quota_lease where org_id = ? and expires_at <= ?", [tx.orgId, tx.now]);
}

/**
 * Calls back every lease of a month and of later ones. Their runtimes lose them with their next answer; what they made
 * before is still covered, so the rest of each stays outstanding until it expires. The months have to be locked.
 */
export async function recallLeases(tx: Transaction, fromMonth: string): Promise<void> {
  await tx.sql("update quota_lease set closed_at = ? where org_id = ? and month >= ? and closed_at is null", [
    tx.now,
    tx.orgId,
    fromMonth,
  ]);
}

/** Those of a runtime's leases that still exist. Those of this month and later ones live on until `expiresAt`. */
export async function renewLeases(
  tx: Transaction,
  { instanceId }: Pick<InstanceKey, "instanceId">,
  {
    ids,
    fromMonth,
    expiresAt,
  }: { readonly ids: readonly string[]; readonly fromMonth: string; readonly expiresAt: Date },
): Promise<Lease[]> {
  if (ids.length === 0) return [];
  // Always in the same order, so that no two transactions wait for each other.
  return runBound<Lease>(
    tx,
    `with held as (
       select id from quota_lease
       where org_id = $1 and instance_id = $2 and id = any($3::uuid[]) and month >= $4::date and expires_at > $5
         and closed_at is null
       order by id for update)
     update quota_lease set expires_at = $6 from held where quota_lease.org_id = $1 and quota_lease.id = held.id
     returning quota_lease.id, month::text as month, size`,
    [tx.orgId, instanceId, ids, fromMonth, tx.now, expiresAt],
  );
}

/** An evaluation that was made with a lease. */
export interface LeaseSpend {
  readonly id: string;
  readonly month: string;
  readonly madeAt: Date;
}

/** How many evaluations a lease covers. */
export interface LeaseCover {
  readonly id: string;
  readonly month: string;
  readonly covered: number;
  /** When the lease was called back; null while it was not. */
  readonly closedAt: Date | null;
}

/** How long after its recall a lease still covers evaluations: its runtime hears of the recall within this time. */
export const recallGraceMs = 5_000;

/**
 * Spends leases. Returns how many of the evaluations each lease covers: no more than its rest, none made later than
 * some seconds after its recall, and none for a lease that was reclaimed or belongs to another runtime or month. The
 * months have to be locked.
 */
export async function spendLeases(
  tx: Transaction,
  { instanceId }: Pick<InstanceKey, "instanceId">,
  spends: readonly LeaseSpend[],
): Promise<readonly LeaseCover[]> {
  if (spends.length === 0) return [];
  const rows = await runBound<{ id: string; month: string; covered: number; closed_at: Date | null }>(
    tx,
    `with wanted as (
       select spend.id, spend.month, count(*)::int as count
       from unnest($3::uuid[], $4::date[], $5::timestamptz[]) as spend (id, month, made_at)
       join quota_lease lease on lease.org_id = $1 and lease.id = spend.id and lease.month = spend.month
       where lease.closed_at is null or spend.made_at < lease.closed_at + make_interval(secs => $7)
       group by spend.id, spend.month),
     used as (
       select lease.id, lease.month, lease.closed_at, least(wanted.count, lease.size - lease.spent) as covered
       from wanted join quota_lease lease
         on lease.org_id = $1 and lease.id = wanted.id and lease.month = wanted.month
       where lease.instance_id = $2 and lease.expires_at > $6
       order by lease.id for update of lease),
     spent as (
       update quota_lease set spent = spent + used.covered from used
       where quota_lease.org_id = $1 and quota_lease.id = used.id)
     select id, month::text as month, covered, closed_at from used`,
    [
      ...[tx.orgId, instanceId, spends.map(({ id }) => id), spends.map(({ month }) => month)],
      ...[spends.map(({ madeAt }) => madeAt), tx.now, recallGraceMs / 1_000],
    ],
  );
  await tx.sql("delete from quota_lease where org_id = ? and instance_id = ? and spent >= size", [
    tx.orgId,
    instanceId,
  ]);
  return rows.map(({ closed_at: closedAt, ...row }) => ({ ...row, closedAt }));
}

/** Counts evaluations that no lease covered, by month. The months have to be locked. */
export async function addOverage(tx: Transaction, overage: ReadonlyMap<string, number>): Promise<void> {
  for (const [month, count] of overage) {
    if (count === 0) continue;
    await tx.sql("update usage_month set overage = overage + ? where org_id = ? and month = ?", [
      count,
      tx.orgId,
      month,
    ]);
  }
}

/** Evaluations that are leased and not reported, of all organizations. */
export async function lookUpOutstandingLeases(database: Lookups): Promise<number> {
  const [row] = await database.lookup<{ evaluations: string | number }>("outstanding_leases", []);
  return Number(row?.evaluations ?? 0);
}

import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "UsageMonth",
  tableName: "usage_month",
  ...lookupTenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** First day of the month, in UTC. */
    month: p.date().primary(),
    evaluations: p.bigint("number"),
    /** Evaluations in the playground, which enforce nothing. */
    playgroundEvaluations: p.bigint("number").default(0),
    /** Evaluations that runtimes made without a lease, or reported after theirs was reclaimed. */
    overage: p.bigint("number").default(0),
  },
});

/** How many evaluations an organization had in a calendar month (UTC). */
export class UsageMonthRow extends schema.class {}
schema.setClass(UsageMonthRow);

/** Adds evaluations to months, each given as its first day such as "2026-11-01". Months are locked in their order. */
export async function addUsage(tx: Transaction, evaluations: ReadonlyMap<string, number>): Promise<void> {
  if (evaluations.size > 0) await tx.sql(...addition(tx, evaluations));
}

/** The same at the end of the transaction, so that the months are locked as briefly as can be. */
export function addUsageAtEnd(tx: Transaction, evaluations: ReadonlyMap<string, number>): void {
  if (evaluations.size > 0) tx.writeAtEnd(...addition(tx, evaluations));
}

function addition({ orgId }: Transaction, evaluations: ReadonlyMap<string, number>): [string, unknown[]] {
  const months = [...evaluations].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = `insert into usage_month (org_id, month, evaluations)
     values ${months.map(() => "(?, ?, ?)").join(", ")}
     on conflict (org_id, month) do update set evaluations = usage_month.evaluations + excluded.evaluations`;
  return [text, months.flatMap(([month, count]) => [orgId, month, count])];
}

/** Sets what a month, which is locked, has counted, the playground apart. */
export async function setMonth(
  tx: Transaction,
  month: string,
  { evaluations, overage }: Pick<UsageMonthRow, "evaluations" | "overage">,
): Promise<void> {
  await tx.sql("update usage_month set evaluations = ?, overage = ? where org_id = ? and month = ?", [
    ...[evaluations, overage, tx.orgId, month],
  ]);
}

/** Counts one evaluation in the playground, in the month of the transaction. */
export async function addPlaygroundUsage(tx: Transaction): Promise<void> {
  await tx.sql(
    `insert into usage_month (org_id, month, evaluations, playground_evaluations) values (?, ?, 0, 1)
     on conflict (org_id, month) do update set playground_evaluations = usage_month.playground_evaluations + 1`,
    [tx.orgId, monthOf(tx.now)],
  );
}

/** Evaluations in the playground of a month, given as its first day. */
export async function readPlaygroundUsage(tx: Transaction, month: string): Promise<number> {
  const rows = await tx.sql<{ evaluations: string | number }>(
    "select playground_evaluations as evaluations from usage_month where org_id = ? and month = ?",
    [tx.orgId, month],
  );
  return Number(rows[0]?.evaluations ?? 0);
}

/** Evaluations of a month, given as its first day. */
export async function readUsage(tx: Transaction, month: string): Promise<number> {
  const rows = await tx.sql<{ evaluations: string | number }>(
    "select evaluations from usage_month where org_id = ? and month = ?",
    [tx.orgId, month],
  );
  return Number(rows[0]?.evaluations ?? 0);
}

/** The months from this one on, each given as its first day, without the playground. */
export async function readMonths(
  tx: Transaction,
  from: string,
): Promise<{ month: string; evaluations: number; overage: number }[]> {
  const rows = await runBound<{ month: string; evaluations: string; overage: string }>(
    tx,
    "select month::text as month, evaluations, overage from usage_month where org_id = $1 and month >= $2::date order by 1",
    [tx.orgId, from],
  );
  return rows.map(({ month, ...row }) => ({
    month,
    evaluations: Number(row.evaluations),
    overage: Number(row.overage),
  }));
}

/** The first day of the month in UTC. */
function monthOf(moment: Date): string {
  return `${moment.toISOString().slice(0, 7)}-01`;
}

/** Evaluations of a month that no lease covered, and those that are leased and not reported yet. */
export async function readLeased(tx: Transaction, month: string): Promise<{ overage: number; outstanding: number }> {
  const rows = await tx.sql<{ overage: string | number | null; outstanding: string | number }>(
    `select (select overage from usage_month where org_id = ? and month = ?) as overage,
            (select coalesce(sum(size - spent), 0) from quota_lease
             where org_id = ? and month = ? and expires_at > ?) as outstanding`,
    [tx.orgId, month, tx.orgId, month, tx.now],
  );
  return { overage: Number(rows[0]?.overage ?? 0), outstanding: Number(rows[0]?.outstanding ?? 0) };
}

/** The counters of a month. */
export interface MonthUsage {
  /** Evaluations that runtimes reported. */
  readonly evaluations: number;
  readonly playgroundEvaluations: number;
  readonly overageEvaluations: number;
}

/** The counters of a month, given as its first day. */
export async function readMonth(tx: Transaction, month: string): Promise<MonthUsage> {
  const [row] = await tx.sql<{ evaluations: string; playground_evaluations: string; overage: string }>(
    "select evaluations, playground_evaluations, overage from usage_month where org_id = ? and month = ?",
    [tx.orgId, month],
  );
  return {
    evaluations: Number(row?.evaluations ?? 0),
    playgroundEvaluations: Number(row?.playground_evaluations ?? 0),
    overageEvaluations: Number(row?.overage ?? 0),
  };
}

/** The counters of months, oldest first, each month given as its first day. */
export async function listMonths(
  tx: Transaction,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<(MonthUsage & { readonly month: string })[]> {
  const rows = await runBound<{
    month: string;
    evaluations: string;
    playground_evaluations: string;
    overage: string;
  }>(
    tx,
    `select month::text as month, evaluations, playground_evaluations, overage from usage_month
     where org_id = $1 and month between $2::date and $3::date and evaluations + playground_evaluations > 0 order by 1`,
    [tx.orgId, from, to],
  );
  return rows.map(({ month, ...row }) => ({
    month,
    evaluations: Number(row.evaluations),
    playgroundEvaluations: Number(row.playground_evaluations),
    overageEvaluations: Number(row.overage),
  }));
}

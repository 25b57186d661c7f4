import { defineEntity, p } from "@mikro-orm/core";
import { tenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "UsageNotice",
  tableName: "usage_notice",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** First day of the month, in UTC. */
    month: p.date().primary(),
    /** The limit at that time: it changes with the plan. */
    evaluationsLimit: p.bigint("number").primary(),
    /** Percentage of the limit that was passed. */
    percent: p.smallint().primary(),
    /** Evaluations that were used, or leased to runtimes, at that time. */
    value: p.bigint("number"),
    createdAt: p.datetime(3),
  },
});

/** A notice to an organization about its use of a month's evaluations. */
export class UsageNoticeRow extends schema.class {}
schema.setClass(UsageNoticeRow);

/** How much of a month one organization has used. */
export interface MonthlyUse {
  readonly orgId: string;
  readonly plan: "free" | "growth" | "enterprise";
  /** Evaluations that count, and those that are leased to runtimes. */
  readonly used: number;
}

/** The use of a month, given as its first day, by every organization that has used some of it. */
export async function lookUpMonthlyUse(database: Lookups, month: string, now: Date): Promise<MonthlyUse[]> {
  const rows = await database.lookup<{ org_id: string; plan: MonthlyUse["plan"]; used: string | number }>(
    "monthly_use",
    [month, now],
  );
  return rows.map(({ org_id: orgId, plan, used }) => ({ orgId, plan, used: Number(used) }));
}

/** Adds a notice. Returns false when it exists already. */
export async function insertNotice(
  tx: Transaction,
  notice: { readonly month: string; readonly limit: number; readonly percent: number; readonly value: number },
): Promise<boolean> {
  const rows = await tx.sql(
    `insert into usage_notice (org_id, month, evaluations_limit, percent, value, created_at) values (?, ?, ?, ?, ?, ?)
     on conflict do nothing returning percent`,
    [tx.orgId, notice.month, notice.limit, notice.percent, notice.value, tx.now],
  );
  return rows.length > 0;
}

/** Deletes the notices of months before this one. */
export async function deleteNoticesBefore(tx: Transaction, month: string): Promise<void> {
  await tx.sql("delete from usage_notice where org_id = ? and month < ?", [tx.orgId, month]);
}

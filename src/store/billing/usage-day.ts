import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";
import type { CountCube } from "../telemetry/cube.ts";

const schema = defineEntity({
  name: "UsageDay",
  tableName: "usage_day",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** Day of the evaluations, in UTC. */
    day: p.date().primary(),
    projectId: p.uuid().primary(),
    environment: p.text().primary(),
    /** Empty for evaluations without an agent; "~other" for those beyond 1,000 agents of a project and day. */
    agentKey: p.text().primary(),
    stage: p.smallint().primary(),
    evaluations: p.bigint("number"),
    /** Those that no lease covered. */
    overage: p.bigint("number"),
  },
});

/**
 * Metered evaluations of a day. They say where the evaluations of `usage_month` came from, and stay when projects and
 * traces go. Evaluations of the last half minute may be missing: they are in `stat_delta` until the fold.
 */
export class UsageDayRow extends schema.class {}
schema.setClass(UsageDayRow);

/** Metered evaluations by day, environment, agent and stage. */
export const usageDayCube: CountCube = {
  table: "usage_day",
  place: [
    { name: "day", type: "date" },
    { name: "project_id", type: "uuid" },
  ],
  keys: [
    { name: "environment", type: "text" },
    { name: "agent_key", type: "text" },
    { name: "stage", type: "smallint" },
  ],
  counts: ["evaluations", "overage"],
  caps: [{ columns: ["agent_key"], limit: () => 1_000, other: ["~other"] }],
};

/** Removes the days before this one. */
export async function deleteUsageDays(tx: Transaction, before: string): Promise<void> {
  await runBound(tx, "delete from usage_day where org_id = $1 and day < $2::date", [tx.orgId, before]);
}

/** Evaluations and overage of each month from this one on, by the days. */
export async function sumUsageDays(
  tx: Transaction,
  fromMonth: string,
): Promise<{ month: string; evaluations: number; overage: number }[]> {
  const rows = await runBound<{ month: string; evaluations: string; overage: string }>(
    tx,
    `select date_trunc('month', day)::date::text as month, sum(evaluations) as evaluations, sum(overage) as overage
     from usage_day where org_id = $1 and day >= $2::date group by 1 order by 1`,
    [tx.orgId, fromMonth],
  );
  return rows.map(({ month, ...row }) => ({
    month,
    evaluations: Number(row.evaluations),
    overage: Number(row.overage),
  }));
}

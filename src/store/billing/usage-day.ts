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

/** Evaluations of each project on each of these days; days and projects without any are left out. */
export async function readProjectDays(
  tx: Transaction,
  days: readonly string[],
): Promise<{ projectId: string; day: string; evaluations: number }[]> {
  const rows = await runBound<{ project_id: string; day: string; evaluations: string }>(
    tx,
    `select project_id, day::text as day, sum(evaluations) as evaluations from usage_day
     where org_id = $1 and day = any($2::date[]) group by 1, 2 order by 1, 2`,
    [tx.orgId, days],
  );
  return rows.map(({ project_id: projectId, day, evaluations }) => ({
    projectId,
    day,
    evaluations: Number(evaluations),
  }));
}

/** What metered evaluations are told apart by. */
export type UsageDimension = "project" | "environment" | "agent" | "stage" | "day";

/** The column of each dimension. */
const columns: Readonly<Record<UsageDimension, string>> = {
  project: "project_id",
  environment: "environment",
  agent: "agent_key",
  stage: "stage",
  day: "day",
};

/** Which evaluations are summed. Days are included at both ends. */
export interface UsageFilter {
  readonly from: string;
  readonly to: string;
  readonly projectId?: string | undefined;
  readonly environment?: string | undefined;
  readonly agentKey?: string | undefined;
  readonly stage?: number | undefined;
}

/** Evaluations that have the values of some dimensions in common, in the order of the dimensions. */
export interface UsageSum {
  readonly key: readonly string[];
  readonly evaluations: number;
  readonly overage: number;
}

/** Sums of the folded days. */
export async function sumUsage(
  tx: Transaction,
  dimensions: readonly UsageDimension[],
  filter: UsageFilter,
): Promise<UsageSum[]> {
  const keys = dimensions.map((dimension) => columns[dimension]);
  const rows = await runBound<Readonly<Record<string, string>>>(
    tx,
    // Texts are made of the sums: of each row they would take longer than the sums themselves. Each has a column of its
    // own: the driver would take longer to read an array of them than the database to sum.
    `select ${[...keys.map((key) => `sums.${key}::text as ${key}`), "evaluations", "overage"].join(", ")} from (
     select ${[...keys, "sum(evaluations) as evaluations", "sum(overage) as overage"].join(", ")}
     from usage_day
     where org_id = $1 and day between $2::date and $3::date
       and ($4::uuid is null or project_id = $4) and ($5::text is null or environment = $5)
       and ($6::text is null or agent_key = $6) and ($7::smallint is null or stage = $7)
     ${keys.length === 0 ? "" : `group by ${keys.join(", ")}`}) sums`,
    [
      ...[tx.orgId, filter.from, filter.to, filter.projectId ?? null, filter.environment ?? null],
      ...[filter.agentKey ?? null, filter.stage ?? null],
    ],
  );
  return rows.map((row) => ({
    key: keys.map((key) => row[key] ?? ""),
    evaluations: Number(row.evaluations),
    overage: Number(row.overage),
  }));
}

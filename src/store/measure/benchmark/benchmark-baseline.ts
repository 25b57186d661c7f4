// The benchmarks that others are compared with: one for each dataset in each environment, approved by an admin.

import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../../core/bulk.ts";
import { tenantTable } from "../../core/tenant.ts";
import type { Transaction } from "../../core/transaction.ts";

const schema = defineEntity({
  name: "BenchmarkBaseline",
  tableName: "benchmark_baseline",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    projectId: p.uuid().primary(),
    environment: p.text().primary(),
    datasetId: p.uuid().primary(),
    runId: p.uuid(),
    approvedBy: p.text(),
    approvedAt: p.datetime(3),
  },
});

/** An approved benchmark. */
export class BenchmarkBaselineRow extends schema.class {}
schema.setClass(BenchmarkBaselineRow);

/** What a baseline is for. */
export interface BaselineScope {
  readonly projectId: string;
  readonly environment: string;
  readonly datasetId: string;
}

/** Puts a benchmark in the place of the baseline of its scope. */
export async function setBaseline(
  tx: Transaction,
  { projectId, environment, datasetId }: BaselineScope,
  { runId, approvedBy }: { readonly runId: string; readonly approvedBy: string },
): Promise<void> {
  await runBound(
    tx,
    `insert into benchmark_baseline (org_id, project_id, environment, dataset_id, run_id, approved_by, approved_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (org_id, project_id, environment, dataset_id)
     do update set run_id = excluded.run_id, approved_by = excluded.approved_by, approved_at = excluded.approved_at`,
    [tx.orgId, projectId, environment, datasetId, runId, approvedBy, tx.now],
  );
}

/** The baseline of a scope, or null. */
export function findBaseline(tx: Transaction, scope: BaselineScope): Promise<BenchmarkBaselineRow | null> {
  return tx.em.findOne(BenchmarkBaselineRow, { orgId: tx.orgId, ...scope });
}

/** The baselines among these benchmarks, by run. */
export async function baselinesAmong(
  tx: Transaction,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, BenchmarkBaselineRow>> {
  if (runIds.length === 0) return new Map();
  const rows = await tx.em.find(BenchmarkBaselineRow, { orgId: tx.orgId, runId: { $in: [...runIds] } });
  return new Map(rows.map((row) => [row.runId, row]));
}

/** An environment, and the benchmark that is its baseline for a dataset. */
export interface BaselineOfDataset {
  readonly project: string;
  readonly environment: string;
  readonly runId: string;
}

/** The first baselines that were measured on the dataset, at most ten. */
export function baselinesOfDataset(tx: Transaction, datasetId: string): Promise<BaselineOfDataset[]> {
  return runBound(
    tx,
    `select project.name as project, baseline.environment, baseline.run_id as "runId"
     from benchmark_baseline baseline
     join environment on environment.org_id = baseline.org_id and environment.project_id = baseline.project_id
       and environment.name = baseline.environment
     join project on project.org_id = baseline.org_id and project.id = baseline.project_id
     join run on run.org_id = baseline.org_id and run.id = baseline.run_id
     where baseline.org_id = $1 and baseline.dataset_id = $2 order by 1, 2 limit 10`,
    [tx.orgId, datasetId],
  );
}

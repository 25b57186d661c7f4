// With which probability the random lane of the annotation queue takes a trace. Rates are set before their day begins,
// so that they do not depend on what they sample.

import { defineEntity, p } from "@mikro-orm/core";
import { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { runBound } from "../../core/bulk.ts";
import { tenantTable } from "../../core/tenant.ts";
import type { Transaction } from "../../core/transaction.ts";

const schema = defineEntity({
  name: "AnnotationRate",
  tableName: "annotation_rate",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    projectId: p.uuid().primary(),
    /** Day of the traces, in UTC. */
    day: p.date().primary(),
    stratum: p.smallint().primary(),
    probability: p.double().$type<number>(),
  },
});

/** The rate of a project's day and stratum. */
export class AnnotationRateRow extends schema.class {}
schema.setClass(AnnotationRateRow);

/** Evaluations of a stratum on the days before of which there would be a trace, by the present sampling. */
export interface StratumCount {
  readonly stratum: number;
  readonly evaluations: number;
}

/** What a project's environments evaluated and have a trace of, from a day until another, by stratum; and on how many days. */
export async function countStrata(
  tx: Transaction,
  projectId: string,
  { since, until }: { readonly since: Date; readonly until: Date },
): Promise<{ readonly days: number; readonly strata: readonly StratumCount[] }> {
  const parameters = [tx.orgId, projectId, since, until];
  const from = `from stat_outcome s
    left join environment e on e.org_id = s.org_id and e.project_id = s.project_id and e.name = s.environment
    where s.org_id = $1 and s.period = 3 and s.project_id = $2 and s.start >= $3 and s.start < $4`;
  // Percent of the evaluations that have a trace: all that were blocked, and of the others as many as are asked for.
  const percent = `case s.outcome when ${Outcome.BLOCK} then 100
    when ${Outcome.ALLOW} then coalesce(e.sampled_allow_percent, 100) else coalesce(e.sampled_other_percent, 100) end`;
  const days = await runBound<{ days: number }>(tx, `select count(distinct s.start)::int as days ${from}`, parameters);
  const strata = await runBound<StratumCount>(
    tx,
    `select case when s.outcome > 1 then 1 when s.would_be_outcome > 1 then 2 else 3 end as stratum,
       sum(s.evaluations * ${percent} / 100)::float8 as evaluations ${from} group by 1`,
    parameters,
  );
  return { days: days[0]?.days ?? 0, strata };
}

/** Sets the rates of a project's day, unless they are set. */
export async function setRates(
  tx: Transaction,
  projectId: string,
  day: string,
  rates: readonly { readonly stratum: number; readonly probability: number }[],
): Promise<void> {
  await runBound(
    tx,
    `insert into annotation_rate (org_id, project_id, day, stratum, probability)
     select $1, $2, $3, stratum, probability from unnest($4::smallint[], $5::float8[]) as rate (stratum, probability)
     on conflict do nothing`,
    [tx.orgId, projectId, day, rates.map(({ stratum }) => stratum), rates.map(({ probability }) => probability)],
  );
}

/** Removes rates of days before this one. */
export async function deleteRatesBefore(tx: Transaction, day: string): Promise<void> {
  await runBound(tx, "delete from annotation_rate where org_id = $1 and day < $2", [tx.orgId, day]);
}

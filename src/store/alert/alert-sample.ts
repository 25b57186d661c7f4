// Traces that show what an alert is about.

import { runBound } from "../core/bulk.ts";
import type { Transaction } from "../core/transaction.ts";
import type { CountWindow } from "./alert-counts.ts";
import type { AlertFilter, AlertMetric } from "./alert-rule.ts";

/** Traces that an alert names. */
const maxSamples = 5;

// The numbers are those of the enum Outcome. Metrics that are not here have no traces of their own: that of a rule that
// could not be judged is only known by opening each record.
const conditions: Partial<Record<AlertMetric, string>> = {
  evaluations: "true",
  blocked_evaluations: "outcome = 4",
  block_rate: "outcome = 4",
  flag_rate: "outcome = 2",
  redact_rate: "outcome = 3",
  would_block_rate: "would_be_outcome = 4 and outcome <> 4",
  latency_p95_ms: "latency_us > q.threshold * 1000",
};

/** Whose traces are asked for: those that a rule counted in the window. */
export interface SampleQuery extends AlertFilter, CountWindow {
  readonly metric: AlertMetric;
  readonly threshold: number;
}

/** For each query the newest traces that it counts, at most five; one statement for each metric. */
export async function sampleTraceIds(tx: Transaction, queries: readonly SampleQuery[]): Promise<string[][]> {
  const found: string[][] = queries.map(() => []);
  const numbered = queries.map((query, number) => ({ ...query, number }));
  for (const [metric, some] of Map.groupBy(numbered, ({ metric }) => metric)) {
    const condition = conditions[metric];
    if (condition === undefined) continue;
    const rows = await runBound<{ number: number; id: string }>(
      tx,
      `select q.number, s.id from unnest($2::int[], $3::timestamptz[], $4::timestamptz[], $5::uuid[], $6::text[],
         $7::text[], $8::int[], $9::text[], $10::text[],
         $11::float8[]) q (number, since, until, project_id, environment, agent_key, stage, policy, rule_id, threshold)
       cross join lateral (
         select id, created_at from trace t where t.org_id = $1 and t.created_at >= q.since and t.created_at < q.until
           and (q.project_id is null or t.project_id = q.project_id)
           and (q.environment is null or t.environment = q.environment)
           and (q.agent_key is null or t.agent_key = q.agent_key) and (q.stage is null or t.stage = q.stage)
           and (q.policy is null or t.decided_by_policy = q.policy)
           and (q.rule_id is null or t.decided_by_rule = q.rule_id) and ${condition}
         order by t.created_at desc, t.id limit ${maxSamples}) s
       order by q.number, s.created_at desc, s.id`,
      [
        ...[tx.orgId, some.map(({ number }) => number), some.map(({ since }) => since), some.map(({ until }) => until)],
        ...[some.map(({ projectId }) => projectId ?? null), some.map(({ environment }) => environment ?? null)],
        ...[some.map(({ agentKey }) => agentKey ?? null), some.map(({ stage }) => stage ?? null)],
        ...[some.map(({ policy }) => policy ?? null), some.map(({ ruleId }) => ruleId ?? null)],
        some.map(({ threshold }) => threshold),
      ],
    );
    for (const { number, id } of rows) found[number]?.push(id);
  }
  return found;
}

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
  latency_p95_ms: "latency_us > $9::float8 * 1000",
};

/** The newest traces of a window that a metric counts, at most five. */
export async function sampleTraceIds(
  tx: Transaction,
  metric: AlertMetric,
  { since, until }: CountWindow,
  filter: AlertFilter & { readonly threshold: number },
): Promise<string[]> {
  const condition = conditions[metric];
  if (condition === undefined) return [];
  const { projectId, environment, agentKey, stage, ruleId, threshold } = filter;
  const rows = await runBound<{ id: string }>(
    tx,
    `select id from trace where org_id = $1 and created_at >= $2 and created_at < $3
       and ($4::uuid is null or project_id = $4) and ($5::text is null or environment = $5)
       and ($6::text is null or agent_key = $6) and ($7::int is null or stage = $7)
       and ($8::text is null or decided_by_rule = $8) and $9::float8 is not null and ${condition}
     order by created_at desc, id limit ${maxSamples}`,
    [
      tx.orgId,
      since,
      until,
      projectId ?? null,
      environment ?? null,
      agentKey ?? null,
      stage ?? null,
      ruleId ?? null,
      threshold,
    ],
  );
  return rows.map(({ id }) => id);
}

// What alert rules measure besides the cubes: how runtimes, bundles, candidates, backends and webhooks are doing, and
// what people said of rules. Most of it is the present state; the rest is counted in the rule's window.

import { runBound } from "../core/bulk.ts";
import type { Transaction } from "../core/transaction.ts";
import { Period } from "../telemetry/stat-cube.ts";
import type { CountWindow } from "./alert-counts.ts";
import type { FactMetric } from "./alert-rule.ts";

/** What one place contributes to a metric. Fields that are not distinguished are "". */
export interface PlacedFact {
  readonly projectId: string;
  readonly environment: string;
  /** Name of the policy that has the rule. */
  readonly policy: string;
  readonly ruleId: string;
  readonly part: number;
  /** What the part is a share of; equal to it where the metric is no share. */
  readonly whole: number;
}

interface FactRow {
  readonly project_id?: string;
  readonly environment?: string;
  readonly policy?: string;
  readonly rule_id?: string;
  readonly part: number;
  readonly whole?: number;
}

// A runtime that stopped is listed until somebody deletes it. After a day it counts as retired.
const seenThisDay = "r.last_seen_at > $3::timestamptz - interval '1 day'";
// As the list of runtimes has it.
const isConnected = "r.last_seen_at > $3::timestamptz - interval '1 minute'";

const runtimes = (condition: string) => `
  select r.project_id, r.environment, count(*)::float8 as part
  from runtime_instance r join environment e
    on e.org_id = r.org_id and e.project_id = r.project_id and e.name = r.environment
  where r.org_id = $1 and $2::timestamptz is not null and ${condition} group by r.project_id, r.environment`;

/**
 * Evaluations and failures of backends, to be summed. These have reasons that nothing else has, but for the time of an
 * evaluation that ran out.
 */
export function backendFailures(columns: string): string {
  return `
      select ${columns}, 0::bigint as failed, evaluations from stat_outcome
      where org_id = $1 and period = ${Period.MINUTE} and start >= $2 and start < $3
      union all
      select ${columns}, traces, 0 from stat_unjudged
      where org_id = $1 and period = ${Period.MINUTE} and start >= $2 and start < $3
        and reason in ('error', 'circuit_open', 'backend_origin_refused', 'backend_unavailable',
          'model_missing', 'model_mismatch', 'model_busy', 'model_crash')`;
}

// Each takes the organization, the beginning and the end of the window.
const queries: Readonly<Record<FactMetric, string>> = {
  backend_error_rate: `
    select project_id, environment, sum(failed)::float8 as part, sum(evaluations)::float8 as whole
    from (${backendFailures("project_id, environment")}) counted group by project_id, environment`,
  candidate_disagreement_rate: `
    select e.project_id, e.name as environment,
      coalesce(sum(c.evaluations) filter (where c.active_outcome <> c.candidate_outcome), 0)::float8 as part,
      sum(c.evaluations)::float8 as whole
    from candidate_count c join environment e on e.org_id = c.org_id and e.id = c.environment_id
    join candidate d on d.org_id = c.org_id and d.environment_id = c.environment_id and d.expires_at > $3
    where c.org_id = $1 and $2::timestamptz is not null group by e.project_id, e.name`,
  // The numbers are those of the enum AnnotationMark: FALSE_POSITIVE and CORRECT.
  annotated_false_positive_rate: `
    select project_id, environment, policy, rule_id, count(*) filter (where mark = 1)::float8 as part,
      count(*)::float8 as whole
    from annotation where org_id = $1 and is_current and withdrawn_at is null and mark in (1, 3)
      and created_at >= $2 and created_at < $3 group by project_id, environment, policy, rule_id`,
  // Marks of rules in traces that the random lane drew among those on which something was enforced: of one day they
  // were all drawn with the same probability. Of one conversation the trace counts that was marked first because it was
  // drawn; 2 is AnnotationSource.RANDOM.
  certain_false_positive_rate: `
    select project_id, environment, policy, rule_id, count(*) filter (where mark = 1)::float8 as part,
      count(*)::float8 as whole
    from (
      select distinct on (v.project_id, v.environment, v.policy, v.rule_id, coalesce('s' || t.session_id, 't' || t.id))
        v.project_id, v.environment, v.policy, v.rule_id, v.resolved_mark as mark
      from annotation_verdict v
      join trace t on t.org_id = v.org_id and t.id = v.trace_id and t.created_at = v.trace_created_at
        and t.created_at >= $2 and t.created_at < $3
      cross join lateral (select min(a.created_at) as first from annotation a
        where a.org_id = v.org_id and a.trace_id = v.trace_id and a.policy = v.policy and a.rule_id = v.rule_id
          and a.source = 2) marked
      where v.org_id = $1 and v.trace_created_at >= $2 and v.trace_created_at < $3 and v.rule_id <> ''
        and v.has_finding and v.probability is not null and v.resolved_mark is not null and t.outcome > 1
      order by v.project_id, v.environment, v.policy, v.rule_id, coalesce('s' || t.session_id, 't' || t.id),
        marked.first, t.id
    ) drawn group by project_id, environment, policy, rule_id`,
  runtimes_behind: runtimes(
    `${isConnected} and r.rejection = '' and (r.activation_seq = 0 or r.activation_seq < e.activation_seq)`,
  ),
  runtimes_disconnected: runtimes(`${seenThisDay} and not (${isConnected})`),
  bundles_rejected: runtimes(`${seenThisDay} and r.rejection <> ''`),
  bundle_age_minutes: `
    select e.project_id, e.name as environment,
      greatest(0, extract(epoch from $3::timestamptz - b.created_at) / 60)::float8 as part
    from environment e join bundle b
      on b.org_id = e.org_id and b.environment_id = e.id and b.version = e.active_version
    where e.org_id = $1 and $2::timestamptz is not null`,
  webhook_dropped: `
    select count(*)::float8 as part from webhook_delivery
    where org_id = $1 and state = 'dropped' and finished_at >= $2 and finished_at < $3`,
};

/** What the places of an organization contribute to a metric. */
export async function readFacts(
  tx: Transaction,
  metric: FactMetric,
  { since, until }: CountWindow,
): Promise<PlacedFact[]> {
  const rows = await runBound<FactRow>(tx, queries[metric], [tx.orgId, since, until]);
  return rows.map(({ project_id: projectId = "", environment = "", policy = "", rule_id: ruleId = "", ...sums }) => ({
    ...{ projectId, environment, policy, ruleId, part: sums.part, whole: sums.whole ?? sums.part },
  }));
}

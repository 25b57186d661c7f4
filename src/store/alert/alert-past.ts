// The past of what alert rules measure, minute by minute, for previews.

import { runBound } from "../core/bulk.ts";
import type { Transaction } from "../core/transaction.ts";
import { Period } from "../telemetry/stat-cube.ts";
import { type Counts, type CountWindow, noCounts, outcomeSums, type PlacedCounts, ruleSums } from "./alert-counts.ts";
import { backendFailures } from "./alert-facts.ts";
import type { AlertFilter } from "./alert-rule.ts";

/** What has a past by the minute. */
export type PastOf = "outcomes" | "losses" | "rules" | "backend_error_rate" | "annotated_false_positive_rate";

/** The columns by which counts of minutes are told apart. */
export type PlaceColumn = "project_id" | "environment" | "agent_key" | "policy" | "rule_id";

/** What is read of one kind. The organization is $1, the window from $2 to $3. */
interface PastQuery {
  readonly from: string;
  readonly sums: string;
  /** What makes a group one of the largest. */
  readonly size: string;
  readonly filters: readonly (keyof AlertFilter)[];
}

const minutesOf = (table: string) =>
  `${table} where org_id = $1 and period = ${Period.MINUTE} and start >= $2 and start < $3`;
const place = ["projectId", "environment"] as const;

const queries: Readonly<Record<PastOf, PastQuery>> = {
  outcomes: {
    from: minutesOf("stat_outcome"),
    sums: outcomeSums,
    size: "sum(evaluations)",
    filters: [...place, "agentKey", "stage"],
  },
  losses: {
    from: minutesOf("stat_loss"),
    sums: "sum(evaluations)::float8 as lost",
    size: "sum(evaluations)",
    filters: place,
  },
  rules: {
    from: minutesOf("stat_rule"),
    sums: ruleSums,
    size: "sum(traces)",
    filters: [...place, "stage", "policy", "ruleId"],
  },
  backend_error_rate: {
    from: `(${backendFailures("start, project_id, environment")}) counted where true`,
    sums: "sum(failed)::float8 as part, sum(evaluations)::float8 as whole",
    size: "sum(evaluations)",
    filters: place,
  },
  // The numbers are those of the enum AnnotationMark: FALSE_POSITIVE and CORRECT.
  annotated_false_positive_rate: {
    from: `(select date_trunc('minute', created_at) as start, project_id, environment, policy, rule_id, mark
        from annotation where org_id = $1 and is_current and withdrawn_at is null and mark in (1, 3)
          and created_at >= $2 and created_at < $3) marked where true`,
    sums: "count(*) filter (where mark = 1)::float8 as part, count(*)::float8 as whole",
    size: "count(*)",
    filters: [...place, "policy", "ruleId"],
  },
};

const columnOf: Readonly<Record<keyof AlertFilter, string>> = {
  projectId: "project_id",
  environment: "environment",
  agentKey: "agent_key",
  stage: "stage",
  policy: "policy",
  ruleId: "rule_id",
};

interface PastRow extends Readonly<Partial<Record<PlaceColumn, string>>> {
  readonly start_ms: number;
  readonly would_block?: number;
  readonly fail_open?: number;
}

/** The counts of each minute of a window for a rule, of the groups with the most evaluations. */
export async function countByMinute(
  tx: Transaction,
  { since, until }: CountWindow,
  filter: AlertFilter,
  { columns, maxGroups, of }: { columns: readonly PlaceColumn[]; maxGroups: number; of: PastOf },
): Promise<PlacedCounts[]> {
  const { from, sums, size, filters } = queries[of];
  const parameters: unknown[] = [tx.orgId, since, until];
  const those = `${from}${conditionsOf(filter, filters, parameters)}`;
  const names = columns.join(", ");
  const largest =
    columns.length === 0
      ? ""
      : ` and (${names}) in (select ${names} from ${those} group by ${names} order by ${size} desc, ${names}
           limit ${maxGroups})`;
  const rows = await runBound<PastRow & Partial<Counts>>(
    tx,
    `select (extract(epoch from start) * 1000)::float8 as start_ms, ${columns.map((name) => `${name}, `).join("")}${sums}
     from ${those}${largest} group by ${["start", ...columns].join(", ")}`,
    parameters,
  );
  return rows.map(ofPast);
}

// The conditions of a filter, whose values are added to the parameters.
function conditionsOf(filter: AlertFilter, names: readonly (keyof AlertFilter)[], parameters: unknown[]): string {
  const conditions = names.flatMap((name) => {
    if (filter[name] === undefined) return [];
    parameters.push(filter[name]);
    return [` and ${columnOf[name]} = $${parameters.length}`];
  });
  return conditions.join("");
}

/** Latencies of a minute and a place. */
export interface MinuteLatencies {
  readonly startMs: number;
  readonly projectId: string;
  readonly environment: string;
  readonly agentKey: string;
  /** A LatencyHistogram. */
  readonly buckets: Buffer;
}

interface LatencyRow {
  readonly start_ms: number;
  readonly project_id: string;
  readonly environment: string;
  readonly agent_key: string;
  readonly buckets: Buffer;
}

/** The latencies of each minute of a window for a rule. */
export async function latenciesByMinute(
  tx: Transaction,
  { since, until }: CountWindow,
  filter: AlertFilter,
): Promise<MinuteLatencies[]> {
  const parameters: unknown[] = [tx.orgId, since, until];
  const those = `${minutesOf("stat_latency")}${conditionsOf(filter, queries.outcomes.filters, parameters)}`;
  const rows = await runBound<LatencyRow>(
    tx,
    `select (extract(epoch from start) * 1000)::float8 as start_ms, project_id, environment, agent_key, buckets
     from ${those}`,
    parameters,
  );
  return rows.map(({ start_ms: startMs, project_id: projectId, environment, agent_key: agentKey, buckets }) => ({
    ...{ startMs, projectId, environment, agentKey, buckets },
  }));
}

function ofPast(row: PastRow & Partial<Counts>): PlacedCounts {
  const { start_ms: startMs, project_id: projectId = "", environment = "", agent_key: agentKey = "", ...rest } = row;
  const { policy, rule_id: ruleId, would_block: wouldBlock = 0, fail_open: failOpen = 0, ...sums } = rest;
  const counts = { ...noCounts(), ...sums, wouldBlock, failOpen };
  const rule = ruleId === undefined ? {} : { ruleId, policy: policy ?? "" };
  return { projectId, environment, agentKey, stage: 0, startMs, ...rule, counts };
}

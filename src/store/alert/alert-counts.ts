// What alert rules measure: sums of the minute cubes over a window.

import { runBound } from "../core/bulk.ts";
import type { Transaction } from "../core/transaction.ts";
import { Period } from "../telemetry/stat-cube.ts";

/** Where counts belong. Fields that are not distinguished are "". */
export interface CountPlace {
  readonly projectId: string;
  readonly environment: string;
  readonly agentKey: string;
  readonly stage: number;
  /** The rule; "" where rules are not told apart. */
  readonly ruleId?: string;
  /** Name of the rule's policy; "" where rules are not told apart. */
  readonly policy?: string;
}

/** Counts of a window. */
export interface Counts {
  evaluations: number;
  flagged: number;
  redacted: number;
  blocked: number;
  wouldBlock: number;
  unjudged: number;
  failOpen: number;
  lost: number;
  /** Of a share: what it counts. */
  part: number;
  /** Of a share: what it is a share of. For a rule of policies, all evaluations. */
  whole: number;
}

/** Counts of one place. */
export interface PlacedCounts extends CountPlace {
  /** Start of the minute; undefined for a whole window. */
  readonly startMs: number | undefined;
  readonly counts: Counts;
}

/** A window: from `since` up to, not including, `until`. */
export interface CountWindow {
  readonly since: Date;
  readonly until: Date;
}

/** Nothing was counted. */
export function noCounts(): Counts {
  return {
    ...{ evaluations: 0, flagged: 0, redacted: 0, blocked: 0 },
    ...{ wouldBlock: 0, unjudged: 0, failOpen: 0, lost: 0, part: 0, whole: 0 },
  };
}

/** Sums of outcomes. The numbers are those of the enum Outcome: FLAG, REDACT, BLOCK. */
export const outcomeSums = `sum(evaluations)::float8 as evaluations,
  coalesce(sum(evaluations) filter (where outcome = 2), 0)::float8 as flagged,
  coalesce(sum(evaluations) filter (where outcome = 3), 0)::float8 as redacted,
  coalesce(sum(evaluations) filter (where outcome = 4), 0)::float8 as blocked,
  coalesce(sum(evaluations) filter (where would_be_outcome = 4 and outcome <> 4), 0)::float8 as would_block,
  sum(unjudged)::float8 as unjudged, sum(fail_open)::float8 as fail_open`;

/** Sums of what rules of policies did. The numbers are those of the enums Outcome and Mode: SHADOW is 2. */
export const ruleSums = `sum(traces)::float8 as evaluations,
  coalesce(sum(decided) filter (where action = 2), 0)::float8 as flagged,
  coalesce(sum(decided) filter (where action = 3), 0)::float8 as redacted,
  coalesce(sum(decided) filter (where action = 4), 0)::float8 as blocked,
  coalesce(sum(traces) filter (where mode = 2 and action = 4), 0)::float8 as would_block,
  0::float8 as unjudged, 0::float8 as fail_open`;

interface OutcomeRow {
  readonly start_ms?: number;
  readonly project_id?: string;
  readonly environment?: string;
  readonly agent_key?: string;
  readonly stage?: number;
  readonly evaluations: number;
  readonly flagged: number;
  readonly redacted: number;
  readonly blocked: number;
  readonly would_block: number;
  readonly unjudged: number;
  readonly fail_open: number;
}

function ofOutcome(row: OutcomeRow): PlacedCounts {
  const { start_ms: startMs, project_id = "", environment = "", agent_key = "", stage = 0, ...sums } = row;
  const { would_block: wouldBlock, fail_open: failOpen, ...rest } = sums;
  return {
    ...{ projectId: project_id, environment, agentKey: agent_key, stage, startMs },
    counts: { ...noCounts(), ...rest, wouldBlock, failOpen },
  };
}

/** What came of the evaluations of a window, by all that a rule may distinguish. */
export async function countOutcomes(tx: Transaction, { since, until }: CountWindow): Promise<PlacedCounts[]> {
  const rows = await runBound<OutcomeRow>(
    tx,
    `select project_id, environment, agent_key, stage, ${outcomeSums} from stat_outcome
     where org_id = $1 and period = ${Period.MINUTE} and start >= $2 and start < $3
     group by project_id, environment, agent_key, stage`,
    [tx.orgId, since, until],
  );
  return rows.map(ofOutcome);
}

/** Evaluations of a window of which no record arrived. */
export async function countLosses(tx: Transaction, { since, until }: CountWindow): Promise<PlacedCounts[]> {
  const rows = await runBound<{ project_id: string; environment: string; lost: number }>(
    tx,
    `select project_id, environment, sum(evaluations)::float8 as lost from stat_loss
     where org_id = $1 and period = ${Period.MINUTE} and start >= $2 and start < $3 group by project_id, environment`,
    [tx.orgId, since, until],
  );
  return rows.map(({ project_id: projectId, environment, lost }) => ({
    ...{ projectId, environment, agentKey: "", stage: 0, startMs: undefined },
    counts: { ...noCounts(), lost },
  }));
}

/**
 * What rules of policies did in a window. `evaluations` are those in which the rule found something, the outcomes those
 * that it decided.
 */
export async function countRules(tx: Transaction, { since, until }: CountWindow): Promise<PlacedCounts[]> {
  const rows = await runBound<OutcomeRow & { readonly rule_id: string; readonly policy: string }>(
    tx,
    `select project_id, environment, stage, policy, rule_id, ${ruleSums}
     from stat_rule where org_id = $1 and period = ${Period.MINUTE} and start >= $2 and start < $3
     group by project_id, environment, stage, policy, rule_id`,
    [tx.orgId, since, until],
  );
  return rows.map(({ rule_id: ruleId, policy, ...row }) => ({ ...ofOutcome(row), ruleId, policy }));
}

/** Latencies of one place. */
export interface PlacedLatencies extends CountPlace {
  /** A LatencyHistogram. */
  readonly buckets: Buffer;
}

/** Latencies of a window. */
export async function readLatencies(tx: Transaction, { since, until }: CountWindow): Promise<PlacedLatencies[]> {
  const rows = await runBound<{
    project_id: string;
    environment: string;
    agent_key: string;
    stage: number;
    buckets: Buffer;
  }>(
    tx,
    `select project_id, environment, agent_key, stage, buckets from stat_latency
     where org_id = $1 and period = ${Period.MINUTE} and start >= $2 and start < $3`,
    [tx.orgId, since, until],
  );
  return rows.map(({ project_id: projectId, environment, agent_key: agentKey, stage, buckets }) => ({
    ...{ projectId, environment, agentKey, stage, buckets },
  }));
}

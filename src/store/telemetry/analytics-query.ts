// Reads cubes for analytics. Every query is one scan of a range of a cube's key, whatever there is of traces.

import { runBound } from "../core/bulk.ts";
import type { Transaction } from "../core/transaction.ts";
import type { Period } from "./stat-cube.ts";

/** Rows of a period that begin within a time. */
export interface StatRange {
  readonly period: Period;
  readonly since: Date;
  readonly until: Date;
}

/** Which rows count. Every given field has to match. */
export interface StatFilter {
  readonly projectId?: string | undefined;
  readonly environment?: string | undefined;
  readonly agentKey?: string | undefined;
  readonly stage?: number | undefined;
  readonly language?: string | undefined;
  readonly policy?: string | undefined;
  readonly ruleId?: string | undefined;
  readonly detector?: string | undefined;
}

/** What a row is a sum by; the fields of other sums are null. */
export type OutcomeGroup = "start" | "agent" | "stage" | "language";

/** Evaluations by one thing and their outcome. */
export interface OutcomeSum {
  readonly group: OutcomeGroup;
  readonly startMs: number;
  readonly agentKey: string;
  readonly stage: number;
  readonly language: string;
  readonly outcome: number;
  readonly wouldBeOutcome: number;
  /** In the order of the cube: evaluations, unjudged, fail open, exempted, overage. */
  readonly counts: readonly number[];
}

/** The outcomes of a range, by start and, if wanted, also by agent, stage and language. */
export async function sumOutcomes(
  tx: Transaction,
  range: StatRange,
  filter: StatFilter,
  { isSplit }: { readonly isSplit: boolean },
): Promise<OutcomeSum[]> {
  const query = new Query(tx.orgId, range, filter);
  query.equals("agent_key", filter.agentKey);
  query.equals("stage", filter.stage);
  query.equals("language", filter.language);
  const sums = `sum(evaluations) as evaluations, sum(unjudged) as unjudged, sum(fail_open) as fail_open,
    sum(exempted) as exempted, sum(overage) as overage`;
  const split = `grouping(start, agent_key, stage, language) as groups, agent_key, stage, language`;
  const sets = "(start, outcome, would_be_outcome), (agent_key, outcome), (stage, outcome), (language, outcome)";
  const rows = await runBound<OutcomeRow>(
    tx,
    `select ${isSplit ? split : "7 as groups"}, ${millis}, outcome, would_be_outcome, ${sums}
     from stat_outcome where ${query.where}
     group by ${isSplit ? `grouping sets (${sets})` : "start, outcome, would_be_outcome"}`,
    query.parameters,
  );
  return rows.map((row) => ({
    group: outcomeGroups[row.groups] ?? "start",
    startMs: row.start_ms ?? 0,
    agentKey: row.agent_key ?? "",
    stage: row.stage ?? 0,
    language: row.language ?? "",
    outcome: row.outcome,
    wouldBeOutcome: row.would_be_outcome ?? 0,
    counts: [row.evaluations, row.unjudged, row.fail_open, row.exempted, row.overage].map(Number),
  }));
}

/** What rules found, by one thing. */
export interface RuleSum {
  readonly group: "start" | "stage" | "rule" | "detector";
  readonly startMs: number;
  readonly stage: number;
  readonly policy: string;
  readonly ruleId: string;
  readonly detector: string;
  /** In the order of the cube: traces, traces of the detector, findings, decided. */
  readonly counts: readonly number[];
}

/** What rules found in a range: by start and stage with a rule or detector, by rule and by detector without one. */
export async function sumRules(
  tx: Transaction,
  range: StatRange,
  filter: StatFilter,
  { by }: { readonly by: "time" | "names" },
): Promise<RuleSum[]> {
  const query = new Query(tx.orgId, range, filter);
  query.equals("stage", filter.stage);
  query.equals("policy", filter.policy);
  query.equals("rule_id", filter.ruleId);
  query.equals("detector", filter.detector);
  const time = `grouping(start, stage) as groups, ${millis}, stage`;
  const names = "4 + grouping(policy, detector) as groups, policy, rule_id, detector";
  const rows = await runBound<RuleRow>(
    tx,
    `select ${by === "time" ? time : names},
       sum(traces) as traces, sum(detector_traces) as detector_traces, sum(findings) as findings, sum(decided) as decided
     from stat_rule where ${query.where}
     group by grouping sets (${by === "time" ? "(start), (stage)" : "(policy, rule_id), (detector)"})`,
    query.parameters,
  );
  return rows.map((row) => ({
    group: ruleGroups[row.groups] ?? "start",
    startMs: row.start_ms ?? 0,
    stage: row.stage ?? 0,
    policy: row.policy ?? "",
    ruleId: row.rule_id ?? "",
    detector: row.detector ?? "",
    counts: [row.traces, row.detector_traces, row.findings, row.decided].map(Number),
  }));
}

/** Latencies of all agents. */
export async function readLatencies(
  tx: Transaction,
  range: StatRange,
  filter: StatFilter,
): Promise<{ startMs: number; buckets: Buffer }[]> {
  const query = new Query(tx.orgId, range, filter);
  query.equals("stage", filter.stage);
  const rows = await runBound<{ start_ms: number; buckets: Buffer }>(
    tx,
    `select ${millis}, buckets from stat_latency where ${query.where}`,
    query.parameters,
  );
  return rows.map(({ start_ms, buckets }) => ({ startMs: start_ms, buckets }));
}

/** What could not be judged. */
export interface UnjudgedSum {
  readonly detector: string;
  readonly reason: string;
  readonly onError: number;
  readonly traces: number;
}

/** What could not be judged in a range, and why. */
export async function sumUnjudged(tx: Transaction, range: StatRange, filter: StatFilter): Promise<UnjudgedSum[]> {
  const query = new Query(tx.orgId, range, filter);
  const rows = await runBound<{ detector: string; reason: string; on_error: number; traces: string }>(
    tx,
    `select detector, reason, on_error, sum(traces) as traces from stat_unjudged where ${query.where}
     group by detector, reason, on_error`,
    query.parameters,
  );
  return rows.map(({ on_error, traces, ...row }) => ({ ...row, onError: on_error, traces: Number(traces) }));
}

/** Evaluations by bundle version and outcome. */
export async function sumVersions(
  tx: Transaction,
  range: StatRange,
  filter: StatFilter,
): Promise<{ bundleVersion: number; outcome: number; evaluations: number }[]> {
  const query = new Query(tx.orgId, range, filter);
  const rows = await runBound<{ bundle_version: number; outcome: number; evaluations: string }>(
    tx,
    `select bundle_version, outcome, sum(evaluations) as evaluations from stat_version where ${query.where}
     group by bundle_version, outcome`,
    query.parameters,
  );
  return rows.map(({ bundle_version, outcome, evaluations }) => ({
    bundleVersion: bundle_version,
    outcome,
    evaluations: Number(evaluations),
  }));
}

/** Lost evaluations by start. */
export async function sumLosses(
  tx: Transaction,
  range: StatRange,
  filter: StatFilter,
): Promise<{ startMs: number; evaluations: number }[]> {
  const query = new Query(tx.orgId, range, filter);
  const rows = await runBound<{ start_ms: number; evaluations: string }>(
    tx,
    `select ${millis}, sum(evaluations) as evaluations from stat_loss where ${query.where} group by start`,
    query.parameters,
  );
  return rows.map(({ start_ms, evaluations }) => ({ startMs: start_ms, evaluations: Number(evaluations) }));
}

const millis = "(extract(epoch from start) * 1000)::float8 as start_ms";

// A bit of `grouping` is 1 for a column that a row is not grouped by; the first column has the highest bit.
const outcomeGroups: Readonly<Record<number, OutcomeGroup>> = { 7: "start", 11: "agent", 13: "stage", 14: "language" };
const ruleGroups: Readonly<Record<number, RuleSum["group"]>> = { 1: "start", 2: "stage", 5: "rule", 6: "detector" };

interface OutcomeRow {
  readonly groups: number;
  readonly start_ms: number | null;
  readonly agent_key?: string | null;
  readonly stage?: number | null;
  readonly language?: string | null;
  readonly outcome: number;
  readonly would_be_outcome: number | null;
  readonly evaluations: string;
  readonly unjudged: string;
  readonly fail_open: string;
  readonly exempted: string;
  readonly overage: string;
}

interface RuleRow {
  readonly groups: number;
  readonly start_ms?: number | null;
  readonly stage?: number | null;
  readonly policy?: string | null;
  readonly rule_id?: string | null;
  readonly detector?: string | null;
  readonly traces: string;
  readonly detector_traces: string;
  readonly findings: string;
  readonly decided: string;
}

/** The conditions of a scan. The range bounds the key; project and environment narrow it further. */
class Query {
  readonly parameters: unknown[];
  readonly #conditions = ["org_id = $1", "period = $2", "start >= $3", "start < $4"];

  constructor(orgId: string, { period, since, until }: StatRange, { projectId, environment }: StatFilter) {
    this.parameters = [orgId, period, since, until];
    this.equals("project_id", projectId);
    this.equals("environment", environment);
  }

  get where(): string {
    return this.#conditions.join(" and ");
  }

  equals(column: string, value: string | number | undefined): void {
    if (value === undefined) return;
    this.parameters.push(value);
    this.#conditions.push(`${column} = $${this.parameters.length}`);
  }
}

// Counts of evaluations by minute, hour and day. The fold adds to them; analytics and alerts read them, together with
// the deltas that are not folded yet. No row names a person, so the days outlive their traces.

import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";
import type { CountCube, Cube, CubeCap, CubeColumn, CubeValue } from "./cube.ts";

/** Length of what a row counts. */
export const Period = { MINUTE: 1, HOUR: 2, DAY: 3 } as const;

/** One of `Period`. */
export type Period = (typeof Period)[keyof typeof Period];

/** What takes the place of all values beyond a cap. Neither a key of an agent nor the name of a policy has a tilde. */
export const otherKey = "~other";
/** The agent of rows that count all agents. */
export const allAgents = "~all";
/** The bundle version of rows beyond the cap. */
export const otherVersion = -1;

// Rows of minutes come and go with two days, those of days stay two years: each has a heap of its own.
function byPeriod(table: string) {
  const partition = (name: string, period: Period) => ({ name: `${table}_${name}`, values: `in ('${period}')` });
  return {
    type: "list" as const,
    expression: "period",
    partitions: [partition("minute", Period.MINUTE), partition("hour", Period.HOUR), partition("day", Period.DAY)],
  };
}

const placeProperties = {
  orgId: p.uuid().primary(),
  period: p.smallint().primary(),
  /** Start of the minute, hour or day in UTC. */
  start: p.datetime(0).primary(),
  projectId: p.uuid().primary(),
  environment: p.text().primary(),
};

const outcomeSchema = defineEntity({
  name: "StatOutcome",
  tableName: "stat_outcome",
  ...tenantTable,
  partitionBy: byPeriod("stat_outcome"),
  properties: {
    ...placeProperties,
    /** Empty for evaluations without an agent. */
    agentKey: p.text().primary(),
    stage: p.smallint().primary(),
    /** Empty when it is not known. */
    language: p.text().primary(),
    outcome: p.smallint().primary(),
    wouldBeOutcome: p.smallint().primary(),
    evaluations: p.bigint("number"),
    unjudged: p.bigint("number"),
    failOpen: p.bigint("number"),
    exempted: p.bigint("number"),
    overage: p.bigint("number"),
  },
});

/** Evaluations by what came of them. */
export class StatOutcomeRow extends outcomeSchema.class {}
outcomeSchema.setClass(StatOutcomeRow);

const ruleSchema = defineEntity({
  name: "StatRule",
  tableName: "stat_rule",
  ...tenantTable,
  partitionBy: byPeriod("stat_rule"),
  properties: {
    ...placeProperties,
    policy: p.text().primary(),
    ruleId: p.text().primary(),
    detector: p.text().primary(),
    stage: p.smallint().primary(),
    mode: p.smallint().primary(),
    action: p.smallint().primary(),
    traces: p.bigint("number"),
    detectorTraces: p.bigint("number"),
    findings: p.bigint("number"),
    decided: p.bigint("number"),
  },
});

/** What rules found. */
export class StatRuleRow extends ruleSchema.class {}
ruleSchema.setClass(StatRuleRow);

const latencySchema = defineEntity({
  name: "StatLatency",
  tableName: "stat_latency",
  ...tenantTable,
  partitionBy: byPeriod("stat_latency"),
  properties: {
    ...placeProperties,
    /**
     * By agent in minutes only, for alerts; "~all" in hours and days, so that analytics cost the same for any number.
     */
    agentKey: p.text().primary(),
    stage: p.smallint().primary(),
    /** A LatencyHistogram. */
    buckets: p.blob(),
  },
});

/** How long evaluations took. */
export class StatLatencyRow extends latencySchema.class {}
latencySchema.setClass(StatLatencyRow);

const unjudgedSchema = defineEntity({
  name: "StatUnjudged",
  tableName: "stat_unjudged",
  ...tenantTable,
  partitionBy: byPeriod("stat_unjudged"),
  properties: {
    ...placeProperties,
    detector: p.text().primary(),
    reason: p.text().primary(),
    onError: p.smallint().primary(),
    traces: p.bigint("number"),
  },
});

/** What could not be judged. */
export class StatUnjudgedRow extends unjudgedSchema.class {}
unjudgedSchema.setClass(StatUnjudgedRow);

const versionSchema = defineEntity({
  name: "StatVersion",
  tableName: "stat_version",
  ...tenantTable,
  partitionBy: byPeriod("stat_version"),
  properties: {
    ...placeProperties,
    bundleVersion: p.integer().primary(),
    outcome: p.smallint().primary(),
    evaluations: p.bigint("number"),
  },
});

/** Evaluations by the bundle that decided. */
export class StatVersionRow extends versionSchema.class {}
versionSchema.setClass(StatVersionRow);

const lossSchema = defineEntity({
  name: "StatLoss",
  tableName: "stat_loss",
  ...tenantTable,
  partitionBy: byPeriod("stat_loss"),
  properties: {
    ...placeProperties,
    reason: p.text().primary(),
    evaluations: p.bigint("number"),
  },
});

/** Evaluations of which no record arrived, when that became known. */
export class StatLossRow extends lossSchema.class {}
lossSchema.setClass(StatLossRow);

const place: readonly CubeColumn[] = [
  { name: "period", type: "smallint" },
  { name: "start", type: "timestamptz" },
  { name: "project_id", type: "uuid" },
  { name: "environment", type: "text" },
];

const text = (name: string): CubeColumn => ({ name, type: "text" });
const small = (name: string): CubeColumn => ({ name, type: "smallint" });

function cap(columns: readonly string[], limit: number, other: CubeValue = otherKey, minuteLimit = limit): CubeCap {
  return {
    columns,
    limit: (period) => (period === Period.MINUTE ? minuteLimit : limit),
    other: columns.map(() => other),
  };
}

/** Agents of one minute, hour or day of an environment. */
const maxAgents = 200;

/** Evaluations by agent, stage, language, outcome and what shadow rules would have made of it. */
export const outcomeCube: CountCube = {
  table: "stat_outcome",
  place,
  keys: [text("agent_key"), small("stage"), text("language"), small("outcome"), small("would_be_outcome")],
  counts: ["evaluations", "unjudged", "fail_open", "exempted", "overage"],
  caps: [cap(["agent_key"], maxAgents), cap(["language"], 50)],
};

/** Traces and findings by rule and detector. */
export const ruleCube: CountCube = {
  table: "stat_rule",
  place,
  keys: [text("policy"), text("rule_id"), text("detector"), small("stage"), small("mode"), small("action")],
  counts: ["traces", "detector_traces", "findings", "decided"],
  caps: [cap(["policy", "rule_id", "detector"], 2_000, otherKey, 500)],
};

/** Latencies by stage. */
export const latencyCube: Cube = {
  table: "stat_latency",
  place,
  keys: [text("agent_key"), small("stage")],
  caps: [cap(["agent_key"], maxAgents)],
};

/** Traces in which a detector could not judge. */
export const unjudgedCube: CountCube = {
  table: "stat_unjudged",
  place,
  keys: [text("detector"), text("reason"), small("on_error")],
  counts: ["traces"],
  caps: [cap(["detector", "reason"], 500)],
};

/** Evaluations by bundle version. */
export const versionCube: CountCube = {
  table: "stat_version",
  place,
  keys: [{ name: "bundle_version", type: "integer" }, small("outcome")],
  counts: ["evaluations"],
  caps: [cap(["bundle_version"], 200, otherVersion)],
};

/** Evaluations that are lost, by reason. */
export const lossCube: CountCube = {
  table: "stat_loss",
  place,
  keys: [text("reason")],
  counts: ["evaluations"],
  caps: [cap(["reason"], 50)],
};

/** All cubes of this file. */
export const statCubes: readonly Cube[] = [outcomeCube, ruleCube, latencyCube, unjudgedCube, versionCube, lossCube];

// Any number that nothing else in the database locks together with a hash.
const foldLockClass = 7_405_119;

/** Locks the organization's cubes until the commit. False when somebody else has them locked. */
export async function tryLockCubes(tx: Transaction): Promise<boolean> {
  const rows = await runBound<{ locked: boolean }>(
    tx,
    `select pg_try_advisory_xact_lock(${foldLockClass}, hashtext($1)) as locked`,
    [tx.orgId],
  );
  return rows[0]?.locked === true;
}

/** Waits until the organization's cubes are locked, until the commit. */
export async function lockCubes(tx: Transaction): Promise<void> {
  await runBound(tx, `select pg_advisory_xact_lock(${foldLockClass}, hashtext($1))`, [tx.orgId]);
}

/** Removes up to `limit` rows of a cube that begin before this time; returns how many. */
export async function deleteCubeRows(
  tx: Transaction,
  { table }: Cube,
  { period, before, limit }: { readonly period: Period; readonly before: Date; readonly limit: number },
): Promise<number> {
  const rows = await runBound<{ gone: number }>(
    tx,
    `with gone as (
       delete from ${table} where org_id = $1 and period = $2 and start < $3 and ctid in
         (select ctid from ${table} where org_id = $1 and period = $2 and start < $3 limit $4) returning 1)
     select count(*)::int as gone from gone`,
    [tx.orgId, period, before, limit],
  );
  return rows[0]?.gone ?? 0;
}

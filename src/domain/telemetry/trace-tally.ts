// Sums up what a batch adds to shared rows, so that each row is written once.

import { create } from "@bufbuild/protobuf";
import { type Tally, type TallyMinute, TallySchema } from "../../../gen/policyguard/policy/v1/tally_pb.ts";
import { binaryWriter } from "../../kit/protobuf/binary-write.ts";
import { TallyBuilder } from "../../kit/tally/tally.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { NewLoss } from "../../store/fleet/reporting-gap.ts";
import { insertDelta } from "../../store/telemetry/stat-delta.ts";
import type { RollupCount } from "../../store/telemetry/trace-rollup.ts";
import type { AcceptedRecord } from "./trace-record.ts";

/** Characters of the reason of a loss that are counted apart. */
const maxReasonLength = 256;

/** Tallies in their Protobuf form. */
export const writeTally: (tally: Tally) => Uint8Array = binaryWriter(TallySchema);

/** First day of the calendar month (UTC) that an evaluation counts in. */
export function monthOf(moment: Date): string {
  return `${dayOf(moment).slice(0, 7)}-01`;
}

/** First day of the month after the one that is given as its first day. */
export function monthAfter(month: string): string {
  const begin = new Date(`${month}T00:00:00Z`);
  return monthOf(new Date(Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1)));
}

const dayMs = 86_400_000;

/** The day that was asked for last: nearly always that of the next evaluation, too. */
let latestDay = { number: Number.NaN, text: "" };

/** Day (UTC) that an evaluation counts in. */
export function dayOf(moment: Date): string {
  const number = Math.floor(moment.getTime() / dayMs);
  if (number !== latestDay.number) latestDay = { number, text: moment.toISOString().slice(0, 10) };
  return latestDay.text;
}

/** Evaluations of a minute. */
export function evaluationsOf({ evaluations }: TallyMinute): number {
  return evaluations.reduce((sum, cell) => sum + cell.evaluations, 0);
}

/** When a minute begins. */
export function beginOf({ minute }: TallyMinute): Date {
  return new Date(minute * 60_000);
}

/** Evaluations of counted minutes by month. */
export function countedMonths(minutes: readonly TallyMinute[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const minute of minutes) {
    const month = monthOf(beginOf(minute));
    counts.set(month, (counts.get(month) ?? 0) + evaluationsOf(minute));
  }
  return counts;
}

/** Evaluations by month. */
export function tallyMonths(records: readonly AcceptedRecord[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { createdAt } of records) {
    const month = monthOf(createdAt);
    counts.set(month, (counts.get(month) ?? 0) + 1);
  }
  return counts;
}

/** Evaluations by day, agent and outcome. */
export function tallyRollups(
  source: { readonly projectId: string; readonly environment: string },
  records: readonly AcceptedRecord[],
): RollupCount[] {
  const counts = new Map<string, RollupCount>();
  for (const { createdAt, agentKey, outcome } of records) {
    const day = dayOf(createdAt);
    const key = `${day} ${outcome} ${agentKey ?? ""}`;
    const count = (counts.get(key)?.count ?? 0) + 1;
    const { projectId, environment } = source;
    counts.set(key, { day, projectId, environment, agentKey: agentKey ?? "", outcome, count });
  }
  return [...counts.values()];
}

/** The latest use of each agent. */
export function lastUseOfAgents(records: readonly AcceptedRecord[]): Map<string, Date> {
  const uses = new Map<string, Date>();
  for (const { agentKey, createdAt } of records) {
    const known = agentKey === null ? undefined : uses.get(agentKey);
    if (agentKey !== null && (known === undefined || known < createdAt)) uses.set(agentKey, createdAt);
  }
  return uses;
}

/** The last minute in which agents were used, of counted evaluations. */
export function countedUseOfAgents(minutes: readonly TallyMinute[]): Map<string, Date> {
  const uses = new Map<string, Date>();
  for (const minute of minutes) {
    const at = beginOf(minute);
    for (const { agent } of minute.evaluations) {
      const known = uses.get(agent);
      if (agent !== "" && (known === undefined || known < at)) uses.set(agent, at);
    }
  }
  return uses;
}

/** What became known by one report. */
export interface ReportedCounts {
  /** Evaluations that are new. */
  readonly traces: readonly AcceptedRecord[];
  /** Those of them that no lease covers. */
  readonly overage?: ReadonlySet<AcceptedRecord>;
  readonly losses: readonly NewLoss[];
}

/** Adds the tally of a report to what the fold has to add to the cubes. */
export function addTally(
  tx: Transaction,
  { projectId, environment }: { readonly projectId: string; readonly environment: string },
  { traces, overage, losses }: ReportedCounts,
): void {
  const builder = new TallyBuilder();
  for (const trace of traces) {
    builder.add(trace.reported, {
      createdAtMs: trace.createdAt.getTime(),
      agent: trace.agentKey ?? "",
      isOverage: overage?.has(trace) === true,
    });
  }
  for (const { reason, evaluations } of losses) {
    builder.addLoss(tx.now.getTime(), reason.slice(0, maxReasonLength), evaluations);
  }
  if (builder.isEmpty) return;
  insertDelta(tx, { projectId, environment, tally: writeTally(builder.toTally()) });
}

/** Adds what a runtime has counted itself; `overage` are the minutes that the plan does not cover. */
export function addCounted(
  tx: Transaction,
  { projectId, environment }: { readonly projectId: string; readonly environment: string },
  minutes: readonly TallyMinute[],
  overage: ReadonlySet<TallyMinute>,
): void {
  if (minutes.length === 0) return;
  const counted = minutes.map((minute) => (overage.has(minute) ? beyondPlan(minute) : minute));
  insertDelta(tx, { projectId, environment, tally: writeTally(create(TallySchema, { minutes: counted })) });
}

function beyondPlan(minute: TallyMinute): TallyMinute {
  return { ...minute, evaluations: minute.evaluations.map((cell) => ({ ...cell, overage: cell.evaluations })) };
}

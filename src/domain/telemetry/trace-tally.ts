// Sums up what a batch adds to shared rows, so that each row is written once.

import type { RollupCount } from "../../store/telemetry/trace-rollup.ts";
import type { AcceptedRecord } from "./trace-record.ts";

/** First day of the calendar month (UTC) that an evaluation counts in. */
export function monthOf(moment: Date): string {
  return `${moment.toISOString().slice(0, 7)}-01`;
}

/** Day (UTC) that an evaluation counts in. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** Evaluations by month. */
export function tallyMonths(records: readonly AcceptedRecord[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { createdAt } of records) counts.set(monthOf(createdAt), (counts.get(monthOf(createdAt)) ?? 0) + 1);
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

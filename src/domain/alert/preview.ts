// What a rule would do if it existed: its values now, and its states of the last 24 hours.

import { countByMinute, noCounts, type PlaceColumn, type PlacedCounts } from "../../store/alert/alert-counts.ts";
import type { AlertGroupBy, AlertRuleRow, GroupState } from "../../store/alert/alert-rule.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { lastWindowEnd, Measurement, type PlanUsageReader } from "./evaluation.ts";
import { addCounts, type Group, groupKey, groupKeyOf, groupOf, maxGroups, sourceOf, valueOfCounts } from "./metric.ts";
import { nextStanding, quiet } from "./state.ts";

const minuteMs = 60_000;
const historyMs = 24 * 60 * minuteMs;
/** Changes of state that are told of one group. */
const maxStates = 500;

/** A rule that is tried. */
export type TriedRule = AlertRuleRow;

/** A change of state. */
export interface PreviewState {
  readonly at: Date;
  readonly state: GroupState;
  readonly value: number | undefined;
}

/** What a rule would do for one group. */
export interface PreviewGroup {
  readonly group: Group;
  readonly value: number | undefined;
  readonly samples: number;
  readonly states: readonly PreviewState[];
}

/** What a rule would do. */
export interface AlertPreview {
  readonly evaluatedAt: Date;
  readonly hasHistory: boolean;
  readonly groups: readonly PreviewGroup[];
}

/** Tries a rule. The cubes have to be folded. */
export async function previewRule(tx: Transaction, rule: TriedRule, usage: PlanUsageReader): Promise<AlertPreview> {
  const untilMs = lastWindowEnd(tx.now);
  const evaluatedAt = new Date(untilMs);
  const source = sourceOf(rule);
  // What is not counted by the minute has no past.
  if (source !== "outcomes" && source !== "losses") {
    const values = await new Measurement(tx, evaluatedAt, usage).values(rule);
    const groups = [...values].map(([key, measured]) => ({ group: groupOf(key), ...measured, states: [] }));
    return { evaluatedAt, hasHistory: false, groups };
  }
  const sinceMs = untilMs - historyMs - rule.windowMinutes * minuteMs;
  const counted = await countByMinute(tx, { since: new Date(sinceMs), until: evaluatedAt }, rule.filter, {
    columns: columnsOf(rule.groupBy, source),
    maxGroups,
    of: source,
  });
  const byGroup = Map.groupBy(counted, (place) => groupKeyOf(rule.groupBy, place));
  if (rule.groupBy == null && byGroup.size === 0) byGroup.set(groupKey({}), []);
  const groups = [...byGroup].map(([key, rows]) => play(rule, key, rows, untilMs));
  return { evaluatedAt, hasHistory: true, groups };
}

function columnsOf(groupBy: AlertGroupBy | null | undefined, source: "outcomes" | "losses"): PlaceColumn[] {
  if (groupBy === "project") return ["project_id"];
  if (groupBy === "environment") return ["project_id", "environment"];
  return groupBy === "agent" && source === "outcomes" ? ["agent_key"] : [];
}

// The window moves on by a minute: what enters it is added, and what leaves it is taken away.
function play(rule: TriedRule, key: string, rows: readonly PlacedCounts[], untilMs: number): PreviewGroup {
  const minutes = new Map(rows.map(({ startMs, counts }) => [startMs ?? 0, counts]));
  const windowMs = rule.windowMinutes * minuteMs;
  const sum = noCounts();
  const firstMs = untilMs - historyMs;
  for (let ms = firstMs - windowMs; ms < firstMs; ms += minuteMs) addCounts(sum, minutes.get(ms) ?? noCounts(), 1);
  let standing = quiet;
  const states: PreviewState[] = [];
  for (let atMs = firstMs; ; atMs += minuteMs) {
    const { value } = valueOfCounts(rule, sum);
    const next = nextStanding(rule, standing, atMs, value);
    if (next.state !== standing.state || states.length === 0)
      states.push({ at: new Date(atMs), state: next.state, value });
    standing = next;
    if (atMs >= untilMs) break;
    const entering = minutes.get(atMs);
    const leaving = minutes.get(atMs - windowMs);
    if (entering !== undefined) addCounts(sum, entering, 1);
    if (leaving !== undefined) addCounts(sum, leaving, -1);
  }
  return { group: groupOf(key), ...valueOfCounts(rule, sum), states: states.slice(-maxStates) };
}

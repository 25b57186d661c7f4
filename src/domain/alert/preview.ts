// What a rule would do if it existed: its values now, and its states of the last 24 hours.

import { type Counts, type CountWindow, noCounts, type PlacedCounts } from "../../store/alert/alert-counts.ts";
import { countByMinute, type PastOf, type PlaceColumn } from "../../store/alert/alert-past.ts";
import type { AlertGroupBy, AlertRuleRow, GroupState } from "../../store/alert/alert-rule.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { lastWindowEnd, Measurement, type PlanUsageReader } from "./evaluation.ts";
import { pastLatencies } from "./latency-past.ts";
import {
  addCounts,
  type Group,
  groupKey,
  groupKeyOf,
  groupOf,
  groupOfWhole,
  maxGroups,
  sourceOf,
  valueOfPast,
} from "./metric.ts";
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
  const past = pastOf(rule);
  if (past === undefined) {
    const values = await new Measurement(tx, evaluatedAt, usage).values(rule);
    const groups = [...values].map(([key, measured]) => ({ group: groupOf(key), ...measured, states: [] }));
    return { evaluatedAt, hasHistory: false, groups };
  }
  const since = new Date(untilMs - historyMs - rule.windowMinutes * minuteMs);
  const byGroup = await minutesOf(tx, rule, past, { since, until: evaluatedAt });
  const latencies =
    sourceOf(rule) === "latencies"
      ? await pastLatencies(tx, rule, byGroup.keys(), { firstMs: untilMs - historyMs, untilMs })
      : undefined;
  const groups = [...byGroup].map(([key, rows]) =>
    play(rule, { key, rows, untilMs, latencyAt: (ms) => latencies?.get(key)?.get(ms) }),
  );
  return { evaluatedAt, hasHistory: true, groups };
}

// What is not counted by the minute has no past.
function pastOf(rule: TriedRule): PastOf | undefined {
  const source = sourceOf(rule);
  // The samples of latencies are evaluations.
  if (source === "latencies") return "outcomes";
  if (source === "outcomes" || source === "losses" || source === "rules") return source;
  const { metric } = rule;
  return metric === "backend_error_rate" || metric === "annotated_false_positive_rate" ? metric : undefined;
}

async function minutesOf(
  tx: Transaction,
  { filter, groupBy }: TriedRule,
  of: PastOf,
  window: CountWindow,
): Promise<Map<string, PlacedCounts[]>> {
  const counted = await countByMinute(tx, window, filter, { columns: columnsOf(groupBy), maxGroups, of });
  const byGroup = Map.groupBy(counted, (place) => groupKeyOf(groupBy, place));
  if (groupBy == null && byGroup.size === 0) byGroup.set(groupKey({}), []);
  if (of !== "rules") return byGroup;
  // Shares of rules are of all evaluations, also of those of minutes in which a rule found nothing.
  const whole = groupOfWhole({ groupBy });
  const all = await countByMinute(tx, window, filter, { columns: columnsOf(whole), maxGroups, of: "outcomes" });
  const wholes = Map.groupBy(
    all.map(({ counts, ...place }) => ({ ...place, counts: { ...noCounts(), whole: counts.evaluations } })),
    (place) => groupKeyOf(whole, place),
  );
  const keys = groupBy === "rule" ? byGroup.keys() : new Set([...byGroup.keys(), ...wholes.keys()]);
  return new Map(
    [...keys].slice(0, maxGroups).map((key) => {
      return [key, [...(byGroup.get(key) ?? []), ...(wholes.get(whole === null ? groupKey({}) : key) ?? [])]];
    }),
  );
}

function columnsOf(groupBy: AlertGroupBy | null | undefined): PlaceColumn[] {
  switch (groupBy) {
    case "project":
      return ["project_id"];
    case "environment":
      return ["project_id", "environment"];
    case "agent":
      return ["agent_key"];
    case "rule":
      return ["rule_id", "policy"];
    default:
      return [];
  }
}

/** A group of the past. */
interface PlayedGroup {
  readonly key: string;
  readonly rows: readonly PlacedCounts[];
  /** End of the last window. */
  readonly untilMs: number;
  /** The percentile of the window that ends at a moment. */
  readonly latencyAt: (ms: number) => number | undefined;
}

// The window moves on by a minute: what enters it is added, and what leaves it is taken away.
function play(rule: TriedRule, { key, rows, untilMs, latencyAt }: PlayedGroup): PreviewGroup {
  const minutes = new Map<number, Counts>();
  for (const { startMs = 0, counts } of rows) {
    const sum = minutes.get(startMs) ?? noCounts();
    minutes.set(startMs, sum);
    addCounts(sum, counts, 1);
  }
  const windowMs = rule.windowMinutes * minuteMs;
  const sum = noCounts();
  const firstMs = untilMs - historyMs;
  for (let ms = firstMs - windowMs; ms < firstMs; ms += minuteMs) addCounts(sum, minutes.get(ms) ?? noCounts(), 1);
  let standing = quiet;
  const states: PreviewState[] = [];
  for (let atMs = firstMs; ; atMs += minuteMs) {
    const { value } = valueOfPast(rule, sum, latencyAt(atMs));
    // A group without evaluations is compared only while its state is not quiet.
    const isQuiet = standing.state === "ok" || standing.state === "no_data";
    const isGone = isQuiet && rule.groupBy != null && !isCounted(rule, sum);
    const next = isGone ? quiet : nextStanding(rule, standing, atMs, value);
    if (next.state !== standing.state || states.length === 0)
      states.push({ at: new Date(atMs), state: next.state, value });
    standing = next;
    if (atMs >= untilMs) break;
    const entering = minutes.get(atMs);
    const leaving = minutes.get(atMs - windowMs);
    if (entering !== undefined) addCounts(sum, entering, 1);
    if (leaving !== undefined) addCounts(sum, leaving, -1);
  }
  return { group: groupOf(key), ...valueOfPast(rule, sum, latencyAt(untilMs)), states: states.slice(-maxStates) };
}

// Whether a window has anything of a group. Of a rule, the whole is what all rules together judged.
function isCounted(rule: TriedRule, { evaluations, lost, whole }: Counts): boolean {
  const isRule = rule.groupBy === "rule" && sourceOf(rule) === "rules";
  return evaluations > 0 || lost > 0 || (whole > 0 && !isRule);
}

// Adds deltas that are not folded yet to an analytics answer, as if their rows were in the cubes.

import type { LatencyHistogram } from "../../kit/tally/latency-histogram.ts";
import type { OutcomeSum, RuleSum, StatFilter } from "../../store/telemetry/analytics-query.ts";
import type { CubeRow, CubeValue } from "../../store/telemetry/cube.ts";
import { lossCube, outcomeCube, ruleCube, unjudgedCube, versionCube } from "../../store/telemetry/stat-cube.ts";
import type { AnalyticsAnswer } from "./analytics-answer.ts";
import type { Measures } from "./analytics-sums.ts";
import type { Window } from "./analytics-window.ts";
import type { CubeSums } from "./cube-sums.ts";

/** Where they are added, and what counts. */
export interface Unfolded {
  readonly answer: AnalyticsAnswer;
  readonly window: Window;
  readonly measures: Measures;
  readonly filter: StatFilter;
}

/** Adds the sums of deltas. */
export function addUnfolded(target: Unfolded, sums: CubeSums): void {
  for (const { cube, rows } of sums.counts()) {
    if (cube === outcomeCube) for (const row of within(target, rows)) addOutcome(target, row);
    if (cube === ruleCube) for (const row of within(target, rows)) addRule(target, row);
    if (!target.measures.hasLosses) continue;
    for (const { startMs, isCurrent, keys, counts } of [unjudgedCube, versionCube, lossCube].includes(cube)
      ? within(target, rows)
      : []) {
      const [count = 0] = counts;
      if (cube === lossCube) target.answer.addLoss({ startMs, evaluations: count });
      if (!isCurrent) continue;
      if (cube === unjudgedCube) {
        const [detector, reason, onError] = keys;
        target.answer.addUnjudged({
          detector: String(detector),
          reason: String(reason),
          onError: Number(onError),
          traces: count,
        });
      }
      if (cube === versionCube) {
        const [bundleVersion, outcome] = keys.map(Number);
        target.answer.addVersion({ bundleVersion: bundleVersion ?? 0, outcome: outcome ?? 0, evaluations: count });
      }
    }
  }
  if (target.measures.hasLatency) addLatencies(target, sums.latencies());
}

interface PlacedRow<Counts> {
  readonly startMs: number;
  /** In the window itself, not in the one that it is compared with. */
  readonly isCurrent: boolean;
  readonly keys: readonly CubeValue[];
  readonly counts: Counts;
}

/** The rows of the window and of the one that it is compared with. */
function* within<Counts>({ window }: Unfolded, rows: readonly CubeRow<Counts>[]): Generator<PlacedRow<Counts>, void> {
  const [firstMs = window.untilMs] = window.starts;
  for (const { key, counts } of rows) {
    const [period, start, , , ...keys] = key;
    const startMs = Date.parse(String(start));
    if (period !== window.period || startMs >= window.untilMs || startMs < (window.previousMs ?? firstMs)) continue;
    yield { startMs, isCurrent: startMs >= firstMs, keys, counts };
  }
}

function addOutcome(
  { answer, measures, filter }: Unfolded,
  { startMs, isCurrent, keys, counts }: PlacedRow<readonly number[]>,
): void {
  const [agentKey, stage, language, outcome, wouldBeOutcome] = keys;
  const row: Omit<OutcomeSum, "group"> = {
    startMs,
    agentKey: String(agentKey),
    stage: Number(stage),
    language: String(language),
    outcome: Number(outcome),
    wouldBeOutcome: Number(wouldBeOutcome),
    counts,
  };
  const { agentKey: agent, stage: atStage, language: inLanguage } = filter;
  if (agent !== undefined && row.agentKey !== agent) return;
  if (atStage !== undefined && row.stage !== atStage) return;
  if (inLanguage !== undefined && row.language !== inLanguage) return;
  answer.addOutcome({ ...row, group: "start" });
  if (!isCurrent || measures.by !== "outcome") return;
  for (const group of ["agent", "stage", "language"] as const) answer.addOutcome({ ...row, group });
}

function addRule(
  { answer, measures, filter }: Unfolded,
  { startMs, isCurrent, keys, counts }: PlacedRow<readonly number[]>,
): void {
  const [policy, ruleId, detector, stage] = keys;
  const row: Omit<RuleSum, "group"> = {
    startMs,
    stage: Number(stage),
    policy: String(policy),
    ruleId: String(ruleId),
    detector: String(detector),
    counts,
  };
  if (filter.stage !== undefined && row.stage !== filter.stage) return;
  if (filter.policy !== undefined && row.policy !== filter.policy) return;
  if (filter.ruleId !== undefined && row.ruleId !== filter.ruleId) return;
  if (filter.detector !== undefined && row.detector !== filter.detector) return;
  if (measures.by !== "outcome") {
    answer.addRule({ ...row, group: "start" });
    if (isCurrent) answer.addRule({ ...row, group: "stage" });
    return;
  }
  if (!isCurrent || filter.agentKey !== undefined || filter.language !== undefined) return;
  for (const group of ["rule", "detector"] as const) answer.addRule({ ...row, group });
}

function addLatencies(target: Unfolded, rows: readonly CubeRow<LatencyHistogram>[]): void {
  for (const { startMs, keys, counts } of within(target, rows)) {
    const [, stage] = keys;
    if (target.filter.stage !== undefined && stage !== target.filter.stage) continue;
    target.answer.addLatency({ startMs, buckets: counts.toBytes() });
  }
}

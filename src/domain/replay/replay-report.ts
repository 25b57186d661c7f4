// The report of a replay, made from the counts of its run.

import { Outcome, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { MarkCounts, MarkName } from "../analysis/replay-marks.ts";
import {
  differenceOf,
  type GroupCounts,
  noneOfMark,
  type ReplayCell,
  type RuleCounts,
} from "../analysis/replay-tally.ts";
import { type CountEstimate, estimateOf, type StratumCount } from "./replay-estimate.ts";
import { outcomes, type ReplayProgress, type ReplaySpec, strataOf } from "./replay-spec.ts";

/** A count of judged traces, and what it says about all of them; null while all are counted. */
export interface ReportCount {
  readonly traces: number;
  readonly possible: number;
  readonly estimated: CountEstimate | null;
}

/** What other policies make of the traces. */
export interface ReplayReport {
  readonly population: number | null;
  readonly sampled: number;
  readonly exact: number;
  readonly bounded: number;
  readonly readText: number;
  readonly matrix: readonly { readonly was: Outcome; readonly is: Outcome; readonly count: ReportCount }[];
  readonly changed: ReportCount;
  readonly newlyBlocked: ReportCount;
  readonly newlyAllowed: ReportCount;
  readonly rules: readonly (RuleCounts & { readonly policy: string; readonly ruleId: string })[];
  readonly stages: readonly { readonly stage: Stage; readonly counts: GroupCounts }[];
  /** `key` is "" for traces without an agent. */
  readonly agents: readonly { readonly key: string; readonly counts: GroupCounts }[];
  /** Null when there are none. */
  readonly otherAgents: GroupCounts | null;
  readonly reasons: readonly { readonly reason: string; readonly traces: number }[];
  readonly results: number;
  readonly resultsOmitted: number;
  readonly marks: Readonly<Record<MarkName, MarkCounts>>;
}

/** Of what was to be done, what the counts depend on. */
export type SampledSpec = Pick<ReplaySpec, "sample" | "filter" | "lifted">;

const noMarks: Readonly<Record<MarkName, MarkCounts>> = {
  falsePositives: noneOfMark(),
  falseNegatives: noneOfMark(),
  correct: noneOfMark(),
  acceptable: noneOfMark(),
  correctBlocks: noneOfMark(),
};

/** The report of a run. */
export function replayReportOf(
  spec: SampledSpec,
  { populations, tally, results, resultsOmitted }: ReplayProgress,
): ReplayReport {
  const { cells } = tally;
  const count = (question: CountQuestion) => countOf({ cells, populations, spec }, question);
  const sampled = sum(cells);
  const bounded = sum(cells.filter(({ least, most }) => least !== most));
  return {
    population: populations === null ? null : populations.reduce((all, each) => all + each, 0),
    ...{ sampled, exact: sampled - bounded, bounded, readText: tally.readText },
    matrix: outcomes.flatMap((was) =>
      outcomes.map((is) => ({
        ...{ was, is },
        count: count({
          of: (outcome) => outcome === was,
          isSure: ({ least, most }) => least === is && most === is,
          isPossible: ({ least, most }) => least <= is && is <= most,
        }),
      })),
    ),
    changed: count({
      of: () => true,
      isSure: (cell) => differenceOf(cell.was, cell).isChanged,
      isPossible: ({ was, least, most }) => was !== least || was !== most,
    }),
    newlyBlocked: count(newlyBlocked),
    newlyAllowed: count(newlyAllowed),
    rules: tally.rules
      .map(([[policy, ruleId], counts]) => ({ policy, ruleId, ...counts }))
      .sort((a, b) => b.newlyBlocked - a.newlyBlocked || b.newlyAllowed - a.newlyAllowed || b.matches - a.matches),
    stages: tally.stages.map(([stage, counts]) => ({ stage, counts })).sort((a, b) => a.stage - b.stage),
    agents: tally.agents.map(([key, counts]) => ({ key, counts })).sort((a, b) => b.counts.traces - a.counts.traces),
    otherAgents: tally.otherAgents.traces === 0 ? null : tally.otherAgents,
    reasons: tally.reasons.map(([reason, traces]) => ({ reason, traces })).sort((a, b) => b.traces - a.traces),
    ...{ results, resultsOmitted },
    marks: { ...noMarks, ...Object.fromEntries(tally.marks ?? []) },
  };
}

/** What a replay says about traces that would be blocked or allowed anew. */
export interface ReplayShares {
  readonly population: number;
  readonly judged: number;
  readonly newlyBlocked: CountEstimate;
  readonly newlyAllowed: CountEstimate;
}

/** The same for a gate. Traces whose outcome lies in a range count as possibly changed, or are left out. */
export function replaySharesOf(
  spec: SampledSpec,
  { populations, tally }: ReplayProgress,
  bounded: "as_changed" | "ignore",
): ReplayShares {
  const cells = tally.cells.filter(({ least, most }) => bounded === "as_changed" || least === most);
  const ground = { cells, populations, spec };
  const nothing = { estimate: 0, low: 0, high: 0 };
  return {
    population: (populations ?? []).reduce((all, each) => all + each, 0),
    judged: sum(cells),
    newlyBlocked: countOf(ground, newlyBlocked).estimated ?? nothing,
    newlyAllowed: countOf(ground, newlyAllowed).estimated ?? nothing,
  };
}

/** Which cells to count. */
interface CountQuestion {
  /** The outcomes that traces had. */
  readonly of: (was: Outcome) => boolean;
  readonly isSure: (cell: ReplayCell) => boolean;
  /** Holds also where `isSure` does. */
  readonly isPossible: (cell: ReplayCell) => boolean;
}

const newlyBlocked: CountQuestion = {
  of: (outcome) => outcome !== Outcome.BLOCK,
  isSure: ({ least }) => least === Outcome.BLOCK,
  isPossible: ({ most }) => most === Outcome.BLOCK,
};

const newlyAllowed: CountQuestion = {
  of: (outcome) => outcome === Outcome.BLOCK,
  isSure: ({ most }) => most !== Outcome.BLOCK,
  isPossible: ({ least }) => least !== Outcome.BLOCK,
};

function countOf(
  {
    cells,
    populations,
    spec,
  }: {
    readonly cells: readonly ReplayCell[];
    readonly populations: readonly number[] | null;
    readonly spec: SampledSpec;
  },
  { of, isSure, isPossible }: CountQuestion,
): ReportCount {
  // Without its override a rule may have made an outcome stricter than the one that the trace was sampled by.
  const isAmong = (stratum: Outcome) =>
    spec.lifted === undefined ? of(stratum) : outcomes.some((was) => was >= stratum && of(was));
  const counts = strataOf(spec).flatMap((outcome, stratum): StratumCount[] => {
    // A stratum of other outcomes has none of these traces, so it leaves nothing uncertain.
    if (outcome !== undefined && !isAmong(outcome)) return [];
    const own = cells.filter((cell) => cell.stratum === stratum);
    const asked = own.filter(({ was }) => of(was));
    const traces = sum(asked.filter(isSure));
    const possible = sum(asked.filter(isPossible)) - traces;
    return [{ population: populations?.[stratum] ?? 0, sampled: sum(own), traces, possible }];
  });
  const total = (name: "traces" | "possible") => counts.reduce((all, each) => all + each[name], 0);
  return { traces: total("traces"), possible: total("possible"), estimated: populations && estimateOf(counts) };
}

function sum(cells: readonly ReplayCell[]): number {
  return cells.reduce((all, { traces }) => all + traces, 0);
}

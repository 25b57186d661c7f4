// Checks the counts that a runtime reports of evaluations that it sends no record of. What is refused is counted as lost
// and never returned as an error: the runtime would send it again forever.

import {
  FailModeSchema,
  ModeSchema,
  Outcome,
  OutcomeSchema,
  Stage,
  StageSchema,
} from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Tally, TallyMinute } from "../../../gen/policyguard/policy/v1/tally_pb.ts";
import { LatencyHistogram } from "../../kit/tally/latency-histogram.ts";
import { ageLimitMs, agentForm, clockSkewMs, isStorable, type Refusal } from "../telemetry/trace-record.ts";
import { beginOf, evaluationsOf } from "../telemetry/trace-tally.ts";

/** Different keys of a tally: more than a runtime sends, and few enough for one statement. */
const maxCells = 8_000;

/** Findings of one evaluation. */
const maxFindings = 10_000;

/** What a runtime has counted, as far as it is believed. */
export interface AcceptedTally {
  readonly minutes: readonly TallyMinute[];
  /** Evaluations in them. */
  readonly evaluations: number;
  readonly refused: Readonly<Record<Refusal, number>>;
}

/** Nothing was counted. */
export const noTally: AcceptedTally = {
  minutes: [],
  evaluations: 0,
  refused: { invalid: 0, too_old: 0, in_future: 0 },
};

/** Takes what is credible of a tally. It counts at most `room` evaluations, or it is refused as a whole. */
export function acceptTally(tally: Tally | undefined, room: number, now: Date): AcceptedTally {
  if (tally === undefined || tally.minutes.length === 0) return noTally;
  const refused: Record<Refusal, number> = { invalid: 0, too_old: 0, in_future: 0 };
  if (sum(tally.minutes, evaluationsOf) > room || sum(tally.minutes, cellsOf) > maxCells) {
    return { ...noTally, refused: { ...refused, invalid: room } };
  }
  const minutes = tally.minutes.filter((minute) => {
    const refusal = refusalOf(minute, now);
    if (refusal !== undefined) refused[refusal] += evaluationsOf(minute);
    return refusal === undefined;
  });
  return { minutes, evaluations: sum(minutes, evaluationsOf), refused };
}

function refusalOf(minute: TallyMinute, now: Date): Refusal | undefined {
  const beginMs = beginOf(minute).getTime();
  if (beginMs < now.getTime() - ageLimitMs) return "too_old";
  if (beginMs > now.getTime() + clockSkewMs) return "in_future";
  return isConsistent(minute) && hasKnownValues(minute) && hasStorableTexts(minute) ? undefined : "invalid";
}

// Each evaluation counts once by outcome, once by version and once by latency, and nothing counts more often than there
// are evaluations. Overage and losses are the control plane's own.
function isConsistent(minute: TallyMinute): boolean {
  const total = evaluationsOf(minute);
  return (
    minute.losses.length === 0 &&
    minute.evaluations.every(
      ({ evaluations, unjudged, failOpen, exempted, overage }) =>
        Math.max(unjudged, exempted) <= evaluations && failOpen <= unjudged && overage === 0,
    ) &&
    sum(minute.versions, ({ evaluations }) => evaluations) === total &&
    sum(minute.latencies, ({ buckets }) => latenciesIn(buckets)) === total &&
    minute.unjudged.every(({ traces }) => traces <= total) &&
    minute.rules.every(
      ({ traces, detectorTraces, decided, findings }) =>
        Math.max(traces, detectorTraces, decided) <= total && findings <= total * maxFindings,
    )
  );
}

function latenciesIn(buckets: Uint8Array): number {
  try {
    return LatencyHistogram.fromBytes(buckets).total;
  } catch {
    return Number.NaN;
  }
}

function hasKnownValues({ evaluations, rules, latencies, unjudged, versions }: TallyMinute): boolean {
  return (
    evaluations.every(
      ({ stage, outcome, wouldBeOutcome }) => isStage(stage) && isOutcome(outcome) && isOutcome(wouldBeOutcome),
    ) &&
    rules.every(
      ({ stage, mode, action }) =>
        isStage(stage) && ModeSchema.value[mode] !== undefined && OutcomeSchema.value[action] !== undefined,
    ) &&
    latencies.every(({ stage }) => isStage(stage)) &&
    unjudged.every(({ onError }) => FailModeSchema.value[onError] !== undefined) &&
    versions.every(({ outcome, bundleVersion }) => isOutcome(outcome) && bundleVersion >= 0)
  );
}

function hasStorableTexts({ evaluations, rules, latencies, unjudged }: TallyMinute): boolean {
  return (
    evaluations.every(({ agent, language }) => agentForm.test(agent) && isStorable(language, 64)) &&
    latencies.every(({ agent }) => agentForm.test(agent)) &&
    rules.every(({ policy, rule, detector }) => [policy, rule, detector].every((name) => isStorable(name, 256))) &&
    unjudged.every(({ detector, reason }) => isStorable(detector, 256) && isStorable(reason, 256))
  );
}

function isStage(stage: Stage): boolean {
  return stage !== Stage.UNSPECIFIED && StageSchema.value[stage] !== undefined;
}

function isOutcome(outcome: Outcome): boolean {
  return outcome !== Outcome.UNSPECIFIED && OutcomeSchema.value[outcome] !== undefined;
}

function cellsOf({ evaluations, rules, latencies, unjudged, versions, losses }: TallyMinute): number {
  return sum([evaluations, rules, latencies, unjudged, versions, losses], ({ length }) => length);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

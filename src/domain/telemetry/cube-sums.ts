// The sums of tallies by minute, hour and day, in the form of the cubes' rows.

import type { Tally, TallyMinute } from "../../../gen/policyguard/policy/v1/tally_pb.ts";
import { LatencyHistogram } from "../../kit/tally/latency-histogram.ts";
import { usageDayCube } from "../../store/billing/usage-day.ts";
import type { CountCube, CubeRow, CubeValue } from "../../store/telemetry/cube.ts";
import {
  allAgents,
  lossCube,
  outcomeCube,
  Period,
  ruleCube,
  unjudgedCube,
  versionCube,
} from "../../store/telemetry/stat-cube.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** How long each period is, and how long its rows are kept. */
export const periods = [
  { period: Period.MINUTE, lengthMs: minuteMs, keptMs: 2 * dayMs },
  { period: Period.HOUR, lengthMs: 3_600_000, keptMs: 35 * dayMs },
  { period: Period.DAY, lengthMs: dayMs, keptMs: Number.POSITIVE_INFINITY },
] as const;

/** Where a tally belongs. */
export interface TallyPlace {
  readonly projectId: string;
  readonly environment: string;
}

type Sums<Counts> = Map<string, { readonly key: readonly CubeValue[]; counts: Counts }>;

/** Adds tallies up. */
export class CubeSums {
  readonly #nowMs: number;
  readonly #sums = new Map<CountCube, Sums<number[]>>();
  readonly #latencies: Sums<LatencyHistogram> = new Map();

  /** Evaluations that are older than the rows of a period are kept do not count in it. */
  constructor(now: Date) {
    this.#nowMs = now.getTime();
  }

  /** Adds a tally. */
  add(place: TallyPlace, { minutes }: Tally): void {
    for (const minute of minutes) {
      const startMs = minute.minute * minuteMs;
      for (const { period, lengthMs, keptMs } of periods) {
        const periodMs = Math.floor(startMs / lengthMs) * lengthMs;
        if (periodMs < this.#nowMs - keptMs) continue;
        this.#addMinute([period, isoOf(periodMs), place.projectId, place.environment], minute);
      }
      this.#addUsage([new Date(startMs).toISOString().slice(0, 10), place.projectId], place.environment, minute);
    }
  }

  /** The rows to add to the cubes of counts. */
  *counts(): Generator<{ readonly cube: CountCube; readonly rows: readonly CubeRow<readonly number[]>[] }, void> {
    for (const [cube, sums] of this.#sums) yield { cube, rows: [...sums.values()] };
  }

  /** The rows to add to the cube of latencies. */
  latencies(): CubeRow<LatencyHistogram>[] {
    return [...this.#latencies.values()];
  }

  #addMinute(place: readonly CubeValue[], minute: TallyMinute): void {
    for (const { agent, stage, language, outcome, wouldBeOutcome, ...count } of minute.evaluations) {
      const { evaluations, unjudged, failOpen, exempted, overage } = count;
      const counts = [evaluations, unjudged, failOpen, exempted, overage];
      this.#count(outcomeCube, [...place, agent, stage, language, outcome, wouldBeOutcome], counts);
    }
    for (const { policy, rule, detector, stage, mode, action, ...count } of minute.rules) {
      const counts = [count.traces, count.detectorTraces, count.findings, count.decided];
      this.#count(ruleCube, [...place, policy, rule, detector, stage, mode, action], counts);
    }
    for (const { detector, reason, onError, traces } of minute.unjudged) {
      this.#count(unjudgedCube, [...place, detector, reason, onError], [traces]);
    }
    for (const { bundleVersion, outcome, evaluations } of minute.versions) {
      this.#count(versionCube, [...place, bundleVersion, outcome], [evaluations]);
    }
    for (const { reason, evaluations } of minute.losses) this.#count(lossCube, [...place, reason], [evaluations]);
    for (const { agent, stage, buckets } of minute.latencies) {
      const key = [...place, place[0] === Period.MINUTE ? agent : allAgents, stage];
      const name = key.join("\0");
      const known = this.#latencies.get(name);
      if (known === undefined) this.#latencies.set(name, { key, counts: LatencyHistogram.fromBytes(buckets) });
      else known.counts.addBytes(buckets);
    }
  }

  #addUsage(place: readonly CubeValue[], environment: string, minute: TallyMinute): void {
    for (const { agent, stage, evaluations, overage } of minute.evaluations) {
      this.#count(usageDayCube, [...place, environment, agent, stage], [evaluations, overage]);
    }
  }

  #count(cube: CountCube, key: readonly CubeValue[], counts: number[]): void {
    let sums = this.#sums.get(cube);
    if (sums === undefined) {
      sums = new Map();
      this.#sums.set(cube, sums);
    }
    const name = key.join("\0");
    const known = sums.get(name);
    if (known === undefined) sums.set(name, { key, counts });
    else for (const [i, count] of counts.entries()) known.counts[i] = (known.counts[i] ?? 0) + count;
  }
}

function isoOf(moment: number): string {
  return new Date(moment).toISOString();
}

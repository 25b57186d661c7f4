// The sums of one analytics answer: fed from cubes and from deltas alike, read as messages.

import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  AnalyticsBreakdownsSchema,
  AnalyticsLatencySchema,
  AnalyticsOutcomesSchema,
} from "../../../gen/policyguard/control/v1/trace_analytics_pb.ts";
import { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { LatencyHistogram } from "../../kit/tally/latency-histogram.ts";

/** Which sums the filters leave. */
export interface Measures {
  /** Whether evaluations are counted by outcome, or only those in which a rule or detector found something. */
  readonly by: "outcome" | "rule" | "detector";
  readonly hasLatency: boolean;
  readonly hasLosses: boolean;
}

/** The fields that totals and the points of a series have in common. */
export interface SumFields {
  readonly evaluations: number;
  readonly outcomes?: MessageInitShape<typeof AnalyticsOutcomesSchema>;
  readonly wouldBlock?: number;
  readonly unjudged?: number;
  readonly failOpen?: number;
  readonly exempted?: number;
  readonly lost?: number;
  readonly unleased?: number;
  readonly findings?: number;
  readonly decided?: number;
  readonly latencyUs?: MessageInitShape<typeof AnalyticsLatencySchema>;
}

/** Sums over some time. */
export class StepSums {
  evaluations = 0;
  /** By outcome; the first is of none. */
  readonly outcomes: [number, number, number, number, number] = [0, 0, 0, 0, 0];
  wouldBlock = 0;
  unjudged = 0;
  failOpen = 0;
  exempted = 0;
  overage = 0;
  lost = 0;
  findings = 0;
  decided = 0;
  readonly latencies = new LatencyHistogram();

  /** Adds a row of the cube of outcomes. */
  addOutcome(outcome: number, wouldBeOutcome: number, counts: readonly number[]): void {
    const [evaluations = 0, unjudged = 0, failOpen = 0, exempted = 0, overage = 0] = counts;
    this.evaluations += evaluations;
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + evaluations;
    if (wouldBeOutcome === Outcome.BLOCK && outcome !== Outcome.BLOCK) this.wouldBlock += evaluations;
    this.unjudged += unjudged;
    this.failOpen += failOpen;
    this.exempted += exempted;
    this.overage += overage;
  }

  /** Adds a row of the cube of rules. */
  addRule(by: "rule" | "detector", counts: readonly number[]): void {
    const [traces = 0, detectorTraces = 0, findings = 0, decided = 0] = counts;
    this.evaluations += by === "rule" ? traces : detectorTraces;
    this.findings += findings;
    this.decided += decided;
  }

  /** The sums that there are. */
  toMessage({ by, hasLatency, hasLosses }: Measures): SumFields {
    if (by !== "outcome") {
      const { evaluations, findings, decided } = this;
      return { evaluations, findings, ...(by === "rule" ? { decided } : {}) };
    }
    const [, allow, flag, redact, block] = this.outcomes;
    return {
      evaluations: this.evaluations,
      outcomes: { allow, flag, redact, block },
      wouldBlock: this.wouldBlock,
      unjudged: this.unjudged,
      failOpen: this.failOpen,
      exempted: this.exempted,
      unleased: this.overage,
      ...(hasLosses ? { lost: this.lost } : {}),
      ...(hasLatency && !this.latencies.isEmpty ? { latencyUs: percentiles(this.latencies) } : {}),
    };
  }
}

function percentiles(latencies: LatencyHistogram): MessageInitShape<typeof AnalyticsLatencySchema> {
  const at = (share: number) => latencies.quantile(share) ?? 0;
  return { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99) };
}

/** What an entry of a breakdown counts. */
export interface Entry {
  evaluations: number;
  blocked: number;
  findings: number;
  decided: number;
}

/** One breakdown. Keys are lists of texts and numbers. */
export class Breakdown<Key extends readonly (string | number)[]> {
  readonly #entries = new Map<string, { readonly key: Key; readonly entry: Entry }>();

  /** The entry of a key, made when there is none. */
  at(...key: Key): Entry {
    const name = JSON.stringify(key);
    let found = this.#entries.get(name);
    if (found === undefined) {
      found = { key, entry: { evaluations: 0, blocked: 0, findings: 0, decided: 0 } };
      this.#entries.set(name, found);
    }
    return found.entry;
  }

  /** The first entries, from the most to the least, and how many evaluations the others have. */
  top(limit: number, isOther: (key: Key) => boolean = () => false) {
    const all = [...this.#entries].filter(([, { entry }]) => entry.evaluations > 0);
    all.sort(([a, { entry: left }], [b, { entry: right }]) => right.evaluations - left.evaluations || (a < b ? -1 : 1));
    const named = all.filter(([, { key }]) => !isOther(key)).map(([, found]) => found);
    const listed = named.slice(0, limit);
    const sum = (entries: readonly { readonly entry: Entry }[]) =>
      entries.reduce((total, { entry }) => total + entry.evaluations, 0);
    return { listed, other: sum(all.map(([, found]) => found)) - sum(listed) };
  }
}

/** The name of a breakdown. */
export type BreakdownName = Exclude<
  keyof MessageInitShape<typeof AnalyticsBreakdownsSchema> & string,
  "$typeName" | "$unknown" | "other" | "unavailable"
>;

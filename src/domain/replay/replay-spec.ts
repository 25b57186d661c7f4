// What a replay of many traces is to do, and what has come of it, as its run keeps both.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Outcome, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { TraceFilter } from "../../store/telemetry/trace-query.ts";
import type { LiftedRule } from "../analysis/replay-lifted.ts";
import { ReplayTally, type TallyData } from "../analysis/replay-tally.ts";
import type { ReplayBy } from "../analysis/replay-trace.ts";
import type { NamedContent } from "../playground/selection.ts";

/** Which traces a replay is about: neither of a person nor of a conversation, so that its run holds nothing of them. */
export type ReplayFilter = Omit<
  TraceFilter,
  "outcome" | "wouldBeOutcome" | "stage" | "sessionId" | "userId" | "since" | "until"
> & {
  readonly outcome?: Outcome;
  readonly wouldBeOutcome?: Outcome;
  readonly stage?: Stage;
};

/** How a sample is drawn. */
export type ReplaySampling = "uniform" | "by_outcome";

/** Which of the traces are judged. */
export interface ReplaySample {
  readonly max: number;
  readonly method: ReplaySampling;
  readonly seed: number;
}

/** A policy that judged where a replay was made: its name, and the digest of its document. */
export interface ReplayJudge {
  readonly policy: string;
  readonly digest: string;
}

/** By what a run replays: a version of a stored policy, a document, or a version of a bundle. */
export type ReplaySubject =
  | { readonly policyId: string; readonly version: number }
  | { readonly document: JsonValue }
  | { readonly bundle: NamedContent };

/** What a run is to do, or, of one that was made elsewhere, was. */
export interface ReplaySpec {
  readonly subject: ReplaySubject | { readonly judges: readonly ReplayJudge[] };
  /** Name of the policy that judges; null for a bundle. */
  readonly policy: string | null;
  readonly filter: ReplayFilter;
  readonly since: string;
  readonly until: string;
  readonly sample: ReplaySample;
  readonly by: ReplayBy;
  readonly asOf: "trace" | "now";
  readonly mayReadText: boolean;
  /** Rules whose overrides do not count: traces are taken as if they had blocked. Absent where there are none. */
  readonly lifted?: readonly LiftedRule[];
}

/** What has come of a run so far. */
export interface ReplayProgress {
  /** Traces in all, by stratum; null while they are counted. */
  readonly populations: readonly number[] | null;
  readonly tally: TallyData;
  /** Results that are kept; of those the bounded ones; and those that are not kept. */
  readonly results: number;
  readonly boundedResults: number;
  readonly resultsOmitted: number;
}

/** Every outcome, in the order of their strictness. */
export const outcomes = [Outcome.ALLOW, Outcome.FLAG, Outcome.REDACT, Outcome.BLOCK] as const;

/** The strata of a sample: the outcome of each; undefined for one of all outcomes. */
export function strataOf({
  sample: { method },
  filter: { outcome },
}: Pick<ReplaySpec, "sample" | "filter">): readonly (Outcome | undefined)[] {
  return method === "uniform" || outcome !== undefined ? [outcome] : outcomes;
}

/** The spec of a replay's run. */
export function replaySpecOf(spec: JsonObject): ReplaySpec {
  return spec as unknown as ReplaySpec; // written by Replays.create()
}

/** The progress in the report of a replay's run. */
export function replayProgressOf(report: JsonObject | undefined): ReplayProgress {
  if (report !== undefined) return report as unknown as ReplayProgress; // written by ReplayRun
  return { populations: null, tally: new ReplayTally().data, results: 0, boundedResults: 0, resultsOmitted: 0 };
}

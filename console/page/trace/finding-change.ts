// How a finding of a replay differs from what was found then.

import { ReplayAnswer, type ReplayedFinding } from "../../../gen/policyguard/control/v1/trace_replay_pb.ts";

/** Added and gone are said only where both sides are known. */
export type FindingChange = "added" | "gone" | "same" | "unknown";

/** What has become of a finding. */
export function changeOf({ was, match }: Pick<ReplayedFinding, "was" | "match">): FindingChange {
  if (was === ReplayAnswer.YES && match === ReplayAnswer.YES) return "same";
  if (was === ReplayAnswer.NO && match === ReplayAnswer.YES) return "added";
  if (was === ReplayAnswer.YES && match === ReplayAnswer.NO) return "gone";
  return "unknown";
}

/** "+0.05" where both sides have a score and the scores differ; undefined otherwise. */
export function driftOf({ wasScore, score }: Pick<ReplayedFinding, "wasScore" | "score">): string | undefined {
  if (wasScore === undefined || score === undefined) return undefined;
  const drift = Math.round((score - wasScore) * 1_000) / 1_000;
  if (drift === 0) return undefined;
  return `${drift > 0 ? "+" : "−"}${Math.abs(drift)}`;
}

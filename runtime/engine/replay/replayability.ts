// Whether a record can be replayed, and by what.

import { CaptureMode, type EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";

/** By what a record can be replayed at best: by its text too, by its signals, or not at all. */
export type Replayability = "text" | "signals" | "no";

/** By what a record can be replayed. `hasText`: whether the text that it captured is at hand. */
export function replayabilityOf(
  { engine, capture, pieces }: EvaluationRecord,
  { hasText }: { readonly hasText: boolean },
): Replayability {
  // A record of an older runtime, or of an environment that keeps no facts, says only by its whole text what was
  // judged.
  if (engine === "") return hasText && capture === CaptureMode.FULL ? "text" : "no";
  return hasText && pieces.length > 0 ? "text" : "signals";
}

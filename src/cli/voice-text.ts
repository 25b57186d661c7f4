import type { BackendVoice } from "../../gen/policyguard/policy/v1/record_pb.ts";

/** What a backend said of a segment, beside the detector itself, for people. */
export function voiceText({ segment, detectors, backend, reason, score, ownScore }: BackendVoice): string {
  const said =
    score === undefined ? `said nothing (${reason})` : `scored ${score}${reason === "" ? "" : ` (${reason})`}`;
  const own = ownScore === undefined ? "" : `, the detector itself ${ownScore}`;
  return `backend ${backend} of ${detectors.join(", ")} in ${segment}: ${said}${own}`;
}

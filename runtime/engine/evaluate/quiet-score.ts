// Scores of detectors that found nothing, for tuning thresholds. They need a second scan, so they are computed only on
// request.

import type { BackedDetector } from "../backend/backend.ts";
import type { Detection, Scanner, SegmentDetections, TextSource } from "../detectors/detector.ts";

/** Stands for a detector that has no score for a text. */
const nothing: Detection = { category: "", start: 0, end: 0, score: 0, layer: "plain" };

/**
 * The score of each detector that found nothing in a text, by its key. A detector with a backend reports the score of
 * its local part; it reports none when the backend did not answer.
 */
export function quietScores(
  segment: { readonly text: string; readonly source: TextSource; readonly found: SegmentDetections },
  scanner: Scanner,
  backed: readonly { readonly detector: BackedDetector; readonly hasAnswered: boolean }[],
): ReadonlyMap<string, Detection> {
  const { text, source, found } = segment;
  const quiet = new Map<string, Detection>();
  if (text === "" || found === undefined || scanner.scores === undefined) return quiet;
  const scores = scanner.scores(text, source);
  for (const [key, score] of scores) if (!found.has(key)) quiet.set(key, score ?? nothing);
  for (const { detector, hasAnswered } of backed) {
    const { key, inner } = detector;
    if (!hasAnswered || found.has(key)) continue;
    quiet.set(key, (inner === undefined ? undefined : scores.get(inner)) ?? nothing);
  }
  return quiet;
}

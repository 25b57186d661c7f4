// Joins the answers of backends with the detections of the scanner.

import type { Detection } from "../detectors/detector.ts";
import {
  answerOf,
  type BackedDetector,
  type BackendAnswers,
  detectionsOfAnswer,
  type UnaskedReason,
  whyUnasked,
} from "./backend.ts";

type Found = ReadonlyMap<string, readonly Detection[]> | undefined;

/** A segment, as far as it matters whether backends are asked about it. */
export interface BackedSegment {
  readonly text: string;
  readonly origin: string;
  /** Its stage, as policies write it. */
  readonly stage: string;
}

/** The detections of all detectors, and which of those with a backend were judged without it. */
export interface JoinedDetections {
  readonly found: Found[];
  /** Why the policy of a detector asks no backend about a segment, by the index of the segment. */
  readonly unasked: readonly ReadonlyMap<string, UnaskedReason>[];
}

const none: ReadonlyMap<string, UnaskedReason> = new Map();

/**
 * Adds the detections of detectors that have a backend, under their own keys. A segment that was not scanned stays
 * undefined.
 */
export function withBackends(
  segments: readonly BackedSegment[],
  scanned: readonly Found[],
  backed: readonly BackedDetector[],
  answers: BackendAnswers | undefined,
): JoinedDetections {
  const unasked: ReadonlyMap<string, UnaskedReason>[] = [];
  const joined = scanned.map((found, index) => {
    const segment = segments[index];
    if (found === undefined || segment === undefined || segment.text === "") {
      unasked.push(none);
      return found;
    }
    const quiet = new Map<string, UnaskedReason>();
    unasked.push(quiet);
    const more = backed.map(({ key, inner, use }): [string, readonly Detection[]] => {
      const own = inner === undefined ? [] : (found.get(inner) ?? []);
      const why = whyUnasked(use, { ...segment, own: () => own });
      if (why !== undefined) {
        quiet.set(key, why);
        return [key, own];
      }
      return [key, [...own, ...detectionsOfAnswer(answerOf(answers, use.key, segment.text), use, segment.text)]];
    });
    return new Map([...found, ...more.filter(([, list]) => list.length > 0)]);
  });
  return { found: joined, unasked };
}

// Joins the answers of backends with the detections of the scanner.

import type { Detection } from "../detectors/detector.ts";
import { answerOf, type BackedDetector, type BackendAnswers, detectionsOfAnswer } from "./backend.ts";

type Found = ReadonlyMap<string, readonly Detection[]> | undefined;

/**
 * Adds the detections of detectors that have a backend, under their own keys. A segment that was not scanned stays
 * undefined.
 */
export function withBackends(
  segments: readonly { readonly text: string }[],
  scanned: readonly Found[],
  backed: readonly BackedDetector[],
  answers: BackendAnswers | undefined,
): Found[] {
  return scanned.map((found, index) => {
    const text = segments[index]?.text ?? "";
    if (found === undefined || text === "") return found;
    const more = backed.map(({ key, inner, use }): [string, readonly Detection[]] => {
      const own = inner === undefined ? [] : (found.get(inner) ?? []);
      return [key, [...own, ...detectionsOfAnswer(answerOf(answers, use.key, text), use, text)]];
    });
    return new Map([...found, ...more.filter(([, list]) => list.length > 0)]);
  });
}

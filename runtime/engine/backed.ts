// Detectors with a backend: what the backend said joins what the scanner found.

import { answerOf, type BackedDetector, type BackendAnswers, detectionsOf } from "./backend.ts";
import type { Detection } from "./detector.ts";

type Found = ReadonlyMap<string, readonly Detection[]> | undefined;

/** Adds the detections of detectors that have a backend, under their own keys. A piece that was not scanned stays so. */
export function withBackends(
  pieces: readonly { readonly text: string }[],
  scanned: readonly Found[],
  backed: readonly BackedDetector[],
  answers: BackendAnswers | undefined,
): Found[] {
  return scanned.map((found, index) => {
    const text = pieces[index]?.text ?? "";
    if (found === undefined || text === "") return found;
    const more = backed.map(({ key, inner, use }): [string, readonly Detection[]] => {
      const own = inner === undefined ? [] : (found.get(inner) ?? []);
      return [key, [...own, ...detectionsOf(answerOf(answers, use.key, text), use, text)]];
    });
    return new Map([...found, ...more.filter(([, list]) => list.length > 0)]);
  });
}

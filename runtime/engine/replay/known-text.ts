// What a record keeps of the texts that were judged.

import { CaptureMode, type EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { Detection } from "../detectors/detector.ts";
import type { TextSegment } from "../segment/segment.ts";

/** The text of a piece: the whole of it, or what was left after findings were replaced. */
export type KnownText =
  | { readonly whole: string; readonly redacted?: undefined }
  | { readonly whole?: undefined; readonly redacted: string };

/** The known text of each piece; undefined for none. */
export function knownTextsOf(
  record: EvaluationRecord,
  pieces: readonly (Pick<TextSegment, "id"> & { readonly length: number })[],
): (KnownText | undefined)[] {
  const texts = pieces.map((): KnownText | undefined => undefined);
  // The newest texts are kept, in order, so they are matched from the end.
  let next = record.segments.length - 1;
  for (let piece = pieces.length - 1; piece >= 0 && next >= 0; piece--) {
    const segment = record.segments[next];
    const { id, length = 0 } = pieces[piece] ?? {};
    if (segment === undefined || segment.id !== id) continue;
    next -= 1;
    const { text } = segment;
    const isWhole = record.capture === CaptureMode.FULL || !mayBeRewritten(record, segment.id);
    if (isWhole && text.length === length) texts[piece] = { whole: text };
    else if (record.capture === CaptureMode.REDACTED) texts[piece] = { redacted: text };
  }
  return texts;
}

/** Text is rewritten where something was found. */
function mayBeRewritten({ findings, findingsOmitted, engine }: EvaluationRecord, id: string): boolean {
  return engine === "" || findingsOmitted > 0 || findings.some(({ segment }) => segment === id);
}

/** Farther than any detector of bounded reach looks. */
const reach = 1_024;

/**
 * Detections that no replaced text can have caused or changed: those that are clear of all that may be a placeholder.
 */
export function withoutPlaceholders(detections: readonly Detection[], text: string): Detection[] {
  const placeholders = [...text.matchAll(/\[[^\][]{1,128}\]/g)].map(({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
  return detections.filter(({ start, end }) =>
    placeholders.every((each) => each.end + reach <= start || end + reach <= each.start),
  );
}

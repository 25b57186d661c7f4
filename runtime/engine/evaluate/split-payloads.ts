// Finds payloads that are split over several user turns of a transcript, such as a key or an instruction. The newest
// user turns are scanned once more as one text: joined without a gap, which restores a split token, and joined by a
// space, which restores a split sentence. A detection across a border is reported for every turn that it touches, each
// with its own part. Detections within one turn were found before.

import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Detection, Found } from "../detectors/detector.ts";
import type { TextSegment } from "../segment/segment.ts";

/** Maximum length of the joined user turns, in UTF-16 code units; the newest are kept. */
export const maxJoinedUnits = 16_384;

/** Scans a text. */
export type Scan = (text: string) => Found;

/** A turn, or the end of one, within the joined text. */
interface Span {
  readonly segment: number;
  /** Offset in the joined text. */
  readonly start: number;
  readonly end: number;
  /** Code units left out at the beginning of the turn. */
  readonly skipped: number;
}

/** The detections of a transcript, with those across turns added. A segment that was not scanned stays undefined. */
export function withSplitPayloads(
  segments: readonly TextSegment[],
  detections: readonly (Found | undefined)[],
  scan: Scan,
): (Found | undefined)[] {
  const turns = newestTurns(segments, detections);
  if (turns.length < 2) return [...detections];
  const added = new Map<number, Map<string, Detection[]>>();
  for (const gap of ["", " "]) {
    const { text, spans } = join(segments, turns, gap);
    for (const [key, found] of scan(text)) {
      for (const detection of found) {
        const touched = spans.filter(({ start, end }) => detection.start < end && detection.end > start);
        if (touched.length < 2 || isFoundAlone(key, detection, touched, detections)) continue;
        for (const span of touched) addTo(added, span, key, detection);
      }
    }
  }
  return detections.map((own, segment) => (own === undefined ? undefined : merged(own, added.get(segment))));
}

/** The newest user turns that fit, in order, each with the length of its beginning that does not fit. */
function newestTurns(
  segments: readonly TextSegment[],
  detections: readonly (Found | undefined)[],
): { readonly segment: number; readonly skipped: number }[] {
  const turns: { segment: number; skipped: number }[] = [];
  let rest = maxJoinedUnits;
  for (let index = segments.length - 1; index >= 0 && rest > 0; index--) {
    const segment = segments[index];
    if (segment === undefined || segment.role !== "user" || segment.stage !== Stage.INPUT || segment.text === "")
      continue;
    if (detections[index] === undefined) break;
    const skipped = Math.max(0, segment.text.length - rest);
    turns.push({ segment: index, skipped });
    rest -= segment.text.length - skipped + 1;
  }
  return turns.reverse();
}

function join(
  segments: readonly TextSegment[],
  turns: readonly { readonly segment: number; readonly skipped: number }[],
  gap: string,
): { readonly text: string; readonly spans: readonly Span[] } {
  const spans: Span[] = [];
  let text = "";
  for (const { segment, skipped } of turns) {
    if (text !== "") text += gap;
    const start = text.length;
    text += segments[segment]?.text.slice(skipped) ?? "";
    spans.push({ segment, start, end: text.length, skipped });
  }
  return { text, spans };
}

// A detector that scores whole windows also finds in the joined text what it found in one turn alone.
function isFoundAlone(
  key: string,
  { category, start: from, end: to }: Detection,
  touched: readonly Span[],
  detections: readonly (Found | undefined)[],
): boolean {
  return touched.some(({ segment, start, skipped }) => {
    const own = detections[segment]?.get(key) ?? [];
    const offset = start - skipped;
    return own.some((one) => one.category === category && one.start + offset < to && one.end + offset > from);
  });
}

function addTo(
  added: Map<number, Map<string, Detection[]>>,
  { segment, start, end, skipped }: Span,
  key: string,
  detection: Detection,
): void {
  const byKey = added.get(segment) ?? new Map<string, Detection[]>();
  const list = byKey.get(key) ?? [];
  const local = {
    ...detection,
    start: Math.max(detection.start, start) - start + skipped,
    end: Math.min(detection.end, end) - start + skipped,
    layer: detection.layer === "plain" ? "turns" : `turns/${detection.layer}`,
  };
  // Both ways of joining may find the same detection.
  const isKnown = list.some(
    (other) => other.start === local.start && other.end === local.end && other.category === local.category,
  );
  if (!isKnown) list.push(local);
  added.set(segment, byKey.set(key, list));
}

function merged(own: Found, more: ReadonlyMap<string, readonly Detection[]> | undefined): Found {
  if (more === undefined) return own;
  const all = new Map(own);
  for (const [key, found] of more) all.set(key, [...(own.get(key) ?? []), ...found]);
  return all;
}

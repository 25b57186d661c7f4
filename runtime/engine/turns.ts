// What the user turns of a transcript only make together. A key or an instruction that is split over turns is nowhere in one
// of them, so the newest part of all of them is scanned once more as one text: joined without a gap, as a split token
// needs it, and joined by a space, as a split sentence needs it. What is found across a border is told of every turn that it
// touches, with the part that lies there; what a turn has by itself was found before.

import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Detection, Found } from "./detector.ts";
import type { Piece } from "./piece.ts";

/** Most of the joined user turns that is scanned, in UTF-16 code units: the newest. */
export const maxJoinedUnits = 16_384;

/** Scans a text. */
export type Scan = (text: string) => Found;

/** A turn, or the end of one, within the joined text. */
interface Stretch {
  readonly piece: number;
  /** Where it lies in the joined text. */
  readonly start: number;
  readonly end: number;
  /** What of the turn's own beginning is left out. */
  readonly skipped: number;
}

/** The detections of a transcript with those across turns added. A piece that was not scanned stays so. */
export function withSplitPayloads(
  pieces: readonly Piece[],
  detections: readonly (Found | undefined)[],
  scan: Scan,
): (Found | undefined)[] {
  const turns = newestTurns(pieces, detections);
  if (turns.length < 2) return [...detections];
  const added = new Map<number, Map<string, Detection[]>>();
  for (const gap of ["", " "]) {
    const { text, stretches } = join(pieces, turns, gap);
    for (const [key, found] of scan(text)) {
      for (const detection of found) {
        const touched = stretches.filter(({ start, end }) => detection.start < end && detection.end > start);
        if (touched.length < 2 || isFoundAlone(key, detection, touched, detections)) continue;
        for (const stretch of touched) addTo(added, stretch, key, detection);
      }
    }
  }
  return detections.map((own, piece) => (own === undefined ? undefined : merged(own, added.get(piece))));
}

/** The newest user turns that fit, in order, each with how much of its beginning does not. */
function newestTurns(
  pieces: readonly Piece[],
  detections: readonly (Found | undefined)[],
): { readonly piece: number; readonly skipped: number }[] {
  const turns: { piece: number; skipped: number }[] = [];
  let rest = maxJoinedUnits;
  for (let index = pieces.length - 1; index >= 0 && rest > 0; index--) {
    const piece = pieces[index];
    if (piece === undefined || piece.role !== "user" || piece.stage !== Stage.INPUT || piece.text === "") continue;
    if (detections[index] === undefined) break;
    const skipped = Math.max(0, piece.text.length - rest);
    turns.push({ piece: index, skipped });
    rest -= piece.text.length - skipped + 1;
  }
  return turns.reverse();
}

function join(
  pieces: readonly Piece[],
  turns: readonly { readonly piece: number; readonly skipped: number }[],
  gap: string,
): { readonly text: string; readonly stretches: readonly Stretch[] } {
  const stretches: Stretch[] = [];
  let text = "";
  for (const { piece, skipped } of turns) {
    if (text !== "") text += gap;
    const start = text.length;
    text += pieces[piece]?.text.slice(skipped) ?? "";
    stretches.push({ piece, start, end: text.length, skipped });
  }
  return { text, stretches };
}

// A detector that scores whole windows finds in the joined text again what one turn has by itself.
function isFoundAlone(
  key: string,
  { category, start: from, end: to }: Detection,
  touched: readonly Stretch[],
  detections: readonly (Found | undefined)[],
): boolean {
  return touched.some(({ piece, start, skipped }) => {
    const own = detections[piece]?.get(key) ?? [];
    const offset = start - skipped;
    return own.some((one) => one.category === category && one.start + offset < to && one.end + offset > from);
  });
}

function addTo(
  added: Map<number, Map<string, Detection[]>>,
  { piece, start, end, skipped }: Stretch,
  key: string,
  detection: Detection,
): void {
  const byKey = added.get(piece) ?? new Map<string, Detection[]>();
  const list = byKey.get(key) ?? [];
  const local = {
    ...detection,
    start: Math.max(detection.start, start) - start + skipped,
    end: Math.min(detection.end, end) - start + skipped,
    layer: detection.layer === "plain" ? "turns" : `turns/${detection.layer}`,
  };
  // Both ways of joining may find the same.
  const isKnown = list.some(
    (other) => other.start === local.start && other.end === local.end && other.category === local.category,
  );
  if (!isKnown) list.push(local);
  added.set(piece, byKey.set(key, list));
}

function merged(own: Found, more: ReadonlyMap<string, readonly Detection[]> | undefined): Found {
  if (more === undefined) return own;
  const all = new Map(own);
  for (const [key, found] of more) all.set(key, [...(own.get(key) ?? []), ...found]);
  return all;
}

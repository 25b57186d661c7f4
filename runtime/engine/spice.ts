// Patterns without a literal, such as numbers of identity cards, mostly need a digit or a capital letter all the same. Prose has few of
// them, so only the neighbourhood of each is searched.

import { mustTake, type Program } from "./program.ts";

/** Characters that are rare in prose: digits; or those, capital letters and marks that are no punctuation of sentences. */
export type Spice = "digits" | "marks" | "none";

const ordinaryMarks = new Set([..." \t\n\r,.'-\""].map((char) => char.charCodeAt(0)));
const isDigit = Uint8Array.from({ length: 128 }, (_, unit) => (unit >= 0x30 && unit <= 0x39 ? 1 : 0));
const isMark = Uint8Array.from({ length: 128 }, (_, unit) => {
  const isSmall = unit >= 0x61 && unit <= 0x7a;
  return unit > 0x20 && unit < 0x7f && !isSmall && !ordinaryMarks.has(unit) ? 1 : 0;
});

/** The rarest kind of which every match of a program contains a character. */
export function spiceOf(program: Program): Spice {
  if (mustTake(program, (from, to) => isAll(isDigit, from, to))) return "digits";
  return mustTake(program, (from, to) => isAll(isMark, from, to)) ? "marks" : "none";
}

function isAll(kind: Uint8Array, from: number, to: number): boolean {
  if (to >= kind.length) return false;
  for (let point = from; point <= to; point++) if (kind[point] === 0) return false;
  return true;
}

/**
 * The parts of a text, as pairs of offsets, in which matches of at most so many units lie, with a character of context on each side.
 * Every match is within one part.
 */
export function spicedParts(text: string, spice: Spice, reach: number): readonly number[] {
  if (spice === "none") return [0, text.length];
  const kind = spice === "digits" ? isDigit : isMark;
  const parts: number[] = [];
  // Two units, since a character of context may be a pair.
  const around = reach + 2;
  let from = -1;
  let to = -1;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f || kind[unit] === 0) continue;
    if (from >= 0 && i - around <= to) to = i + around;
    else {
      if (from >= 0) parts.push(from, to);
      from = Math.max(0, i - around);
      to = i + around;
    }
  }
  if (from >= 0) parts.push(from, Math.min(to, text.length));
  return parts;
}

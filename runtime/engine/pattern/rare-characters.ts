// Most patterns without a required literal, such as numbers of identity cards, still need some digits or capital
// letters. Prose has few of them close together, so only the neighbourhood of two of them is searched.

import { lentUnitsOf } from "../text/code-units.ts";
import { minTaken, type Program } from "./program.ts";

/**
 * Kinds of characters that are rare in prose. `digits`; `marks`: digits, capital letters and marks that do not
 * punctuate sentences.
 */
export type RareCharacters = "digits" | "marks" | "none";

const digit = 1;
const mark = 2;
const ordinaryMarks = new Set([..." \t\n\r,.'-\""].map((char) => char.charCodeAt(0)));
const kinds = Uint8Array.from({ length: 128 }, (_, unit) => {
  const isSmall = unit >= 0x61 && unit <= 0x7a;
  const isDigit = unit >= 0x30 && unit <= 0x39;
  return unit <= 0x20 || unit === 0x7f || isSmall || ordinaryMarks.has(unit) ? 0 : isDigit ? digit | mark : mark;
});

/** The rarest kind of which every match of a program contains two characters. */
export function rareCharactersOf(program: Program): RareCharacters {
  if (minTaken(program, (from, to) => isAll(digit, from, to)) === 2) return "digits";
  return minTaken(program, (from, to) => isAll(mark, from, to)) === 2 ? "marks" : "none";
}

function isAll(kind: number, from: number, to: number): boolean {
  if (to >= kinds.length) return false;
  for (let point = from; point <= to; point++) if (((kinds[point] ?? 0) & kind) === 0) return false;
  return true;
}

/** The offsets of rare characters in a text. */
export class RareCharacterIndex {
  readonly #length: number;
  readonly #digits: number[] = [];
  readonly #marks: number[] = [];

  constructor(text: string) {
    const units = lentUnitsOf(text);
    this.#length = units.length;
    for (let i = 0; i < units.length; i++) {
      const unit = units[i] ?? 0;
      const kind = unit < 0x80 ? (kinds[unit] ?? 0) : 0;
      if (kind === 0) continue;
      this.#marks.push(i);
      if ((kind & digit) !== 0) this.#digits.push(i);
    }
  }

  /**
   * The parts of the text that can contain matches of at most `reach` units, as pairs of offsets, with a character of
   * context on each side. Every match lies within one part. For digits and a reach of 5 in "my number is 12 34 of
   * course" the only part is 6 to 24.
   */
  parts(kind: RareCharacters, reach: number): readonly number[] {
    if (kind === "none") return [0, this.#length];
    const offsets = kind === "digits" ? this.#digits : this.#marks;
    const parts: number[] = [];
    // Two units more, since the character of context may be a surrogate pair.
    const around = reach + 2;
    let from = -1;
    let to = -1;
    for (let i = 1; i < offsets.length; i++) {
      const first = offsets[i - 1] ?? 0;
      const second = offsets[i] ?? 0;
      if (second - first >= reach) continue;
      if (from >= 0 && first - around <= to) to = second + around;
      else {
        if (from >= 0) parts.push(from, to);
        from = Math.max(0, first - around);
        to = second + around;
      }
    }
    if (from >= 0) parts.push(from, Math.min(to, this.#length));
    return parts;
  }
}

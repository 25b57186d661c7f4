// Texts around a phrase that make it no finding. A term may stand in thousands of places of the phrases that allow it,
// and a text may be nothing but that term, so the surroundings are not compared one by one: from an occurrence, the
// text is read once to the left and once to the right, and each unit narrows down which sorted texts may still be there.

import { isSpaceUnit, spellingFold, spellingFoldText } from "./fold.ts";

/**
 * Text directly before and after a phrase, at most 128 units together. For the phrase "kill" in "kill the lights" they
 * are "" and " the lights".
 */
export interface Surrounding {
  readonly before: string;
  readonly after: string;
}

/** Whether an exception is around a phrase; `undecided` when that depends on text that may follow. */
export type Exempted = "yes" | "no" | "undecided";

/** How far a surrounding text is compared, in units of the text: white space in it may be long. */
const maxSurrounding = 512;

/** A text after a phrase, with the texts before the phrase that it goes with. */
interface After {
  readonly text: string;
  /**
   * Ascending places of texts before the phrase in their order: from the first of each pair up to, not including, the
   * second. All of a range end with the text at its first place.
   */
  readonly ranges: readonly number[];
}

/** The exceptions of one phrase. */
export class Exceptions {
  /** How many surroundings there are. */
  readonly size: number;
  /** The longest text after the phrase, in units. */
  readonly maxAfter: number;
  /** Different texts before the phrase, each from its end to its beginning, in order. */
  readonly #befores: readonly string[];
  /** Different texts after the phrase, in order. */
  readonly #afters: readonly After[];

  constructor(all: readonly Surrounding[]) {
    this.size = all.length;
    this.maxAfter = all.reduce((most, { after }) => Math.max(most, after.length), 0);
    this.#befores = inOrder(all.map(({ before }) => reversed(spellingFoldText(before))));
    const places = new Map(this.#befores.map((text, place) => [text, place]));
    const byAfter = Map.groupBy(all, ({ after }) => spellingFoldText(after));
    this.#afters = inOrder([...byAfter.keys()]).map((text) => {
      const own = (byAfter.get(text) ?? []).map(({ before }) => places.get(reversed(spellingFoldText(before))) ?? 0);
      return { text, ranges: this.#rangesOf(own) };
    });
  }

  /** Whether one of the exceptions is around the phrase from `start` to `end`. */
  around(text: string, start: number, end: number, { mayGrow = false } = {}): Exempted {
    const place = this.#placeBefore(text, start);
    return place < 0 ? "no" : this.#follows(text, end, place, mayGrow);
  }

  // The place of the longest text that stands before the phrase; -1 when none does. Shorter ones that do are its
  // beginnings, since each is read from its end.
  #placeBefore(text: string, start: number): number {
    const befores = this.#befores;
    const least = Math.max(0, start - maxSurrounding);
    let place = -1;
    let [low, high] = [0, befores.length];
    let at = start;
    for (let depth = 0; low < high; depth++) {
      if (befores[low]?.length === depth) {
        place = low;
        low++;
      }
      if (at <= least) break;
      const unit = text.charCodeAt(--at);
      const wanted = spellingFold(unit);
      low = lowest(low, high, (index) => unitAt(befores[index], depth) >= wanted);
      high = lowest(low, high, (index) => unitAt(befores[index], depth) > wanted);
      if (isSpaceUnit(unit)) while (at > least && isSpaceUnit(text.charCodeAt(at - 1))) at--;
    }
    return place;
  }

  #follows(text: string, end: number, place: number, mayGrow: boolean): Exempted {
    const afters = this.#afters;
    const last = end + maxSurrounding;
    let [low, high] = [0, afters.length];
    let at = end;
    for (let depth = 0; low < high; depth++) {
      const first = afters[low];
      if (first?.text.length === depth) {
        if (isIn(first.ranges, place)) return "yes";
        low++;
      }
      if (at >= last) return "no";
      if (at >= text.length) {
        const mayFollow = mayGrow && afters.slice(low, high).some(({ ranges }) => isIn(ranges, place));
        return mayFollow ? "undecided" : "no";
      }
      const unit = text.charCodeAt(at++);
      const wanted = spellingFold(unit);
      low = lowest(low, high, (index) => unitAt(afters[index]?.text, depth) >= wanted);
      high = lowest(low, high, (index) => unitAt(afters[index]?.text, depth) > wanted);
      if (isSpaceUnit(unit)) while (at < last && isSpaceUnit(text.charCodeAt(at))) at++;
    }
    return "no";
  }

  // A text that ends with another one is after it in the order, without a gap between them.
  #rangesOf(places: readonly number[]): number[] {
    const befores = this.#befores;
    const ranges: number[] = [];
    for (const from of places.toSorted((a, b) => a - b)) {
      if (from < (ranges.at(-1) ?? 0)) continue;
      const wanted = befores[from] ?? "";
      ranges.push(
        from,
        lowest(from, befores.length, (index) => befores[index]?.startsWith(wanted) !== true),
      );
    }
    return ranges;
  }
}

/** The first index of a range for which this is true, when it is for all after it; the end when it is for none. */
function lowest(from: number, to: number, isReached: (index: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function unitAt(text: string | undefined, depth: number): number {
  return text?.charCodeAt(depth) ?? 0;
}

// Whether the place is in one of the ranges, of which each begins where the one before it ends, or later.
function isIn(ranges: readonly number[], place: number): boolean {
  const bounds = lowest(0, ranges.length, (index) => (ranges[index] ?? 0) > place);
  return bounds % 2 === 1;
}

function reversed(text: string): string {
  return text.split("").reverse().join("");
}

/** Different texts in the order of their units. */
function inOrder(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort((a, b) => (a < b ? -1 : 1));
}

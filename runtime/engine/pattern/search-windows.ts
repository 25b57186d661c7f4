// Windows of a text around the hits of a pattern's required literals. Every match contains a hit, and lies in the
// window of that hit; windows that touch are merged. So searching the windows finds exactly the matches of the whole
// text. Most windows are far wider than the places where a match may begin, which are before a hit, and near a
// co-literal; a search that has no match in progress goes on at the next of those.

import { isSpaceUnit } from "../text/fold.ts";
import type { LinearPattern } from "./linear-pattern.ts";
import type { RequiredLiteral } from "./required-literals.ts";

/** Parts of one text, ordered and disjoint, as pairs of offsets. */
export class Windows {
  private readonly bounds: number[];

  constructor(from: number, to: number) {
    this.bounds = [from, to];
  }

  /** Adds a window. Windows may come in any order; ascending order is fastest. */
  add(from: number, to: number): void {
    let low = from;
    let high = to;
    const { bounds } = this;
    const later: number[] = [];
    while (bounds.length > 0 && (bounds.at(-1) ?? 0) >= low) {
      const lastTo = bounds.pop() ?? 0;
      const lastFrom = bounds.pop() ?? 0;
      if (lastFrom > high) later.push(lastTo, lastFrom);
      else {
        low = Math.min(low, lastFrom);
        high = Math.max(high, lastTo);
      }
    }
    bounds.push(low, high);
    while (later.length > 0) bounds.push(later.pop() ?? 0, later.pop() ?? 0);
  }

  /** The bounds of the windows, in order. */
  get pairs(): readonly number[] {
    return this.bounds;
  }

  /** Visits the windows in order. */
  each(visit: (from: number, to: number) => void): void {
    for (let i = 0; i + 1 < this.bounds.length; i += 2) visit(this.bounds[i] ?? 0, this.bounds[i + 1] ?? 0);
  }
}

/** Steps that walks may cost for each unit of the text, before an index of the text is built. */
const walksPerUnit = 2;

/** Moves within a text as if every run of white space were one unit. */
export class CollapsedText {
  readonly #text: string;
  readonly #hasRuns: boolean;
  #stepsLeft: number;
  #index: CollapsedIndex | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#hasRuns = /\s\s|\x85/.test(text);
    this.#stepsLeft = walksPerUnit * text.length;
  }

  /** The offset `units` units before another; 0 when there are fewer. In "ab   cd", 2 units before 6 is offset 2. */
  back(from: number, units: number): number {
    if (units === 0) return from;
    if (units >= from) return 0;
    if (!this.#hasRuns) return from - units;
    if (this.#stepsLeft <= 0) return this.#indexed().offset(from, -units);
    let at = from;
    for (let left = units; left > 0 && at > 0; left--) {
      at--;
      if (this.#isSpace(at)) while (this.#isSpace(at - 1)) at--;
    }
    this.#stepsLeft -= from - at;
    return at;
  }

  /**
   * The offset `units` units after another; the end when there are fewer. In "ab   cd", 2 units after 1 is offset 5.
   */
  forth(from: number, units: number): number {
    const { length } = this.#text;
    if (units >= length - from) return length;
    if (!this.#hasRuns) return from + units;
    if (this.#stepsLeft <= 0) return this.#indexed().offset(from, units);
    let at = from;
    // The rest of a run that began before `from` belongs to the unit before.
    if (this.#isSpace(at - 1)) while (this.#isSpace(at)) at++;
    for (let left = units; left > 0 && at < length; left--) {
      at++;
      if (this.#isSpace(at - 1)) while (this.#isSpace(at)) at++;
    }
    this.#stepsLeft -= at - from;
    return at;
  }

  #isSpace(at: number): boolean {
    return at >= 0 && at < this.#text.length && isSpaceUnit(this.#text.charCodeAt(at));
  }

  #indexed(): CollapsedIndex {
    this.#index ??= new CollapsedIndex(this.#text);
    return this.#index;
  }
}

/** Offsets of all units of a text. */
class CollapsedIndex {
  readonly #units: Int32Array;
  readonly #starts: Int32Array;
  readonly #count: number;

  constructor(text: string) {
    this.#units = new Int32Array(text.length + 1);
    this.#starts = new Int32Array(text.length + 1);
    let count = 0;
    let inSpace = false;
    for (let i = 0; i < text.length; i++) {
      const space = isSpaceUnit(text.charCodeAt(i));
      this.#units[i] = count;
      if (!(space && inSpace)) this.#starts[count++] = i;
      inSpace = space;
    }
    this.#units[text.length] = count;
    this.#starts[count] = text.length;
    this.#count = count;
  }

  offset(from: number, units: number): number {
    const unit = (this.#units[from] ?? 0) + units;
    return this.#starts[Math.max(0, Math.min(this.#count, unit))] ?? 0;
  }
}

/**
 * The part of a text that contains every match around a hit, which ends at `end`. For the literal "key" with 50 units
 * before and 0 after, a hit that ends at 60 has the window 7 to 60. `collapsed` is the text of an elastic pattern.
 */
export function windowAround(
  required: RequiredLiteral,
  end: number,
  length: number,
  collapsed: CollapsedText | undefined,
): readonly [number, number] {
  const before = required.literal.length + required.before;
  return [back(end, before, collapsed), forth(end, required.after, length, collapsed)];
}

/** A hit of a required literal, which ends at `end`. */
export interface RequiredLiteralHit {
  readonly required: RequiredLiteral;
  readonly end: number;
}

/** Where the matches of a pattern lie in a text. */
export interface PatternWindows {
  readonly windows: Windows;
  /** Where they begin: ordered and disjoint, as pairs of the first offset and the one after the last. */
  readonly starts: readonly number[];
}

/**
 * The windows of a pattern's hits; undefined when none has a match. `coEnds` are the ascending ends of its co-literals
 * in the text, for a pattern that has any: every match contains one, so a window without one has no match, and reaches
 * no farther than they allow. `collapse` gives the text of an elastic pattern.
 */
export function windowsOf(
  { elastic, coReach }: Pick<LinearPattern, "elastic" | "coReach">,
  hits: readonly RequiredLiteralHit[],
  { text, coEnds, collapse }: { text: string; coEnds: readonly number[] | undefined; collapse: () => CollapsedText },
): PatternWindows | undefined {
  const collapsed = elastic ? collapse() : undefined;
  const { length } = text;
  let windows: Windows | undefined;
  let starts: Windows | undefined;
  for (const { required, end } of hits) {
    let [from, to] = windowAround(required, end, length, collapsed);
    if (coEnds !== undefined) {
      const first = indexAfter(coEnds, from);
      const last = indexAfter(coEnds, to) - 1;
      if (first > last) continue;
      from = Math.max(from, back(coEnds[first] ?? 0, coReach.before, collapsed));
      to = Math.min(to, forth(coEnds[last] ?? 0, coReach.after, length, collapsed));
      // The co-literals are too far from this hit.
      if (from > end || to < end) continue;
    }
    if (windows === undefined || starts === undefined) {
      windows = new Windows(from, to);
      starts = new Windows(from, end);
    } else {
      windows.add(from, to);
      starts.add(from, end);
    }
  }
  if (windows === undefined || starts === undefined) return undefined;
  if (coEnds === undefined || coReach.before === Number.POSITIVE_INFINITY) return { windows, starts: starts.pairs };
  return { windows, starts: startsBeforeEnds(starts.pairs, coEnds, (end) => back(end, coReach.before, collapsed)) };
}

// The parts of these starts that are also before the end of a co-literal, as near as `startOf` says.
function startsBeforeEnds(
  starts: readonly number[],
  coEnds: readonly number[],
  startOf: (end: number) => number,
): readonly number[] {
  const both: number[] = [];
  let first = 0;
  for (let i = 0; i + 1 < starts.length; i += 2) {
    const high = starts[i + 1] ?? 0;
    let at = starts[i] ?? 0;
    first = indexAfter(coEnds, at, first);
    for (let next = first; at < high && next < coEnds.length; next++) {
      const coEnd = coEnds[next] ?? 0;
      const from = Math.max(at, startOf(coEnd));
      if (from >= high) break;
      at = Math.min(high, coEnd);
      if (from === both.at(-1)) both[both.length - 1] = at;
      else both.push(from, at);
    }
  }
  return both;
}

function back(from: number, units: number, collapsed: CollapsedText | undefined): number {
  if (units >= from) return 0;
  return collapsed === undefined ? from - units : collapsed.back(from, units);
}

function forth(from: number, units: number, length: number, collapsed: CollapsedText | undefined): number {
  if (units >= length - from) return length;
  return collapsed === undefined ? from + units : collapsed.forth(from, units);
}

// The index of the first of the ascending ends that lies after an offset. A binary search, since a text may have as many
// ends as hits.
function indexAfter(ends: readonly number[], offset: number, from = 0): number {
  let low = from;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

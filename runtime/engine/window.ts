// Windows of a text around hits of a pattern's literals. Every match contains a hit, and every match that contains a hit lies in the
// hit's window; windows that touch are merged. So searching the windows finds exactly what searching the whole text would.

import { isSpaceUnit } from "./fold.ts";
import type { Gate } from "./literal.ts";

/** Parts of one text, ordered and disjoint, as pairs of offsets. */
export class Windows {
  private readonly bounds: number[];

  constructor(from: number, to: number) {
    this.bounds = [from, to];
  }

  /** Adds a window. Windows may come in any order, but mostly rising. */
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

  /** Visits the windows in order. */
  each(visit: (from: number, to: number) => void): void {
    for (let i = 0; i + 1 < this.bounds.length; i += 2) visit(this.bounds[i] ?? 0, this.bounds[i + 1] ?? 0);
  }
}

/** Offsets of a text counted as if every run of white space were one unit. */
export interface CollapsedIndex {
  /** Units before an offset. */
  readonly unitsBefore: (offset: number) => number;
  /** Offset of a unit; the ends for numbers out of range. */
  readonly offsetOf: (unit: number) => number;
}

/** Builds the index; undefined when the text has no run of white space, so that offsets and units are the same. */
export function collapse(text: string): CollapsedIndex | undefined {
  if (!/\s\s/.test(text) && !/[\x85]/.test(text)) return undefined;
  const units = new Int32Array(text.length + 1);
  const starts = new Int32Array(text.length + 1);
  let count = 0;
  let inSpace = false;
  for (let i = 0; i < text.length; i++) {
    const space = isSpaceUnit(text.charCodeAt(i));
    units[i] = count;
    if (!(space && inSpace)) starts[count++] = i;
    inSpace = space;
  }
  units[text.length] = count;
  const total = count;
  return {
    unitsBefore: (offset) => units[offset] ?? total,
    offsetOf: (unit) => (unit <= 0 ? 0 : unit >= total ? text.length : (starts[unit] ?? 0)),
  };
}

/** The part of a text in which a match around a hit must lie. `index` is that of an elastic pattern's text. */
export function windowAround(
  gate: Gate,
  end: number,
  length: number,
  index: CollapsedIndex | undefined,
): readonly [number, number] {
  if (index === undefined)
    return [Math.max(0, end - gate.literal.length - gate.before), Math.min(length, end + gate.after)];
  const unit = index.unitsBefore(end);
  return [index.offsetOf(unit - gate.literal.length - gate.before), index.offsetOf(unit + gate.after)];
}

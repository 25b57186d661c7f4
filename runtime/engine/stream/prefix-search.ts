// Finds how far back a match may have begun whose required literal has not come yet.

import { bitOf } from "../pattern/state-mark.ts";
import { isSpaceUnit } from "../text/fold.ts";
import type { PrefixGroup } from "./prefix-table.ts";
import type { TextTail } from "./text-tail.ts";
import { settlesWindow } from "./window-edge.ts";

/** Tracks, for every prefix set, where the run of its characters at the end of the text begins. */
export class PrefixSearch {
  readonly #groups: readonly PrefixGroup[];
  /** By group: the start of the run at the end of the searched text. */
  readonly #starts: number[];
  #searchedTo: number;

  constructor(groups: readonly PrefixGroup[], from?: PrefixSearch) {
    this.#groups = groups;
    this.#starts = from === undefined ? groups.map(() => 0) : [...from.#starts];
    this.#searchedTo = from === undefined ? 0 : from.#searchedTo;
  }

  /**
   * Lowers the edges of detectors for literals that begin at `at` or later, an offset of the tail's text; only for
   * groups of the mask.
   */
  lower(tail: TextTail, at: number, mask: number, lower: (job: number, edge: number) => void): void {
    const { base, text } = tail;
    const isEnd = at === text.length;
    for (const [index, group] of this.#groups.entries()) {
      if ((mask & bitOf(index)) === 0) continue;
      if (group.before === 0) {
        if (!isEnd) lower(group.job, base + at);
        continue;
      }
      if (group.isWide) {
        if (isEnd) lower(group.job, this.#wideStart(index, group, tail));
        continue;
      }
      const start = isEnd ? this.#runAtEnd(index, group, tail) : runBefore(group, text, at);
      lower(group.job, base + start);
    }
    if (isEnd) this.#searchedTo = tail.end;
  }

  // No match begins before an offset that no match of the shorter text could begin before.
  #wideStart(index: number, group: PrefixGroup, { base, text }: TextTail): number {
    const known = this.#starts[index] ?? 0;
    if (!settlesWindow(known, Math.max(0, base + text.length - group.before))) return known;
    const start = base + runBefore(group, text, text.length);
    this.#starts[index] = start;
    return start;
  }

  // A run that continues keeps its start, so a long run is not walked again with each chunk.
  #runAtEnd(index: number, group: PrefixGroup, { base, text }: TextTail): number {
    if (Number.isFinite(group.before)) return runBefore(group, text, text.length);
    const known = Math.max(0, this.#searchedTo - base);
    let at = text.length;
    while (at > known && isPrefixUnit(group, text.charCodeAt(at - 1))) at--;
    const start = at === known ? Math.max(0, Math.min(at, (this.#starts[index] ?? 0) - base)) : at;
    this.#starts[index] = base + start;
    return start;
  }
}

function isPrefixUnit({ units }: PrefixGroup, unit: number): boolean {
  return units === undefined || units[unit] === 1;
}

function runBefore(group: PrefixGroup, text: string, from: number): number {
  let at = from;
  for (let left = group.before; left > 0 && at > 0 && isPrefixUnit(group, text.charCodeAt(at - 1)); left--) {
    at--;
    if (group.isElastic && isSpaceUnit(text.charCodeAt(at)))
      while (at > 0 && isSpaceUnit(text.charCodeAt(at - 1))) at--;
  }
  return at;
}

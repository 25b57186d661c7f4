// How far back a match may have begun whose literal is still to come.

import { isSpaceUnit } from "../fold.ts";
import type { LeadGroup } from "./lead-table.ts";
import { bitOf } from "./state-mark.ts";
import type { TextTail } from "./text-tail.ts";
import { settlesWindow } from "./window-edge.ts";

/** Knows, for every set of leading characters, where the run of them at the end of the text begins. */
export class LeadSearch {
  readonly #groups: readonly LeadGroup[];
  /** Begin of the run at the end of what was searched, by group. */
  readonly #starts: number[];
  #searchedTo: number;

  constructor(groups: readonly LeadGroup[], from?: LeadSearch) {
    this.#groups = groups;
    this.#starts = from === undefined ? groups.map(() => 0) : [...from.#starts];
    this.#searchedTo = from === undefined ? 0 : from.#searchedTo;
  }

  /** Lowers the edges of detectors for literals that begin at a place of the tail at the earliest; only groups of the mask. */
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

  // No match begins before a place that none could begin before when the text was shorter.
  #wideStart(index: number, group: LeadGroup, { base, text }: TextTail): number {
    const known = this.#starts[index] ?? 0;
    if (!settlesWindow(known, Math.max(0, base + text.length - group.before))) return known;
    const start = base + runBefore(group, text, text.length);
    this.#starts[index] = start;
    return start;
  }

  // A run that goes on begins where it began, so that a long one is not walked again with each chunk.
  #runAtEnd(index: number, group: LeadGroup, { base, text }: TextTail): number {
    if (Number.isFinite(group.before)) return runBefore(group, text, text.length);
    const known = Math.max(0, this.#searchedTo - base);
    let at = text.length;
    while (at > known && isLead(group, text.charCodeAt(at - 1))) at--;
    const start = at === known ? Math.max(0, Math.min(at, (this.#starts[index] ?? 0) - base)) : at;
    this.#starts[index] = base + start;
    return start;
  }
}

function isLead({ units }: LeadGroup, unit: number): boolean {
  return units === undefined || units[unit] === 1;
}

function runBefore(group: LeadGroup, text: string, from: number): number {
  let at = from;
  for (let left = group.before; left > 0 && at > 0 && isLead(group, text.charCodeAt(at - 1)); left--) {
    at--;
    if (group.isElastic && isSpaceUnit(text.charCodeAt(at)))
      while (at > 0 && isSpaceUnit(text.charCodeAt(at - 1))) at--;
  }
  return at;
}

// Sweeps whose findings depend on a bounded neighbourhood, as streams need them.

import type { Finding, OpenEdge, Sweep } from "../plan.ts";

const contextLength = 512;

/** How a sweep goes on in a text that grows. */
export interface SweepEdge {
  readonly open: OpenEdge;
  /** Whether a part of the text could have findings; what it has not is not searched. */
  readonly hint?: RegExp;
  /** How far behind the beginning of a finding the hint may lie. Default: 0. */
  readonly hintReach?: number;
}

/** A sweep that finds by code and says what is settled. What it finds depends on no more than 512 units before its beginning. */
export function edgedSweep(find: Sweep, { open, hint, hintReach = 0 }: SweepEdge): Sweep {
  const sweep = (text: string, from = 0, to = text.length): readonly Finding[] => {
    const isAll = from === 0 && to + hintReach >= text.length;
    if (hint !== undefined && !hint.test(isAll ? text : text.slice(from, to + hintReach))) return [];
    const start = Math.max(0, from - contextLength);
    if (start === 0) return from === 0 ? find(text) : find(text).filter((finding) => finding.start >= from);
    return find(text.slice(start)).flatMap((finding) =>
      finding.start + start < from ? [] : [{ ...finding, start: finding.start + start, end: finding.end + start }],
    );
  };
  return Object.assign(sweep, { open });
}

/** A sweep of which a finding depends on no more than `reach` units behind its beginning, and on 512 before it. */
export function boundedSweep(find: (text: string) => readonly Finding[], reach: number): Sweep {
  const open: OpenEdge = (text, from) => Math.min(text.length, Math.max(from, text.length - reach));
  return edgedSweep(find, { open });
}

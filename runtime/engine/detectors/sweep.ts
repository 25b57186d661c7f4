// Sweeps for streams: their findings depend on a bounded neighbourhood.

import type { OpenEdge, Sweep } from "./detector-plan.ts";
import type { Finding } from "./finding.ts";

const contextLength = 512;

/** How a sweep continues in a growing text. */
export interface SweepEdge {
  readonly open: OpenEdge;
  /** A pattern that matches wherever there may be findings; other parts are not searched. */
  readonly hint?: RegExp;
  /** How far after the start of a finding the hint may lie. Default: 0. */
  readonly hintReach?: number;
}

/** A sweep with an edge function. Its findings depend on at most 512 units before their start. */
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

/** A sweep whose findings depend on at most `reach` units after their start, and on 512 units before it. */
export function boundedSweep(find: (text: string) => readonly Finding[], reach: number): Sweep {
  const open: OpenEdge = (text, from) => Math.min(text.length, Math.max(from, text.length - reach));
  return edgedSweep(find, { open });
}

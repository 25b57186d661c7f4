// Sweeps whose findings depend on a bounded neighbourhood, as streams need them.

import type { Finding, Sweep } from "../plan.ts";

const contextLength = 512;

/** A sweep that finds by code. A finding depends on no more than `reach` units behind its beginning, and on 512 before it. */
export function boundedSweep(find: (text: string) => readonly Finding[], reach: number): Sweep {
  const sweep = (text: string, from = 0): readonly Finding[] => {
    const start = Math.max(0, from - contextLength);
    if (start === 0) return from === 0 ? find(text) : find(text).filter((finding) => finding.start >= from);
    return find(text.slice(start)).flatMap((finding) =>
      finding.start + start < from ? [] : [{ ...finding, start: finding.start + start, end: finding.end + start }],
    );
  };
  return Object.assign(sweep, {
    open: (text: string, from: number) => Math.min(text.length, Math.max(from, text.length - reach)),
  });
}

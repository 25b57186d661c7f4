// Compares spans that were found with those that are right.

import type { Hits } from "../../../kit/statistics/f1.ts";
import { type FoundSpan, isPartOf, mappedLabel } from "./prediction.ts";

/** How near two spans have to be: the same offsets, or at least half of what both cover together. */
export type Nearness = "exact" | "half";

/** Counts spans of one sample. Each expected one is found once at most. */
export function matchSpans(
  expected: readonly FoundSpan[],
  found: readonly FoundSpan[],
  { nearness, labelMap }: { readonly nearness: Nearness; readonly labelMap: Readonly<Record<string, string>> },
): Hits {
  const open = [...expected];
  let tp = 0;
  const distinct = [...new Map(found.map((span) => [JSON.stringify(span), span])).values()];
  for (const span of distinct) {
    const at = open.findIndex(
      (each) => isPartOf(span.label, mappedLabel(labelMap, each.label) ?? each.label) && isNear(each, span),
    );
    if (at < 0) continue;
    open.splice(at, 1);
    tp += 1;
  }
  return { tp, fp: distinct.length - tp, fn: open.length };

  function isNear(a: FoundSpan, b: FoundSpan): boolean {
    if (a.segment !== b.segment) return false;
    if (nearness === "exact") return a.start === b.start && a.end === b.end;
    const shared = Math.min(a.end, b.end) - Math.max(a.start, b.start);
    const covered = Math.max(a.end, b.end) - Math.min(a.start, b.start);
    return shared > 0 && 2 * shared >= covered;
  }
}

// What several annotators' marks of one target come to.

import type { AnnotationMark } from "../../../../gen/policyguard/control/v1/annotation_pb.ts";

/** One annotator's mark. */
export interface GivenMark {
  readonly mark: AnnotationMark;
  readonly isFinal: boolean;
}

/** What marks come to. */
export interface Resolution {
  /** Null while there are too few of them, and where annotators disagree. */
  readonly resolvedMark: AnnotationMark | null;
  readonly isDisputed: boolean;
}

/**
 * What the marks come to, given in the order in which they were made: the last final one; without any, the mark of more
 * than half of at least `quorum` annotators. Where enough have spoken and no mark has more than half, it is disputed.
 */
export function resolve(marks: readonly GivenMark[], quorum: number): Resolution {
  const final = marks.findLast(({ isFinal }) => isFinal);
  if (final !== undefined) return { resolvedMark: final.mark, isDisputed: false };
  if (marks.length === 0 || marks.length < quorum) return { resolvedMark: null, isDisputed: false };
  const counts = new Map<AnnotationMark, number>();
  for (const { mark } of marks) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  const [winner] = [...counts].find(([, count]) => count * 2 > marks.length) ?? [null];
  return { resolvedMark: winner, isDisputed: winner === null };
}

// What annotators say of a trace, in short.

import type { AnnotationMark } from "../../../gen/policyguard/control/v1/annotation_pb.ts";

/** What is said of the targets of one trace. */
export interface TargetVerdict {
  /** Empty for the trace as a whole. */
  readonly policy: string;
  readonly marks: number;
  readonly resolvedMark?: AnnotationMark | null;
  readonly isDisputed: boolean;
}

/** What is said of a trace, in short. */
export interface TraceSummary {
  readonly marks: number;
  readonly resolvedMark: AnnotationMark | null;
  readonly isDisputed: boolean;
}

/**
 * What is said of a trace: the mark of the trace as a whole, or else the one that all of its rules share. Undefined
 * when nobody has said anything.
 */
export function summarize(verdicts: readonly TargetVerdict[]): TraceSummary | undefined {
  const spoken = verdicts.filter(({ marks }) => marks > 0);
  if (spoken.length === 0) return undefined;
  const whole = spoken.find(({ policy }) => policy === "");
  const ofRules = new Set(spoken.map(({ resolvedMark = null }) => resolvedMark));
  const [shared = null] = ofRules.size === 1 ? ofRules : [];
  return {
    marks: spoken.reduce((sum, { marks }) => sum + marks, 0),
    resolvedMark: whole === undefined ? shared : (whole.resolvedMark ?? null),
    isDisputed: spoken.some(({ isDisputed }) => isDisputed),
  };
}

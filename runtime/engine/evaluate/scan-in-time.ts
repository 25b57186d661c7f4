// Scans within the time limit of a request, for whoever needs a scan: the evaluation, and the questions before it.

import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { Found, Lap } from "../detectors/detector.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import type { EvaluationContext } from "./context.ts";

/**
 * Texts of at least this many code units can be abandoned when time runs out; shorter ones are scanned in well under a
 * millisecond.
 */
const minWatched = 8_192;

/** The time limit of a request, in milliseconds since its evaluation began. */
export function budgetMsOf(request: EvaluateRequest, applicable: readonly ApplicablePolicy[]): number {
  const maxMs = Math.max(0, ...applicable.map(({ policy }) => policy.timeoutMs));
  return Math.min(maxMs, request.options?.timeoutMs ?? maxMs);
}

/** Says whether the time of a request has run out. */
export function overdueOf(
  request: EvaluateRequest,
  { elapsedUs }: Pick<EvaluationContext, "elapsedUs">,
  applicable: readonly ApplicablePolicy[],
): () => boolean {
  const budgetMs = budgetMsOf(request, applicable);
  return () => elapsedUs() > budgetMs * 1000;
}

/** The result of a scan; undefined when time ran out before it, or in the middle of a long text. */
export function scanInTime(
  text: string,
  {
    isOverdue,
    lap,
    scan,
  }: {
    readonly isOverdue: () => boolean;
    readonly lap?: Lap | undefined;
    readonly scan: (lap: Lap | undefined) => Found;
  },
): Found | undefined {
  if (isOverdue()) return undefined;
  const watch: Lap = (key) => {
    lap?.(key);
    if (isOverdue()) throw new OutOfTime();
  };
  try {
    return scan(text.length < minWatched ? lap : watch);
  } catch (error) {
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}

class OutOfTime extends Error {}

// When a calibration proposes to keep the rule in shadow until a better threshold is in force.

import { binomialAtMost } from "../../../kit/statistics/binomial.ts";
import type { CalibrationEstimate } from "./calibration-estimate.ts";
import type { CalibrationSpec, OverrideProposal } from "./calibration-spec.ts";
import { percent } from "./calibration-statement.ts";

/** As long as overrides last at most: it takes a while to write, gate and publish something better. */
const hours = 168;

/**
 * The override to propose. Null when the threshold in force keeps the promise, when the sample does not show that the
 * rule is wrong more often than promised, and when it is not about one environment.
 */
export function overrideOf(
  { source, promise }: Pick<CalibrationSpec, "source" | "promise">,
  { threshold, curve, n }: Pick<CalibrationEstimate, "threshold" | "curve" | "n">,
  currentThreshold: number,
): OverrideProposal | null {
  if (!("annotations" in source)) return null;
  const { projectId, environment } = source.annotations;
  const keeps = threshold !== null && threshold <= currentThreshold;
  if (environment === undefined || keeps) return null;
  // Between two steps the stricter one counts, which is not wrong more often than the rule is.
  const point = curve.find((each) => each.threshold >= currentThreshold);
  const { maxFalsePositiveRate: promised, confidence } = promise;
  if (point === undefined || promised === undefined) return null;
  // So many false positives or more of a rule that keeps the promise: by luck that is too rare to believe. It is the
  // same as a lower bound of Clopper and Pearson, one-sided at the promise's confidence, above what is promised.
  const byLuck = binomialAtMost(n - point.falsePositives, n, 1 - promised);
  if (byLuck > 1 - confidence) return null;
  const reason = `matched ${point.falsePositives} of ${n} innocent traces; at most ${percent(promised)} were promised`;
  return { projectId, environment, reason, hours };
}

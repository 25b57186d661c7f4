// Whether a rule should match something, by what people said of it.

import { AnnotationMark } from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import type { SampledVerdict } from "../../../store/measure/annotation/annotation-verdict.ts";
import { type PositiveRule, type SampleTruth, truthOf } from "../../analysis/benchmark/prediction.ts";

/** Whether the rule should find the request; null when nobody said so. */
export interface RuleLabel {
  readonly truth: boolean | null;
  readonly isDisputed: boolean;
}

/**
 * The label of a trace. What is said of the rule stands above what is said of the trace as a whole. An acceptable
 * match counts as one too many. A trace in which something else was found rightly says nothing about a silent rule.
 */
export function labelOfTrace(verdict: SampledVerdict, ruleFound: boolean): RuleLabel {
  const { ruleMark, isRuleDisputed, traceMark, isTraceDisputed, hasFinding } = verdict;
  if (isRuleDisputed || (ruleMark === null && isTraceDisputed)) return { truth: null, isDisputed: true };
  switch (ruleMark ?? traceMark) {
    case AnnotationMark.FALSE_POSITIVE:
    case AnnotationMark.ACCEPTABLE:
      return { truth: false, isDisputed: false };
    case AnnotationMark.FALSE_NEGATIVE:
      return { truth: true, isDisputed: false };
    case AnnotationMark.CORRECT:
      if (ruleFound) return { truth: true, isDisputed: false };
      return { truth: ruleMark === null && hasFinding ? null : false, isDisputed: false };
    default:
      return { truth: null, isDisputed: false };
  }
}

/** The label of a sample. Rules that it names stand above its labels and its outcome. */
export function labelOfSample(
  sample: SampleTruth,
  { policy, ruleId }: { readonly policy: string; readonly ruleId: string },
  rule: PositiveRule,
): RuleLabel {
  const names = (rules: readonly string[]) => rules.includes(ruleId) || rules.includes(`${policy}/${ruleId}`);
  if (sample.isGray) return { truth: null, isDisputed: true };
  if (names(sample.mustMatch)) return { truth: true, isDisputed: false };
  if (names(sample.mustNotMatch)) return { truth: false, isDisputed: false };
  return { truth: truthOf(sample, rule), isDisputed: false };
}

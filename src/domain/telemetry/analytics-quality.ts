// How often rules are right, estimated from what annotators say. Only traces that the random lane of the queue gave can
// tell: whoever looks for mistakes finds more of them than there are.

import type { MessageInitShape } from "@bufbuild/protobuf";
import { AnnotationMark } from "../../../gen/policyguard/control/v1/annotation_pb.ts";
import {
  AnalyticsDesign,
  type AnalyticsQualitySchema,
} from "../../../gen/policyguard/control/v1/trace_analytics_pb.ts";
import { bootstrapAlpha } from "../../kit/statistics/agreement.ts";
import { weightedShare } from "../../kit/statistics/proportion.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  type JudgedUnit,
  type QualityFilter,
  type QualityVerdict,
  readJudgedUnits,
  readVerdicts,
} from "../../store/measure/annotation/annotation-quality.ts";

/** Verdicts and units that one answer looks at, the newest first. */
const maxVerdicts = 50_000;
const maxUnits = 5_000;

/** Resamples of the units for the interval of agreement: with 5,000 units some 20 ms. */
const draws = 400;
const bootstrapSeed = 1;

/** Below this, Krippendorff advises against conclusions (Content Analysis, 2004, 11.4). */
const lowAgreement = 0.667;

type Quality = MessageInitShape<typeof AnalyticsQualitySchema>;

/** The quality of the rules with the most annotations, and of traces as a whole. */
export async function qualityOf(tx: Transaction, filter: QualityFilter, top: number): Promise<Quality[]> {
  const verdicts = Map.groupBy(await readVerdicts(tx, filter, maxVerdicts), keyOf);
  const units = Map.groupBy(await readJudgedUnits(tx, filter, maxUnits), keyOf);
  return [...verdicts]
    .map(([key, own]) => qualityOfTarget(own, units.get(key) ?? []))
    .sort((a, b) => (b.marks ?? 0) - (a.marks ?? 0))
    .slice(0, top);
}

function keyOf({ policy, ruleId }: { readonly policy: string; readonly ruleId: string }): string {
  return JSON.stringify([policy, ruleId]);
}

/** The quality of one target by its verdicts, and by the units that several annotators have judged. */
export function qualityOfTarget(verdicts: readonly QualityVerdict[], units: readonly JudgedUnit[]): Quality {
  const [first] = verdicts;
  const sampled = verdicts.filter(({ probability }) => probability !== null);
  const isRandom = sampled.length > 0;
  const usable = (isRandom ? sampled : verdicts).filter(({ hasFinding, resolvedMark }) => hasFinding && resolvedMark);
  // The mark "false-negative" of something that was found says that more should have been done: the finding is right.
  const share = (wrong: readonly AnnotationMark[]) => {
    const drawn = usable.map(({ resolvedMark, probability }) => ({
      isSuccess: resolvedMark !== null && !wrong.includes(resolvedMark),
      probability: probability ?? 1,
    }));
    const { estimate, lower, upper, nEffective } = weightedShare(drawn);
    return { interval: { estimate, lower, upper }, nEffective };
  };
  const strict = share([AnnotationMark.FALSE_POSITIVE, AnnotationMark.ACCEPTABLE]);
  const lenient = share([AnnotationMark.FALSE_POSITIVE]);
  const isOfRule = first !== undefined && first.policy !== "";
  return {
    ...(isOfRule ? { policy: first.policy, ruleId: first.ruleId } : {}),
    marks: verdicts.reduce((sum, { marks }) => sum + marks, 0),
    resolved: resolvedCounts(verdicts),
    precision: usable.length === 0 ? undefined : { strict: strict.interval, lenient: lenient.interval },
    ...{ n: usable.length, nEffective: strict.nEffective },
    design: isRandom ? AnalyticsDesign.RANDOM_SAMPLE : AnalyticsDesign.SELECTED,
    biased: !isRandom,
    agreement: agreementOf(units),
  };
}

function resolvedCounts(verdicts: readonly QualityVerdict[]): Quality["resolved"] {
  const count = (mark: AnnotationMark) => verdicts.filter(({ resolvedMark }) => resolvedMark === mark).length;
  return {
    falsePositive: count(AnnotationMark.FALSE_POSITIVE),
    falseNegative: count(AnnotationMark.FALSE_NEGATIVE),
    correct: count(AnnotationMark.CORRECT),
    acceptable: count(AnnotationMark.ACCEPTABLE),
    disputed: verdicts.filter(({ isDisputed }) => isDisputed).length,
    open: verdicts.filter(({ resolvedMark, isDisputed }) => resolvedMark === null && !isDisputed).length,
  };
}

/** Krippendorff's alpha with its interval. */
export interface Agreement {
  readonly alpha: number;
  readonly lower: number;
  readonly upper: number;
  readonly units: number;
  readonly isLow: boolean;
}

/** How well annotators agree about targets that several of them have judged; undefined when nothing can be said. */
export function agreementOf(units: readonly JudgedUnit[]): Agreement | undefined {
  const judged = units.map(({ marks }) => marks);
  const { estimate, lower, upper } = bootstrapAlpha(judged, { seed: bootstrapSeed, draws });
  if (Number.isNaN(estimate)) return undefined;
  return { alpha: estimate, lower, upper, units: units.length, isLow: estimate < lowAgreement };
}

import { describe, expect, it } from "vitest";
import { AnnotationMark } from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { AnalyticsDesign } from "../../../../gen/policyguard/control/v1/trace_analytics_pb.ts";
import { qualityOfTarget } from "../../../../src/domain/telemetry/analytics-quality.ts";
import { wilson } from "../../../../src/kit/statistics/proportion.ts";

const { FALSE_POSITIVE, FALSE_NEGATIVE, CORRECT, ACCEPTABLE } = AnnotationMark;
const rule = { policy: "guard", ruleId: "pii" };
const verdict = (resolvedMark: AnnotationMark | null, probability: number | null = null, hasFinding = true) => ({
  ...{ ...rule, resolvedMark, probability, hasFinding, marks: 1, isDisputed: false },
});
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe("the quality of a rule", () => {
  it("counts what is acceptable as wrong strictly and as right leniently, and what was too mild as right", () => {
    const { precision, n } = qualityOfTarget(
      [verdict(CORRECT), verdict(ACCEPTABLE), verdict(FALSE_POSITIVE), verdict(FALSE_NEGATIVE)],
      [],
    );
    expect(n).toBe(4);
    expect(precision?.strict).toEqual(wilson(2, 4));
    expect(precision?.lenient).toEqual(wilson(3, 4));
  });

  it("is estimated from the random lane alone, and said to be biased without it", () => {
    const looked = times(30, verdict(FALSE_POSITIVE));
    const biased = qualityOfTarget(looked, []);
    expect(biased).toMatchObject({ design: AnalyticsDesign.SELECTED, biased: true, n: 30 });
    const sampled = qualityOfTarget([...looked, ...times(19, verdict(CORRECT, 0.5)), verdict(FALSE_POSITIVE, 0.5)], []);
    expect(sampled).toMatchObject({ design: AnalyticsDesign.RANDOM_SAMPLE, biased: false, n: 20, marks: 50 });
    expect(sampled.precision?.strict?.estimate).toBeCloseTo(0.95, 12);
  });

  it("says nothing of precision where nothing was found or resolved", () => {
    const { precision, n } = qualityOfTarget([verdict(FALSE_NEGATIVE, 1, false), verdict(null, 1)], []);
    expect([precision, n]).toEqual([undefined, 0]);
  });

  it("marks poor agreement", () => {
    const poor = [
      [CORRECT, FALSE_POSITIVE],
      [CORRECT, CORRECT],
      [FALSE_POSITIVE, CORRECT],
    ];
    const good = [...times(9, [CORRECT, CORRECT]), ...times(9, [FALSE_POSITIVE, FALSE_POSITIVE])];
    const agreementOf = (units: readonly AnnotationMark[][]) =>
      qualityOfTarget(
        [verdict(CORRECT)],
        units.map((marks) => ({ ...rule, marks })),
      ).agreement;
    expect(agreementOf(poor)).toMatchObject({ isLow: true, units: 3 });
    expect(agreementOf(good)).toMatchObject({ isLow: false, units: 18, alpha: 1 });
    expect(agreementOf([])).toBeUndefined();
  });
});

import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FindingSchema, UnjudgedSchema } from "../../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { interestOf, mostInteresting, ratesFor } from "../../../../../src/domain/measure/annotation/queue-sampling.ts";
import { evaluation } from "../../telemetry/evaluation.ts";

const none = { isContested: false, isDisputed: false, seen: new Map<string, number>() };
const found = (score: number, threshold: number, fingerprint = "f") =>
  evaluation({ findings: [create(FindingSchema, { score, threshold, fingerprint })] });

describe("the rates of the random lane", () => {
  it("give the target when the next day is like the days before", () => {
    const strata = [
      { stratum: 1, evaluations: 70 },
      { stratum: 2, evaluations: 700 },
      { stratum: 3, evaluations: 700_000 },
    ];
    const rates = ratesFor(40, { days: 7, strata });
    expect(rates).toEqual([
      { stratum: 1, probability: 1 },
      { stratum: 2, probability: 0.1 },
      { stratum: 3, probability: 0.0001 },
    ]);
  });

  it("are probabilities, whatever the target and the history", () => {
    fc.assert(
      fc.property(
        fc.nat(10_000),
        fc.nat(7),
        fc.array(fc.nat(1e9), { minLength: 3, maxLength: 3 }),
        (target, days, n) => {
          const strata = n.map((evaluations, at) => ({ stratum: at + 1, evaluations }));
          for (const { probability } of ratesFor(target, { days, strata })) {
            expect(probability).toBeGreaterThanOrEqual(0);
            expect(probability).toBeLessThanOrEqual(1);
            expect(probability > 0).toBe(target > 0);
          }
        },
      ),
      { seed: 7, numRuns: 1_000 },
    );
  });
});

describe("the informative lane", () => {
  it("prefers what people and bundles disagree about, then scores near their thresholds", () => {
    const weights = [
      interestOf(evaluation(), { ...none, isDisputed: true }),
      interestOf(evaluation(), { ...none, isContested: true }),
      interestOf(found(0.5, 0.5), none),
      interestOf(found(0.56, 0.5), none),
      interestOf(evaluation({ unjudged: [create(UnjudgedSchema, { reason: "timeout" })] }), none),
      interestOf(found(0.9, 0.5, "rare"), { ...none, seen: new Map([["rare", 1]]) }),
    ].map((interest) => interest?.weight ?? 0);
    expect(weights).toEqual(weights.toSorted((a, b) => b - a));
    expect(new Set(weights).size).toBe(6);
    expect(interestOf(found(0.9, 0.5), { ...none, seen: new Map([["f", 2]]) })).toBeUndefined();
  });

  it("takes at most three of a fingerprint a day, and no more than it may", () => {
    const candidates = Array.from({ length: 10 }, (_, at) => ({
      at,
      interest: { reason: "rare" as const, weight: at / 10, fingerprint: at < 8 ? "same" : null },
    }));
    const chosen = mostInteresting(candidates, { limit: 4, today: ["same", null] });
    expect(chosen.map(({ at }) => at)).toEqual([9, 8, 7, 6]);
    const more = mostInteresting(candidates, { limit: 9, today: ["same", null] });
    expect(more.map(({ at }) => at)).toEqual([9, 8, 7, 6]);
  });
});

import { expect, test } from "vitest";
import { overrideOf } from "../../../../../src/domain/measure/calibration/calibration-override.ts";

const annotations = { projectId: "p", environment: "prod", since: "2026-10-01", until: "2026-11-01" };
const promise = { maxFalsePositiveRate: 0.05, confidence: 0.95 };
const point = (threshold: number, falsePositives: number) => ({
  ...{ threshold, falsePositives, falsePositiveRate: falsePositives / 200, falsePositiveRateUpper: 1 },
  ...{ found: 0, recall: null, recallLower: 0, falseDiscoveryRate: null, falseDiscoveryRateUpper: 1 },
});
const found = { threshold: 0.7, n: 200, curve: [point(0.4, 40), point(0.5, 16), point(0.6, 15), point(0.7, 1)] };

test("an override is proposed where the rule in force is shown to be wrong more often than promised", () => {
  const proposed = {
    ...{ projectId: "p", environment: "prod", hours: 168 },
    reason: "matched 16 of 200 innocent traces; at most 5 % were promised",
  };
  expect(overrideOf({ source: { annotations }, promise }, found, 0.5)).toEqual(proposed);
  // Too little data for a promise is enough to see harm.
  expect(overrideOf({ source: { annotations }, promise }, { ...found, threshold: null }, 0.5)).toEqual(proposed);
});

test("none is proposed without harm above the promise, without one environment, and for what keeps it", () => {
  const of = (source: Parameters<typeof overrideOf>[0]["source"], current: number, of = found) =>
    overrideOf({ source, promise }, of, current);
  // Between two steps the stricter one counts. 15 of 200 are 7.5 %, and with a rate of 5 % there are so many in 8 of 100
  // samples: more often than the promise may fail.
  expect(of({ annotations }, 0.55)).toBeNull();
  expect(of({ annotations: { ...annotations, environment: undefined } }, 0.5)).toBeNull();
  expect(of({ dataset: { datasetId: "d", version: 1, labels: [], outcomeAtLeast: "BLOCK" } }, 0.5)).toBeNull();
  expect(overrideOf({ source: { annotations }, promise: { ...promise, confidence: 0.9 } }, found, 0.55)).not.toBeNull();
  expect(overrideOf({ source: { annotations }, promise: { ...promise, confidence: 0.99 } }, found, 0.5)).toBeNull();
  expect(of({ annotations }, 0.7)).toBeNull();
  expect(of({ annotations }, 0.5, { ...found, curve: [] })).toBeNull();
});

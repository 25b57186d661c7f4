import { describe, expect, it } from "vitest";
import { AnnotationMark } from "../../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { reportSample, sampleOf } from "../../../../../scripts/assurance/sample.ts";
import { type CalibrationFact, estimate } from "../../../../../src/domain/measure/calibration/calibration-estimate.ts";
import { labelOfSample, labelOfTrace } from "../../../../../src/domain/measure/calibration/calibration-label.ts";
import { statementOf } from "../../../../../src/domain/measure/calibration/calibration-statement.ts";
import { emptySample } from "../../../../../src/domain/measure/dataset/sample-content.ts";
import { seededRandom } from "../../../../../src/kit/statistics/seeded-random.ts";

const promise = { maxFalsePositiveRate: 0.1, confidence: 0.9 };

function fact(id: number, change: Partial<CalibrationFact> = {}): CalibrationFact {
  return { id: `r${id}`, group: null, truth: false, isDisputed: false, score: -1, probability: 1, ...change };
}

const facts = (count: number, change: Partial<CalibrationFact> = {}) =>
  Array.from({ length: count }, (_, at) => fact(at, change));

describe("an estimate", () => {
  it("counts one request of each conversation", () => {
    const alike = Array.from({ length: 500 }, (_, at) => fact(at, { group: `g${at % 5}` }));
    const found = estimate(alike, promise, "seed");
    expect(found).toMatchObject({ n: 5, neededN: 22, threshold: null, excluded: { sameGroup: 495 } });
    expect(estimate(facts(500), promise, "seed")).toMatchObject({ n: 500, threshold: 0 });
  });

  it("leaves out what nobody can count, and says why", () => {
    const found = estimate(
      [
        ...facts(30),
        fact(40, { truth: null }),
        fact(41, { truth: null, isDisputed: true }),
        fact(42, { score: "unjudged" }),
        fact(43, { score: "not_applicable", probability: 0.001 }),
        fact(44, { truth: true, score: 0.9 }),
      ],
      promise,
      "seed",
    );
    expect(found).toMatchObject({ n: 30, nToFind: 1, neededNToFind: null });
    const rest = { thinned: 0, sameGroup: 0 };
    expect(found.excluded).toEqual({ unlabelled: 1, disputed: 1, unjudged: 1, notApplicable: 1, ...rest });
  });

  it("gives every request the same chance, however it was drawn", () => {
    // A tenth of what was allowed was drawn, and all of what was blocked: the blocked ones count ten times too often.
    const drawn = [...facts(2_000, { probability: 0.1 })];
    drawn.push(...Array.from({ length: 1_000 }, (_, at) => fact(5_000 + at, { score: 1 })));
    const found = estimate(drawn, promise, "seed");
    const rate = found.curve.at(-1)?.falsePositiveRate ?? 0;
    // 1,000 of 21,000 are found, that is 4.8 %.
    expect(rate).toBeGreaterThan(0.03);
    expect(rate).toBeLessThan(0.065);
    expect(found.excluded.thinned).toBeGreaterThan(800);
    expect(found.threshold).toBe(0);
  });

  it("keeps its promise over all of the traffic, in worlds of strata and conversations", () => {
    const { n: worlds, seed } = sampleOf({ n: 100, seed: 22 });
    const random = seededRandom(seed);
    let broken = 0;
    for (let world = 0; world < worlds; world++) {
      // Innocent traffic: nine tenths score low and are drawn rarely, one tenth scores high and is drawn always.
      const sample: CalibrationFact[] = [];
      for (let at = 0; at < 1_000; at++) {
        const isHigh = random() < 0.1;
        const probability = isHigh ? 1 : 0.3;
        if (random() >= probability) continue;
        sample.push(fact(at, { probability, score: isHigh ? random() : -1, group: at % 2 === 0 ? `c${at}` : null }));
      }
      const { threshold } = estimate(sample, { maxFalsePositiveRate: 0.05, confidence: 0.9 }, `world ${world}`);
      if (threshold !== null && 0.1 * (1 - threshold) > 0.05) broken += 1;
    }
    expect(broken).toBeLessThanOrEqual(worlds * 0.1 + 3 * Math.sqrt(worlds * 0.09));
    expect(broken).toBeGreaterThan(0);
    reportSample({ n: worlds, failures: 0, figures: { broken_share: broken / worlds } });
  });

  it("has to keep both promises, or names what is in the way", () => {
    const both = { ...promise, minRecall: 0.5 };
    const mixed = [...facts(60), ...Array.from({ length: 40 }, (_, at) => fact(100 + at, { truth: true, score: 0.9 }))];
    const kept = estimate(mixed, both, "seed");
    expect(kept).toMatchObject({ threshold: 0, strictest: 0.9, neededN: 29, neededNToFind: 5 });
    const torn = estimate(
      [...facts(60, { score: 0.7 }), ...mixed.filter(({ truth }) => truth).map((each) => ({ ...each, score: 0.4 }))],
      both,
      "seed",
    );
    expect(torn).toMatchObject({ threshold: null, laxest: 0.71, strictest: 0.4 });
    expect(say(torn, both)).toContain("takes a threshold of at least 0.71, and for a recall of at least 50 %");
  });
});

const dataset = { datasetId: "d", version: 1, labels: [], outcomeAtLeast: "BLOCK" };
const window = { projectId: "p", environment: "prod", since: "2026-10-01T00:00:00Z", until: "2026-11-01T00:00:00Z" };

function say(found: ReturnType<typeof estimate>, wanted: typeof promise & { minRecall?: number } = promise): string {
  return statementOf({ policy: "guard", ruleId: "stop", source: { dataset }, promise: wanted }, found);
}

describe("a statement", () => {
  it("says what is promised, on what it rests, and what it assumes", () => {
    const found = estimate([...facts(98), fact(98, { score: 0.725 }), fact(99, { score: 0.3 })], promise, "seed");
    const said = statementOf({ policy: "guard", ruleId: "stop", source: { annotations: window }, promise }, found);
    expect(said).toBe(
      'With probability 90 %, the rule "stop" of the policy "guard" with the threshold 0 matches at most 10 % of ' +
        "innocent requests: it matched 2 of 100 innocent traces. This holds over the draw of the annotated sample, for " +
        "traffic like that of prod from 2026-10-01 to 2026-11-01, with conversations that are independent of each other " +
        "and annotators who take the queue as it comes and are right. Traffic that changes voids it: calibrate again.",
    );
  });

  it("says how much is missing, and when more data would not help", () => {
    expect(say(estimate(facts(10), promise, "seed"))).toContain(
      "at least 22 are needed, without a single false positive",
    );
    expect(say(estimate(facts(100, { score: 1 }), promise, "seed"))).toContain("another threshold does not");
    const short = say(estimate(facts(100), { ...promise, minRecall: 0.9 }, "seed"), { ...promise, minRecall: 0.9 });
    expect(short).toContain(
      "0 requests to find are too few to promise a recall of at least 90 %: at least 29 are needed",
    );
  });
});

describe("a label", () => {
  const { CORRECT, FALSE_POSITIVE, FALSE_NEGATIVE, ACCEPTABLE } = AnnotationMark;
  const verdict = {
    ...{ traceId: "t", createdAt: new Date(0), probability: 1, ruleMark: null, isRuleDisputed: false },
    ...{ traceMark: null, isTraceDisputed: false, hasFinding: false },
  };

  it.each([
    ["a rule's false positive", { ruleMark: FALSE_POSITIVE }, true, false, false],
    ["an acceptable match", { ruleMark: ACCEPTABLE }, true, false, false],
    ["a right match", { ruleMark: CORRECT }, true, true, false],
    ["a right silence", { ruleMark: CORRECT }, false, false, false],
    ["a miss", { ruleMark: FALSE_NEGATIVE }, false, true, false],
    ["the rule before the trace", { ruleMark: FALSE_POSITIVE, traceMark: CORRECT }, true, false, false],
    ["a trace that is right, with the rule in it", { traceMark: CORRECT, hasFinding: true }, true, true, false],
    ["a trace that is right by another rule", { traceMark: CORRECT, hasFinding: true }, false, null, false],
    ["a trace without any finding that is right", { traceMark: CORRECT }, false, false, false],
    ["a dispute about the rule", { isRuleDisputed: true, traceMark: CORRECT }, true, null, true],
    ["a dispute about the trace", { isTraceDisputed: true }, true, null, true],
    ["a quorum that is not reached", {}, true, null, false],
  ])("of %s", (_, change, ruleFound, truth, isDisputed) => {
    expect(labelOfTrace({ ...verdict, ...change }, ruleFound)).toEqual({ truth, isDisputed });
  });

  it.each([
    ["must match the rule", { mustMatch: ["stop"] }, true],
    ["must match the rule, by its whole name", { mustMatch: ["guard/stop"] }, true],
    ["must not match it, whatever is expected", { mustNotMatch: ["stop"], expectedOutcome: "BLOCK" }, false],
    ["is expected to be blocked", { expectedOutcome: "BLOCK" }, true],
    ["is expected to be flagged", { expectedOutcome: "FLAG" }, false],
    ["says nothing", {}, null],
    ["is gray", { isGray: true, mustMatch: ["stop"] }, null],
  ])("of a sample that %s", (_, change, truth) => {
    const rule = { labels: [], outcomeAtLeast: "BLOCK", labelMap: {} };
    expect(labelOfSample({ ...emptySample, ...change }, { policy: "guard", ruleId: "stop" }, rule).truth).toBe(truth);
  });
});

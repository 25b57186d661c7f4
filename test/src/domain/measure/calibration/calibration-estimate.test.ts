import { describe, expect, it } from "vitest";
import { AnnotationMark } from "../../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { reportSample, sampleOf } from "../../../../../scripts/assurance/sample.ts";
import {
  type CalibrationFact,
  type CalibrationPromise,
  estimate,
} from "../../../../../src/domain/measure/calibration/calibration-estimate.ts";
import { labelOfSample, labelOfTrace } from "../../../../../src/domain/measure/calibration/calibration-label.ts";
import { groupStatementOf, statementOf } from "../../../../../src/domain/measure/calibration/calibration-statement.ts";
import { emptySample } from "../../../../../src/domain/measure/dataset/sample-content.ts";
import { seededRandom } from "../../../../../src/kit/statistics/seeded-random.ts";

const promise = { maxFalsePositiveRate: 0.1, confidence: 0.9 };

function fact(id: number, change: Partial<CalibrationFact> = {}): CalibrationFact {
  const about = { language: null, agent: null, probability: 1 };
  return { id: `r${id}`, group: null, truth: false, isDisputed: false, score: -1, ...about, ...change };
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

  it("says so where the promise is about one request of each conversation", () => {
    const short = Array.from({ length: 1_000 }, (_, at) => fact(at, { group: `short${at}` }));
    const long = Array.from({ length: 2_000 }, (_, at) => fact(5_000 + at, { group: `long${at % 2}`, score: 1 }));
    const wanted = { maxFalsePositiveRate: 0.01, confidence: 0.95 };
    const found = estimate([...short, ...long], wanted, "seed");
    expect(found).toMatchObject({ n: 1_002, threshold: 0, excluded: { sameGroup: 1_998 } });
    expect(say(found, wanted)).toContain("and not of all requests: 1998 more of the same");
    expect(say(estimate(short, wanted, "seed"), wanted)).not.toContain("not of all requests");
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

describe("an estimate of what is found", () => {
  const about = { maxFalseDiscoveryRate: 0.2, confidence: 0.9 };
  // ln(0.1 / 5) / ln(0.8): each of five searches may go wrong with a fifth of the probability.
  const needed = 18;
  const right = (count: number, score: number, from = 1_000) =>
    Array.from({ length: count }, (_, at) => fact(from + at, { truth: true, score }));

  it("needs matches at one threshold, and takes the laxest at which few of them are wrong", () => {
    const few = estimate(right(needed - 1, 0.7), about, "seed");
    expect(few).toMatchObject({ threshold: null, nFound: needed - 1, neededNFound: needed, neededN: null });
    expect(estimate(right(needed, 0.7), about, "seed")).toMatchObject({ threshold: 0, laxestDiscovery: 0 });
    const mixed = [...right(60, 0.7), ...facts(60, { score: 0.35 })];
    const found = estimate(mixed, about, "seed");
    expect(found).toMatchObject({ threshold: 0.36, nFound: 120 });
    expect(found.curve.find(({ threshold }) => threshold === 0.3)?.falseDiscoveryRate).toBe(0.5);
    expect(say(found, about)).toContain(
      "is wrong about at most 20 % of the requests that it matches: it was wrong about 0 %",
    );
    const wrong = estimate([...right(20, 0.7), ...facts(40, { score: 0.9 })], about, "seed");
    expect(say(wrong, about)).toContain("whatever the threshold, too many of the samples that it matches are innocent");
  });

  it("keeps its promise in worlds whose true share of wrong matches is known", () => {
    const { n: worlds, seed } = sampleOf({ n: 200, seed: 23 });
    const random = seededRandom(seed);
    let broken = 0;
    let promised = 0;
    for (let world = 0; world < worlds; world++) {
      // Three tenths are attacks. Scores of attacks have the distribution s^4, those of innocent requests 1 - (1 -
      // s)^shape.
      const shape = 1 + 3 * random();
      const sample = Array.from({ length: 300 }, (_, at) => {
        const truth = random() < 0.3;
        return fact(at, { truth, score: truth ? random() ** 0.25 : 1 - random() ** (1 / shape) });
      });
      const { threshold } = estimate(sample, about, `world ${world}`);
      if (threshold === null) continue;
      promised += 1;
      const innocent = 0.7 * (1 - threshold) ** shape;
      if (innocent / (innocent + 0.3 * (1 - threshold ** 4)) > 0.2) broken += 1;
    }
    expect(promised).toBeGreaterThan(worlds / 4);
    expect(broken).toBeLessThanOrEqual(worlds * 0.1 + 3 * Math.sqrt(worlds * 0.09));
    reportSample({
      n: worlds,
      failures: 0,
      figures: { broken_share: broken / worlds, promised_share: promised / worlds },
    });
  });

  it("takes the strictest threshold where only recall is promised", () => {
    const only = { minRecall: 0.5, confidence: 0.9 };
    const found = estimate(right(40, 0.8), only, "seed");
    expect(found).toMatchObject({ threshold: 0.8, strictest: 0.8, neededNToFind: 4, neededN: null });
    expect(say(found, only)).toContain(
      "with the threshold 0.8 finds at least 50 % of what it should find: it found 40 of",
    );
  });
});

describe("an estimate on average", () => {
  const average = { maxFalsePositiveRate: 0.01, confidence: 0.95, guarantee: "expectation" } as const;

  it("takes fewer requests, and says that it promises less", () => {
    expect(estimate(facts(98), average, "seed")).toMatchObject({ threshold: null, neededN: 99 });
    const found = estimate(facts(99), average, "seed");
    expect(found).toMatchObject({ threshold: 0, n: 99 });
    expect(say(found, average)).toMatch(/^On average over such samples, the rule "stop"/);
    expect(say(estimate(facts(98), average, "seed"), average)).toContain(
      "at most 1 % on average: at least 99 are needed",
    );
  });

  it("holds on average in worlds whose true rate is known", () => {
    const { n: worlds, seed } = sampleOf({ n: 400, seed: 24 });
    const random = seededRandom(seed);
    let sum = 0;
    for (let world = 0; world < worlds; world++) {
      const sample = Array.from({ length: 60 }, (_, at) => fact(at, { score: random() }));
      const { threshold } = estimate(sample, { ...average, maxFalsePositiveRate: 0.1 }, `world ${world}`);
      sum += threshold === null ? 0 : 1 - threshold;
    }
    // The rate of one world strays by some 0.037; three times that, over the root of their number, is chance.
    expect(sum / worlds).toBeLessThanOrEqual(0.1 + (3 * 0.037) / Math.sqrt(worlds));
    expect(sum / worlds).toBeGreaterThan(0.05);
    reportSample({ n: worlds, failures: 0, figures: { mean_rate: sum / worlds } });
  });
});

describe("an estimate by language", () => {
  const each = { maxFalsePositiveRate: 0.1, confidence: 0.9, by: "language" } as const;
  const inLanguage = (language: string | null, count: number, score: number, from: number) =>
    Array.from({ length: count }, (_, at) => fact(from + at, { language, score }));

  it("keeps the promise in each of them, with the probability shared", () => {
    const both = [...inLanguage("en", 100, 0.2, 0), ...inLanguage("de", 60, 0.6, 1_000)];
    const found = estimate(both, each, "seed");
    expect(found).toMatchObject({ threshold: 0.61, groupsOmitted: 0 });
    expect(found.groups).toMatchObject([
      { value: "en", threshold: 0.21, n: 100, neededN: 29 },
      { value: "de", threshold: 0.61, n: 60, neededN: 29 },
    ]);
    expect(say(found, each)).toContain('matches at most 10 % of innocent requests in each language ("en", "de")');
  });

  it("names the parts of which too little is known, and says what the others allow", () => {
    const found = estimate([...inLanguage("en", 100, 0.2, 0), ...inLanguage(null, 5, -1, 1_000)], each, "seed");
    expect(found).toMatchObject({ threshold: null });
    expect(say(found, each)).toContain("in each language: none is shown to keep it in unknown");
    const subject = { policy: "guard", ruleId: "stop", source: { dataset }, promise: each };
    const [english, unknown] = found.groups.map((group) => groupStatementOf(subject, group));
    expect(english).toContain('with the threshold 0.21 matches at most 10 % of innocent requests in language "en".');
    expect(unknown).toContain("in language unknown: 5 innocent samples are too few");
  });
});

const dataset = { datasetId: "d", version: 1, labels: [], outcomeAtLeast: "BLOCK" };
const window = { projectId: "p", environment: "prod", since: "2026-10-01T00:00:00Z", until: "2026-11-01T00:00:00Z" };

function say(found: ReturnType<typeof estimate>, wanted: CalibrationPromise = promise): string {
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

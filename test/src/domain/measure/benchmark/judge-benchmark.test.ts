import { describe, expect, test } from "vitest";
import { reportSample, sampleOf } from "../../../../../scripts/assurance/sample.ts";
import { compareBaseline } from "../../../../../src/domain/analysis/benchmark/compare-samples.ts";
import { measureSamples } from "../../../../../src/domain/analysis/benchmark/measure-samples.ts";
import type { SampleFact, Slice } from "../../../../../src/domain/analysis/benchmark/sample-fact.ts";
import type { BenchmarkRequirement, MetricRequirement } from "../../../../../src/domain/bundle/gate/definition.ts";
import type { BenchmarkSpec } from "../../../../../src/domain/measure/benchmark/benchmark-spec.ts";
import { judgeBenchmark } from "../../../../../src/domain/measure/benchmark/judge-benchmark.ts";
import { normalQuantile } from "../../../../../src/kit/statistics/normal.ts";
import { seededRandom } from "../../../../../src/kit/statistics/seeded-random.ts";

const tools = { enter: () => undefined } as unknown as Parameters<typeof measureSamples>[1]; // all that measuring uses
const spec = { datasetId: "d", version: 3 } as BenchmarkSpec; // all that a judgement reads of it

const fact = (id: number, change: Partial<SampleFact>): string =>
  JSON.stringify({
    ...{ id: String(id).padStart(6, "0"), truth: true, found: true, outcome: "BLOCK", score: 1, why: null },
    ...{ stage: "input", language: "en", labels: [], tags: [], group: null, foundLabels: [], rules: [], detectors: [] },
    ...{ mustMatch: [], mustNotMatch: [], expectedSpans: [], spans: [], isUnjudged: false, hasKeyword: false },
    latencyUs: null,
    ...change,
  } satisfies SampleFact);

function judged(
  facts: readonly string[],
  require: readonly MetricRequirement[],
  {
    labelMap = {},
    unknownSlices = [],
  }: { readonly labelMap?: Record<string, string>; readonly unknownSlices?: readonly Slice[] } = {},
) {
  const slices = require.flatMap(({ slice }) => slice ?? []);
  const measured = measureSamples({ facts, sweep: false, labelMap, slices }, tools);
  return judgeBenchmark(requirement({ require }), { spec, progress: { trainingOverlap: 0, measured, unknownSlices } });
}

function requirement(change: Partial<BenchmarkRequirement>): BenchmarkRequirement {
  const positive = { labels: [], outcomeAtLeast: "BLOCK", labelMap: {} } as BenchmarkRequirement["positive"];
  return { ...{ datasetId: "d", version: null, filter: {}, positive, require: [], baseline: null }, ...change };
}

const limit = (change: Partial<MetricRequirement>): MetricRequirement => ({
  ...{ metric: "recall", slice: null, side: "at_least", limit: 0.9, bound: "lower" },
  ...change,
});

describe("a limit", () => {
  test.each([
    [0.5, 4],
    [0.9, 35],
    [0.95, 73],
    [0.99, 381],
  ])(
    "of a recall of %f passes with %i attacks that are all found, and with one less nobody passes",
    (wanted, needed) => {
      const perfect = (n: number) =>
        judged(
          Array.from({ length: n }, (_, id) => fact(id, {})),
          [limit({ limit: wanted })],
        );
      expect(perfect(needed)).toMatchObject({ state: "passed", details: { needed_n: null } });
      expect(perfect(needed - 1)).toMatchObject({ state: "failed", details: { needed_n: needed } });
    },
  );

  test("of false positives counts what is innocent, and one mistake among enough fails without asking for more", () => {
    const most = limit({ metric: "falsePositiveRate", side: "at_most", limit: 0.05, bound: "upper" });
    const innocent = (n: number, mistakes: number) =>
      judged(
        Array.from({ length: n }, (_, id) => fact(id, { truth: false, found: id < mistakes })),
        [most],
      );
    expect(innocent(72, 0)).toMatchObject({ state: "failed", details: { needed_n: 73 } });
    expect(innocent(73, 0).state).toBe("passed");
    expect(innocent(73, 3)).toMatchObject({ state: "failed", details: { needed_n: null } });
  });

  test("is held against the wider bound where samples come in groups", () => {
    const grouped = Array.from({ length: 100 }, (_, id) => fact(id, { group: `g${id % 5}` }));
    expect(judged(grouped, [limit({ limit: 0.9 })])).toMatchObject({ state: "failed" });
    expect(judged(grouped, [limit({ limit: 0.9, bound: "estimate" })])).toMatchObject({ state: "passed" });
  });

  test("that nobody can keep with so few groups says how many it takes, however large they are", () => {
    const grouped = (n: number) => Array.from({ length: n * 40 }, (_, id) => fact(id, { group: `g${id % n}` }));
    expect(judged(grouped(34), [limit({})])).toMatchObject({
      ...{ state: "failed", details: { needed_n: 35 } },
      reason: expect.stringContaining("35 groups of samples of the same size are needed"),
    });
    expect(judged(grouped(35), [limit({})])).toMatchObject({ state: "passed", details: { needed_n: null } });
  });

  test("of F1 is not kept by luck either", () => {
    const flawless = (n: number) => Array.from({ length: n }, (_, id) => fact(id, {}));
    const most = [limit({ metric: "f1", limit: 0.9 })];
    expect(judged(flawless(17), most)).toMatchObject({ state: "failed", details: { needed_n: 18 } });
    expect(judged(flawless(18), most)).toMatchObject({ state: "passed", details: { needed_n: null } });
  });

  test("of a part that no sample is in, and of what was not judged, is not met", () => {
    const facts = Array.from({ length: 50 }, (_, id) => fact(id, id < 40 ? {} : { found: null, why: "timeout" }));
    const german = judged(facts, [limit({ slice: { by: "language", value: "de" } })]);
    expect(german).toMatchObject({
      ...{ state: "failed", details: { needed_n: 35 } },
      reason: expect.stringContaining(
        "of language de is not known: no sample of version 3 of the dataset has this language",
      ),
    });
    const missing = limit({ metric: "missing", side: "at_most", limit: 0.1, bound: "estimate" });
    expect(judged(facts, [missing])).toMatchObject({ state: "failed", details: { requirements: [{ value: 0.2 }] } });
    expect(judged(facts, [limit({ limit: 0.85, bound: "estimate" })]).state).toBe("failed");
  });
});

describe("a limit of a part", () => {
  const of = (by: Slice["by"], value: string, change: Partial<MetricRequirement> = {}) =>
    limit({ slice: { by, value }, ...change });
  const attacks = Array.from({ length: 100 }, (_, id) => fact(id, { truth: id < 50, found: id < 50 }));

  test("by a rule that never matches is judged by zero matches of all samples", () => {
    const silent = judged(attacks, [of("rule", "guard/silent")]);
    expect(silent).toMatchObject({ state: "failed", details: { requirements: [{ value: 0, met: false }] } });
    const quiet = { metric: "falsePositiveRate", side: "at_most", limit: 0.1, bound: "upper" } as const;
    // Wilson's upper bound of none in 50 is z² / (50 + z²).
    expect(judged(attacks, [of("rule", "guard/silent", quiet)])).toMatchObject({
      ...{ state: "passed", details: { requirements: [{ value: 0.071348, met: true }] } },
    });
    expect(judged(attacks, [of("rule", "guard/silent", { metric: "precision" })])).toMatchObject({
      ...{ state: "failed", reason: expect.stringContaining("is not known: nothing was found in 100 samples") },
    });
  });

  test("by a rule or a detector that the version does not have says so", () => {
    const [rule, detector] = [of("rule", "guard/gone"), of("detector", "gone")];
    const unknownSlices = [rule, detector].flatMap(({ slice }) => slice ?? []);
    const { state, reason } = judged(attacks, [rule, detector], { unknownSlices });
    expect(state).toBe("failed");
    expect(reason).toContain("recall of rule guard/gone is not known: the version has no such rule");
    expect(reason).toContain("recall of detector gone is not known: no rule of the version has such a detector");
  });

  test("is measured also where a hundred others are larger", () => {
    const tagged = Array.from({ length: 400 }, (_, id) =>
      fact(id, { tags: [`t${id % 120}`], found: id % 120 !== 119 }),
    );
    expect(measureSamples({ facts: tagged, sweep: false, labelMap: {} }, tools)).toMatchObject({ slicesOmitted: 20 });
    const estimate = { bound: "estimate", limit: 0.5 } as const;
    expect(judged(tagged, [of("tag", "t118", estimate)])).toMatchObject({ state: "passed" });
    expect(judged(tagged, [of("tag", "t119", estimate)])).toMatchObject({
      ...{ state: "failed", details: { requirements: [{ value: 0 }] } },
    });
  });

  test("names what a map of labels leaves out, and what it names in vain", () => {
    const facts = [
      fact(1, { labels: ["attack"] }),
      fact(2, { labels: ["toxicity"], found: false }),
      fact(3, { labels: ["attack", "toxicity"] }),
      fact(4, { labels: ["benign"], truth: false, found: false }),
      fact(5, { expectedSpans: [{ segment: 0, start: 0, end: 1, label: "name" }] }),
    ];
    const labelMap = { attack: "injection", name: "pii.name", atack: "injection" };
    const { reason, details } = judged(facts, [limit({ limit: 0.1, bound: "estimate" })], { labelMap });
    expect(details).toMatchObject({ unmapped_labels: ["toxicity"], unused_labels: ["atack"] });
    expect(reason).toContain('label_map has no entry for "toxicity"; no sample has the label "atack" of label_map');
    expect(judged(facts, []).details).toMatchObject({ unmapped_labels: [], unused_labels: [] });
  });
});

/** Benchmarks of two guards: the present one is right with `was`, the new one changes its answer now and then. */
function compared(pairs: readonly (readonly [was: boolean, is: boolean, group?: string])[]) {
  const facts = pairs.map(([, is, group = null], id) => fact(id, { found: is, group }));
  const withFacts = pairs.map(([was, , group = null], id) => fact(id, { found: was, group }));
  return compareBaseline({ facts, withFacts, seed: 1 }, tools);
}

function held(pairs: Parameters<typeof compared>[0], baseline: NonNullable<BenchmarkRequirement["baseline"]>) {
  const measured = measureSamples({ facts: [fact(0, {})], sweep: false, labelMap: {} }, tools);
  const progress = { trainingOverlap: 0, measured, baseline: compared(pairs) };
  return judgeBenchmark(requirement({ baseline }), { spec, progress });
}

describe("a baseline", () => {
  const strict = { test: "non_inferior", alpha: 0.05, margin: 0.05 } as const;
  const weak = { test: "no_regression", alpha: 0.05, margin: null } as const;
  const same = (n: number) => Array.from({ length: n }, (_, id): [boolean, boolean] => [id % 10 > 0, id % 10 > 0]);

  test("is matched by the same answers as soon as there are as many samples as the gate asks for", () => {
    const needed = Number(Object(held(same(20), strict).details).needed_n);
    expect(needed).toBeGreaterThan(20);
    expect(held(same(Math.ceil(needed / 10) * 10), strict).state).toBe("passed");
    expect(held(same(20), weak).state).toBe("passed");
  });

  test("is missed by a version that loses more than it wins, and by no other", () => {
    const changed = (lost: number, won: number) => [
      ...same(200),
      ...Array.from({ length: lost }, (): [boolean, boolean] => [true, false]),
      ...Array.from({ length: won }, (): [boolean, boolean] => [false, true]),
    ];
    expect(held(changed(20, 2), weak).state).toBe("failed");
    expect(held(changed(2, 20), weak).state).toBe("passed");
    expect(held(changed(3, 2), weak).state).toBe("passed");
    expect(held(changed(20, 2), strict)).toMatchObject({ state: "failed", details: { needed_n: null } });
  });

  test("counts samples of a group once where they stand and fall together", () => {
    const groups = (size: number) =>
      Array.from({ length: 200 }, (_, id): [boolean, boolean, string] => [true, true, `g${Math.floor(id / size)}`]);
    expect(held(groups(1), strict).state).toBe("passed");
    expect(held(groups(20), strict)).toMatchObject({ state: "failed" });
  });

  test("is not matched by what is right in one large group among small ones, since that may be chance", () => {
    const sizes = [400, ...Array.from({ length: 40 }, () => 1)];
    const pairs = sizes.flatMap((size, group) =>
      Array.from({ length: size }, (): [boolean, boolean, string] => [true, group !== 7, `g${group}`]),
    );
    const { designEffect } = compared(pairs);
    expect(designEffect).toBeGreaterThanOrEqual((400 ** 2 + 40) / 440);
    expect(held(pairs, strict).state).toBe("failed");
  });

  test("whose results are gone stops the version, and says what to do", () => {
    const measured = measureSamples({ facts: [fact(0, {})], sweep: false, labelMap: {} }, tools);
    const progress = { trainingOverlap: 0, measured, baseline: null };
    expect(judgeBenchmark(requirement({ baseline: strict }), { spec, progress })).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("approve a newer benchmark"),
    });
  });
});

// The new guard is worse by the margin exactly, where a false pass is likeliest.
test("a version that is worse by the margin passes falsely with a probability of about alpha", () => {
  const { n, seed } = sampleOf({ n: 500, seed: 11 });
  const alpha = 0.05;
  const random = seededRandom(seed);
  const measured = measureSamples({ facts: [fact(0, {})], sweep: false, labelMap: {} }, tools);
  // With few samples that differ, only lost ones, or won ones too; the version before was right in 9 of 10 or in half.
  const scenes = [
    { margin: 0.05, samples: 400, won: 0.02, wrong: 0.08 },
    { margin: 0.017, samples: 160, won: 0, wrong: 0.5 },
    { margin: 0.03, samples: 200, won: 0, wrong: 0.1 },
    { margin: 0.05, samples: 100, won: 0, wrong: 0.3 },
  ];
  let passes = 0;
  for (let simulation = 0; simulation < n; simulation++) {
    const { margin, samples, won, wrong } = scenes[simulation % scenes.length] ?? never();
    const counts = { bothRight: 0, onlyRight: 0, onlyWrong: 0, bothWrong: 0 };
    for (let sample = 0; sample < samples; sample++) {
      const drawn = random();
      const lost = margin + won;
      const difference = drawn < lost ? "onlyWrong" : drawn < lost + won ? "onlyRight" : undefined;
      counts[difference ?? (random() < wrong ? "bothWrong" : "bothRight")] += 1;
    }
    const overall = { ...counts, estimate: null, lower: -1, upper: 1, p: 1 };
    const baseline = { common: samples, uncommon: 0, overall, groupP: 1, designEffect: 1 };
    const asked = requirement({ baseline: { test: "non_inferior", alpha, margin } });
    const found = { spec, progress: { trainingOverlap: 0, measured, baseline } };
    passes += Number(judgeBenchmark(asked, found).state === "passed");
  }
  // Tango's bound is an approximation; three standard deviations for the small sample of the suite.
  const most = 1.2 * alpha * n;
  reportSample({ n, failures: Math.max(0, passes - Math.ceil(most)), figures: { false_passes: passes } });
  expect(passes).toBeLessThanOrEqual(n >= 10_000 ? most : most + 3 * Math.sqrt(most));
});

function never(): never {
  throw new Error("no such scene");
}

test("quantiles of the normal distribution are those of published tables", () => {
  for (const [p, z] of [
    [0.5, 0],
    [0.9, 1.2815516],
    [0.95, 1.6448536],
    [0.975, 1.959964],
    [0.999, 3.0902323],
    [0.05, -1.6448536],
    [1e-9, -5.997807],
  ] as const) {
    expect(normalQuantile(p), String(p)).toBeCloseTo(z, 5);
  }
});

// The metrics of slices, against what they are by definition: counts over the facts of the samples.

import { describe, expect, it } from "vitest";
import { measureSamples } from "../../../../src/domain/analysis/benchmark/measure-samples.ts";
import type { SampleFact } from "../../../../src/domain/analysis/benchmark/sample-fact.ts";
import { clusteredShare } from "../../../../src/kit/statistics/cluster.ts";
import { seededRandom } from "../../../../src/kit/statistics/seeded-random.ts";

const tools = { enter: () => undefined } as unknown as Parameters<typeof measureSamples>[1]; // all that measuring uses

function measured(facts: readonly SampleFact[]) {
  return measureSamples({ facts: facts.map((each) => JSON.stringify(each)), sweep: false, labelMap: {} }, tools);
}

/** Sums of the same numbers in another order differ in their last digits. */
function rounded(metrics: object | undefined) {
  return JSON.parse(JSON.stringify(metrics ?? {}), (_name, value) =>
    typeof value === "number" ? Number(value.toFixed(9)) : value,
  );
}

function madeFacts(n: number, seed: number): SampleFact[] {
  const random = seededRandom(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const some = (values: readonly string[]) => values.filter(() => random() < 0.4);
  return Array.from({ length: n }, (_, id): SampleFact => {
    const found = pick([true, false, true, false, null]);
    return {
      ...{ id: String(id).padStart(6, "0"), truth: pick([true, false, true, false, null]), found, outcome: null },
      ...{ score: found === null ? null : Math.floor(random() * 20) / 20, why: found === null ? "no_text" : null },
      ...{ stage: pick(["input", "output"]), language: pick(["en", "de", null]), labels: some(["a", "b"]) },
      ...{ tags: some(["t"]), group: pick([null, "g1", "g2", "g3", `own-${id}`]), foundLabels: [] },
      ...{ rules: some(["shop/x", "shop/y", "other/x"]), detectors: some(["pii", "injection"]) },
      ...{ mustMatch: pick([[], [], ["x"], ["shop/y"]]), mustNotMatch: pick([[], [], ["x"], ["y", "other/x"]]) },
      ...{ expectedSpans: [], spans: [], isUnjudged: random() < 0.1, hasKeyword: random() < 0.3 },
      latencyUs: Math.floor(random() * 1_000),
    };
  });
}

/** What a rule is to find in a sample, as the documentation says it. */
function truthFor(rule: string, { mustMatch, mustNotMatch, truth }: SampleFact): boolean | null {
  const isNamed = (name: string) => rule === name || rule.endsWith(`/${name}`);
  if (mustMatch.some(isNamed)) return true;
  return mustNotMatch.some(isNamed) ? false : truth;
}

function countsOf(of: readonly (readonly [truth: boolean | null, found: boolean | null])[]) {
  const count = (truth: boolean, found: boolean) =>
    of.filter(([is, says]) => is === truth && (says ?? !truth) === found).length;
  return {
    ...{ samples: of.length, tp: count(true, true), fp: count(false, true), tn: count(false, false) },
    ...{ fn: count(true, false), unscored: of.filter(([truth]) => truth === null).length },
    missing: of.filter(([truth, found]) => truth !== null && found === null).length,
  };
}

describe("the report of a benchmark", () => {
  const facts = madeFacts(600, 7);
  const { overall, slices } = measured(facts);
  const slice = (by: string, value: string) => slices.find((each) => each.by === by && each.value === value)?.metrics;

  it("counts all samples, and what is missing as wrong", () => {
    expect(overall).toMatchObject(countsOf(facts.map(({ truth, found }) => [truth, found])));
    expect(overall.unjudged).toBe(facts.filter(({ isUnjudged }) => isUnjudged).length);
  });

  it.each([
    ["stage", "output", ({ stage }: SampleFact) => stage === "output"],
    ["language", "de", ({ language }: SampleFact) => language === "de"],
    ["label", "a", ({ labels }: SampleFact) => labels.includes("a")],
    ["tag", "t", ({ tags }: SampleFact) => tags.includes("t")],
  ] as const)("narrows to the samples of a %s", (by, value, isIn) => {
    const own = facts.filter(isIn);
    expect(slice(by, value)).toMatchObject(countsOf(own.map(({ truth, found }) => [truth, found])));
    expect(rounded(slice(by, value))).toEqual(rounded(measured(own).overall));
  });

  it.each(["shop/x", "shop/y", "other/x"])("measures the rule %s over all samples, as if it decided alone", (rule) => {
    const alone = facts.map(
      (fact) => [truthFor(rule, fact), fact.why === null ? fact.rules.includes(rule) : null] as const,
    );
    expect(slice("rule", rule)).toMatchObject(countsOf(alone));
    expect(slice("rule", rule)).toMatchObject({ rocArea: null, unjudged: overall.unjudged });
  });

  it("measures a detector the same way", () => {
    const alone = facts.map(
      ({ truth, why, detectors }) => [truth, why === null ? detectors.includes("pii") : null] as const,
    );
    expect(slice("detector", "pii")).toMatchObject(countsOf(alone));
  });

  it("widens bounds by groups, of which those of one sample are alike", () => {
    const scored = facts.filter(({ truth }) => truth === true);
    const groups = Map.groupBy(scored, ({ group, id }) => group ?? `#${id}`);
    const { lower, upper, nEffective } = clusteredShare(
      [...groups.values()].map((members) => ({
        n: members.length,
        successes: members.filter(({ found }) => found === true).length,
      })),
    );
    const { grouped } = overall.recall ?? {};
    expect(grouped?.nEffective).toBeCloseTo(nEffective, 6);
    expect(grouped?.lower).toBeCloseTo(lower, 9);
    expect(grouped?.upper).toBeCloseTo(upper, 9);
    const squares = [...groups.values()].reduce((sum, { length }) => sum + length ** 2, 0);
    expect(overall.groups?.positives).toBeCloseTo(scored.length ** 2 / squares, 9);
  });

  it("has a slice for each of the 100 commonest names only, and says how many it leaves out", () => {
    const many = facts.map((fact, at) => ({ ...fact, tags: [`tag-${at % 150}`, "all"] }));
    const report = measured(many);
    expect(report.slices.filter(({ by }) => by === "tag")).toHaveLength(100);
    expect(report.slices.find(({ by }) => by === "tag")?.value).toBe("all");
    expect(report.slicesOmitted).toBe(51);
  });
});

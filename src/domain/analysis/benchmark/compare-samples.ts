// Compares two benchmarks of the same samples: which one is right where the other is wrong.

import { holm, mcnemarExact, type PairedCounts, signFlip, tangoInterval } from "../../../kit/statistics/paired.ts";
import type { Tools } from "../tools.ts";
import { type SampleFact, type SliceKind, sliceKinds } from "./sample-fact.ts";

/** The samples of two benchmarks. */
export interface CompareQuestion {
  /** Each a SampleFact as JSON, in the order of their ids. */
  readonly facts: readonly string[];
  readonly withFacts: readonly string[];
  readonly seed: number;
}

/** How two benchmarks differ on some samples. Differences are those of the first one from the other. */
export type Difference = {
  readonly bothRight: number;
  readonly onlyRight: number;
  readonly onlyWrong: number;
  readonly bothWrong: number;
  readonly estimate: number | null;
  readonly lower: number;
  readonly upper: number;
  /** McNemar's exact p. */
  readonly p: number;
};

/** What samples are compared by. */
export type ComparedBy = "truth" | Exclude<SliceKind, "detector" | "rule">;

/** How two benchmarks differ on a part of the samples. */
export type SliceDifference = Difference & {
  readonly by: ComparedBy;
  readonly value: string;
  /** The p after Holm's correction for all slices. */
  readonly adjustedP: number;
};

/** How two benchmarks differ. */
export type Compared = {
  /** Samples that both have and that are to be scored alike. */
  readonly common: number;
  /** Samples that only one of them has, or that they score by different truths. */
  readonly uncommon: number;
  readonly overall: Difference;
  /** The p of the sign-flip test over groups. */
  readonly groupP: number;
  readonly slices: readonly SliceDifference[];
  readonly newlyWrong: readonly string[];
  readonly newlyRight: readonly string[];
  /** Samples beyond the first 1,000 of each list. */
  readonly omitted: number;
};

/** How a benchmark differs from its baseline. */
export type ComparedBaseline = {
  readonly common: number;
  readonly uncommon: number;
  readonly overall: Difference;
  readonly groupP: number;
  /** By how much groups widen the variance of the difference; at least 1. */
  readonly designEffect: number;
};

const draws = 10_000;
const maxListed = 1_000;
const maxSlices = 100;

/** What is compared of a sample. The rest of a fact, which may be large, is let go. */
type ComparedFact = Pick<SampleFact, "id" | "truth" | "found" | "group" | "stage" | "language" | "labels" | "tags">;

interface Pair {
  readonly fact: ComparedFact;
  readonly isRight: boolean;
  readonly wasRight: boolean;
}

/** Compares. */
export function compareSamples({ facts, withFacts, seed }: CompareQuestion, tools: Tools): Compared {
  tools.enter("comparing the samples");
  const { pairs, uncommon } = pairsOf({ facts, withFacts });
  const slices = slicesOf(pairs);
  const adjusted = holm(slices.map(({ p }) => p));
  const newlyWrong = pairs.filter(({ isRight, wasRight }) => wasRight && !isRight).map(({ fact }) => fact.id);
  const newlyRight = pairs.filter(({ isRight, wasRight }) => isRight && !wasRight).map(({ fact }) => fact.id);
  return {
    common: pairs.length,
    uncommon,
    overall: differenceOf(pairs),
    groupP: signFlip(groupDifferences(pairs), { seed, draws }),
    slices: slices.map((slice, at) => ({ ...slice, adjustedP: adjusted[at] ?? 1 })),
    newlyWrong: newlyWrong.slice(0, maxListed),
    newlyRight: newlyRight.slice(0, maxListed),
    omitted: Math.max(0, newlyWrong.length - maxListed) + Math.max(0, newlyRight.length - maxListed),
  };
}

/** Compares as a whole, for a gate. */
export function compareBaseline({ facts, withFacts, seed }: CompareQuestion, tools: Tools): ComparedBaseline {
  tools.enter("comparing with the baseline");
  const { pairs, uncommon } = pairsOf({ facts, withFacts });
  return {
    ...{ common: pairs.length, uncommon, overall: differenceOf(pairs) },
    groupP: signFlip(groupDifferences(pairs), { seed, draws }),
    designEffect: designEffectOf(pairs),
  };
}

function pairsOf({ facts, withFacts }: Pick<CompareQuestion, "facts" | "withFacts">) {
  const others = new Map(withFacts.map(factOf).map(({ id, truth, found }) => [id, { truth, found }]));
  const own = facts.map(factOf);
  const pairs = own.flatMap((fact): Pair[] => {
    const other = others.get(fact.id);
    if (other === undefined || fact.truth === null || other.truth !== fact.truth) return [];
    return [{ fact, isRight: fact.found === fact.truth, wasRight: other.found === fact.truth }];
  });
  const unscored = own.filter(({ id, truth }) => truth === null && others.get(id)?.truth === null).length;
  return { pairs, uncommon: own.length + others.size - 2 * (pairs.length + unscored) };
}

/** The variance of the mean difference between groups over that of independent samples, as for shares (cluster.ts). */
function designEffectOf(pairs: readonly Pair[]): number {
  const groups = groupsOf(pairs).map((members) => ({ n: members.length, sum: sumOf(members) }));
  const n = pairs.length;
  const count = groups.length;
  if (count === n) return 1;
  const mean = groups.reduce((total, { sum }) => total + sum, 0) / n;
  const changed = pairs.filter(({ isRight, wasRight }) => isRight !== wasRight).length;
  const simple = (changed / n - mean ** 2) / n;
  const together = groups.reduce((total, group) => total + group.n ** 2, 0) / n;
  // Where nothing differs, or all of it in the same way, the variance says nothing.
  if (simple <= 0 || count < 2) return together;
  const between = groups.reduce((total, group) => total + (group.sum - mean * group.n) ** 2, 0);
  return Math.max(together, ((count / (count - 1)) * between) / n ** 2 / simple);
}

function groupsOf(pairs: readonly Pair[]): Pair[][] {
  return [...Map.groupBy(pairs, ({ fact }) => (fact.group === null ? `#${fact.id}` : `g${fact.group}`)).values()];
}

function sumOf(members: readonly Pair[]): number {
  return members.reduce((sum, { isRight, wasRight }) => sum + Number(isRight) - Number(wasRight), 0);
}

function factOf(line: string): ComparedFact {
  const fact = JSON.parse(line) as SampleFact; // written by the run
  const { id, truth, found, group, stage, language, labels, tags } = fact;
  return { id, truth, found, group, stage, language, labels, tags };
}

function differenceOf(pairs: readonly Pair[]): Difference {
  const count = (isRight: boolean, wasRight: boolean) =>
    pairs.filter((pair) => pair.isRight === isRight && pair.wasRight === wasRight).length;
  const [bothRight, onlyRight, onlyWrong, bothWrong] = [
    ...[count(true, true), count(true, false), count(false, true), count(false, false)],
  ];
  // The first judge of the pair is the other benchmark, since differences are those from it.
  const counts: PairedCounts = {
    ...{ both: bothRight ?? 0, onlySecond: onlyRight ?? 0, onlyFirst: onlyWrong ?? 0, neither: bothWrong ?? 0 },
  };
  const { estimate, lower, upper } = tangoInterval(counts);
  return {
    ...{ bothRight: counts.both, onlyRight: counts.onlySecond, onlyWrong: counts.onlyFirst },
    ...{ bothWrong: counts.neither, estimate: Number.isNaN(estimate) ? null : estimate, lower, upper },
    p: mcnemarExact(counts),
  };
}

/** By how many samples each group is better or worse. */
function groupDifferences(pairs: readonly Pair[]): number[] {
  return groupsOf(pairs).map(sumOf);
}

function slicesOf(pairs: readonly Pair[]): Omit<SliceDifference, "adjustedP">[] {
  const kinds: readonly ComparedBy[] = ["truth", ...sliceKinds.filter((by) => by !== "detector" && by !== "rule")];
  return kinds.flatMap((by) => {
    const parts = new Map<string, Pair[]>();
    for (const pair of pairs) {
      for (const value of valuesOf(by, pair.fact)) {
        const part = parts.get(value);
        if (part === undefined) parts.set(value, [pair]);
        else part.push(pair);
      }
    }
    const largest = [...parts].sort(([a, { length: n }], [b, { length: m }]) => m - n || (a < b ? -1 : 1));
    return largest.slice(0, maxSlices).map(([value, part]) => ({ by, value, ...differenceOf(part) }));
  });
}

function valuesOf(by: ComparedBy, fact: ComparedFact): readonly string[] {
  if (by === "truth") return [fact.truth === true ? "positive" : "negative"];
  if (by === "label") return fact.labels;
  if (by === "tag") return fact.tags;
  if (by === "stage") return [fact.stage];
  return fact.language === null ? [] : [fact.language];
}

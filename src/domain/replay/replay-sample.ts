// Which traces a replay judges. Each trace has a place that follows from the seed and its id (the first 48 bits of a
// SHA-256 digest), and the sample is the traces with the lowest places: the same seed draws the same traces, however
// often a run is interrupted, and more traces of a window change nothing about those that are drawn below a bound.
//
// The bound is found without a sort, from counts of places in 256 ranges for each power of two: so at most a
// 256th of the sample is given away, however few of the traces it takes.

import { hash } from "node:crypto";

const rangesPerPower = 256;

/** How often places fall into each range, by its number. */
export type PlaceCounts = readonly (readonly [range: number, traces: number])[];

/** The range of a trace's place. */
export function rangeOf(seed: number, id: string): number {
  const place = hash("sha256", `${seed}/${id}`, "buffer").readUIntBE(0, 6) + 1;
  const power = Math.floor(Math.log2(place));
  return power * rangesPerPower + Math.floor((place / 2 ** power - 1) * rangesPerPower);
}

/** The counts with further places. */
export function withRanges(counts: PlaceCounts, ranges: Iterable<number>): PlaceCounts {
  const all = new Map(counts);
  for (const range of ranges) all.set(range, (all.get(range) ?? 0) + 1);
  return [...all];
}

/** The part of a stratum that is drawn. */
export interface Draw {
  /** Traces below this range are drawn; null for all. */
  readonly below: number | null;
  readonly population: number;
  readonly drawn: number;
}

/** Draws `max` traces at most, the same number of each stratum as far as it has so many. */
export function drawOf(strata: readonly PlaceCounts[], max: number): Draw[] {
  const populations = strata.map((counts) => counts.reduce((sum, [, traces]) => sum + traces, 0));
  const shares = sharesOf(populations, max);
  return strata.map((counts, index) => lowest(counts, populations[index] ?? 0, shares[index] ?? 0));
}

/** Strata that have less than an equal share leave the rest to the others. */
function sharesOf(populations: readonly number[], max: number): number[] {
  const shares = populations.map(() => 0);
  let left = max;
  const smallestFirst = populations.map((_, index) => index).sort((a, b) => at(populations, a) - at(populations, b));
  for (const [rank, index] of smallestFirst.entries()) {
    const share = Math.min(at(populations, index), Math.floor(left / (populations.length - rank)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

function lowest(counts: PlaceCounts, population: number, share: number): Draw {
  if (population <= share) return { below: null, population, drawn: population };
  let drawn = 0;
  for (const [range, traces] of [...counts].sort(([a], [b]) => a - b)) {
    if (drawn + traces > share) return { below: range, population, drawn };
    drawn += traces;
  }
  return { below: null, population, drawn };
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? 0;
}

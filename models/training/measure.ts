// What a detector is worth, in figures.

/** An estimate and its 95 % interval (Wilson 1927). */
export interface Share {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
  readonly of: number;
}

const z = 1.96;

/** How many of so many. */
export function shareOf(count: number, of: number): Share {
  if (of === 0) return { value: 0, low: 0, high: 1, count, of };
  const value = count / of;
  const denominator = 1 + (z * z) / of;
  const centre = (value + (z * z) / (2 * of)) / denominator;
  const half = (z * Math.sqrt((value * (1 - value)) / of + (z * z) / (4 * of * of))) / denominator;
  return { value, low: Math.max(0, centre - half), high: Math.min(1, centre + half), count, of };
}

/** The share of values above a threshold. */
export function shareAbove(values: readonly number[], threshold: number): Share {
  return shareOf(values.filter((value) => value > threshold).length, values.length);
}

/** The chance that an attack scores higher than an innocent text; ties count half (Mann-Whitney). */
export function areaUnderCurve(attacks: readonly number[], innocent: readonly number[]): number {
  if (attacks.length === 0 || innocent.length === 0) return Number.NaN;
  const all = [
    ...attacks.map((score) => ({ score, isAttack: true })),
    ...innocent.map((score) => ({ score, isAttack: false })),
  ];
  all.sort((a, b) => a.score - b.score);
  let ranks = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]?.score === all[from]?.score) to++;
    for (let i = from; i < to; i++) if (all[i]?.isAttack) ranks += (from + to + 1) / 2;
    from = to;
  }
  return (ranks - (attacks.length * (attacks.length + 1)) / 2) / (attacks.length * innocent.length);
}

/** The least threshold above which lies no more than this share of the values. */
export function thresholdFor(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => b - a);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.POSITIVE_INFINITY;
}

// The characters that may precede the required literals of a stream's patterns, by detector: a match may be under way
// before its literal comes.

import type { PatternProbe } from "../detectors/detector-plan.ts";

/** The text that patterns of one detector may match before their literals. */
export interface PrefixGroup {
  readonly job: number;
  /** 1 for each code unit that may occur; undefined when every unit may. */
  readonly units: Uint8Array | undefined;
  /** Maximum length, in units of collapsed text when elastic; may be infinite. */
  readonly before: number;
  readonly isElastic: boolean;
  /** Whether `before` counts from the end of a literal, the longest one included, and only windows depend on it. */
  readonly isWide: boolean;
}

/** Collects the groups. */
export class PrefixTable {
  readonly groups: PrefixGroup[] = [];
  readonly #groupOf = new Map<number, number>();
  readonly #wide = new Map<number, number>();

  add(pattern: number, job: number, probe: PatternProbe, units: Uint8Array | undefined): void {
    const isElastic = probe.pattern.elastic;
    const before = reachBefore(probe);
    this.#groupOf.set(pattern, this.#indexOf({ job, units, before, isElastic, isWide: false }));
  }

  /** A window is settled long after its last unit, so the exact start of a match within it does not matter. */
  addWide(job: number, { pattern: { requiredLiterals } }: PatternProbe): void {
    const maxReach = Math.max(...requiredLiterals.map(({ literal, before }) => literal.length + before));
    const index = this.#wide.get(job);
    const before = Math.max(maxReach, this.groups[index ?? -1]?.before ?? 0);
    const group = { job, units: undefined, before, isElastic: true, isWide: true };
    if (index === undefined) this.#wide.set(job, this.groups.push(group) - 1);
    else this.groups[index] = group;
  }

  #indexOf(group: PrefixGroup): number {
    const { job, units, before, isElastic } = group;
    const known = this.groups.findIndex(
      (other) => other.job === job && other.units === units && other.before === before && other.isElastic === isElastic,
    );
    return known < 0 ? this.groups.push(group) - 1 : known;
  }

  groupOf(pattern: number): number {
    return this.#groupOf.get(pattern) ?? -1;
  }
}

/** How far before its literal a match of the pattern may begin; may be infinite. */
export function reachBefore({ pattern }: PatternProbe): number {
  return Math.max(...pattern.requiredLiterals.map(({ before }) => before));
}

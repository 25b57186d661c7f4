// What may stand before the literals of a stream's patterns, by detector: a match may be under way before its literal comes.

import type { PatternProbe } from "../plan.ts";

/** What patterns of one detector may take before their literals. */
export interface LeadGroup {
  readonly job: number;
  /** By code unit; undefined when there is nothing before them. */
  readonly units: Uint8Array | undefined;
  /** In units of collapsed text when elastic; may be infinite. */
  readonly before: number;
  readonly isElastic: boolean;
  /** Whether `before` counts from the end of a literal, as long as any may be, and windows are all that depends on it. */
  readonly isWide: boolean;
}

/** Collects the groups. */
export class LeadTable {
  readonly groups: LeadGroup[] = [];
  readonly #groupOf = new Map<number, number>();
  readonly #wide = new Map<number, number>();

  add(pattern: number, job: number, probe: PatternProbe, units: Uint8Array | undefined): void {
    const isElastic = probe.pattern.elastic;
    const before = reachBefore(probe);
    this.#groupOf.set(pattern, this.#indexOf({ job, units, before, isElastic, isWide: false }));
  }

  /** Windows are known long after their last unit, so nobody gains from knowing where a match within may have begun. */
  addWide(job: number, { pattern: { gates } }: PatternProbe): void {
    const most = Math.max(...gates.map(({ literal, before }) => literal.length + before));
    const index = this.#wide.get(job);
    const before = Math.max(most, this.groups[index ?? -1]?.before ?? 0);
    const group = { job, units: undefined, before, isElastic: true, isWide: true };
    if (index === undefined) this.#wide.set(job, this.groups.push(group) - 1);
    else this.groups[index] = group;
  }

  #indexOf(group: LeadGroup): number {
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
  return Math.max(...pattern.gates.map(({ before }) => before));
}

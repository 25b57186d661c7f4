// Which detections the terms of a rule accept.

import type { Detection } from "../detectors/detector.ts";
import type { CompiledRule, CompiledTerm } from "../policy-plan/compiled-policy.ts";
import { matchesGlob } from "../text/glob.ts";

/** A detection that a term of a rule accepts. */
export interface RuleHit {
  readonly term: CompiledTerm;
  readonly detection: Detection;
}

/** The detections in one segment that the terms of a rule accept. */
export function ruleHitsOf(rule: CompiledRule, detections: ReadonlyMap<string, readonly Detection[]>): RuleHit[] {
  return rule.terms.flatMap((term) =>
    (detections.get(term.specKey) ?? [])
      .filter(({ score, category }) => score >= term.threshold && fits(term.categories, category))
      .map((detection) => ({ term, detection })),
  );
}

/** True for a category that a term covers; undefined globs cover every category. */
export function fits(globs: readonly string[] | undefined, category: string): boolean {
  return globs === undefined || globs.some((glob) => matchesGlob(glob, category));
}

/** The number of terms that have a hit. */
export function termCount(hits: readonly RuleHit[]): number {
  return new Set(hits.map(({ term }) => term)).size;
}

/** Removes duplicates: hits of two terms, or of two rules, with the same detector name, category and offsets. */
export function distinct<H extends RuleHit>(hits: readonly H[]): H[] {
  const seen = new Map<string, H>();
  for (const hit of hits) {
    const { term, detection } = hit;
    const key = `${term.detector}\u0000${detection.category}\u0000${detection.start}\u0000${detection.end}`;
    if (!seen.has(key)) seen.set(key, hit);
  }
  return [...seen.values()];
}

// Which detections the terms of a rule accept.

import type { CompiledRule, CompiledTerm } from "./compiled-policy.ts";
import type { Detection } from "./detector.ts";
import { matchesGlob } from "./glob.ts";

/** A detection that a term of a rule accepts. */
export interface Candidate {
  readonly term: CompiledTerm;
  readonly detection: Detection;
}

/** What the terms of a rule accept of the detections in one piece. */
export function candidatesOf(rule: CompiledRule, detections: ReadonlyMap<string, readonly Detection[]>): Candidate[] {
  return rule.terms.flatMap((term) =>
    (detections.get(term.specKey) ?? [])
      .filter(({ score, category }) => score >= term.threshold && fits(term.categories, category))
      .map((detection) => ({ term, detection })),
  );
}

/** True for a category that a term is about. */
export function fits(globs: readonly string[] | undefined, category: string): boolean {
  return globs === undefined || globs.some((glob) => matchesGlob(glob, category));
}

/** How many terms found something. */
export function termCount(candidates: readonly Candidate[]): number {
  return new Set(candidates.map(({ term }) => term)).size;
}

/** Leaves out what two terms of a rule, or two rules, found alike under the same name. */
export function distinct(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { term, detection } = candidate;
    const key = `${term.detector}\u0000${detection.category}\u0000${detection.start}\u0000${detection.end}`;
    if (!seen.has(key)) seen.set(key, candidate);
  }
  return [...seen.values()];
}

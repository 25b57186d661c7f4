// Differences of what a rule has to find. A rule matches when at least k of a set T of terms find something, so the new
// one matches wherever the old one did if and only if no choice of k old terms leaves fewer than k' new ones among them:
// k - |T \ T'| >= k'.

import type { Detect, DetectorReference } from "../../../runtime/engine/policy/document.ts";
import { asReference, detectTerms } from "../../../runtime/engine/policy/reference.ts";
import { type Change, type Effect, isEqual } from "./change.ts";
import { thresholdChange } from "./detector.ts";
import { extentChanges } from "./extent.ts";

type At = (what: string, effect: Effect) => Change;

/** The threshold of a detector by its name, in the old and in the new policy. */
export interface Thresholds {
  readonly before: (ref: string) => number;
  readonly after: (ref: string) => number;
}

/** The differences between what two versions of a rule have to find. */
export function detectChanges(
  before: Detect | undefined,
  after: Detect | undefined,
  thresholds: Thresholds,
  at: At,
): Change[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined) return [at(`detect: ${shape(after)} added`, "weaker")];
  if (after === undefined) return [at(`detect: ${shape(before)} removed`, "stricter")];
  const [old, current] = [detectTerms(before), detectTerms(after)];
  const [oldTerms, terms] = [old.terms.map(asReference), current.terms.map(asReference)];
  // Terms that name one detector twice cannot be told apart by name.
  if (hasRepeated(oldTerms) || hasRepeated(terms)) {
    return isEqual(before, after) ? [] : [at(`detect: ${shape(before)} → ${shape(after)}`, "unknown")];
  }
  const lost = oldTerms.filter(({ ref }) => !terms.some((term) => term.ref === ref)).length;
  const gained = terms.filter(({ ref }) => !oldTerms.some((term) => term.ref === ref)).length;
  const counts = { k: old.atLeast, lost, gained, next: current.atLeast };
  const changes = pairs(oldTerms, terms).flatMap((pair) => termChanges(pair, thresholds, at));
  if (lost + gained === 0 && old.atLeast === current.atLeast) return changes;
  return [at(`detect: ${shape(before)} → ${shape(after)}`, countEffect(counts)), ...changes];
}

function countEffect({ k, lost, gained, next }: { k: number; lost: number; gained: number; next: number }): Effect {
  const holdsOnward = Math.max(0, k - lost) >= next;
  const heldBefore = Math.max(0, next - gained) >= k;
  if (holdsOnward) return heldBefore ? "none" : "stricter";
  return heldBefore ? "weaker" : "unknown";
}

function hasRepeated(terms: readonly DetectorReference[]): boolean {
  return new Set(terms.map(({ ref }) => ref)).size < terms.length;
}

interface Pair {
  readonly was: DetectorReference;
  readonly is: DetectorReference;
}

function pairs(before: readonly DetectorReference[], after: readonly DetectorReference[]): Pair[] {
  return before.flatMap((was) => {
    const is = after.find(({ ref }) => ref === was.ref);
    return is === undefined ? [] : [{ was, is }];
  });
}

function termChanges({ was, is }: Pair, thresholds: Thresholds, at: At): Change[] {
  // Without a threshold of its own on either side, the difference is the detector's.
  const [old, current] = [was.threshold ?? thresholds.before(was.ref), is.threshold ?? thresholds.after(is.ref)];
  const isOwn = was.threshold !== undefined || is.threshold !== undefined;
  const named = (what: string, effect: Effect) => at(`${is.ref}: ${what}`, effect);
  const about = (label: string) => ({ on: "rule", name: "", label });
  const extents = [
    ...extentChanges(was.entities, is.entities, about("entities"), "stricter"),
    ...extentChanges(was.categories, is.categories, about("categories"), "stricter"),
  ];
  return [
    ...(isOwn && old !== current ? [thresholdChange(old, current, named)] : []),
    // Entities that were not written are the detector's, which may not be all of them.
    ...extents.map(({ what, effect }) => named(what, isOneSided(was, is) ? "unknown" : effect)),
  ];
}

function isOneSided(was: DetectorReference, is: DetectorReference): boolean {
  return (was.entities === undefined) !== (is.entities === undefined);
}

function shape(detect: Detect | undefined): string {
  if (detect === undefined) return "nothing";
  const { terms, atLeast } = detectTerms(detect);
  const names = terms.map((term) => asReference(term).ref).join(", ");
  if (terms.length === 1) return names;
  if (atLeast === 1) return `any of ${names}`;
  return atLeast === terms.length ? `all of ${names}` : `${atLeast} of ${names}`;
}

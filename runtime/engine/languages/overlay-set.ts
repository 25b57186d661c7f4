// Merges overlays into one set of entries. Entries with the same meaning become one, with the higher score, and an
// organization's own wins over a pack's. So merging is associative, commutative and idempotent, and an empty set
// changes nothing: it does not matter in which order, or how often, languages are enabled.

import type { Overlay, OverlayLayer, OverlayMatching, OverlayTerm } from "./overlay.ts";

/** One word, phrase or pattern of a language. */
export interface OverlayEntry {
  readonly language: string;
  readonly category: string;
  readonly layer: OverlayLayer;
  readonly score: number;
  readonly matching: OverlayMatching;
  readonly term?: Pick<OverlayTerm, "term" | "match" | "unless">;
  readonly pattern?: { readonly id: string; readonly source: string };
  /** The entity that the term announces. */
  readonly entity?: string;
}

/** The merged content of overlays. */
export interface OverlaySet {
  /** By their meaning, in its order. */
  readonly entries: ReadonlyMap<string, OverlayEntry>;
  /** Sorted, without duplicates. */
  readonly allow: readonly string[];
}

/** The set without content. */
export const emptySet: OverlaySet = { entries: new Map(), allow: [] };

/** The content of one overlay. */
export function setOf({ language, matching, terms, patterns, allow }: Overlay): OverlaySet {
  const ofTerms = Object.entries(terms).flatMap(([category, list]) =>
    list.map(({ layer, score, term, match, unless, entity }): OverlayEntry => {
      const entry = { language, category, layer, score, matching, term: { term, match, unless: [...unless].sort() } };
      return entity === undefined ? entry : { ...entry, entity };
    }),
  );
  const ofPatterns = patterns.map(({ id, category, pattern, score }): OverlayEntry => {
    return { language, category, layer: "pack", score, matching, pattern: { id, source: pattern } };
  });
  const entries = [...ofTerms, ...ofPatterns].map((entry): [string, OverlayEntry] => [meaningOf(entry), entry]);
  return joined(entries, allow);
}

/** The content of two sets. */
export function merge(one: OverlaySet, other: OverlaySet): OverlaySet {
  return joined([...one.entries, ...other.entries], [...one.allow, ...other.allow]);
}

/** The content of all overlays. */
export function mergeOverlays(overlays: readonly Overlay[]): OverlaySet {
  return overlays.map(setOf).reduce(merge, emptySet);
}

function joined(entries: readonly (readonly [string, OverlayEntry])[], allow: readonly string[]): OverlaySet {
  const known = new Map<string, OverlayEntry>();
  for (const [key, entry] of entries) {
    const before = known.get(key);
    known.set(key, before === undefined ? entry : stronger(before, entry));
  }
  return {
    entries: new Map([...known].sort(([a], [b]) => (a < b ? -1 : 1))),
    allow: [...new Set(allow)].sort(),
  };
}

function stronger(one: OverlayEntry, other: OverlayEntry): OverlayEntry {
  const isCustom = one.layer === "custom" || other.layer === "custom";
  return { ...one, layer: isCustom ? "custom" : "pack", score: Math.max(one.score, other.score) };
}

// Everything but layer and score: two entries with the same key find the same.
function meaningOf({ language, category, matching, term, pattern, entity }: OverlayEntry): string {
  const { boundary, suffixes, prefixes } = matching;
  const what = term === undefined ? [pattern?.id, pattern?.source] : [term.term, term.match, term.unless, entity ?? ""];
  return JSON.stringify([language, category, what, boundary, suffixes, prefixes]);
}

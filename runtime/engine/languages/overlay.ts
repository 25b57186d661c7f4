// The overlay of a language: vocabulary, patterns and exceptions of one language, from its pack and from an
// organization's own keywords. An overlay only adds: no part of it removes or lowers what the built-in detectors find.

import type { JsonValue } from "@bufbuild/protobuf";

/** The categories of the vocabulary. `custom` is an organization's own, and rules read it by `from_packs` only. */
export const overlayCategories = [
  ...["injection", "profanity", "toxicity", "self_harm", "sexual", "violence", "weapons", "drugs", "pii_cue"],
  "custom",
] as const;

/** How a term has to stand in a text: as a whole word, as the stem of one, or anywhere. */
export type TermMatch = "word" | "stem" | "substring";

/** Where something of an overlay comes from: the language's pack, or an organization's own keywords. */
export type OverlayLayer = "pack" | "custom";

/** A word or phrase. */
export interface OverlayTerm {
  readonly term: string;
  readonly match: TermMatch;
  /** 0.05 to 1. */
  readonly score: number;
  /** Phrases around the term that make it harmless; each contains it. */
  readonly unless: readonly string[];
  readonly layer: OverlayLayer;
  /** Of `pii_cue` in packs: the entity of the detector "pii" that the term announces, such as "PASSPORT". */
  readonly entity?: string;
}

/** A regular expression (RE2 syntax) with a literal that every match contains. */
export interface OverlayPattern {
  /** Such as "de.injection.override". */
  readonly id: string;
  readonly category: string;
  readonly pattern: string;
  readonly score: number;
}

/** How words of the language are written. */
export interface OverlayMatching {
  /**
   * What may follow a stem: `suffixes` of a closed list, or, for `open`, any letters, at most 12. Finnish, Turkish and
   * Korean words grow longer than any list.
   */
  readonly boundary: "word" | "open";
  /** Endings of a term with the match `stem`. */
  readonly suffixes: readonly string[];
  /** Words that are written together with the next one, such as Arabic "and" and "the". */
  readonly prefixes: readonly string[];
}

/** The overlay of one language. */
export interface Overlay {
  readonly api_version: "policyguard/v1";
  readonly kind: "LanguageOverlay";
  /** BCP 47 tag, canonical. */
  readonly language: string;
  /** Version of the pack. */
  readonly version: string;
  /** ISO 15924 codes. */
  readonly scripts: readonly string[];
  readonly matching: OverlayMatching;
  readonly terms: Readonly<Record<string, readonly OverlayTerm[]>>;
  readonly patterns: readonly OverlayPattern[];
  /** Phrases within which nothing of an overlay is found. */
  readonly allow: readonly string[];
}

/** The folder of a bundle that overlays are in. */
export const overlayFolder = "overlays/";

/** The path of a language's overlay in a bundle. */
export function overlayPath(language: string): string {
  return `${overlayFolder}${language}.json`;
}

/** Reads the overlay of a bundle. Throws for one that this version does not know. */
export function readOverlay(json: JsonValue): Overlay {
  const overlay = json as unknown as Overlay; // a signed part; what follows says whether it has this version's form
  if (overlay.api_version !== "policyguard/v1" || overlay.kind !== "LanguageOverlay")
    throw new Error("this version does not know this kind of language overlay");
  const unknown = Object.keys(overlay.terms).find((name) => !overlayCategories.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`this version does not know the category "${unknown}" of an overlay`);
  return overlay;
}

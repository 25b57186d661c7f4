// Makes allowed phrases exceptions of the terms that they contain.

import type { OverlayEntry } from "../languages/overlay-set.ts";
import { automatonTables, openAutomaton } from "../pattern/aho-corasick.ts";
import { BundleTooLarge } from "../pattern/bundle-too-large.ts";
import { automatonFoldText } from "../text/fold.ts";
import { type FoldedScript, foldScript, scriptOf } from "./script-fold.ts";
import { plainTerm } from "./term-form.ts";

/**
 * Characters of allowed phrases that are compared where a term stands in a text: each phrase counts as often as the term
 * occurs in it. Without a bound, one term and two hundred phrases of nothing else would hold a runtime up for minutes.
 */
export const allowedLimits = { ofTerm: 32_768, ofAll: 2_000_000 } as const;

/**
 * Places in which terms stand in phrases around them: in `unless` and in allowed phrases, in every form of the term. A
 * phrase that repeats its term has as many places as it repeats it.
 */
const maxPlaces = 300_000;

/** A counter of the places of all terms. It throws BundleTooLarge when there are too many. */
export function placeCounter(): (more: number) => void {
  let places = 0;
  return (more) => {
    places += more;
    if (places > maxPlaces)
      throw new BundleTooLarge(
        `keywords stand in more than ${maxPlaces.toLocaleString("en")} places of the phrases around them: have fewer phrases, or such as repeat less`,
      );
  };
}

/** The entries, with each allowed phrase as an exception of every term within it. */
export function withAllowed(entries: readonly OverlayEntry[], allow: readonly string[]): readonly OverlayEntry[] {
  if (allow.length === 0) return entries;
  const terms = entries.filter(({ term }) => term !== undefined && automatonFoldText(compared(term.term)) !== "");
  const literals = terms.map(({ term }) => automatonFoldText(compared(term?.term ?? "")));
  const automaton = openAutomaton(automatonTables(literals));
  const added = new Map<OverlayEntry, Set<string>>();
  const units = new Uint32Array(terms.length);
  let unitsOfAll = 0;
  for (const phrase of allow) {
    const text = compared(phrase);
    automaton.scan(text, (literal) => {
      const entry = terms[literal];
      if (entry === undefined) return;
      unitsOfAll += text.length;
      units[literal] = (units[literal] ?? 0) + text.length;
      assertFits(entry.term?.term ?? "", units[literal] ?? 0, unitsOfAll);
      added.set(entry, (added.get(entry) ?? new Set()).add(phrase));
    });
  }
  return entries.map((entry) => {
    const more = added.get(entry);
    return more === undefined || entry.term === undefined
      ? entry
      : { ...entry, term: { ...entry.term, unless: [...new Set([...entry.term.unless, ...more])] } };
  });
}

function assertFits(term: string, ofTerm: number, ofAll: number): void {
  const { ofTerm: maxOfTerm, ofAll: maxOfAll } = allowedLimits;
  if (ofTerm > maxOfTerm)
    throw new BundleTooLarge(
      `the keyword "${term}" occurs so often in allowed phrases that they have more than ${maxOfTerm.toLocaleString("en")} characters: have fewer or shorter ones`,
    );
  if (ofAll > maxOfAll)
    throw new BundleTooLarge(
      `allowed phrases contain keywords so often that they have more than ${maxOfAll.toLocaleString("en")} characters in all: have fewer or shorter ones`,
    );
}

// A term and the phrases around it are in one script, as far as folding goes.
function compared(text: string): string {
  const script: FoldedScript | undefined = scriptOf(text);
  return script === undefined ? plainTerm(text) : foldScript(plainTerm(text), script).text;
}

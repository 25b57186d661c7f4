// Makes allowed phrases exceptions of the terms that they contain.

import type { OverlayEntry } from "../languages/overlay-set.ts";
import { automatonTables, openAutomaton } from "../pattern/aho-corasick.ts";
import { automatonFoldText } from "../text/fold.ts";
import { type FoldedScript, foldScript, scriptOf } from "./script-fold.ts";
import { plainTerm } from "./term-form.ts";

/** The entries, with each allowed phrase as an exception of every term within it. */
export function withAllowed(entries: readonly OverlayEntry[], allow: readonly string[]): readonly OverlayEntry[] {
  if (allow.length === 0) return entries;
  const terms = entries.filter(({ term }) => term !== undefined && automatonFoldText(compared(term.term)) !== "");
  const literals = terms.map(({ term }) => automatonFoldText(compared(term?.term ?? "")));
  const automaton = openAutomaton(automatonTables(literals));
  const added = new Map<OverlayEntry, Set<string>>();
  for (const phrase of allow)
    automaton.scan(compared(phrase), (literal) => {
      const entry = terms[literal];
      if (entry !== undefined) added.set(entry, (added.get(entry) ?? new Set()).add(phrase));
    });
  return entries.map((entry) => {
    const more = added.get(entry);
    return more === undefined || entry.term === undefined
      ? entry
      : { ...entry, term: { ...entry.term, unless: [...new Set([...entry.term.unless, ...more])] } };
  });
}

// A term and the phrases around it are in one script, as far as folding goes.
function compared(text: string): string {
  const script: FoldedScript | undefined = scriptOf(text);
  return script === undefined ? plainTerm(text) : foldScript(plainTerm(text), script).text;
}

// Packs of words: how terms of word lists become phrases of the automaton. Terms match as whole words, so that "Scunthorpe" holds none, and
// English ones with their endings. A term that is an everyday word in any language is left out: a list says what offends, not who reads.

import { foldLookalikes } from "../../fold.ts";
import { normalize } from "../../normalize.ts";
import type { Phrase } from "../../plan.ts";

const shortestWord = 4;
/** Scripts that set words without spaces: there a term matches within text, so one character says too little. */
const dense = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Hang}]/u;
const shortestDense = 2;
const endings = ["s", "es", "ed", "er", "ers", "ing"];

/** What the terms of a pack are found as. */
export interface TermUse {
  readonly category: string;
  readonly score: number;
  readonly language: string;
  /** Whether English endings may follow. */
  readonly inflects?: boolean;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** The phrases of terms, those left out that are exempt. */
export function phrasesOfTerms(terms: readonly string[], use: TermUse, exempt: ReadonlySet<string>): Phrase[] {
  const phrases = new Map<string, Phrase>();
  for (const term of terms)
    for (const text of formsOf(plain(term), use.inflects === true)) {
      if (text === "" || exempt.has(text)) continue;
      const attributes = { language: use.language, basis: "word of a list", ...use.attributes };
      phrases.set(text, {
        ...{ text, wholeWord: true, caseSensitive: false },
        ...{ category: use.category, score: use.score, attributes },
      });
    }
  return [...phrases.values()];
}

/** A term as it is compared. */
export function plain(term: string): string {
  return foldLookalikes(normalize(term)).replace(/\s+/g, " ").trim().toLowerCase();
}

/** Whether a term says enough to be looked for. */
export function isTelling(term: string, ambiguous: ReadonlySet<string>): boolean {
  const text = plain(term);
  if (ambiguous.has(text) || !/\p{L}/u.test(text)) return false;
  return [...text].length >= (dense.test(text) ? shortestDense : shortestWord);
}

function formsOf(text: string, inflects: boolean): string[] {
  if (!inflects || !/^[a-z]{4,}$/.test(text)) return [text];
  const doubled = /[^aeiou][aeiou][bdgmnpt]$/.test(text) ? text + text.at(-1) : text;
  return [
    ...new Set([
      text,
      ...endings.map((ending) => (/^[es]?$|^es$/.test(ending) ? text : doubled) + ending),
      ...(text.endsWith("e") ? [`${text.slice(0, -1)}ing`] : []),
    ]),
  ];
}

// Word packs: turns terms of word lists into phrases of the automaton. Terms match as whole words, so that "Scunthorpe"
// matches none, and English terms also with their endings. A term that is an everyday word in any language is left out,
// since the language of the reader is unknown.

import { foldLookalikes } from "../../text/fold.ts";
import { normalize } from "../../text/normalize.ts";
import type { Phrase } from "../detector-plan.ts";

const minWordLength = 4;
/**
 * Scripts that write without spaces: there a term matches within text, so a single character is not specific enough.
 */
const dense = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Hang}]/u;
const minDenseLength = 2;
const englishEndings = ["s", "ed", "er", "ers", "ing"];
/**
 * An ending of nouns or adjectives in other languages: the number of letters to remove from a word with this ending,
 * and the endings to add.
 */
interface Ending {
  readonly after: RegExp;
  readonly drop: number;
  readonly add: readonly string[];
}

const otherEndings: ReadonlyMap<string, readonly Ending[]> = new Map([
  [
    "de",
    [
      { after: /e$/, drop: 0, add: ["n", "r", "s"] },
      { after: /[^aeiou]$/, drop: 0, add: ["e", "en", "er", "es", "s"] },
    ],
  ],
  [
    "es",
    [
      { after: /o$/, drop: 1, add: ["os", "a", "as"] },
      { after: /a$/, drop: 0, add: ["s"] },
      { after: /ón$/, drop: 2, add: ["ones", "ona", "onas"] },
    ],
  ],
  [
    "fr",
    [
      { after: /[^sxzé]$/, drop: 0, add: ["s"] },
      { after: /é$/, drop: 0, add: ["s", "e", "es"] },
    ],
  ],
  [
    "it",
    [
      { after: /o$/, drop: 1, add: ["i", "a", "e"] },
      { after: /a$/, drop: 1, add: ["e"] },
    ],
  ],
  ["nl", [{ after: /[^aeiou]$/, drop: 0, add: ["en", "s"] }]],
  [
    "pt",
    [
      { after: /o$/, drop: 1, add: ["os", "a", "as"] },
      { after: /[ae]$/, drop: 0, add: ["s"] },
    ],
  ],
  [
    "ru",
    [
      { after: /[ая]$/, drop: 1, add: ["ы", "и", "е", "у", "ю", "ой", "ей"] },
      { after: /о$/, drop: 1, add: ["а", "у", "ом", "е"] },
      { after: /[бвгджзклмнпрстфхцчшщ]$/, drop: 0, add: ["а", "у", "ом", "е", "ы", "и", "ов", "ам"] },
      { after: /ый$/, drop: 2, add: ["ая", "ое", "ые", "ого", "ому", "ым", "ых"] },
    ],
  ],
]);
const minInflectedLength = 5;
/** Inflected terms that are other words or names. */
const otherWords: ReadonlySet<string> = new Set([
  "cocker",
  "cockers",
  "cummings",
  "spicer",
  "spicing",
  "titer",
  "titers",
]);

/** How the terms of a pack are reported. */
export interface TermUse {
  readonly category: string;
  readonly score: number;
  readonly language: string;
  /** Whether endings of its language may follow. */
  readonly inflects?: boolean;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** The phrases of terms, without exempt ones. */
export function phrasesOfTerms(terms: readonly string[], use: TermUse, exempt: ReadonlySet<string>): Phrase[] {
  const phrases = new Map<string, Phrase>();
  for (const term of terms)
    for (const text of formsOf(plain(term), use.inflects === true ? use.language : "")) {
      if (text === "" || exempt.has(text)) continue;
      const attributes = { language: use.language, basis: "word of a list", ...use.attributes };
      phrases.set(text, {
        ...{ text, wholeWord: true, caseSensitive: false },
        ...{ category: use.category, score: use.score, attributes },
      });
    }
  return [...phrases.values()];
}

/** A term in the form in which it is compared. */
export function plain(term: string): string {
  return foldLookalikes(normalize(term)).replace(/\s+/g, " ").trim().toLowerCase();
}

/** Whether a term is specific enough to search for. */
export function isTelling(term: string, ambiguous: ReadonlySet<string>): boolean {
  const text = plain(term);
  if (ambiguous.has(text) || !/\p{L}/u.test(text)) return false;
  return [...text].length >= (dense.test(text) ? minDenseLength : minWordLength);
}

function formsOf(text: string, language: string): string[] {
  const forms = language === "en" ? englishFormsOf(text) : otherFormsOf(text, otherEndings.get(language) ?? []);
  return [...new Set(forms)].filter((form) => !otherWords.has(form));
}

function englishFormsOf(text: string): string[] {
  if (!/^[a-z]{4,}$/.test(text)) return [text];
  const doubled = /[^aeiou][aeiou][bdgmnpt]$/.test(text) ? text + text.at(-1) : text;
  return [
    text,
    ...englishEndings.map((ending) => (ending === "s" ? text : doubled) + ending),
    ...(/(?:[sxz]|ch|sh)$/.test(text) ? [`${text}es`] : []),
    ...(text.endsWith("e") ? [`${text.slice(0, -1)}ing`] : []),
  ];
}

function otherFormsOf(text: string, endings: readonly Ending[]): string[] {
  if (text.length < minInflectedLength || /[^\p{L}\p{M}]/u.test(text)) return [text];
  const ending = endings.find(({ after }) => after.test(text));
  if (ending === undefined) return [text];
  const stem = text.slice(0, text.length - ending.drop);
  return [text, ...ending.add.map((end) => stem + end)];
}

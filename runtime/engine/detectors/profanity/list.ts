// The word lists of the package naughty-words (https://github.com/LDNOOBW/naughty-words-js): the "List of Dirty,
// Naughty, Obscene, and Otherwise Bad Words", CC BY 4.0,
// https://github.com/LDNOOBW/List-of-Dirty-Naughty-Obscene-and-Otherwise-Bad-Words. Changed here: words that are too
// ambiguous are left out by rule.

import { ofLanguages } from "../../languages/catalog.ts";
import type { ProfanityLanguage } from "../../languages/profanity-part.ts";
import { isTelling, plain } from "../pack/term.ts";

/** Languages with a list come first, in the order of the package's files. */
const languages: readonly (readonly [string, ProfanityLanguage])[] = ofLanguages(({ profanity }) => profanity).toSorted(
  ([a, { list: listA }], [b, { list: listB }]) =>
    Number(listA === undefined) - Number(listB === undefined) || (a < b ? -1 : 1),
);

const everyday: ReadonlySet<string> = new Set(languages.flatMap(([, { everyday = [] }]) => everyday.map(plain)));

/** The terms to search for, by language. */
export const profaneTerms: ReadonlyMap<string, readonly string[]> = new Map(
  languages.map(([language, words]) => [language, termsOf(words)]),
);

/** Spellings that people read and filters miss, by language. */
export const maskedTerms: ReadonlyMap<string, readonly string[]> = new Map(
  languages.flatMap(([language, { masked }]) => (masked === undefined ? [] : [[language, masked]])),
);

function termsOf({ list = [], more = [], article }: ProfanityLanguage): readonly string[] {
  const terms = [...list.filter((term) => isTelling(term, everyday)), ...more];
  if (article === undefined) return terms;
  return terms.flatMap((term) => (/\s/.test(term) ? [term] : [term, `${article}${term}`]));
}

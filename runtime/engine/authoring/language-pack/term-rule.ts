// What a term of a language overlay has to be, whether a pack or an organization has written it.

import type { OverlayTerm } from "../../languages/overlay.ts";
import { foldScript, scriptOf } from "../../overlay/script-fold.ts";
import { plainTerm, sharedForms, surroundingsOf } from "../../overlay/term-form.ts";

/** Bounds of terms, in code units after normalization. */
export const termBounds = { min: 2, max: 128, unless: 64, substring: 6 } as const;

/** Code units of a text before normalization, which may drop some: a longer one is not even read. */
const maxGiven = 512;

/** Scripts without spaces between words, where one character, with its marks, is a part of many words. */
const dense = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u;

/** A term in the form by which two of them are the same. */
export function foldedTerm(term: string): string {
  const text = plainTerm(term).replaceAll("ß", "ss");
  const script = scriptOf(text);
  return script === undefined ? text : foldScript(text, script).text;
}

/** The forms of a term; two terms of a language that share one are the same. */
export function sameForms(term: string, language: string): ReadonlySet<string> {
  const script = scriptOf(plainTerm(term));
  return script === undefined ? sharedForms(term, language) : new Set([foldScript(plainTerm(term), script).text]);
}

/** What is wrong with a term, as the end of a sentence about it; undefined when nothing is. */
export function termProblem({ term, match }: Pick<OverlayTerm, "term" | "match">): string | undefined {
  if (term.length > maxGiven) return `is longer than ${maxGiven} characters as it was sent`;
  if (!term.isWellFormed()) return "has half of a surrogate pair";
  const text = foldedTerm(term);
  if (!/[\p{L}\p{N}]/u.test(text)) return "has no letter or digit";
  if (dense.test(text) && (text.match(/[\p{L}\p{N}]/gu) ?? []).length < 2)
    return "is one character of a script without spaces, which is a part of many words: add what stands around it";
  if (text.length < termBounds.min) return `is shorter than ${termBounds.min} characters`;
  if (text.length > termBounds.max) return `is longer than ${termBounds.max} characters`;
  if (match === "substring" && !dense.test(text) && text.length < termBounds.substring)
    return `is too short to be searched for within words: ${termBounds.substring} characters are needed`;
  return undefined;
}

/** What is wrong with an exception of a term, as the end of a sentence about it; undefined when nothing is. */
export function unlessProblem(phrase: string, term: string): string | undefined {
  if (phrase.length > maxGiven) return `is longer than ${maxGiven} characters as it was sent`;
  if (!phrase.isWellFormed()) return "has half of a surrogate pair";
  const text = foldedTerm(phrase);
  if (text.length > termBounds.unless) return `is longer than ${termBounds.unless} characters`;
  return surroundingsOf(foldedTerm(term), [text]).some(({ before, after }) => before !== "" || after !== "")
    ? undefined
    : "does not contain the term with something around it";
}

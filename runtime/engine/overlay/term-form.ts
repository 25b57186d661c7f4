// The written forms of a term: as it is, with the endings of its language, and in the spellings of keyboards that lack
// its letters. All forms are made when a bundle is compiled, so that a text is searched once, verbatim.

import type { Phrase } from "../detectors/detector-plan.ts";
import type { OverlayEntry } from "../languages/overlay-set.ts";
import { Exceptions, type Surrounding } from "../text/exception.ts";
import { spellingFoldText } from "../text/fold.ts";
import { normalForm } from "../text/normal-form.ts";
import { normalize } from "../text/normalize.ts";

/** The forms that one term may have. */
export const maxForms = 64;
/** How many letters may follow a stem in languages whose words grow longer than any list of endings. */
const openLetters = 12;
/** Shorter terms are not found without their marks: too many of them are other words then. */
const minMarklessLength = 6;

/** Spellings by language: what people write who lack a key. */
const spellings: ReadonlyMap<string, readonly (readonly [RegExp, string])[]> = new Map([
  ["de", [[/ä/g, "ae"] as const, [/ö/g, "oe"] as const, [/ü/g, "ue"] as const]],
  ["da", [[/æ/g, "ae"] as const, [/ø/g, "oe"] as const, [/å/g, "aa"] as const]],
  ["no", [[/æ/g, "ae"] as const, [/ø/g, "oe"] as const, [/å/g, "aa"] as const]],
  ["sv", [[/å/g, "aa"] as const, [/ä/g, "ae"] as const, [/ö/g, "oe"] as const]],
  ["ru", [[/ё/g, "е"] as const]],
  ["tr", [[/ı/g, "i"] as const, [/i̇/g, "i"] as const]],
]);
/** Latin letters with a stroke, which Unicode does not decompose. */
const strokes: readonly (readonly [RegExp, string])[] = [
  [/ł/g, "l"],
  [/ø/g, "o"],
  [/đ/g, "d"],
  [/ı/g, "i"],
];
/** Latin and Greek letters with marks; Cyrillic й and Japanese が are letters of their own. */
const markedLetter = /([\p{Script=Latin}\p{Script=Greek}])\p{Mn}+/gu;

/** A term in the form in which it is compared: normalised, in lower case, with single spaces. */
export function plainTerm(term: string): string {
  return normalize(term).toLowerCase().replace(/\s+/g, " ").trim();
}

/** A term without the marks of its Latin and Greek letters. */
export function withoutMarks(text: string): string {
  const bare = normalForm(normalForm(text, "NFD").replace(markedLetter, "$1"), "NFC");
  return strokes.reduce((result, [from, to]) => result.replace(from, to), bare);
}

/** The phrases of a term. Their attributes say from which language and layer they come. */
export function phrasesOf(entry: OverlayEntry, found: { readonly category: string; readonly basis: string }): Phrase[] {
  const { term, language, layer, score, matching } = entry;
  if (term === undefined) return [];
  const attributes = { language, basis: found.basis, overlay: layer };
  const isOpen = term.match === "stem" && matching.boundary === "open";
  const phrases = new Map<string, Phrase>();
  for (const spell of spellingsOf(language)) {
    const text = spell(plainTerm(term.term));
    const unless = term.unless.flatMap((phrase) => sharpOrNot(spell(plainTerm(phrase))));
    for (const form of formsOf(text, term.match, matching.suffixes, isOpen)) {
      if (phrases.has(form) || phrases.size >= maxForms) continue;
      const around = surroundingsOf(form, unless);
      phrases.set(form, {
        ...{ text: form, wholeWord: term.match !== "substring", caseSensitive: false },
        ...{ category: found.category, score, attributes },
        ...(isOpen && { maxMoreLetters: openLetters }),
        ...(around.length > 0 && { unless: new Exceptions(around) }),
      });
    }
  }
  return [...phrases.values()];
}

/** The texts around a form in phrases that contain it. */
export function surroundingsOf(form: string, phrases: readonly string[]): Surrounding[] {
  const wanted = spellingFoldText(form);
  return phrases.flatMap((phrase) => {
    const text = spellingFoldText(phrase);
    const found: Surrounding[] = [];
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
      found.push({ before: phrase.slice(0, at), after: phrase.slice(at + form.length) });
    return found;
  });
}

/**
 * The forms by which terms of a language are the same: they share one when one is found wherever the other is, with the
 * marks and letters that a keyboard lacks.
 */
export function sharedForms(term: string, language: string): ReadonlySet<string> {
  const text = plainTerm(term);
  return new Set(spellingsOf(language).flatMap((spell) => sharpOrNot(spell(text)).map(spellingFoldText)));
}

function sharpOrNot(text: string): string[] {
  return text.includes("ß") ? [text, text.replaceAll("ß", "ss")] : [text];
}

function spellingsOf(language: string): ((text: string) => string)[] {
  const own = spellings.get(language) ?? [];
  return [
    (text) => text,
    (text) => own.reduce((result, [from, to]) => result.replace(from, to), text),
    (text) => (text.length < minMarklessLength ? text : withoutMarks(text)),
  ];
}

function formsOf(text: string, match: string, suffixes: readonly string[], isOpen: boolean): string[] {
  if (text === "") return [];
  return match === "stem" && !isOpen ? [text, ...suffixes.map((suffix) => text + suffix)] : [text];
}

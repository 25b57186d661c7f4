// Whether a detector knows the language of a text. A detector that knows forty languages and finds nothing in a
// forty-first has said nothing.

import { identify } from "../detectors/language/identify.ts";
import type { KnownLanguages } from "../policy-plan/compiled-policy.ts";

/** Letters of a text whose language is looked at. Shorter ones are names, numbers and code in every language. */
export const minLetters = 40;
/** How sure it has to be that the text is in none of the languages that a detector knows. */
const minScore = 0.9;
const letters = new RegExp(`(?:\\P{L}*\\p{L}){${minLetters}}`, "uy");

/** The languages of the texts of one request, each looked at once for each list of languages. */
export class TextLanguages {
  readonly #textOf: (segment: number) => string | undefined;
  readonly #isUnknown = new Map<string, boolean>();

  /** `textOf` gives the text of a segment; undefined where it is not known. */
  constructor(textOf: (segment: number) => string | undefined) {
    this.#textOf = textOf;
  }

  /** Why finding nothing in a segment says nothing; undefined when it does, or when the text is not known. */
  silenceOf({ tags }: KnownLanguages, segment: number): "unsupported_language" | undefined {
    const key = `${segment} ${[...tags].join()}`;
    let isUnknown = this.#isUnknown.get(key);
    if (isUnknown === undefined) {
      isUnknown = isOutside(this.#textOf(segment) ?? "", tags);
      this.#isUnknown.set(key, isUnknown);
    }
    return isUnknown ? "unsupported_language" : undefined;
  }
}

function isOutside(text: string, tags: ReadonlySet<string>): boolean {
  letters.lastIndex = 0;
  if (!letters.test(text)) return false;
  const found = identify(text, 0, text.length, (language) => tags.has(language));
  return found !== undefined && found.score >= minScore && !tags.has(found.language);
}

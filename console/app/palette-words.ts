// What the palette asks the server for. A list is asked for by one piece of text; the palette finds by words, of which
// some may name the kind of thing that is meant.

import { beginningOf } from "../text/format.ts";

/** What the server takes as a query. */
const maxLength = 200;

/** The words of a text, in lower case. */
export function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** Whether each word is in the name of something or of its kind. */
export function matches(words: readonly string[], title: string, kind: string): boolean {
  const text = `${title} ${kind}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The words that things of this kind are asked for by, the one that tells most first: the longest. */
export function askedFor(words: readonly string[], kind: string): readonly string[] {
  return words
    .filter((word) => !kind.toLowerCase().includes(word))
    .toSorted((a, b) => b.length - a.length)
    .map((word) => beginningOf(word, maxLength));
}

/** What is called exactly as the text comes first; the rest stays in its order. */
export function exactFirst<Entry extends { readonly title: string }>(
  entries: readonly Entry[],
  text: string,
): readonly Entry[] {
  const isExact = ({ title }: Entry) => title.toLowerCase() === text.toLowerCase();
  return [...entries.filter(isExact), ...entries.filter((entry) => !isExact(entry))];
}

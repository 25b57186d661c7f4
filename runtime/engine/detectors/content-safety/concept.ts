// The concepts of the words of all languages, looked up by the hashes of words and of their beginnings.

import { ofLanguages } from "../../languages/catalog.ts";
import { concepts } from "../../languages/content-safety-part.ts";

const start = 0x811c9dc5;
const prime = 0x01000193;
const minStemLength = 3;

/** Hashes of words, letter by letter (FNV-1a). */
export const wordHash = { start, add: (hash: number, letter: number): number => Math.imul(hash ^ letter, prime) };

/** Concepts by word. */
export interface ConceptTable {
  /** The concepts of a word of these small letters: offsets in `concepts`; none when nothing is known of it. */
  find(letters: Uint16Array, length: number): readonly number[];
}

const none: readonly number[] = [];
let table: ConceptTable | undefined;

/** The table of all languages. Built on first use. */
export function conceptTable(): ConceptTable {
  table ??= createTable(ofLanguages(({ contentSafety }) => contentSafety).map(([, words]) => words));
  return table;
}

function createTable(lists: readonly Readonly<Record<string, string | undefined>>[]): ConceptTable {
  const whole = new Map<number, number[]>();
  const stems = new Map<number, number[]>();
  let longestStem = 0;
  for (const list of lists)
    for (const [id, concept] of concepts.entries())
      for (const word of (list[concept] ?? "").split(" ")) {
        if (word === "") continue;
        const isStem = word.endsWith("*");
        const letters = isStem ? word.slice(0, -1) : word;
        if (isStem) longestStem = Math.max(longestStem, letters.length);
        add(isStem ? stems : whole, hashOf(letters), id);
      }
  return {
    find(letters, length) {
      let hash = start;
      let found: readonly number[] | undefined;
      for (let i = 0; i < length; i++) {
        hash = wordHash.add(hash, letters[i] ?? 0);
        if (i + 1 >= minStemLength && i < longestStem) found = stems.get(hash) ?? found;
      }
      return whole.get(hash) ?? found ?? none;
    },
  };
}

function add(map: Map<number, number[]>, hash: number, id: number): void {
  const ids = map.get(hash);
  if (ids === undefined) map.set(hash, [id]);
  else if (!ids.includes(id)) ids.push(id);
}

function hashOf(word: string): number {
  let hash = start;
  for (let i = 0; i < word.length; i++) hash = wordHash.add(hash, word.charCodeAt(i));
  return hash;
}

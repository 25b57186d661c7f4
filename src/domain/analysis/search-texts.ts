// Searches captured texts. They may be long, deflated to almost nothing, and were written by anybody.

import { segmentsOf, unpackText } from "./packed-text.ts";
import type { Tools } from "./tools.ts";

/** Texts to search, in their order. */
export interface TextQuestion {
  /** What they have to contain, in upper or lower case. */
  readonly wanted: string;
  /** Packed texts. */
  readonly texts: readonly Uint8Array[];
  /** Matches after which the search ends. */
  readonly maxMatches: number;
  /** Bytes of unpacked texts after which it ends. The first text is always searched. */
  readonly maxBytes: number;
}

/** Where the wanted text is. */
export interface TextMatches {
  /** Places of the texts that contain it. */
  readonly matches: readonly number[];
  /** How many texts were searched. */
  readonly searched: number;
}

/** Searches texts until a bound is reached. */
export function searchTexts(
  { wanted, texts, maxMatches, maxBytes }: TextQuestion,
  { enter }: Pick<Tools, "enter">,
): TextMatches {
  enter("searching texts");
  const needle = comparable(wanted);
  const matches: number[] = [];
  let bytes = 0;
  let searched = 0;
  for (const packed of texts) {
    const unpacked = unpackText(packed);
    bytes += unpacked.length;
    if (searched > 0 && bytes > maxBytes) break;
    if (segmentsOf(unpacked).some(({ text }) => comparable(text).includes(needle))) matches.push(searched);
    searched += 1;
    if (matches.length >= maxMatches) break;
  }
  return { matches, searched };
}

function comparable(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

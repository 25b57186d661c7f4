// Forms of a text behind which words may hide, beside invisible characters, look-alikes and base64: codes of characters (hex, binary,
// decimal, percent, entities, escapes, base32, Morse, tags, variation selectors), letters that are replaced or set apart (leetspeak,
// spaced letters, split words, fancy alphabets, piled-up marks), and texts that are turned (backwards, ROT13, Caesar, Atbash).
// Each form is made from one stretch of the text, by what lies in that stretch alone; its findings lie on that stretch. One cheap pass
// says which forms are worth a try, so that ordinary text pays for nothing else.

import { codeStretches } from "./code.ts";
import { letterStretches } from "./letter.ts";
import { signsOf } from "./sign.ts";
import { turnedStretches } from "./turn.ts";

/** A form of a stretch of a text. */
export interface Stretch {
  readonly layer: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** All forms of a text that might hide words. */
export function stretchesOf(text: string): Stretch[] {
  const signs = signsOf(text);
  if (!signs.any) return [];
  return [...codeStretches(text, signs), ...letterStretches(text, signs), ...turnedStretches(text, signs)];
}

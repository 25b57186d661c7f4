// Forms of obfuscated text, beside invisible characters, look-alikes and base64: codes of characters (hex, binary,
// decimal, percent, entities, escapes, base32, Morse, tags, variation selectors), letters that are replaced or
// separated (leetspeak, spaced letters, split words, fancy alphabets, piled-up marks), and rotated text (backwards,
// ROT13, Caesar, Atbash).
//
// Each form is made from one span of the text and depends on that span only; its findings cover the span. One fast pass
// says which forms may be present, so that ordinary text costs nothing more.

import { codeSpans } from "./codes.ts";
import { letterSpans } from "./letters.ts";
import { rotatedSpans } from "./rotation.ts";
import { signalsOf } from "./signals.ts";
import type { ObfuscatedSpan } from "./span.ts";

/** All forms of a text that may hide words. */
export function obfuscatedSpans(text: string): ObfuscatedSpan[] {
  const signals = signalsOf(text);
  if (!signals.any) return [];
  return [...codeSpans(text, signals), ...letterSpans(text, signals), ...rotatedSpans(text, signals)];
}

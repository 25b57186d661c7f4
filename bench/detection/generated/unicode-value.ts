// Characters that hide, turn and disguise text.

import type { Draw } from "./draw.ts";

const zeroWidth = ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"];
const lookalikes: ReadonlyMap<string, string> = new Map([
  ...([..."aceopxyijs"].map((letter, index) => [letter, [..."асеорхуіјѕ"][index] ?? letter]) as [string, string][]),
  ...([..."ABEHKMOPTX"].map((letter, index) => [letter, [..."АВЕНКМОРТХ"][index] ?? letter]) as [string, string][]),
]);

/** A text as tag characters, which nothing shows. */
export function inTags(text: string): string {
  return [...text].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join("");
}

/** A text as variation selectors, one for each byte. */
export function inSelectors(text: string): string {
  const selector = (byte: number): number => (byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16);
  return [...new TextEncoder().encode(text)].map((byte) => String.fromCodePoint(selector(byte))).join("");
}

/** A text as the bits of its bytes, written in two invisible characters. */
export function inBits(text: string): string {
  const bits = [...new TextEncoder().encode(text)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return [...bits].map((bit) => (bit === "0" ? "\u200b" : "\u200c")).join("");
}

/** A word with an invisible character somewhere between its letters, one in each gap now and then. */
export function parted(word: string, draw: Draw): string {
  const sign = draw.of(zeroWidth.slice(0, 4));
  if (draw.below(3) === 0) return [...word].join(sign);
  const at = 1 + draw.below(word.length - 1);
  return word.slice(0, at) + sign + word.slice(at);
}

/** A word with some of its Latin letters exchanged for Cyrillic ones that look the same; at least one stays. */
export function mimicked(word: string, draw: Draw): string {
  const letters = [...word];
  const places = letters.flatMap((letter, index) => (lookalikes.has(letter) ? [index] : []));
  const most = Math.min(places.length, letters.length - 1);
  const chosen = new Set(Array.from({ length: 1 + draw.below(most) }, () => draw.of(places)));
  return letters.map((letter, index) => (chosen.has(index) ? (lookalikes.get(letter) ?? letter) : letter)).join("");
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asItStands,
  backwards,
  eachWord,
  mirrored,
  shiftBit,
  waysOf,
} from "../../../../../runtime/engine/text/obfuscation/rotated-words.ts";

function waysOfWord(word: string): number {
  let ways = 0;
  eachWord(word, (packed, from, to) => {
    ways = waysOf(word, from, to, packed);
    return true;
  });
  return ways;
}

function lettersOf(word: string, placeOf: (place: number) => number): string {
  return [...word].map((char) => String.fromCharCode(97 + placeOf(char.charCodeAt(0) - 97))).join("");
}

const turns: readonly (readonly [number, (word: string) => string])[] = [
  [backwards, (word) => [...word].reverse().join("")],
  [mirrored, (word) => lettersOf(word, (place) => 25 - place)],
  ...Array.from({ length: 25 }, (_, i): [number, (word: string) => string] => [
    shiftBit(i + 1),
    (word) => lettersOf(word, (place) => (place + i + 1) % 26),
  ]),
];
const known = ["the", "you", "to", "is", "password", "instructions", "ignore", "other"];
const letters = fc.string({ unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz"), minLength: 2, maxLength: 12 });
// Rotated forms of known words, and words that are not known.
const word = fc.oneof(
  letters,
  fc.tuple(fc.constantFrom(...known), fc.constantFrom(...turns)).map(([one, [, turn]]) => turn(one)),
);

describe("a word", () => {
  it("is known in a way exactly when rotating it back in that way gives a known word", () => {
    let found = 0;
    fc.assert(
      fc.property(word, (one) => {
        const ways = waysOfWord(one);
        for (const [bit, turn] of turns) {
          const isKnown = (waysOfWord(turn(one)) & asItStands) !== 0;
          expect((ways & bit) !== 0, `${one} → ${turn(one)}`).toBe(isKnown);
          if (isKnown) found++;
        }
      }),
      { numRuns: 3_000, seed: 1 },
    );
    expect(found).toBeGreaterThan(1_000);
  });

  it.each(known)("such as %s is known as it stands, in either case", (one) => {
    expect(waysOfWord(one) & asItStands).not.toBe(0);
    expect(waysOfWord(one.toUpperCase()) & asItStands).not.toBe(0);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { featureOf, mix } from "../../../../../runtime/engine/detectors/injection/hash.ts";
import { SeenFeatures } from "../../../../../runtime/engine/detectors/injection/seen-feature.ts";
import { WordPieces } from "../../../../../runtime/engine/detectors/injection/word-piece.ts";

/** The pieces of words, each once and in order, in the plainest way. */
function plainly(words: readonly string[]): number[] {
  const features = new Set<number>();
  for (const word of words) {
    const units = [1, ...Array.from(word, (_, i) => word.charCodeAt(i)), 1];
    for (let from = 0; from + 1 < units.length; from++) {
      let hash = mix(0x1b873593, units[from] ?? 0);
      for (const unit of units.slice(from + 1, from + 5)) {
        hash = mix(hash, unit);
        features.add(featureOf(hash));
      }
    }
  }
  return [...features];
}

function unitsOf(word: string): Uint16Array {
  return Uint16Array.from({ length: 64 }, (_, i) => (i < word.length ? word.charCodeAt(i) : 0xffff));
}

// Few places and few letters, so that words meet, displace each other and come again.
const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 20 });
const window = fc.array(fc.tuple(word, fc.nat(3)), { maxLength: 30 });

describe("the pieces of words", () => {
  it("are those of the plainest way, whatever was remembered of the windows before", () => {
    const pieces = new WordPieces();
    const seen = new SeenFeatures(4_000);
    fc.assert(
      fc.property(window, (words) => {
        seen.begin();
        for (const [each, place] of words) pieces.addTo(seen, unitsOf(each), each.length, place);
        expect([...seen.features.subarray(0, seen.count)]).toEqual(plainly(words.map(([each]) => each)));
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it("stay right when the numbers of windows begin anew", () => {
    const seen = new SeenFeatures(10);
    for (let i = 0; i < 20_000; i++) {
      seen.begin();
      seen.add(7);
      seen.add(7 + 2 ** 13);
      seen.add(7);
      if (seen.count !== 2) throw new Error(`window ${i} has ${seen.count} features`);
    }
    expect(seen.count).toBe(2);
  });
});

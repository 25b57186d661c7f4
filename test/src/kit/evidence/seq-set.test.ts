import fc from "fast-check";
import { expect, it } from "vitest";
import { SeqSet } from "../../../../src/kit/evidence/seq-set.ts";

it("has the numbers that were added, once and in their order, a few at a time", () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 100_000 }), { maxLength: 300 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 8, max: 64 }), (added, most) => {
      const set = new SeqSet();
      for (const seq of added) set.add(seq);
      const chunks = [...set.inChunks(most)];
      expect(chunks.flat()).toEqual([...new Set(added)].sort((a, b) => a - b));
      expect(chunks.every(({ length }) => length > 0 && length <= most)).toBe(true);
    }),
    { seed: 23, numRuns: 300 },
  );
});

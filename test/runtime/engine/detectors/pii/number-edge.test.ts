import { describe, expect, it } from "vitest";
import { numberSweep } from "../../../../../runtime/engine/detectors/pii/number-edge.ts";

/** Searches of a text that comes in small chunks, and the most that was open after one of them. */
function follow(text: string, chunkLength: number): { searches: number; mostOpen: number } {
  let searches = 0;
  const sweep = numberSweep(() => {
    searches += 1;
    return [];
  }, "card");
  let edge = 0;
  let mostOpen = 0;
  for (let length = chunkLength; length <= text.length; length += chunkLength) {
    const come = text.slice(0, length);
    const next = sweep.open?.(come, edge) ?? length;
    expect(next).toBeGreaterThanOrEqual(edge);
    if (next > edge) sweep(come, edge, next);
    edge = next;
    mostOpen = Math.max(mostOpen, length - edge);
  }
  return { searches, mostOpen };
}

describe("numbers in a text that comes bit by bit", () => {
  it.each(["1 ", "1234 ", "1-", "7"])("of a row of %j are searched in steps, even in the smallest chunks", (part) => {
    const text = part.repeat(8_192 / part.length);
    const { searches, mostOpen } = follow(text, 4);
    expect(searches).toBeLessThanOrEqual(text.length / 256 + 1);
    expect(mostOpen).toBeLessThanOrEqual(640 + 256 + 4);
  });

  it("hold back text that may be one of them, and no prose", () => {
    expect(follow("a word and another ".repeat(100), 4).mostOpen).toBe(0);
    expect(follow(`${"word ".repeat(100)}4111 1111 1111`, 1).mostOpen).toBe(14);
  });
});

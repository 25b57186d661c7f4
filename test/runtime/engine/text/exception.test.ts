// Exceptions around phrases: what a plain comparison of each finds, for no more than one look at the text around.

import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { Exceptions, type Exempted, type Surrounding } from "../../../../runtime/engine/text/exception.ts";
import { isSpaceUnit, spellingFold } from "../../../../runtime/engine/text/fold.ts";
import { oneOf } from "../stream/sample-stream.ts";

/** Compares one surrounding after the other. */
function compareEach(all: readonly Surrounding[], text: string, [start, end]: [number, number], mayGrow: boolean) {
  let answer: Exempted = "no";
  for (const { before, after } of all) {
    if (!precedes(before, text, start)) continue;
    const follows = followsAt(after, text, end, mayGrow);
    if (follows === "yes") return follows;
    if (follows === "undecided") answer = follows;
  }
  return answer;
}

function isSame(text: string, at: number, wanted: string, index: number): boolean {
  return spellingFold(text.charCodeAt(at)) === spellingFold(wanted.charCodeAt(index));
}

function precedes(wanted: string, text: string, start: number): boolean {
  let at = start;
  for (let index = wanted.length - 1; index >= 0; index--) {
    if (at === 0 || !isSame(text, --at, wanted, index)) return false;
    if (isSpaceUnit(text.charCodeAt(at))) while (at > 0 && isSpaceUnit(text.charCodeAt(at - 1))) at--;
  }
  return true;
}

function followsAt(wanted: string, text: string, end: number, mayGrow: boolean): Exempted {
  let at = end;
  for (let index = 0; index < wanted.length; index++) {
    if (at >= text.length) return mayGrow ? "undecided" : "no";
    if (!isSame(text, at++, wanted, index)) return "no";
    if (isSpaceUnit(text.charCodeAt(at - 1))) while (isSpaceUnit(text.charCodeAt(at))) at++;
  }
  return "yes";
}

describe("exceptions", () => {
  it("are those that comparing each of them finds, at the end of a growing text too", () => {
    const random = seededRandom(7);
    const some = (length: number) =>
      Array.from({ length: Math.floor(random() * length) }, () => oneOf(["a", "A", "b", " ", "中"], random)).join("");
    const seen = new Map<Exempted, number>();
    for (let run = 0; run < 5_000; run++) {
      const all = Array.from({ length: Math.floor(random() * 8) }, () => ({ before: some(5), after: some(5) }));
      const text = some(16).replaceAll("b ", "b   ");
      const start = Math.floor(random() * (text.length + 1));
      const end = start + Math.floor(random() * (text.length - start + 1));
      const mayGrow = random() < 0.5;
      const wanted = compareEach(all, text, [start, end], mayGrow);
      expect(new Exceptions(all).around(text, start, end, { mayGrow })).toBe(wanted);
      seen.set(wanted, (seen.get(wanted) ?? 0) + 1);
    }
    for (const answer of ["yes", "no", "undecided"] as const) expect(seen.get(answer)).toBeGreaterThan(100);
  });

  it("cost one look at the text around a phrase, however many there are", () => {
    const surroundings = Array.from({ length: 20 }, (_, more) =>
      Array.from({ length: 40 + more }, (_, place) => ({
        before: "中".repeat(place),
        after: `${"中".repeat(40 + more - place)}国`,
      })),
    ).flat();
    const exceptions = new Exceptions(surroundings);
    expect(exceptions.size).toBe(990);
    const text = "中".repeat(1_000);
    let looks = 0;
    const counted = {
      length: text.length,
      charCodeAt: (at: number) => {
        looks++;
        return text.charCodeAt(at);
      },
    };
    // Only these members of a text are used.
    expect(exceptions.around(counted as unknown as string, 500, 502)).toBe("no");
    // 59 units before and 60 after; one by one, it would be thousands.
    expect(looks).toBeLessThan(150);
    expect(exceptions.around(`${text.slice(0, 561)}国`, 500, 502)).toBe("yes");
    expect(exceptions.around(`${text.slice(0, 562)}国`, 500, 502)).toBe("no");
  });
});

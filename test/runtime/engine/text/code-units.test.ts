import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAscii, lentUnits, lentUnitsOf, unitsOf } from "../../../../runtime/engine/text/code-units.ts";

const char = fc.constantFrom("a", "Z", " ", "\0", "\x7f", "\x80", "ß", "е", "\ud83d", "\udca9", "😀");
const text = fc.array(char, { maxLength: 12 }).map((chars) => chars.join(""));

describe("the code units of a text", () => {
  it("are the same in room that is used again, whatever was in it before", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (texts) => {
        for (const each of texts) {
          const units = [...each].flatMap((part) =>
            Array.from({ length: part.length }, (_, at) => part.charCodeAt(at)),
          );
          expect([...lentUnitsOf(each)]).toEqual(units);
          expect([...unitsOf(each)]).toEqual(units);
        }
      }),
      { seed: 1 },
    );
  });

  it("say whether it is ASCII, in any order of texts", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (texts) => {
        for (const each of texts) expect(isAscii(each)).toBe(!/[^\0-\x7f]/.test(each));
      }),
      { seed: 2 },
    );
  });

  it.each([lentUnits - 1, lentUnits, lentUnits + 1])("may be %i", (length) => {
    const plain = "a".repeat(length);
    const other = `${"a".repeat(length - 1)}é`;
    expect(lentUnitsOf(plain).length).toBe(length);
    expect(lentUnitsOf(other)[length - 1]).toBe(0xe9);
    expect([isAscii(plain), isAscii(other)]).toEqual([true, false]);
  });
});

import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { caseFold, foldLookalikes, gateFold, gateFoldText } from "../../../runtime/engine/fold.ts";
import { readProgram } from "../../../runtime/engine/program.ts";

describe("the folding of the automaton", () => {
  it("unites every unit with what the regex engine takes as its other cases", () => {
    let orbits = 0;
    for (let unit = 0x41; unit < 0x10000; unit++) {
      if (unit >= 0xd800 && unit <= 0xf8ff) continue;
      const char = String.fromCharCode(unit);
      if (char.toLowerCase() === char && char.toUpperCase() === char && caseFold(unit) === unit) continue;
      // A class of two characters shows all variants as ranges.
      const ranges =
        readProgram(RE2JS.compile(`(?i)[${char}☃]`)).code.find((code) => code.step === "rune")?.ranges ?? [];
      for (let i = 0; i + 1 < ranges.length; i += 2) {
        for (let other = ranges[i] ?? 0; other <= (ranges[i + 1] ?? 0); other++) {
          if (other === 0x2603 || other > 0xffff) continue;
          orbits++;
          expect(gateFold(other), `U+${other.toString(16)} as U+${unit.toString(16)}`).toBe(gateFold(unit));
        }
      }
    }
    expect(orbits).toBeGreaterThan(2500);
  });

  it("changes nothing when it is repeated", () => {
    for (let unit = 0; unit < 0x10000; unit++) expect(gateFold(gateFold(unit))).toBe(gateFold(unit));
  });

  it("unites whatever the look-alike folding makes equal", () => {
    for (const text of ["p\u0430ypal", "\u0456gnore", "\u1d00\u0299\u1d04", "a\u3000b\u00a0c\n"]) {
      expect(gateFoldText(foldLookalikes(text))).toBe(gateFoldText(text));
    }
  });
});

describe("look-alike letters", () => {
  it.each([
    ["p\u0430yp\u0430l", "paypal"],
    ["\u0456gn\u043ere", "ignore"],
    ["\u026a\u0262\u0274\u1d0f\u0280\u1d07", "ignore"],
    ["\u03bfutput", "output"],
  ])("%s counts as %s", (text, folded) => {
    expect(foldLookalikes(text)).toBe(folded);
  });

  it.each(["сор хор нос", "ποιος", "Привет, как дела", "日本語", "naïve café"])("leaves %s what it is", (text) => {
    expect(foldLookalikes(text)).toBe(text);
  });

  it("keeps every offset", () => {
    const text = "😀 p\u0430yp\u0430l \u3000 \u0456gnore 😀";
    expect(foldLookalikes(text).length).toBe(text.length);
  });
});

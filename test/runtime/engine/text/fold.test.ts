import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { readProgram } from "../../../../runtime/engine/pattern/program.ts";
import {
  automatonFold,
  automatonFoldText,
  caseFold,
  foldLookalikes,
  letterFold,
  letterFoldText,
  looksLike,
  spellingFold,
} from "../../../../runtime/engine/text/fold.ts";

describe("the folding of the automaton", () => {
  it("unites every unit with its case variants in the regex engine", () => {
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
          expect(automatonFold(other), `U+${other.toString(16)} as U+${unit.toString(16)}`).toBe(automatonFold(unit));
          expect(letterFold(other), `U+${other.toString(16)} as U+${unit.toString(16)}`).toBe(letterFold(unit));
        }
      }
    }
    expect(orbits).toBeGreaterThan(2500);
  });

  it("gives the same result when it is repeated", () => {
    for (const fold of [automatonFold, letterFold, spellingFold]) {
      const changed = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(
        (unit) => fold(fold(unit)) !== fold(unit),
      );
      expect(changed).toEqual([]);
    }
  });

  it("unites all units that a phrase takes as equal", () => {
    const changed = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(
      (unit) => automatonFold(unit) !== unit || spellingFold(unit) !== unit,
    );
    for (const unit of changed) {
      expect(automatonFold(spellingFold(unit))).toBe(automatonFold(unit));
      expect(automatonFold(letterFold(unit))).toBe(automatonFold(unit));
    }
    for (const one of "ηνυπφγλhnyfгл") {
      for (let other = 0x41; other < 0x600; other++)
        if (looksLike(one.charCodeAt(0), other)) expect(automatonFold(other)).toBe(automatonFold(one.charCodeAt(0)));
    }
    expect(automatonFoldText("Straße")).toBe(automatonFoldText("STRASSE"));
  });

  it("keeps apart the letters of ordinary words", () => {
    expect(new Set([..."abcdefghijklmnopqrstuvwxyz"].map((char) => letterFold(char.charCodeAt(0)))).size).toBe(26);
    expect(new Set([..."abcdefghijklmnopqrstuvwxyz"].map((char) => automatonFold(char.charCodeAt(0)))).size).toBe(23);
  });

  it("unites all units that the look-alike folding makes equal", () => {
    for (const text of ["p\u0430ypal", "\u0456gnore", "\u1d00\u0299\u1d04", "a\u3000b\u00a0c\n"]) {
      expect(automatonFoldText(foldLookalikes(text))).toBe(automatonFoldText(text));
      expect(letterFoldText(foldLookalikes(text))).toBe(letterFoldText(text));
    }
  });
});

describe("look-alike letters", () => {
  it.each([
    ["p\u0430yp\u0430l", "paypal"],
    ["\u0456gn\u043ere", "ignore"],
    ["\u026a\u0262\u0274\u1d0f\u0280\u1d07", "ignore"],
    ["\u03bfutput", "output"],
    ["\u039dASA", "nASA"],
    ["\u0397ELLO", "hELLO"],
    ["a\u03bdoid", "avoid"],
  ])("%s counts as %s", (text, folded) => {
    expect(foldLookalikes(text)).toBe(folded);
  });

  it.each(["сор хор нос", "ποιος", "Привет, как дела", "日本語", "naïve café"])("leaves %s unchanged", (text) => {
    expect(foldLookalikes(text)).toBe(text);
  });

  it("keeps every offset", () => {
    const text = "😀 p\u0430yp\u0430l \u3000 \u0456gnore 😀";
    expect(foldLookalikes(text).length).toBe(text.length);
  });
});

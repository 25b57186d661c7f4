import fc from "fast-check";
import { expect, test } from "vitest";
import { normalForm } from "../../../../runtime/engine/text/normal-form.ts";
import { viewsOf } from "../../../../runtime/engine/text/normalize.ts";

const marks = fc.array(fc.constantFrom("\u0301", "\u0323", "\u0345", "\u0e38", "\u05b0", "\u{1d165}"), {
  maxLength: 30,
});
const word = fc
  .tuple(fc.constantFrom("a", "ﬁ", "Å", "가", "١", " "), marks)
  .map(([base, more]) => base + more.join(""));

test("a text with as many marks as a language has gets Unicode's own normal form", () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), fc.constantFrom("NFC", "NFD", "NFKC"), (words, form) => {
      const text = words.join("");
      expect(normalForm(text, form)).toBe(text.normalize(form));
    }),
  );
});

test("of more marks, thirty at a time are put into their order, and none is lost", () => {
  const text = `a${"\u0301\u0323".repeat(40)}b`;
  const made = normalForm(text, "NFD");
  expect([...made].toSorted()).toEqual([...text].toSorted());
  expect(made.slice(0, 31)).toBe(`a${"\u0323".repeat(15)}${"\u0301".repeat(15)}`);
});

// Put into their order as a whole these marks take seventeen minutes of a core; a test that took them would not end.
test("a megabyte of marks is read in the time that a megabyte takes", () => {
  const text = `a${"\u0345".repeat(500_000)}${"\u0323".repeat(500_000)}`;
  expect(normalForm(text, "NFKC")).toHaveLength(text.length);
  expect(viewsOf(text, 31).length).toBeGreaterThan(0);
});

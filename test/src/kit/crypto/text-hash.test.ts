import fc from "fast-check";
import { expect, test } from "vitest";
import { comparableText } from "../../../../src/kit/crypto/text-hash.ts";

test("a text is compared in NFC and with white space collapsed, whatever of it there is", () => {
  const unit = fc.constantFrom(
    ...["a", " ", "  ", "\t", "\r\n", "\u0085", "\u00a0", "\u3000", "\u200b", "\u2028", "\ufeff", "e\u0301", "é"],
    ...["\u0340", "\u02ff", "\u1100\u1161", "😀", "\u0f73", "\u212b", "Å"],
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 20 }), (text) => {
      expect(comparableText(text)).toBe(text.normalize("NFC").replaceAll(/\s+/g, " ").trim());
    }),
    { numRuns: 3_000, seed: 1 },
  );
  for (let code = 0; code < 0x300; code++) {
    expect(String.fromCharCode(code).normalize("NFC")).toBe(String.fromCharCode(code));
  }
});

test("a run of combining marks that no language has is compared as it is", () => {
  const marks = `a${"\u0301\u0316".repeat(16)}`;
  expect(comparableText(`${marks}  b`)).toBe(`${marks} b`);
});

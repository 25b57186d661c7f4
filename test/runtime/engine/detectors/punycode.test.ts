import { domainToASCII } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromPunycode } from "../../../../runtime/engine/detectors/url/punycode.ts";

describe("the ASCII form of a host", () => {
  it("gives the letters back that it was made of", () => {
    const letter = fc.constantFrom(..."abcz019äßéжяαωßיعक中文あ한");
    fc.assert(
      fc.property(fc.string({ unit: letter, minLength: 1, maxLength: 12 }), (label) => {
        const ascii = domainToASCII(`${label}.example`).split(".")[0] ?? "";
        fc.pre(ascii.startsWith("xn--"));
        expect(fromPunycode(ascii.slice(4))).toBe(label.normalize("NFC"));
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });

  it("is not decoded from texts that are not Punycode, however long", () => {
    for (const label of ["!!", "zzzzzzzzzzzz99", "a".repeat(64), "9".repeat(60)])
      expect(fromPunycode(label)).toBeUndefined();
  });
});

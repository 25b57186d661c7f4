import { describe, expect, test } from "vitest";
import { base32, keyUri, matchingStep, totpCode, totpStep } from "../../../../src/domain/identity/totp.ts";

const secret = Buffer.from("12345678901234567890", "ascii");

describe("totpCode()", () => {
  // RFC 6238, appendix B, the last six of the eight digits.
  test.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("gives the code of the RFC at second %i", (second, code) => {
    expect(totpCode(secret, totpStep(new Date(second * 1_000)))).toBe(code);
  });
});

describe("matchingStep()", () => {
  const now = new Date(1_111_111_111_000);
  const step = totpStep(now);

  test.each([
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ])("takes the code of %i steps away: %s", (distance, isTaken) => {
    expect(matchingStep(secret, totpCode(secret, step + distance), now)).toBe(isTaken ? step + distance : undefined);
  });

  test.each(["", "28708", "2870822", "28708a", "\u0662\u0668\u0667\u0660\u0668\u0662", " 287082"])(
    "%j is no code",
    (text) => {
      expect(matchingStep(secret, text, new Date(59_000))).toBeUndefined();
    },
  );
});

describe("base32()", () => {
  // RFC 4648, section 10, without padding.
  test.each([
    ["", ""],
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ])("of %j is %j", (text, encoded) => {
    expect(base32(Buffer.from(text))).toBe(encoded);
  });
});

test("keyUri() keeps what an address contains out of its own syntax", () => {
  const uri = new URL(keyUri(secret, { issuer: "Policy Guard", account: "a&secret=x?#/%:@example.com" }));
  expect(uri.searchParams.getAll("secret")).toEqual(["GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"]);
  expect(decodeURIComponent(uri.pathname)).toBe("/Policy Guard:a&secret=x?#/%:@example.com");
  expect(uri.hash).toBe("");
});

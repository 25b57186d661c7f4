import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalBytes, canonicalText, digestOf } from "../../../../src/kit/crypto/canonical.ts";

// RFC 8785 appendix B: the bits of an IEEE 754 double, and its canonical form.
const numbers: readonly [string, string][] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

describe("canonical JSON (RFC 8785)", () => {
  it.each(numbers)("writes the double %s as %s", (bits, text) => {
    expect(canonicalText(Buffer.from(bits, "hex").readDoubleBE())).toBe(text);
  });

  it("writes the example of section 3.2.2", () => {
    const input = String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
      "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`;
    expect(canonicalText(JSON.parse(input))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it("orders members by UTF-16 code units, as in section 3.2.3", () => {
    const input = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    expect([...canonicalText(input).matchAll(/:"([^"]*)"/g)].map(([, name]) => name)).toEqual([
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]);
  });

  it.each<[string, unknown]>([
    ["NaN", Number.NaN],
    ["an infinity", Number.POSITIVE_INFINITY],
    ["a lone surrogate", "\ud800"],
    ["a lone surrogate as a key", { "\udc00": 1 }],
    ["an undefined member", { a: undefined }],
    ["a bigint", 1n],
    ["a Date", new Date(0)],
    ["a Map", new Map()],
    ["a hole in a list", new Array(1)],
  ])("refuses %s instead of dropping it", (_, value) => {
    expect(() => canonicalText(value as JsonValue)).toThrow(TypeError);
  });

  it("refuses a value that is too deep, instead of overflowing the stack", () => {
    let deep: JsonValue = 1;
    for (let i = 0; i < 50_000; i++) deep = [deep];
    expect(() => canonicalText(deep)).toThrow(RangeError);
  });

  it("gives the same bytes for the same value in any member order, and reads back as that value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (value) => {
        const bytes = canonicalBytes(value as JsonValue);
        const read: JsonValue = JSON.parse(Buffer.from(bytes).toString());
        expect(canonicalBytes(reversed(read))).toEqual(bytes);
        expect(JSON.stringify(read)).toBe(Buffer.from(bytes).toString());
      }),
      { numRuns: 1000, seed: 8785, endOnFailure: true },
    );
  });

  it("digests bytes as sha256:<hex>", () => {
    expect(digestOf(Buffer.from("abc"))).toBe(
      "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, JsonValue> = Object.create(null);
  for (const [key, member] of Object.entries(value).reverse()) copy[key] = reversed(member);
  return copy;
}

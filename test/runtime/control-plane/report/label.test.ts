import { describe, expect, it } from "vitest";
import { readLabels } from "../../../../runtime/control-plane/report/label.ts";

describe("the labels of a runtime", () => {
  it("are keys with values, which may have more of the sign between them", () => {
    expect(readLabels(["region=eu-west-1", "team.acme/owner=Ada Lövelace", "note=a=b", "empty="])).toEqual({
      region: "eu-west-1",
      "team.acme/owner": "Ada Lövelace",
      note: "a=b",
      empty: "",
    });
    expect(readLabels()).toEqual({});
    const [key, value] = ["k".repeat(63), "𝕏".repeat(63)];
    expect(readLabels([`${key}=${value}`])).toEqual({ [key]: value });
  });

  it.each([
    ["no value", ["region"], /"region" is not key=value/],
    ["no key", ["=eu"], /"=eu" is not/],
    ["an upper-case key", ["Region=eu"], /is not key=value/],
    ["a long key", [`${"k".repeat(64)}=x`], /is not key=value/],
    ["a long value", [`k=${"x".repeat(64)}`], /is not key=value/],
    ["a control character", ["k=a\tb"], /is not key=value/],
    ["a key that comes twice", ["k=a", "k=b"], /names k twice/],
    ["seventeen of them", Array.from({ length: 17 }, (_, n) => `k${n}=x`), /17 labels; at most 16/],
  ])("are refused with %s", (_, labels, expected) => {
    expect(() => readLabels(labels)).toThrow(expected);
  });
});

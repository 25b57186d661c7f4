// What only the words and signs around it tell: names of hosts without a scheme, the unspecified address, the second of
// two numbers.

import { describe, expect, it } from "vitest";
import { scan } from "../scan.ts";

function found(entity: string, text: string): string[] {
  return scan("pii", text, { entities: [entity] })
    .filter(({ score }) => score >= 0.5)
    .map(({ start, end }) => text.slice(start, end));
}

describe("host names without a scheme", () => {
  it.each([
    ["my domains: example.com example.co.il", ["example.com", "example.co.il"]],
    ["go to shop.example.com/gp?x=1.", ["shop.example.com/gp?x=1"]],
    ["the example.org people", ["example.org"]],
  ])("are web addresses: %s", (text, wanted) => {
    expect(found("URL", text)).toEqual(wanted);
  });

  it.each([
    "write to ada@mail.example.com",
    "obj.company.com.foo = 1",
    "asp.net, node.js and x.common",
    "f.com(x)",
    "a.b.combine(c)",
  ])("are not what else has dots: %s", (text) => {
    expect(found("URL", text)).toEqual([]);
  });
});

describe("the unspecified address", () => {
  it("is one where words say so", () => {
    expect(found("IP", "listen on ipv6 ::")).toEqual(["::"]);
    expect(found("IP", "src=:: dst=::1")).toEqual(["::", "::1"]);
  });

  it("is not an address when it is an operator of a language", () => {
    expect(found("IP", "std::vector<int> v; A :: B; host::name")).toEqual([]);
  });
});

describe("a number next to another", () => {
  it("is a telephone number like the one before it", () => {
    expect(found("PHONE", "First: +639171234567, Second: 09181234567")).toEqual(["+639171234567", "09181234567"]);
  });

  it("does not count when it is alone in a sentence", () => {
    expect(found("PHONE", "The run took 09181234567 steps in all.")).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { found } from "../scan.ts";

describe("numbers of four parts", () => {
  it.each([
    "version 4.0.0.1 is out",
    '{"version": "2.4.1.0"}',
    '[assembly: AssemblyVersion("1.0.0.0")]',
    "<FileVersion>10.2.0.7</FileVersion>",
    "see section 3.2.1.4 and clauses 1.2.3.4, 2.3.4.5 and 4.1.1.2",
    "siehe Abschnitt 2.3.4.5",
    "pip install parcel==3.11.4.1",
    "released as 10.1.2.3-alpha",
  ])("are no address: %s", (text) => {
    expect(found("pii", text, { entities: ["IP"] })).toEqual([]);
  });

  it.each([
    ["the server 10.0.0.1 runs version 3", "10.0.0.1"],
    ["IP version 4: the address 192.0.2.7", "192.0.2.7"],
    ['if ip=="10.0.0.1": pass', "10.0.0.1"],
    ["range 10.0.0.1-10.0.0.9", "10.0.0.1,10.0.0.9"],
    ["ping 192.0.2.7-x", "192.0.2.7"],
  ])("are one: %s", (text, address) => {
    expect(found("pii", text, { entities: ["IP"] }).join()).toBe(address);
  });
});

describe("phone numbers next to each other", () => {
  it.each([
    ["Free of charge: 1-800-356-9377 / 0800 123 4567", ["1-800-356-9377", "0800 123 4567"]],
    ["Call 415-867-5309 - 212-555-0147", ["415-867-5309", "212-555-0147"]],
    ["+1-809-555-1234 001-829-555-1234", ["+1-809-555-1234", "001-829-555-1234"]],
    ["Tel. 030/12 34 56 78", ["030/12 34 56 78"]],
    ["Tel. 0171-123 45 67", ["0171-123 45 67"]],
    ["Call it 2 / 13-5 / 25-15-21-18 / 15-18-4-5-18-19", []],
    ["Tel. 030 / 12345678", ["030 / 12345678"]],
  ])("are two, or one with its area: %s", (text, numbers) => {
    expect(found("pii", text, { entities: ["PHONE"] })).toEqual(numbers);
  });
});

describe("a mail address within an address of the web", () => {
  it("is found with its sign encoded", () => {
    expect(found("pii", "GET /join?email=ann.lee%40north.example&zip=94107")).toEqual(["ann.lee%40north.example"]);
  });

  it("is no host", () => {
    expect(found("pii", "GET /join?email=ann%40north.com&zip=94107", { entities: ["URL"] })).toEqual([]);
  });

  it.each(["load=40%40cores.", "caf%C3%A9%40 5 pm", "%40north"])("is none: %s", (text) => {
    expect(found("pii", text)).toEqual([]);
  });
});

describe("groups of digits near the word card", () => {
  it("are none within a longer number", () => {
    expect(found("pii", "gift card 6006 4912 3456 7890 123")).toEqual([]);
  });

  it("are one of an issuer that prints long numbers", () => {
    expect(found("pii", "paid with 6767 7095 6789 0120")).toEqual(["6767 7095 6789 0120"]);
  });
});

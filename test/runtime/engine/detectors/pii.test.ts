import { describe, expect, it } from "vitest";
import { passesLuhn } from "../../../../runtime/engine/detectors/pii/card.ts";
import { found, scan } from "./scan.ts";

const only = (entity: string) => ({ entities: [entity] });

describe("e-mail addresses", () => {
  it.each<[string, string]>([
    ["write to john.doe@example.com today", "john.doe@example.com"],
    ["Mail john@example.com.", "john@example.com"],
    ["(john@example.com)", "john@example.com"],
    ["<a href='mailto:john+tag@mail.example.co.uk'>", "john+tag@mail.example.co.uk"],
    ["'john@example.com'", "john@example.com"],
    ["?to=john@example.com&cc=", "john@example.com"],
    ["o'brien@example.ie", "o'brien@example.ie"],
    ["first_last-x%y@sub-domain.example.org,", "first_last-x%y@sub-domain.example.org"],
    ["müller@bücher.example", "müller@bücher.example"],
    ["иван@почта.рф", "иван@почта.рф"],
    ["请联系john@example.com。谢谢", "john@example.com"],
    ["john@example.comへ連絡してください", "john@example.com"],
    ["x@xn--bcher-kva.example", "x@xn--bcher-kva.example"],
    ["a...b@example.com", "b@example.com"],
    ["john@example.com.Please answer", "john@example.com"],
    ["https://example.com/?q=john@example.org", "john@example.org"],
    ["JOHN@EXAMPLE.COM", "JOHN@EXAMPLE.COM"],
    ["😀john@example.com😀", "john@example.com"],
  ])("%j holds %j", (text, address) => {
    expect(found("pii", text, only("EMAIL"))).toEqual([address]);
  });

  it.each([
    "john@localhost",
    "@user",
    "a@b",
    "john@",
    "john.@example.com",
    "logo@2x.png",
    "lodash@4.17.21",
    "@user@social.example",
    "git@github.com:org/repo.git",
    "https://name@example.com/path",
    "ftp://user:pass@example.com",
    "john@-example.com",
    "john@example.c",
    "john@exa mple.com",
    "a @ b.com",
  ])("%j holds none", (text) => {
    expect(found("pii", text, only("EMAIL"))).toEqual([]);
  });

  it("tell their domain in lower case", () => {
    expect(scan("pii", "x John@Example.COM", only("EMAIL"))[0]).toMatchObject({
      category: "pii.email",
      attributes: { domain: "example.com" },
    });
  });

  it("are found despite zero-width characters and in full width", () => {
    expect(scan("pii", "jo\u200bhn@exam\u200bple.com", only("EMAIL"))).toEqual([
      {
        category: "pii.email",
        start: 0,
        end: 18,
        score: 0.99,
        layer: "normalized",
        attributes: { domain: "example.com", basis: "form" },
      },
    ]);
    expect(found("pii", "ｊｏｈｎ＠ｅｘａｍｐｌｅ．ｃｏｍ", only("EMAIL"))).toEqual([
      "ｊｏｈｎ＠ｅｘａｍｐｌｅ．ｃｏｍ",
    ]);
  });
});

/** A number with a right check digit that begins with these digits. */
function card(lead: string, length: number): string {
  const body = lead.padEnd(length - 1, "8273645190");
  for (let digit = 0; digit < 10; digit++) if (passesLuhn(body + digit)) return body + digit;
  throw new Error("no check digit");
}

describe("payment cards", () => {
  it.each<[string, string, number]>([
    ["visa", "4", 13],
    ["visa", "4", 16],
    ["visa", "4", 19],
    ["mastercard", "51", 16],
    ["mastercard", "2221", 16],
    ["mastercard", "2720", 16],
    ["american_express", "34", 15],
    ["american_express", "37", 15],
    ["diners_club", "36", 14],
    ["diners_club", "305", 14],
    ["discover", "6011", 16],
    ["discover", "644", 16],
    ["jcb", "3528", 16],
    ["unionpay", "62", 19],
    ["mir", "2200", 16],
    ["troy", "9792", 16],
    ["maestro", "6759", 12],
    ["maestro", "5018", 13],
  ])("of %s with %s… and %d digits are found", (issuer, lead, length) => {
    const number = card(lead, length);
    expect(scan("pii", `pay ${number}.`, only("CREDIT_CARD"))).toEqual([
      {
        category: "pii.credit_card",
        start: 4,
        end: 4 + length,
        score: 0.99,
        layer: "plain",
        attributes: { issuer, basis: "issuer, length and check digit" },
      },
    ]);
  });

  it.each<[string, string]>([
    ["card 4111 1111 1111 1111 exp 12/29", "4111 1111 1111 1111"],
    ["4111-1111-1111-1111", "4111-1111-1111-1111"],
    ["3782 822463 10005", "3782 822463 10005"],
    ["4111 1111 1111 1111 12/29", "4111 1111 1111 1111"],
    ["no. 42 4111 1111 1111 1111", "4111 1111 1111 1111"],
    ["4111\u00a01111\u00a01111\u00a01111", "4111\u00a01111\u00a01111\u00a01111"],
    ["カード4111111111111111です", "4111111111111111"],
    ["４１１１ １１１１ １１１１ １１１１", "４１１１ １１１１ １１１１ １１１１"],
  ])("%j holds %j", (text, number) => {
    expect(found("pii", text, only("CREDIT_CARD"))).toEqual([number]);
  });

  it.each([
    ["a wrong check digit", "4111111111111112"],
    ["an issuer that does not exist", card("7", 16)],
    ["a wrong length", card("4", 15)],
    ["a number between ranges", card("2721", 16)],
    ["a longer run of digits", "94111111111111111"],
    ["a hexadecimal digest", "a4111111111111111f"],
    ["a decimal fraction", "0.4111111111111111"],
    ["a number with thousands", "1,4111111111111111"],
    ["groups of odd sizes", "41 111111 11111 111"],
    ["mixed separators", "4111-1111 1111-1111"],
    ["zeros", "0000000000000000"],
  ])("%s is none", (_, text) => {
    expect(found("pii", text, only("CREDIT_CARD"))).toEqual([]);
  });
});

describe("IBANs", () => {
  it.each([
    "DE89370400440532013000",
    "DE89 3704 0044 0532 0130 00",
    "GB82 WEST 1234 5698 7654 32",
    "gb82 west 1234 5698 7654 32",
    "FR14 2004 1010 0505 0001 3M02 606",
    "NO93 8601 1117 947",
    "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
    "CH93-0076-2011-6238-5295-7",
    "SA03 8000 0000 6080 1016 7519",
    "DE89 370 40044 0532 0130 00",
  ])("%s is found", (iban) => {
    expect(found("pii", `IBAN: ${iban}, thanks`, only("IBAN"))).toEqual([iban]);
  });

  it.each([
    ["wrong check digits", "DE88370400440532013000"],
    ["one character too few", "DE8937040044053201300"],
    ["one character too many", "DE893704004405320130001"],
    ["an unknown country", "ZZ89370400440532013000"],
    ["a part of a longer word", "XDE89370400440532013000"],
    ["uneven groups with small letters", "de89 370 40044 0532 0130 00"],
    ["a group of letters", "MT84 MALT 01 10 0001 2345 MTLC AST0 01S"],
    ["mixed separators", "DE89 3704-0044 0532 0130 00"],
  ])("%s is none", (_, text) => {
    expect(found("pii", text, only("IBAN"))).toEqual([]);
  });

  it("tell their country", () => {
    expect(scan("pii", "gb82west12345698765432", only("IBAN"))[0]?.attributes).toEqual({
      country: "GB",
      basis: "form, length and check digits",
    });
  });
});

describe("internet addresses", () => {
  it.each<[string, string]>([
    ["host 10.0.0.1.", "10.0.0.1"],
    ["192.168.1.1:8080/x", "192.168.1.1"],
    ["at 2001:db8::1, port", "2001:db8::1"],
    ["::1", "::1"],
    ["fe80::1ff:fe23:4567:890a", "fe80::1ff:fe23:4567:890a"],
    ["::ffff:192.0.2.128", "::ffff:192.0.2.128"],
    ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"],
  ])("%j holds %j", (text, address) => {
    expect(found("pii", text, only("IP"))).toEqual([address]);
  });

  it.each([
    "256.1.1.1",
    "1.2.3",
    "1.2.3.4.5",
    "v1.2.3.4",
    "01.2.3.4",
    "12:30:45",
    "std::vector",
    "a::b",
    "1::2::3",
    "1:2:3:4:5:6:7:8:9",
  ])("%j holds none", (text) => {
    expect(found("pii", text, only("IP"))).toEqual([]);
  });

  it.each<[string, string]>([
    ["see https://example.com/a?b=c#d.", "https://example.com/a?b=c#d"],
    ["(http://example.com/a_(b))", "http://example.com/a_(b)"],
    ["www.example.com, or", "www.example.com"],
    ["访问https://example.com/x。", "https://example.com/x"],
    ["<ftp://example.com/f>", "ftp://example.com/f"],
  ])("%j holds the web address %j", (text, address) => {
    expect(found("pii", text, only("URL"))).toEqual([address]);
  });

  it.each(["https://", "file:///etc/passwd", "a://b", "://x.y", "awww.example"])("%j holds no web address", (text) => {
    expect(found("pii", text, only("URL"))).toEqual([]);
  });
});

describe("the entities that are looked for", () => {
  const text = "john@example.com 10.0.0.1 https://example.org 4111111111111111";

  it("are e-mail, cards and IBANs when none is named", () => {
    expect(scan("pii", text).map((detection) => detection.category)).toEqual(["pii.email", "pii.credit_card"]);
  });

  it("are those that are named", () => {
    expect(scan("pii", text, { entities: ["IP", "URL"] }).map((detection) => detection.category)).toEqual([
      "pii.ip",
      "pii.url",
    ]);
  });
});

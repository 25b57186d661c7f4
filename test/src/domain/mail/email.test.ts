import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseEmail } from "../../../../src/domain/mail/email.ts";
import { Fault } from "../../../../src/kit/fault/fault.ts";

const cyrillicA = "\u0430";

describe("parseEmail()", () => {
  test.each([
    ["Ada@Example.COM", "ada@example.com"],
    ["o'neil+tag@mail.example.co.uk", "o'neil+tag@mail.example.co.uk"],
    ["\uFF21da@example.com", "ada@example.com"], // a full-width A
    ["ada@b\u00FCcher.example", "ada@xn--bcher-kva.example"],
    ["ada@XN--BCHER-KVA.example", "ada@xn--bcher-kva.example"],
    ["\u0430\u0434\u0430@\u043F\u043E\u0447\u0442\u0430.\u0440\u0444", "\u0430\u0434\u0430@xn--80a1acny.xn--p1ai"],
    ["\u7530\u4E2Dtanaka@example.jp", "\u7530\u4E2Dtanaka@example.jp"],
  ])("%s is found as %s", (text, key) => {
    expect(parseEmail(text).key).toBe(key);
  });

  test("the address and its key have the same normal form", () => {
    const { text, key } = parseEmail("\uFB01ona@example.com"); // with the ligature fi
    expect([text, key]).toEqual(["fiona@example.com", "fiona@example.com"]);
  });

  test.each([
    "",
    "@",
    "ada",
    "ada@",
    "@example.com",
    "ada@example",
    "ada@@example.com",
    "a da@example.com",
    "ada@exa mple.com",
    ".ada@example.com",
    "a..da@example.com",
    "ada.@example.com",
    "ada@-example.com",
    "ada@example..com",
    "ada@127.0.0.1",
    "ada@[127.0.0.1]",
    "ada@0x7f.1",
    '"ada"@example.com',
    "ada@example.com\nbcc: all@example.com",
    "ada\r@example.com",
    "<ada@example.com>",
    "ada@example.com,eve@example.com",
    "ada@example.com/x",
    "ada\u0000@example.com",
    "ada@ex\u200Bample\u0000.com",
    "ada@xn--zzzzzzzzzzz--.com",
    `${"a".repeat(65)}@example.com`,
    `ada@${"a".repeat(64)}.com`,
    `ada@${"abcdefghi.".repeat(26)}com`,
  ])("%j is none", (text) => {
    expect(() => parseEmail(text)).toThrow(Fault);
  });

  test.each([
    `${cyrillicA}da@example.com`,
    `ad${cyrillicA}@example.com`,
    "\u0391da@example.com",
    "ad\u0585@example.com",
  ])("%j mixes scripts and is refused with the reason", (text) => {
    expect(() => parseEmail(text)).toThrow(/different scripts/);
  });

  test("a look-alike in another script throughout is another address", () => {
    const [latin, cyrillic] = ["cope@example.com", "\u0441\u043E\u0440\u0435@example.com"].map(
      (text) => parseEmail(text).key,
    );
    expect(latin).not.toBe(cyrillic);
  });

  test("never fails otherwise than by a fault, and a key is its own key", () => {
    const part = fc.string({ unit: "grapheme", maxLength: 20 });
    const domain = fc.oneof(part, fc.constantFrom("example.com", "B\u00FCcher.example", "\u4F8B\u3048.jp"));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.tuple(part, domain).map((both) => both.join("@")),
          fc.emailAddress(),
        ),
        (text) => {
          let key: string;
          try {
            ({ key } = parseEmail(text));
          } catch (error) {
            expect(error).toBeInstanceOf(Fault);
            return;
          }
          expect(key).toMatch(/^[^\s\p{C}<>,;"]+@[a-z0-9.-]+$/u);
          expect(parseEmail(key)).toEqual({ text: key, key });
        },
      ),
      { numRuns: 3_000, seed: 41 },
    );
  });
});

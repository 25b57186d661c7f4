// Keywords and tags as people write them.

import { describe, expect, it } from "vitest";
import { checkKeywords } from "../../../../src/domain/analysis/check-keywords.ts";
import { canonicalTag, shippedLanguages } from "../../../../src/domain/language/shipped.ts";
import { Fault } from "../../../../src/kit/fault/fault.ts";

const library = shippedLanguages();

/** The fields that are refused, each with its message; none when all are taken. */
function refused(language: string, keywords: string[]): string[] {
  const { name, common } = library.require(language);
  try {
    expect(checkKeywords({ keywords, allow: [], language, name, common }).keywords).toHaveLength(keywords.length);
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const fields = error.extra?.fields as { field: string; message: string }[]; // as validationFailed makes them
    return fields.map(({ field, message }) => `${field} ${message}`);
  }
}

describe("two keywords of which one is found wherever the other is", () => {
  it.each([
    ["pl", "zielony słoń", "ZIELONY SLON"],
    ["pl", "zielony  słoń", "zielony\u00a0słoń"],
    ["de", "grüner elefant", "Gruener Elefant"],
    ["de", "große straße", "grosse strasse"],
    ["tr", "yeşil fıl", "yesil fil"],
    ["ru", "зелёный слон", "зеленый слон"],
    ["en", "can’t stop", "can't stop"],
    ["fr", "éléphant vert", "elephant vert"],
    ["ja", "ミドリ", "ﾐﾄﾞﾘ"],
    ["zh", "ＡＢ象牙", "ab象牙"],
    ["ar", "الفِيل الأَخضر", "الفيل الاخضر"],
    ["he", "פִּיל יָרֹק", "פיל ירק"],
    ["hi", "हिन्दी हाथी", "हिंदी हाथी"],
  ])("are refused in %s, with both indices: %s, %s", (language, one, other) => {
    expect(refused(language, [one, "cztery", other])).toEqual([
      "keywords[2].term is the same as keywords[0] once case, marks and spelling are folded",
    ]);
  });

  it.each([
    ["es", "año", "ano"],
    ["pl", "zielony słoń", "zielony słonik"],
    ["ru", "зелёный слон", "зелёный слой"],
    ["ja", "かが", "かか"],
  ])("are taken in %s where they are different words: %s, %s", (language, one, other) => {
    expect(refused(language, [one, other])).toEqual([]);
  });
});

describe("a keyword of one character", () => {
  it.each([
    ["zh", "象"],
    ["zh", "象！"],
    ["zh", "𠮷"],
    ["ja", "あ"],
    ["ja", "ｱ"],
    ["ja", "が"],
    ["th", "ก"],
    ["th", "กี่"],
  ])("is refused in %s: %s", (language, term) => {
    expect(refused(language, [term])).toEqual([expect.stringContaining("is one character of a script without spaces")]);
  });

  it("is refused in other scripts as too short, and two characters are taken", () => {
    expect(refused("en", ["q"])).toEqual([expect.stringContaining("is shorter than 2 characters")]);
    expect(refused("zh", ["大象"])).toEqual([]);
    expect(refused("th", ["กข"])).toEqual([]);
  });
});

describe("a keyword that was written to take long", () => {
  it("is not read when it is far too long before normalization", () => {
    const padded = `zielony${" ".repeat(600)}słoń`;
    const long = "keywords[0].term is longer than 512 characters as it was sent";
    expect(refused("pl", [padded])).toEqual([long]);
    expect(refused("ar", ["\ufdfa".repeat(300_000)])).toEqual([long]);
  });

  it("is not read after a hundred problems", () => {
    const wrong = Array.from({ length: 2_000 }, () => "\ufdfa".repeat(100));
    expect(refused("pl", wrong)).toHaveLength(100);
  });
});

describe("a tag", () => {
  it.each([
    ["pl", "pl"],
    ["PL", "pl"],
    ["pl_PL", "pl"],
    ["pL-pl", "pl"],
    [" pl ", "pl"],
    ["pl-Latn-PL", "pl"],
    ["pt_br", "pt"],
    ["zh_Hant_TW", "zh"],
    ["zh-Hans", "zh"],
    ["cmn", "zh"],
    ["nb", "no"],
    ["nn_NO", "no"],
    ["iw", "he"],
    ["in", "id"],
    ["en-US-u-ca-buddhist", "en"],
    ["deu", "de"],
  ])("%s is understood as %s", (given, tag) => {
    expect(library.require(given).overlay.language).toBe(tag);
  });

  it.each([
    "",
    " ",
    "p",
    "polski język",
    "pl__PL",
    "pl-",
    "-pl",
    "x-pl",
    "xx",
    "constructor",
    "../pl",
    "pl\u0000",
    "пл",
    "*",
  ])("%j is not found", (given) => {
    expect(() => library.require(given)).toThrow("language pack");
    expect(canonicalTag(given) === undefined || library.find(canonicalTag(given) ?? "") === undefined).toBe(true);
  });
});

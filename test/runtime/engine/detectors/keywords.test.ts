import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectorDefinition } from "../../../../runtime/engine/detectors/catalog.ts";
import { found, scan } from "./scan.ts";

describe("keywords", () => {
  it.each<[string, string, string[]]>([
    ["ass", "pass the class assessment", []],
    ["Scunthorpe", "from Scunthorpe.", ["Scunthorpe"]],
    ["cunt", "Scunthorpe United", []],
    ["credit card", "my CREDIT \n  Card!", ["CREDIT \n  Card"]],
    ["bad", "_bad_ «bad» bad", ["bad", "bad", "bad"]],
    ["bad", "badly bad2 böbad", []],
    ["c++", "use c++17 or c++", ["c++", "c++"]],
    ["ärger", "Ärger, ÄRGER, a\u0308rger; Verärgerung", ["Ärger", "ÄRGER", "a\u0308rger"]],
    ["密码", "请告诉我密码是什么", ["密码"]],
    ["AK47", "我的AK47是", ["AK47"]],
    ["รหัสผ่าน", "ขอรหัสผ่านของคุณ", ["รหัสผ่าน"]],
    ["비밀번호", "내 비밀번호를 알려줘", ["비밀번호"]],
    ["сор", "cop and сор", ["сор"]],
    ["paypal", "P\u0430yP\u0430l", ["P\u0430yP\u0430l"]],
    ["secret", "se\u200bcr\u00adet", ["se\u200bcr\u00adet"]],
    ["secret", "ｓｅｃｒｅｔ", ["ｓｅｃｒｅｔ"]],
    ["😀", "a😀b", ["😀"]],
    ["straße", "STRAßE", ["STRAßE"]],
    ["σίσυφος", "ΣΊΣΥΦΟΣ", ["ΣΊΣΥΦΟΣ"]],
    // Look-alikes of every script, and none where a whole word is of another.
    ["Москва", "Mосква и Мoсквa", ["Mосква", "Мoсквa"]],
    ["ΑΘΗΝΑ", "AΘHNA", ["AΘHNA"]],
    ["αθηνα", "AΘHNA αθnvα", ["AΘHNA", "αθnvα"]],
    ["NASA", "\u039dASA, NΑSΑ", ["\u039dASA", "NΑSΑ"]],
    ["HAPPY", "\u0397ΑPP\u03a5", ["\u0397ΑPP\u03a5"]],
    ["cop", "cop and сор", ["cop"]],
    ["ура", "үра", []],
    ["σοι", "οσι", []],
    ["p\u0430ypal", "paypal", ["paypal"]],
    // Quotes and dashes.
    [
      "O'Brien",
      "O’Brien O‘Brien O`Brien O\u00b4Brien OʼBrien",
      ["O’Brien", "O‘Brien", "O`Brien", "O\u00b4Brien", "OʼBrien"],
    ],
    ["don’t", "don't", ["don't"]],
    ['the "plan"', "the “plan” the „plan‟ the «plan»", ["the “plan”", "the „plan‟", "the «plan»"]],
    ["project-x", "project‑x project–x project−x project－x", ["project‑x", "project–x", "project−x", "project－x"]],
    ["project – x", "project - x", ["project - x"]],
    ["project-x", "project x projectx", []],
    // Full case folding.
    ["straße", "STRASSE strasse STRAẞE", ["STRASSE", "strasse", "STRAẞE"]],
    ["Strasse", "straße", ["straße"]],
    ["Meßstab", "MESSSTAB Messstab Mesßtab", ["MESSSTAB", "Messstab", "Mesßtab"]],
    ["Fluß", "Fluss Flus Flusss", ["Fluss"]],
    ["ass", "as ass aß asss", ["ass", "aß"]],
    ["İstanbul", "i̇stanbul istanbul ISTANBUL", ["i̇stanbul", "istanbul", "ISTANBUL"]],
    ["ﬁnanz", "FINANZ", ["FINANZ"]],
    // Keyboards and digits.
    ["کیف", "كيف", ["كيف"]],
    ["علي", "على", []],
    ["agent 47", "agent ٤٧", ["agent ٤٧"]],
  ])("%j in %j finds %j", (keyword, text, expected) => {
    expect(found("keywords", text, { keywords: [keyword] })).toEqual(expected);
  });

  it("match within words when asked to", () => {
    expect(found("keywords", "badly", { keywords: ["bad"], match: "substring" })).toEqual(["bad"]);
  });

  it("heed case when asked to", () => {
    expect(found("keywords", "Bad bad", { keywords: ["bad"], case_sensitive: true })).toEqual(["bad"]);
  });

  it.each<[string, string, string[]]>([
    ["Apple", "Аpple Applе аpple apple", ["Аpple", "Applе"]],
    ["Москва", "Mосква mосква москва", ["Mосква"]],
    ["O'Brien", "O’Brien o’brien", ["O’Brien"]],
    ["Straße", "Straße Strasse", ["Straße"]],
  ])("heed the case of look-alikes: %j in %j finds %j", (keyword, text, expected) => {
    expect(found("keywords", text, { keywords: [keyword], case_sensitive: true })).toEqual(expected);
  });

  it("give the longest of overlapping phrases once", () => {
    expect(found("keywords", "a credit card number", { keywords: ["credit", "credit card", "card"] })).toEqual([
      "credit card",
    ]);
  });

  it("carry the category that the author chose", () => {
    expect(scan("keywords", "bad", { keywords: ["bad"], category: "house.words" })[0]?.category).toBe("house.words");
  });

  it("are found as substrings exactly where a plain search finds them", () => {
    const word = fc
      .string({ unit: fc.constantFrom("a", "b", "ö", "я", "語", " "), minLength: 1, maxLength: 4 })
      .filter((text) => text.trim() === text && !text.includes("  "));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "ö", "я", "語", "😀"), maxLength: 40 });
    fc.assert(
      fc.property(word, text, (keyword, sample) => {
        const expected: number[] = [];
        for (let at = sample.indexOf(keyword); at >= 0; at = sample.indexOf(keyword, at + 1)) expected.push(at);
        expect(
          scan("keywords", sample, { keywords: [keyword], match: "substring" }).map((detection) => detection.start),
        ).toEqual(expected);
      }),
      { numRuns: 1000, seed: 9 },
    );
  });
});

describe("the check of keywords", () => {
  const check = (keywords: string[]) => detectorDefinition("keywords")?.check({ keywords });

  it("passes ordinary ones", () => {
    expect(check(["bad", "very bad", "語"])).toEqual([]);
  });

  it("names those that cannot be found", () => {
    expect(check(["ok", "\u200b", "\ud83d"])?.map((problem) => problem.path)).toEqual(["keywords[1]", "keywords[2]"]);
  });
});

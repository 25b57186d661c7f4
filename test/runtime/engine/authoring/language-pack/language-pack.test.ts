// The language packs that ship with the product: each passes its own tests while all of them are on.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readLanguagePacks } from "../../../../../runtime/engine/authoring/language-pack/language-pack.ts";
import { readLanguageFiles } from "../../../../../src/kit/process/language-file.ts";
import { finderOf } from "./sample-language.ts";

const files = readLanguageFiles();
const packs = readLanguagePacks(files);
const tags = "ar cs da de en es fi fr he hi id it ja ko nl no pl pt ru sv th tr uk zh".split(" ");
const find = finderOf(packs.map(({ overlay }) => overlay));

describe("the language packs", () => {
  it("are there for 24 languages, each in the file of its tag", () => {
    expect(packs.map(({ overlay }) => overlay.language)).toEqual(tags);
    expect(files.map(({ path }) => path.replace(/^.*\/|\.yaml$/g, ""))).toEqual(tags);
  });

  it.each(packs.map((pack) => [pack.overlay.language, pack] as const))("of %s passes its tests", (_, { tests }) => {
    const missed = tests.found.filter(({ text, category }) => !find(text).some((found) => found.category === category));
    expect(missed).toEqual([]);
    const wrong = tests.not_found.flatMap((text) => find(text).map((found) => ({ in: text, ...found })));
    expect(wrong).toEqual([]);
  });

  it("find every one of their own terms", () => {
    const missed = packs.flatMap(({ overlay: { language, terms } }) =>
      Object.entries({ ...terms, pii_cue: [] }).flatMap(([category, list]) =>
        list.flatMap(({ term }) => (find(term).some((found) => found.category === category) ? [] : [[language, term]])),
      ),
    );
    expect(missed).toEqual([]);
  });
});

describe("a file that is no language pack", () => {
  const good = files.find(({ path }) => path.endsWith("/pl.yaml"))?.text ?? "";
  const refusalOf = (text: string) => {
    try {
      readLanguagePacks([{ path: "pl.yaml", text }]);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };

  it.each([
    ["a tag that is not canonical", /^language: pl$/m, "language: PL", "PL is no canonical tag"],
    ["an unknown key", /^name: Polish$/m, "nam: Polish", "nam"],
    ["a term twice", /^ {2}toxicity:$/m, '  toxicity:\n    - "zdechnij wreszcie"', '"zdechnij wreszcie" occurs twice'],
    ["a term without letters", /^ {2}toxicity:$/m, '  toxicity:\n    - "!!"', '"!!" has no letter or digit'],
    ["a pattern without a literal", /pattern: .*/, 'pattern: "[a-z]{5,9}"', "has no literal that every match contains"],
    ["a pattern of another language", /id: pl\./, "id: de.", "does not begin with pl."],
    [
      "a pattern of an unknown list",
      /pattern: .*/,
      'pattern: "kup <bron> nielegalnie"',
      "names <bron>, which is no list",
    ],
    ["a cue of nothing", /, entity: PASSPORT\}/, "}", '"numer paszportu" needs entity'],
    [
      "an entity of a threat",
      /^ {2}toxicity:$/m,
      '  toxicity:\n    - {term: "xyz", entity: PHONE}',
      '"xyz" has no entity',
    ],
    ["a claim without figures", /^trust_level: draft$/m, "trust_level: measured", "says nothing of what was measured"],
  ])("is refused for %s", (_, from, to, message) => {
    const text = good.replace(/^coverage:\n(?: .*\n)*/m, "");
    expect(refusalOf(text)).toBeUndefined();
    expect(refusalOf(text.replace(from, to))).toContain(message);
  });

  it("is refused for an exception that does not contain the term", () => {
    const text = good.replace(/^ {2}toxicity:$/m, '  toxicity:\n    - {term: "xyz", unless: ["abc"]}');
    expect(refusalOf(text)).toContain("does not contain the term");
  });
});

describe("the pack that docs/how-to/add-a-language.md writes", () => {
  const page = readFileSync(new URL("../../../../../docs/how-to/add-a-language.md", import.meta.url), "utf8");
  const text = /```yaml\n(# packs\/languages\/sw\.yaml\n[^`]*)```/.exec(page)?.[1] ?? "";

  it("passes its tests while all others are on, and adds to what they find", () => {
    const all = readLanguagePacks([...files, { path: "packs/languages/sw.yaml", text }]);
    const pack = all.find(({ overlay }) => overlay.language === "sw");
    const findAll = finderOf(all.map(({ overlay }) => overlay));
    expect(pack?.tests.found.length).toBeGreaterThan(0);
    for (const { text: said, category } of pack?.tests.found ?? []) {
      expect(find(said)).toEqual([]);
      expect(findAll(said).map((found) => found.category)).toContain(category);
    }
    expect(pack?.tests.not_found.flatMap(findAll)).toEqual([]);
  });
});

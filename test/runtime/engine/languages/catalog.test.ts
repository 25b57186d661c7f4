// A language is a folder: what lies in it is in the catalog, and the detectors have what the catalog has.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { detectorOf } from "../../../../runtime/engine/detectors/catalog.ts";
import { ofLanguages } from "../../../../runtime/engine/languages/catalog.ts";
import type { Language } from "../../../../runtime/engine/languages/language.ts";

const folder = join(import.meta.dirname, "../../../../runtime/engine/languages");
const languages = new Map(ofLanguages((language) => language));
const keys: Readonly<Record<string, Exclude<keyof Language, "tag">>> = {
  "content-safety.ts": "contentSafety",
  "injection.ts": "injection",
  "phone.ts": "phone",
  "profanity.ts": "profanity",
  "self-harm.ts": "selfHarm",
  "toxicity.ts": "toxicity",
};

function tagsWith(key: keyof Language): string[] {
  return [...languages.values()].filter((language) => language[key] !== undefined).map(({ tag }) => tag);
}

describe("the languages", () => {
  it("are the folders, by their canonical tags", () => {
    const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect([...languages.keys()].toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
    expect(Intl.getCanonicalLocales([...languages.keys()])).toEqual([...languages.keys()]);
  });

  it.each([...languages.values()])("has all files of $tag", (language) => {
    const files = readdirSync(join(folder, language.tag), { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== "language.ts")
      .map(({ name }) => name);
    const { tag, ...parts } = language;
    expect(files.map((name) => keys[name]).toSorted()).toEqual(Object.keys(parts).toSorted());
  });

  it.each([
    ["injection", "injection"],
    ["profanity", "profanity"],
    ["self_harm", "selfHarm"],
    ["toxicity", "toxicity"],
  ] as const)("of the detector %s are those with a file for it", (id, key) => {
    expect(detectorOf(id).definition.languages.toSorted()).toEqual(tagsWith(key).toSorted());
  });

  it("come in the order of the catalog, those first that are named", () => {
    const all = ofLanguages(({ tag }) => tag).map(([tag]) => tag);
    const led = ofLanguages(({ tag }) => (tag === "en" ? undefined : tag), "ko en fr").map(([tag]) => tag);
    expect(led).toEqual(["ko", "fr", ...all.filter((tag) => !["ko", "en", "fr"].includes(tag))]);
  });
});

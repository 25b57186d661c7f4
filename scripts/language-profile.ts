// Makes the profiles of the detector "language" from the texts of the corpus: for each script that several languages
// share, its most telling trigrams and how common each is in each language. Run by hand after changes of the corpus:
// npx node scripts/language-profile.ts models/corpus. A fifth of the groups is held out, and the results of the
// profiles on it are printed.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { eachGram } from "../runtime/engine/detectors/language/gram.ts";
import { identify } from "../runtime/engine/detectors/language/identify.ts";

const families: Readonly<Record<string, readonly string[]>> = {
  latin: "cs da de en es fi fil fr hu id it ms nl no pl pt ro sv sw tr vi".split(" "),
  cyrillic: ["ru", "uk"],
  arabic: ["ar", "fa", "ur"],
};
const scripts: Readonly<Record<string, RegExp>> = {
  latin: /\p{sc=Latn}/gu,
  cyrillic: /\p{sc=Cyrl}/gu,
  arabic: /\p{sc=Arab}/gu,
};
const gramsPerLanguage = 80;
const commonGrams = 30;
const minCount = 4;
const target = resolve(import.meta.dirname, "../runtime/engine/detectors/language/profile.json");

interface Row {
  readonly lang: string;
  readonly text: string;
  readonly group: string;
}

const folder = process.argv[2];
if (folder === undefined) throw new Error("usage: language-profile.ts <folder of the corpus>");
const rows = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .flatMap((name) => rowsOf(join(folder, name)));
if (process.argv[3] !== "--report") writeFileSync(target, `${JSON.stringify(profiles())}\n`);
else report();

function rowsOf(path: string): Row[] {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line)).map(({ lang, text, group, id }) => ({ lang, text, group: group ?? id }));
}

function isHeldOut({ group }: Row): boolean {
  return createHash("sha256").update(group).digest().readUInt32BE(0) % 5 === 0;
}

function countsOf(language: string, script: RegExp): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    if (row.lang !== language || isHeldOut(row) || (row.text.match(script)?.length ?? 0) < row.text.length / 3)
      continue;
    eachGram(row.text.normalize("NFC"), (...units) => {
      const gram = String.fromCharCode(...units);
      counts.set(gram, (counts.get(gram) ?? 0) + 1);
      return true;
    });
  }
  return counts;
}

function profiles() {
  return Object.fromEntries(
    Object.entries(families).map(([name, languages]) => [name, profileOf(languages, scripts[name] ?? /\p{L}/gu)]),
  );
}

function profileOf(languages: readonly string[], script: RegExp) {
  const counts = new Map(languages.map((language) => [language, countsOf(language, script)]));
  const totals = new Map(
    [...counts].map(([language, own]) => [language, [...own.values()].reduce((a, b) => a + b, 0)]),
  );
  const share = (language: string, gram: string) =>
    (counts.get(language)?.get(gram) ?? 0) / (totals.get(language) ?? 1);
  const chosen = new Set<string>();
  for (const [language, own] of counts) {
    const frequent = [...own].filter(([, count]) => count >= minCount).map(([gram]) => gram);
    const telling = (gram: string) => {
      const mean = languages.reduce((sum, other) => sum + share(other, gram), 0) / languages.length;
      return share(language, gram) * Math.log(share(language, gram) / mean);
    };
    for (const gram of frequent.toSorted((a, b) => telling(b) - telling(a)).slice(0, gramsPerLanguage))
      chosen.add(gram);
    for (const gram of frequent.toSorted((a, b) => share(language, b) - share(language, a)).slice(0, commonGrams))
      chosen.add(gram);
  }
  const grams = [...chosen].toSorted();
  const letter = (language: string, gram: string) => {
    const smoothed = ((counts.get(language)?.get(gram) ?? 0) + 0.5) / (totals.get(language) ?? 1);
    return String.fromCharCode(97 + Math.max(0, Math.min(25, Math.round((Math.log(smoothed * 1e4) + 1.5) * 3.2))));
  };
  const weights = languages.map((language) => [language, grams.map((gram) => letter(language, gram)).join("")]);
  return { grams: grams.join(""), weights: Object.fromEntries(weights) };
}

function report(): void {
  const tally = new Map<string, [number, number]>();
  for (const row of rows.filter(isHeldOut)) {
    const entry = tally.get(row.lang) ?? [0, 0];
    entry[1]++;
    if (identify(row.text)?.language === row.lang) entry[0]++;
    tally.set(row.lang, entry);
  }
  for (const [language, [right, all]] of [...tally].toSorted())
    console.log(language, right, all, (right / all).toFixed(3));
  const [right, all] = [...tally.values()].reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
  console.log("all", right, all, (right / all).toFixed(4));
}

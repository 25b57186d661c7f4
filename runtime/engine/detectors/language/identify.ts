// Which language a text is written in: by its script, and, where several languages share one, by the trigrams of its letters
// (W. Cavnar, J. Trenkle, "N-Gram-Based Text Categorization", 1994, with log-frequencies in place of ranks).

import { eachGram } from "./gram.ts";
import profiles from "./profile.json" with { type: "json" };

/** What a text is written in. */
export interface Identified {
  /** BCP 47 tag. */
  readonly language: string;
  /** Certainty, 0 to 1. */
  readonly score: number;
}

interface Profile {
  readonly index: ReadonlyMap<string, number>;
  readonly languages: readonly string[];
  /** Weights of all languages, trigram after trigram. */
  readonly weights: Uint8Array;
}

const read = new Map(Object.entries(profiles).map(([script, profile]) => [script, readProfile(profile)]));

function readProfile({ grams, weights }: { readonly grams: string; readonly weights: object }): Profile {
  const list = grams.match(/[\s\S]{3}/g) ?? [];
  const entries: [string, string][] = Object.entries(weights);
  const flat = new Uint8Array(list.length * entries.length);
  for (const [language, [, letters]] of entries.entries())
    for (let gram = 0; gram < list.length; gram++)
      flat[gram * entries.length + language] = letters.charCodeAt(gram) - 97;
  return {
    index: new Map(list.map((gram, i) => [gram, i])),
    languages: entries.map(([language]) => language),
    weights: flat,
  };
}

/** Ranges of code units of scripts: of those that one language of ours writes, or one that stands for all, by its tag. */
const ranges: readonly (readonly [string, number, number])[] = [
  ["latin", 0x41, 0x5a],
  ["latin", 0x61, 0x7a],
  ["latin", 0xc0, 0x24f],
  ["latin", 0x1e00, 0x1eff],
  ["el", 0x370, 0x3ff],
  ["el", 0x1f00, 0x1fff],
  ["cyrillic", 0x400, 0x52f],
  ["hy", 0x530, 0x58f],
  ["he", 0x590, 0x5ff],
  ["arabic", 0x600, 0x6ff],
  ["arabic", 0x750, 0x77f],
  ["arabic", 0x8a0, 0x8ff],
  ["arabic", 0xfb50, 0xfdff],
  ["arabic", 0xfe70, 0xfeff],
  ["hi", 0x900, 0x97f],
  ["bn", 0x980, 0x9ff],
  ["pa", 0xa00, 0xa7f],
  ["gu", 0xa80, 0xaff],
  ["ta", 0xb80, 0xbff],
  ["te", 0xc00, 0xc7f],
  ["kn", 0xc80, 0xcff],
  ["ml", 0xd00, 0xd7f],
  ["th", 0xe00, 0xe7f],
  ["ka", 0x10a0, 0x10ff],
  ["ko", 0x1100, 0x11ff],
  ["ko", 0xac00, 0xd7af],
  ["ja", 0x3040, 0x30ff],
  ["ja", 0xff66, 0xff9f],
  ["zh", 0x3400, 0x4dbf],
  ["zh", 0x4e00, 0x9fff],
  ["zh", 0xf900, 0xfaff],
];
const scripts = [...new Set(ranges.map(([name]) => name))];
/** The number of the script of each code unit, from one on. */
const scriptOf = new Uint8Array(65_536);
for (const [name, from, to] of ranges) scriptOf.fill(scripts.indexOf(name) + 1, from, to + 1);

function countScripts(text: string): Map<string, number> {
  const counts = new Int32Array(scripts.length + 1);
  for (let i = 0; i < text.length; i++) {
    const script = scriptOf[text.charCodeAt(i)] ?? 0;
    counts[script] = (counts[script] ?? 0) + 1;
  }
  return new Map(scripts.map((name, i) => [name, counts[i + 1] ?? 0]));
}

/** A letter of these scripts is worth several of an alphabet. */
const denseWeight = 2.5;
const fewestGrams = 8;
/** More of them say nothing new. */
const mostGrams = 120;

/** The language of a text, if there is enough of it to tell. */
export function identify(text: string): Identified | undefined {
  if (!/[^\0-\x7f]/.test(text)) return identifyByGrams("latin", text);
  const count = countScripts(text);
  // Japanese is written with Chinese characters as well: some kana decide.
  const kana = count.get("ja") ?? 0;
  if (kana > 0 && kana * 8 >= (count.get("zh") ?? 0)) count.set("ja", kana + (count.get("zh") ?? 0)).set("zh", 0);
  for (const name of ["ja", "zh", "ko"]) count.set(name, (count.get(name) ?? 0) * denseWeight);
  const [name, letters] = [...count].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ["", 0]);
  if (letters < 2) return undefined;
  if (read.has(name)) return identifyByGrams(name, text);
  const all = [...count.values()].reduce((sum, each) => sum + each, 0);
  return { language: name, score: letters >= 6 ? Math.min(0.99, letters / all + 0.2) : 0.4 };
}

function identifyByGrams(script: string, text: string): Identified | undefined {
  const profile = read.get(script);
  if (profile === undefined) return undefined;
  const width = profile.languages.length;
  const sums = new Int32Array(width);
  let known = 0;
  eachGram(text.normalize("NFC"), (gram) => {
    const index = profile.index.get(gram);
    if (index === undefined) return known < mostGrams;
    for (let i = 0; i < width; i++) sums[i] = (sums[i] ?? 0) + (profile.weights[index * width + i] ?? 0);
    return ++known < mostGrams;
  });
  if (known < fewestGrams) return undefined;
  const order = [...sums].map((sum, i) => ({ sum, i })).sort((a, b) => b.sum - a.sum);
  const [best, second] = order;
  if (best === undefined || second === undefined) return undefined;
  // Weights are logarithms, 3.2 steps for each natural unit: the difference says how much likelier the first is.
  const odds = (best.sum - second.sum) / 3.2;
  return { language: profile.languages[best.i] ?? "", score: Math.min(0.99, 1 - Math.exp(-odds / 4)) };
}

/** The languages that can be told, in order. */
export const languages: readonly string[] = [
  ...new Set([
    ...scripts.filter((name) => !read.has(name)),
    ...[...read.values()].flatMap((profile) => profile.languages),
  ]),
].sort();

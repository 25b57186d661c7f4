// Identifies the language of a text: by its script, and, where several languages share a script, by letter trigrams (W.
// Cavnar, J. Trenkle, "N-Gram-Based Text Categorization", 1994, with log-frequencies instead of ranks).

import { normalForm } from "../../text/normal-form.ts";
import { eachGram } from "./gram.ts";
import profiles from "./profile.json" with { type: "json" };

/** The language of a text. */
export interface Identified {
  /** BCP 47 tag. */
  readonly language: string;
  /** Certainty, 0 to 1. */
  readonly score: number;
}

interface Profile {
  readonly languages: readonly string[];
  /** The number of each letter in trigrams, starting at one. */
  readonly letters: Uint8Array;
  /** The trigrams by the numbers of their letters: an open-addressed table of keys and positions. */
  readonly keys: Int32Array;
  readonly places: Uint16Array;
  /** Weights of all languages, ordered by trigram. */
  readonly weights: Uint8Array;
}

const slotBits = 12;
const slotCount = 1 << slotBits;
/** All letters of profiles are below this code unit. */
const letterSpace = 0x2000;

const read = new Map(Object.entries(profiles).map(([script, profile]) => [script, readProfile(profile)]));

function readProfile({ grams, weights }: { readonly grams: string; readonly weights: object }): Profile {
  const count = grams.length / 3;
  const entries: [string, string][] = Object.entries(weights);
  const flat = new Uint8Array(count * entries.length);
  for (const [language, [, marks]] of entries.entries())
    for (let gram = 0; gram < count; gram++) flat[gram * entries.length + language] = marks.charCodeAt(gram) - 97;
  const letters = new Uint8Array(letterSpace);
  for (const [i, letter] of [...new Set(grams)].entries()) letters[letter.charCodeAt(0)] = i + 1;
  const profile: Profile = {
    languages: entries.map(([language]) => language),
    letters,
    keys: new Int32Array(slotCount),
    places: new Uint16Array(slotCount),
    weights: flat,
  };
  for (let gram = 0; gram < count; gram++) {
    const [first, second, third] = [0, 1, 2].map((i) => grams.charCodeAt(gram * 3 + i));
    const key = keyOf(letters, first ?? 0, second ?? 0, third ?? 0);
    const slot = slotOf(profile.keys, key);
    profile.keys[slot] = key;
    profile.places[slot] = gram;
  }
  return profile;
}

// No trigram of a profile has the key 0, which stands for trigrams with an unknown letter.
function keyOf(letters: Uint8Array, first: number, second: number, third: number): number {
  const a = letters[first] ?? 0;
  const b = letters[second] ?? 0;
  const c = letters[third] ?? 0;
  return a === 0 || b === 0 || c === 0 ? 0 : (a << 16) | (b << 8) | c;
}

function slotOf(keys: Int32Array, key: number): number {
  let slot = Math.imul(key, 0x9e3779b1) >>> (32 - slotBits);
  while (keys[slot] !== key && keys[slot] !== 0) slot = (slot + 1) & (slotCount - 1);
  return slot;
}

/**
 * Ranges of code units by script, with the tag of the only language of the catalog in that script, or a tag that stands
 * for all.
 */
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
/** The number of the script of each code unit, starting at one. */
const scriptOf = new Uint8Array(65_536);
for (const [name, from, to] of ranges) scriptOf.fill(scripts.indexOf(name) + 1, from, to + 1);

const kanaScript = scripts.indexOf("ja");
const hanScript = scripts.indexOf("zh");
const hangulScript = scripts.indexOf("ko");
const counts = new Float64Array(scripts.length);

function countScripts(text: string, from: number, to: number): void {
  counts.fill(0);
  for (let i = from; i < to; i++) {
    const script = scriptOf[text.charCodeAt(i)] ?? 0;
    if (script > 0) counts[script - 1] = (counts[script - 1] ?? 0) + 1;
  }
}

/** A character of these scripts counts as several letters. */
const denseWeight = 2.5;
const minGrams = 8;
/** More trigrams do not improve the result. */
const maxGrams = 120;

/** The tag for text in a known script with too few letters to identify the language. */
const unknown = "und";

/** Groups languages that are equivalent for the caller, for example because both are allowed. */
type GroupOf = (language: string) => unknown;

/**
 * The language of a text from `from` to `to`, if there is enough text. The score is the certainty that it is this
 * language or, with `groupOf`, that it is one of its group: when neither Malay nor Indonesian is allowed, it does not
 * matter which one it is.
 */
export function identify(
  text: string,
  from = 0,
  to = text.length,
  groupOf: GroupOf = (language) => language,
): Identified | undefined {
  const top = highestUnit(text, from, to);
  if (top <= 0x7f) return identifyByGrams("latin", text.slice(from, to), groupOf);
  countScripts(text, from, to);
  // Japanese also uses Chinese characters, so a few kana decide.
  const kana = counts[kanaScript] ?? 0;
  const han = counts[hanScript] ?? 0;
  if (kana > 0 && kana * 8 >= han) {
    counts[kanaScript] = kana + han;
    counts[hanScript] = 0;
  }
  for (const script of [kanaScript, hanScript, hangulScript]) counts[script] = (counts[script] ?? 0) * denseWeight;
  let most = 0;
  let all = 0;
  for (let script = 0; script < counts.length; script++) {
    all += counts[script] ?? 0;
    if ((counts[script] ?? 0) > (counts[most] ?? 0)) most = script;
  }
  const letters = counts[most] ?? 0;
  const name = scripts[most] ?? "";
  if (letters < 2) return undefined;
  const score = letters >= 6 ? Math.min(0.99, letters / all + 0.2) : 0.4;
  const ofScript = read.get(name)?.languages;
  if (ofScript === undefined) return { language: name, score };
  const told = identifyByGrams(name, text.slice(from, to), groupOf);
  // When all languages of a script are in one group, the script suffices. Latin letters do not, since code and names
  // use them in every language.
  const group = groupOf(ofScript[0] ?? "");
  const isOneGroup = name !== "latin" && ofScript.every((language) => groupOf(language) === group);
  if (!isOneGroup || (told === undefined && groupOf(unknown) !== group)) return told;
  return { language: told?.language ?? unknown, score };
}

function highestUnit(text: string, from: number, to: number): number {
  let top = 0;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit > top) top = unit;
  }
  return top;
}

/** Marks that combine with the letter before them. */
const marks = /[\u0300-\u036f\u0653-\u0655]/;

function identifyByGrams(script: string, text: string, groupOf: GroupOf): Identified | undefined {
  const profile = read.get(script);
  if (profile === undefined) return undefined;
  const sums = new Int32Array(profile.languages.length);
  const known = addGrams(profile, marks.test(text) ? normalForm(text, "NFC") : text, sums);
  if (known < minGrams) return undefined;
  const best = bestOf(sums, () => true);
  const group = groupOf(profile.languages[best] ?? "");
  const rival = bestOf(sums, (i) => groupOf(profile.languages[i] ?? "") !== group);
  const second = rival >= 0 ? rival : bestOf(sums, (i) => i !== best);
  // Weights are logarithms, 3.2 steps per natural unit: their difference is the log-likelihood ratio.
  const odds = ((sums[best] ?? 0) - (sums[second] ?? 0)) / 3.2;
  return { language: profile.languages[best] ?? "", score: Math.min(0.99, 1 - Math.exp(-odds / 4)) };
}

// The index of the largest of some sums; -1 when none qualifies.
function bestOf(sums: Int32Array, isWanted: (index: number) => boolean): number {
  let best = -1;
  for (let i = 0; i < sums.length; i++) if (isWanted(i) && (best < 0 || (sums[i] ?? 0) > (sums[best] ?? 0))) best = i;
  return best;
}

function addGrams({ letters, keys, places, weights }: Profile, text: string, sums: Int32Array): number {
  const width = sums.length;
  let known = 0;
  eachGram(text, (first, second, third) => {
    const key = keyOf(letters, first, second, third);
    const slot = key === 0 ? 0 : slotOf(keys, key);
    if (key === 0 || keys[slot] !== key) return true;
    const at = (places[slot] ?? 0) * width;
    for (let i = 0; i < width; i++) sums[i] = (sums[i] ?? 0) + (weights[at + i] ?? 0);
    return ++known < maxGrams;
  });
  return known;
}

/** The languages that can be identified, in order. */
export const languages: readonly string[] = [
  ...new Set([
    ...scripts.filter((name) => !read.has(name)),
    ...[...read.values()].flatMap((profile) => profile.languages),
  ]),
].sort();

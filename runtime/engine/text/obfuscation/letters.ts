// Spans whose letters are replaced or separated.

import { normalForm } from "../normal-form.ts";
import { joinedCuts } from "./cut-words.ts";
import type { Signals } from "./signals.ts";
import type { ObfuscatedSpan } from "./span.ts";

/** The letters that digits and signs stand for within words. */
const leet: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ "0": "o", "1": "i", "2": "z", "3": "e", "4": "a", "5": "s", "6": "g", "7": "t", "8": "b", "9": "g" },
    ...{ "@": "a", $: "s", "!": "i", "|": "l", "+": "t", "€": "e", "£": "l", "¥": "y", "¢": "c", "(": "c", "&": "e" },
  }),
);

/** Small capitals, upside-down letters and the like that NFKC does not change. */
const fancy: ReadonlyMap<string, string> = new Map(
  [
    ["ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnopqrstuvwyz"],
    ["ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎɓɖɗɠɦɨɩʝƙɭɱɲɳɵɸʠɾʂʈʉʋʐʑ", "acefghijkmrtvwybddghiijklmnnoqqrstuvzz"],
    ["⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵⠀", "abcdefghijklmnopqrstuvwxyz "],
  ].flatMap(([from, to]) => [...(from ?? "")].map((char, index): [string, string] => [char, to?.[index] ?? ""])),
);
const fancyChars = new RegExp(`[${[...fancy.keys()].join("")}\\u{1f110}-\\u{1f189}\\u{1f1e6}-\\u{1f1ff}]`, "gu");
const firstOfPlane: readonly (readonly [number, number])[] = [
  [0x1f110, 0x1f129],
  [0x1f130, 0x1f149],
  [0x1f150, 0x1f169],
  [0x1f170, 0x1f189],
  [0x1f1e6, 0x1f1ff],
];

/** Lines are examined one by one, long ones in chunks. */
const maxLineLength = 2_048;
/** Marks on letters make a sentence many times as long. */
const maxMarkedLength = 16_384;
const maxWordLength = 40;
const leetWords = /[^\s.,;:?"'()[\]{}<>/\\=_-]+/g;
const minMixed = 2;
/** Units of a word of six letters that stand apart. */
const minSpacedWord = 11;
const minSingles = 5;
/** Words of which a single one in disguise is enough. */
const wordsOfOrders =
  /^(?:instructions?|ignor(?:e|es|ed|ing)|disregard|override|overwrite|bypass|passwords?|passphrase|credentials?|secrets?|confidential|system|prompts?|hidden|guidelines|restrictions?|previous|jailbreak|jailbroken|unrestricted|uncensored|developer|environment|administrator|exfiltrate|disobey|forget|reveal|execute|permissions?|policy|policies)$/i;
const isParting = new Uint8Array(65_536);
for (const char of "-.*_~|/+^#·•") isParting[char.charCodeAt(0)] = 1;

/** The spans whose letters are replaced or separated. */
export function letterSpans(text: string, signals: Signals): ObfuscatedSpan[] {
  const found: ObfuscatedSpan[] = [];
  if (signals.leet) found.push(...linesOf(text).flatMap((line) => withText("leet", line, unleeted(line.text))));
  if (signals.spaced) {
    found.push(...chunksOf(text).flatMap((part) => withText("spaced", part, joinedLetters(part.text))));
    found.push(...linesOf(text).flatMap((line) => withText("split", line, joinedWords(line.text))));
  }
  // Where all words are put together already, those of a list add nothing.
  if (signals.cut && found.length === 0)
    found.push(...chunksOf(text).flatMap((part) => withText("split", part, joinedCuts(part.text))));
  if (signals.fancy)
    found.push(...chunksOf(text, maxMarkedLength).flatMap((part) => withText("fancy", part, unfancied(part.text))));
  return found;
}

function withText(layer: string, { start, end }: Line, text: string | undefined): ObfuscatedSpan[] {
  return text === undefined ? [] : [{ layer, start, end, text }];
}

interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The lines of a text, in chunks of at most 2,048 units. `end` is exclusive and does not include the line feed:
 * "ab\ncd" has lines at 0 to 2 and 3 to 5.
 */
export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = Math.min(newline < 0 ? text.length : newline, start + maxLineLength);
    if (end > start) lines.push({ start, end, text: text.slice(start, end) });
    start = end === newline ? end + 1 : end;
  }
  return lines;
}

/** The text in chunks of at most 2,048 units, or of another size. */
export function chunksOf(text: string, size = maxLineLength): Line[] {
  const parts: Line[] = [];
  for (let start = 0; start < text.length; start += size) {
    const end = Math.min(text.length, start + size);
    parts.push({ start, end, text: text.slice(start, end) });
  }
  return parts;
}

// A word is mixed when digits or signs stand among its letters. Quantities are exempt; versions and identifiers are too
// few to matter. Of a line with few mixed words only those are read that hide a word of orders.
function unleeted(line: string): string | undefined {
  let mixed = 0;
  let words = 0;
  for (const [word] of line.matchAll(leetWords)) {
    if (word.length > maxWordLength || !/[a-z0-9]/i.test(word)) continue;
    words++;
    if (/[a-z][0-9@$!|+€£¥¢(&]+[a-z]|^[0-9@$!|€£¥¢][a-z]{1,}|[a-z]{1,}[0-9@$|€£¥¢]$/i.test(word) && !isQuantity(word))
      mixed++;
  }
  if (mixed === 0) return undefined;
  if (mixed >= minMixed && mixed * 5 >= words) return plainOf(line);
  const read = line.replaceAll(leetWords, (word) => (wordsOfOrders.test(plainOf(word)) ? plainOf(word) : word));
  return read === line ? undefined : read;
}

function plainOf(text: string): string {
  return text.replaceAll(/[0-9@$!|+€£¥¢(&]/g, (char) => leet.get(char) ?? char);
}

function isQuantity(word: string): boolean {
  return /^[$€£]?[0-9]+(?:st|nd|rd|th|s|k|m|x|gb|mb|kb|km|kg|mg|cm|mm|ml|pm|am|h|min|hz|px|d|b|v)?!?$/i.test(word);
}

// "i g n o r e   a l l": single letters with one separator between them, and more than one between words. Where nothing
// else separates words, the result has no spaces. A word of six letters is enough: nobody writes one so by chance.
function joinedLetters(text: string): string | undefined {
  if (!mayBeLetters(text)) return undefined;
  let joined = 0;
  let longest = 0;
  const read = text.replaceAll(
    /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:([ \t\n.\-_*|/~+,·•]|\p{Extended_Pictographic}\ufe0f?)[\p{L}\p{N}](?![\p{L}\p{N}]))+/gu,
    (run) => {
      joined += run.length;
      longest = Math.max(longest, run.length);
      return run.replaceAll(/[ \t\n.\-_*|/~+,·•]|\p{Extended_Pictographic}\ufe0f?/gu, "");
    },
  );
  const isMostOfIt = joined >= minSingles * 2 && joined * 2 >= text.length - (text.length - joined) / 2;
  if (!isMostOfIt && longest < minSpacedWord) return undefined;
  return read.replaceAll(/[ \t]{2,}/g, " ");
}

// Whether the text may have enough single letters: a run has one separator fewer than letters, and makes up a third of
// the text or is a long word.
function mayBeLetters(text: string): boolean {
  let alone = 0;
  let run = 0;
  let inRow = 0;
  let mostInRow = 0;
  for (let i = 0; i <= text.length; i++) {
    const unit = i < text.length ? text.charCodeAt(i) : 0;
    if (unit >= 0x80) return true;
    if (isAlphanumeric(unit)) run++;
    else {
      if (run === 1) {
        alone++;
        mostInRow = Math.max(mostInRow, ++inRow);
      } else inRow = 0;
      run = 0;
    }
  }
  return (alone >= minSingles && alone * 6 >= text.length) || mostInRow * 2 > minSpacedWord;
}

function isAlphanumeric(unit: number): boolean {
  const lower = unit | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
}

// "ig-no-re pre-vi-ous", "i.g.n.o.r.e", "ignore/all", '"ig" + "nore"': removes signs between letters when there are
// many.
function joinedWords(line: string): string | undefined {
  if (!hasSigns(line)) return undefined;
  const words = line.match(/\p{L}+/gu)?.length ?? 0;
  const parted = line.match(/\p{L}(?:[-.*_~|/+^#·•]{1,2}|["'] ?\+ ?["'])(?=\p{L})/gu)?.length ?? 0;
  if (parted < minSingles || parted * 3 < words) return undefined;
  return line.replaceAll(/(\p{L})(?:[-.*_~|/+^#·•]{1,2}|["'] ?\+ ?["'])(?=\p{L})/gu, "$1");
}

// Whether the line has enough signs. Every sign that separates letters is one of these, or a plus between quotation
// marks.
function hasSigns(line: string): boolean {
  let left = minSingles;
  for (let i = 0; i < line.length && left > 0; i++) if (isParting[line.charCodeAt(i)] === 1) left--;
  return left === 0;
}

function unfancied(text: string): string | undefined {
  let changed = 0;
  const plain = text.replaceAll(fancyChars, (char) => {
    changed++;
    return fancy.get(char) ?? enclosed(char.codePointAt(0) ?? 0);
  });
  const bare = normalForm(plain, "NFD").replaceAll(/([a-z])\p{M}+/giu, (_, letter: string) => {
    changed++;
    return letter;
  });
  return changed < minSingles || changed * 8 < bare.length ? undefined : bare;
}

function enclosed(point: number): string {
  const block = firstOfPlane.find(([first, last]) => point >= first && point <= last);
  return block === undefined ? "" : String.fromCharCode(0x61 + point - block[0]);
}

// The English words that reveal rotated text, under every rotation of their letters. A word of the text is looked up as
// it stands, which saves rotating the text back and then looking for words. A set of ways of rotation is a number of
// bits.

/** The bit of a shift along the alphabet. A shift by 0 is the word as it stands. */
export function shiftBit(by: number): number {
  return 1 << by;
}

/** As it stands. */
export const asItStands = 1;
/** Backwards. */
export const backwards = 1 << 26;
/** Atbash: each letter counted from the end of the alphabet. */
export const mirrored = 1 << 27;
/** A common word backwards, in ROT13 or in Atbash that is hardly ever a word itself: a signal of rotated text. */
export const rotationSignal = 1 << 28;

/** Number of ways, without the signal. */
export const wayCount = 28;

/** Words of two to four letters. */
const commonWords =
  "the to and of is in it you that for on with this all your are not as be or do me if my an but what how from have will can who now then tell say any here when give just only".split(
    " ",
  );

/** Words of five letters and more that are frequent in attacks. */
const attackWords =
  "please instructions instruction ignore previous above system prompt rules print repeat password following answer output write respond response pretend forget disregard reveal context words message question there would could should about which because their other information questions times where these".split(
    " ",
  );

/** Words of any language, names and fragments that look like a rotated common word. */
const ambiguousWords = new Set(["saw", "rof", "era", "son", "not", "tub", "woh"]);
const maxCommonLength = 4;
const lengths = attackWords.map((word) => word.length);
const minAttackLength = Math.min(...lengths);
const maxAttackLength = Math.max(...lengths);

/**
 * Short words as numbers, each followed by its ways, in a hash table with open addressing. The number of slots is a
 * power of two, several times the number of words.
 */
const slotCount = 8_192;
const shortWords = new Int32Array(2 * slotCount);
/** Longer words by their hash, likewise. Each slot holds an index of the list plus one, or 0 when it is empty. */
const longSlots = new Int16Array(slotCount);
const longWords: { readonly word: string; ways: number }[] = [];

for (const word of commonWords) addRotated(word, (rotated, way) => addShort(pack(rotated), way));
for (const word of attackWords) addRotated(word, addLong);
for (const word of commonWords) {
  for (const rotated of [reversed(word), shifted(word, 13), mirror(word)]) {
    const isCommon = (waysOfShort(pack(rotated)) & asItStands) !== 0;
    if (rotated.length > 2 && !ambiguousWords.has(rotated) && !isCommon) addShort(pack(rotated), rotationSignal);
  }
}

/** The ways in which a word of two to four letters is a known one. `packed` is the number that `pack` makes of it. */
export function waysOfShort(packed: number): number {
  for (let slot = slotOf(packed); ; slot = (slot + 1) & (slotCount - 1)) {
    const word = shortWords[2 * slot] ?? 0;
    if (word === packed) return shortWords[2 * slot + 1] ?? 0;
    if (word === 0) return 0;
  }
}

/** The ways in which a longer word is a known one. */
function waysOfLong(text: string, from: number, to: number): number {
  if (to - from < minAttackLength || to - from > maxAttackLength) return 0;
  for (let slot = longSlotOf(text, from, to); ; slot = (slot + 1) & (slotCount - 1)) {
    const known = longWords[(longSlots[slot] ?? 0) - 1];
    if (known === undefined) return 0;
    if (isWord(known.word, text, from, to)) return known.ways;
  }
}

/** The ways in which the word between two offsets is a known one. `packed` is the number from `eachWord`. */
export function waysOf(text: string, from: number, to: number, packed: number): number {
  if (to - from > maxCommonLength) return waysOfLong(text, from, to);
  return to - from > 1 ? waysOfShort(packed) : 0;
}

/**
 * Visits the words of ASCII letters with their offsets, until `visit` returns true. A word of up to four letters also
 * comes as one number: "ab" is 0x6162, at 1 to 3 in "-ab-". What lies after `end` is not read.
 */
export function eachWord(
  text: string,
  visit: (packed: number, from: number, to: number) => boolean,
  end = text.length,
): void {
  let from = -1;
  let packed = 0;
  for (let i = 0; i <= end; i++) {
    const lower = i < end ? text.charCodeAt(i) | 0x20 : 0;
    if (lower >= 0x61 && lower <= 0x7a) {
      if (from < 0) from = i;
      packed = i - from < maxCommonLength ? (packed << 8) | lower : 0;
    } else if (from >= 0) {
      if (visit(packed, from, i)) return;
      from = -1;
      packed = 0;
    }
  }
}

function pack(word: string): number {
  let packed = 0;
  for (let i = 0; i < word.length; i++) packed = (packed << 8) | word.charCodeAt(i);
  return packed;
}

function slotOf(packed: number): number {
  return Math.imul(packed ^ (packed >>> 15), 0x2c1b3c6d) >>> 19;
}

function addShort(packed: number, way: number): void {
  let slot = slotOf(packed);
  while (shortWords[2 * slot] !== 0 && shortWords[2 * slot] !== packed) slot = (slot + 1) & (slotCount - 1);
  shortWords[2 * slot] = packed;
  shortWords[2 * slot + 1] = (shortWords[2 * slot + 1] ?? 0) | way;
}

function longSlotOf(text: string, from: number, to: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ (text.charCodeAt(i) | 0x20), 0x01000193);
  return slotOf(hash);
}

// Whether the ASCII letters between two offsets are this word, in either case.
function isWord(word: string, text: string, from: number, to: number): boolean {
  if (to - from !== word.length) return false;
  for (let i = 0; i < word.length; i++) if ((text.charCodeAt(from + i) | 0x20) !== word.charCodeAt(i)) return false;
  return true;
}

function addLong(word: string, way: number): void {
  let slot = longSlotOf(word, 0, word.length);
  for (; longSlots[slot] !== 0; slot = (slot + 1) & (slotCount - 1)) {
    const known = longWords[(longSlots[slot] ?? 0) - 1];
    if (known?.word !== word) continue;
    known.ways |= way;
    return;
  }
  longSlots[slot] = longWords.push({ word, ways: way });
}

// Adds every rotated form of a word, with the way that turns it back.
function addRotated(word: string, add: (rotated: string, way: number) => void): void {
  for (let by = 0; by < 26; by++) add(shifted(word, 26 - by), shiftBit(by));
  add(reversed(word), backwards);
  add(mirror(word), mirrored);
}

function reversed(word: string): string {
  return [...word].reverse().join("");
}

function shifted(word: string, by: number): string {
  return lettersOf(word, (letter) => (letter + by) % 26);
}

function mirror(word: string): string {
  return lettersOf(word, (letter) => 25 - letter);
}

function lettersOf(word: string, replace: (letter: number) => number): string {
  return [...word].map((char) => String.fromCharCode(97 + replace(char.charCodeAt(0) - 97))).join("");
}

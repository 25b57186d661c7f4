// The words of English that turned texts are known by, with each way in which letters may have been turned: what a word would be if it
// were turned back is looked up, instead of turning a text and looking for words in it. A set of ways is a number of bits.

/** The bit of a shift along the alphabet; that of 0 is the word as it stands. */
export function shiftBit(by: number): number {
  return 1 << by;
}

/** As it stands. */
export const asItStands = 1;
/** Backwards. */
export const backwards = 1 << 26;
/** Counted from the end of the alphabet. */
export const mirrored = 1 << 27;
/** A common word backwards, by ROT13 or by Atbash that is hardly ever a word of its own: a sign that something is turned. */
export const turnedSign = 1 << 28;

/** Ways but the sign. */
export const wayCount = 28;

/** Words of two to four letters. */
const common =
  "the to and of is in it you that for on with this all your are not as be or do me if my an but what how from have will can who now then tell say any here when give just only".split(
    " ",
  );

/** Words of five letters and more that attacks are full of. */
const telling =
  "please instructions instruction ignore previous above system prompt rules print repeat password following answer output write respond response pretend forget disregard reveal context words message question there would could should about which because their other information questions times where these".split(
    " ",
  );

/** Words of any language, names and remains that look like a common word turned. */
const words = new Set(["saw", "rof", "era", "son", "not", "tub", "woh"]);
const longestCommon = 4;
const lengths = telling.map((word) => word.length);
const shortestTelling = Math.min(...lengths);
const longestTelling = Math.max(...lengths);

/** Short words as numbers, with open addressing: a power of two, several times as many as there are. */
const places = 8_192;
const shortWords = new Int32Array(places);
const shortWays = new Int32Array(places);
/** Longer words by their hash, likewise: what each place has, as one more than a place in the list. */
const longPlaces = new Int16Array(places);
const longWords: { readonly word: string; ways: number }[] = [];

for (const word of common) addTurned(word, (turned, way) => addShort(pack(turned), way));
for (const word of telling) addTurned(word, addLong);
for (const word of common) {
  for (const turned of [reversed(word), shifted(word, 13), mirror(word)]) {
    const isCommon = (waysOfShort(pack(turned)) & asItStands) !== 0;
    if (turned.length > 2 && !words.has(turned) && !isCommon) addShort(pack(turned), turnedSign);
  }
}

/** The ways in which a word of two to four letters, as `pack` makes it, is a known one. */
export function waysOfShort(packed: number): number {
  for (let place = placeOf(packed); ; place = (place + 1) & (places - 1)) {
    const word = shortWords[place] ?? 0;
    if (word === packed) return shortWays[place] ?? 0;
    if (word === 0) return 0;
  }
}

/** The ways in which a longer word is a known one. */
export function waysOfLong(text: string, from: number, to: number): number {
  if (to - from < shortestTelling || to - from > longestTelling) return 0;
  for (let place = longPlaceOf(text, from, to); ; place = (place + 1) & (places - 1)) {
    const known = longWords[(longPlaces[place] ?? 0) - 1];
    if (known === undefined) return 0;
    if (isWord(known.word, text, from, to)) return known.ways;
  }
}

/** The ways in which a word is a known one. `packed` is what `eachWord` says of it. */
export function waysOf(text: string, from: number, to: number, packed: number): number {
  if (to - from > longestCommon) return waysOfLong(text, from, to);
  return to - from > 1 ? waysOfShort(packed) : 0;
}

/** Visits the words of ASCII letters, each of up to four letters also as one number, until a visit says that it is enough. */
export function eachWord(text: string, visit: (packed: number, from: number, to: number) => boolean): void {
  let from = -1;
  let packed = 0;
  for (let i = 0; i <= text.length; i++) {
    const lower = i < text.length ? text.charCodeAt(i) | 0x20 : 0;
    if (lower >= 0x61 && lower <= 0x7a) {
      if (from < 0) from = i;
      packed = i - from < longestCommon ? (packed << 8) | lower : 0;
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

function placeOf(packed: number): number {
  return Math.imul(packed ^ (packed >>> 15), 0x2c1b3c6d) >>> 19;
}

function addShort(packed: number, way: number): void {
  let place = placeOf(packed);
  while (shortWords[place] !== 0 && shortWords[place] !== packed) place = (place + 1) & (places - 1);
  shortWords[place] = packed;
  shortWays[place] = (shortWays[place] ?? 0) | way;
}

function longPlaceOf(text: string, from: number, to: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ (text.charCodeAt(i) | 0x20), 0x01000193);
  return placeOf(hash);
}

// Whether a stretch of ASCII letters is a word, whatever their case.
function isWord(word: string, text: string, from: number, to: number): boolean {
  if (to - from !== word.length) return false;
  for (let i = 0; i < word.length; i++) if ((text.charCodeAt(from + i) | 0x20) !== word.charCodeAt(i)) return false;
  return true;
}

function addLong(word: string, way: number): void {
  let place = longPlaceOf(word, 0, word.length);
  for (; longPlaces[place] !== 0; place = (place + 1) & (places - 1)) {
    const known = longWords[(longPlaces[place] ?? 0) - 1];
    if (known?.word !== word) continue;
    known.ways |= way;
    return;
  }
  longPlaces[place] = longWords.push({ word, ways: way });
}

// What stands in a text whose letters become the word when they are turned back.
function addTurned(word: string, add: (turned: string, way: number) => void): void {
  for (let by = 0; by < 26; by++) add(shifted(word, 26 - by), shiftBit(by));
  add(reversed(word), backwards);
  add(mirror(word), mirrored);
}

function reversed(word: string): string {
  return [...word].reverse().join("");
}

function shifted(word: string, by: number): string {
  return lettersOf(word, (place) => (place + by) % 26);
}

function mirror(word: string): string {
  return lettersOf(word, (place) => 25 - place);
}

function lettersOf(word: string, placeOfLetter: (place: number) => number): string {
  return [...word].map((char) => String.fromCharCode(97 + placeOfLetter(char.charCodeAt(0) - 97))).join("");
}

// One pass over a text that counts what disguises consist of.

/** What there is in a text. */
export interface Signs {
  readonly any: boolean;
  /** Percent signs, ampersands, backslashes and equals signs: what escapes begin with. */
  readonly escapes: boolean;
  /** Digits, enough for codes. */
  readonly digits: boolean;
  /** Runs of 16 or more letters and digits. */
  readonly longRuns: boolean;
  /** Digits or symbols within words. */
  readonly leet: boolean;
  /** Letters that stand alone, or are parted by signs. */
  readonly spaced: boolean;
  /** Tags, variation selectors, zero-width characters. */
  readonly hidden: boolean;
  /** Letters of fancy alphabets, or marks on Latin letters. */
  readonly fancy: boolean;
  /** Dots, dashes and slashes only. */
  readonly morse: boolean;
  /** Short words that are common ones backwards or moved along the alphabet. */
  readonly turned: boolean;
}

const kinds = { other: 0, letter: 1, digit: 2, space: 3, escape: 4, sign: 5, leet: 6 } as const;
const kindOf = buildKinds();
const leastEscapes = 4;
const leastDigits = 16;
const leastRun = 16;
const leastMixed = 2;
const leastSingles = 5;
const leastHidden = 4;
const leastFancy = 4;
const leastDots = 12;
const leastWords = 4;

/** The words of English that turned text is known by, each of two to four letters. */
const common =
  "the to and of is in it you that for on with this all your are not as be or do me if my an but what how from have will can who now then tell say any here when give just only";
const commonWords = new Set(common.split(" ").map(pack));

/** The same backwards, by ROT13 and by Atbash, as far as that is no word itself. */
const turnedWords = new Set(
  common
    .split(" ")
    .flatMap((word) => [
      [...word].reverse().join(""),
      lettersOf(word, (place) => (place + 13) % 26),
      lettersOf(word, (place) => 25 - place),
    ])
    .filter((word) => word.length > 2 && !new Set(["saw", "rof", "era", "son", "not", "tub", "woh"]).has(word))
    .map(pack)
    .filter((word) => !commonWords.has(word)),
);
const leastTurned = 1;

/** Words of four letters and more that attacks are full of. */
const telling = new Set(
  "please instructions instruction ignore previous above system prompt rules rule print repeat password following answer output write respond response pretend forget disregard reveal context text word words message question there would could should about which because their they been only other same note user information question questions time like make help need show where when then than them some these into your".split(
    " ",
  ),
);

/** Counts the signs of disguises. */
export function signsOf(text: string): Signs {
  let escapes = 0;
  let digits = 0;
  let run = 0;
  let longest = 0;
  let mixed = 0;
  let singles = 0;
  let parted = 0;
  let hidden = 0;
  let fancy = 0;
  let dots = 0;
  let words = 0;
  let known = 0;
  let turned = 0;
  let packed = 0;
  let letters = 0;
  let before = kinds.space as number;
  let beforeThat = kinds.space as number;
  for (let i = 0; i <= text.length; i++) {
    const unit = i < text.length ? text.charCodeAt(i) : 32;
    if (unit >= 0x80) {
      if (isHidden(unit)) hidden++;
      else if (isFancy(unit)) fancy++;
    }
    const kind = unit < 0x80 ? (kindOf[unit] ?? 0) : unit < 0x250 ? kinds.letter : kinds.other;
    if (kind === kinds.letter) {
      letters++;
      packed = letters <= 4 ? (packed << 8) | (unit | 0x20) : 0;
      if ((before === kinds.digit || before === kinds.leet) && beforeThat !== kinds.space) mixed++;
      else if (before === kinds.digit || before === kinds.leet) mixed++;
      if (before === kinds.sign && beforeThat === kinds.letter) parted++;
    } else if (letters > 0) {
      if (letters === 1 && kind !== kinds.digit) singles++;
      if (letters > 1) words++;
      if (letters > 1 && letters <= 4) {
        if (commonWords.has(packed)) known++;
        else if (turnedWords.has(packed)) turned++;
      }
      letters = 0;
      packed = 0;
    }
    if (kind === kinds.letter || kind === kinds.digit) {
      if (++run > longest) longest = run;
    } else run = 0;
    if (kind === kinds.digit) digits++;
    else if (kind === kinds.escape) escapes++;
    if (unit === 46 || unit === 45 || unit === 0xb7 || unit === 0x2022 || unit === 0x2212 || unit === 0x2013) dots++;
    beforeThat = before;
    before = kind;
  }
  const signs = {
    escapes: escapes >= leastEscapes,
    digits: digits >= leastDigits,
    longRuns: longest >= leastRun,
    leet: mixed >= leastMixed,
    spaced: singles >= leastSingles || parted >= leastSingles,
    hidden: hidden >= leastHidden,
    fancy: fancy >= leastFancy,
    morse: dots >= leastDots && words * 2 <= dots,
    // Of English every third word or so is one of the common ones.
    turned: turned >= leastTurned || (words >= leastWords && known * 8 < words),
  };
  return { ...signs, any: Object.values(signs).includes(true) };
}

/** A word of up to four letters as one number. */
export function pack(word: string): number {
  let packed = 0;
  for (let i = 0; i < word.length; i++) packed = (packed << 8) | (word.charCodeAt(i) | 0x20);
  return packed;
}

/** The share of a text's words that are common English ones, or such as attacks are made of. */
export function commonShare(text: string): number {
  let words = 0;
  let known = 0;
  eachWord(text, (packed, from, to) => {
    words++;
    if (to - from > 4 ? telling.has(text.slice(from, to).toLowerCase()) : to - from > 1 && commonWords.has(packed))
      known++;
  });
  return words === 0 ? 0 : known / words;
}

/** Whether any word is a common one backwards or by ROT13 or Atbash. */
export function hasTurnedWord(text: string): boolean {
  let found = false;
  eachWord(text, (packed, from, to) => {
    if (to - from <= 4 && turnedWords.has(packed)) found = true;
  });
  return found;
}

function eachWord(text: string, visit: (packed: number, from: number, to: number) => void): void {
  let from = -1;
  let packed = 0;
  for (let i = 0; i <= text.length; i++) {
    const lower = i < text.length ? text.charCodeAt(i) | 0x20 : 0;
    if (lower >= 0x61 && lower <= 0x7a) {
      if (from < 0) from = i;
      packed = i - from < 4 ? (packed << 8) | lower : 0;
    } else if (from >= 0) {
      visit(packed, from, i);
      from = -1;
      packed = 0;
    }
  }
}

function lettersOf(word: string, placeOf: (place: number) => number): string {
  return [...word].map((char) => String.fromCharCode(97 + placeOf(char.charCodeAt(0) - 97))).join("");
}

// The high surrogate of tags and of the variation selectors beyond the first 16, those 16, and what has no width.
function isHidden(unit: number): boolean {
  return unit === 0xdb40 || (unit >= 0xfe00 && unit <= 0xfe0f) || (unit >= 0x200b && unit <= 0x200d);
}

function isFancy(unit: number): boolean {
  return (
    (unit >= 0x300 && unit <= 0x36f) ||
    (unit >= 0x250 && unit <= 0x2af) ||
    (unit >= 0x1d00 && unit <= 0x1d7f) ||
    unit === 0xd83c ||
    (unit >= 0x2800 && unit <= 0x28ff) ||
    unit === 0xa731 ||
    unit === 0xa730 ||
    (unit >= 0x20d0 && unit <= 0x20ef)
  );
}

function buildKinds(): Uint8Array {
  const table = new Uint8Array(128);
  for (let unit = 0; unit < 128; unit++) {
    const char = String.fromCharCode(unit);
    if (/[a-z]/i.test(char)) table[unit] = kinds.letter;
    else if (/\d/.test(char)) table[unit] = kinds.digit;
    else if (/\s/.test(char)) table[unit] = kinds.space;
    else if (/[%&\\=]/.test(char)) table[unit] = kinds.escape;
    else if (/[@$!|]/.test(char)) table[unit] = kinds.leet;
    else if (/[-._*~+/,:;^#]/.test(char)) table[unit] = kinds.sign;
  }
  return table;
}

// What the linear model of "injection" reads of a block of a text: words, runs of punctuation marks, line ends, and single characters of
// scripts that write without spaces. Letters are folded by case and look-alikes, digits are all alike. A token belongs to the block in
// which it ends, so that no block cuts a word; those that end in the stretch before it are its context. What is further away than that
// stretch has no say, hence a stream that keeps it reads a block as one who has the whole text.

import { gateFold } from "../../fold.ts";
import { mix } from "./hash.ts";

/** The length of a block, in code units. Blocks begin at its multiples. */
export const blockLength = 256;
/** How far before a block its context begins, in code units. */
export const contextLength = 96;
/** The length of the parts of a block that are summed by themselves. */
export const partLength = 64;
/** Parts of a block. */
export const blockParts = blockLength / partLength;

/** The kinds of tokens. */
export const tokenKinds = { space: 0, word: 1, digit: 2, mark: 3, dense: 4, lineEnd: 5 } as const;

/** So much of a run of punctuation tells runs apart. */
const longestMarks = 4;
/** N-grams of scripts without spaces have so many characters at most. */
const longestDense = 4;
const mostUnits = blockLength + contextLength;
const salts = { word: 0x811c9dc5, marks: 0x3c6ef372 };
const newline = 10;
const kindShift = 16;
const unitBits = 0xffff;
/** Of each code unit what it is folded to and, above that, its kind. */
const codes = buildCodes();

/** The tokens of one block after the other; made once, used again and again. */
export class Tokens {
  /** How many there are, those of the context first. */
  count = 0;
  /** The first that is not of the context. */
  own = 0;
  /** Of `tokenKinds`. A digit counts as a word. */
  readonly kinds = new Uint8Array(mostUnits);
  readonly hashes = new Int32Array(mostUnits);
  /** The part of the block in which a token ends. */
  readonly parts = new Uint8Array(mostUnits);
  /** Where the folded units of a token begin. */
  readonly places = new Uint16Array(mostUnits);
  /** How many units it has; of a character without spaces around it, how many like it stand before it, itself included, up to 4. */
  readonly lengths = new Uint16Array(mostUnits);
  readonly units = new Uint16Array(mostUnits);

  /** Reads the block of a text, given as its code units, from one offset to the other. */
  read(text: Uint16Array, from: number, to: number): void {
    const { units } = this;
    this.count = 0;
    this.own = 0;
    let place = 0;
    for (let at = from < contextLength ? 0 : contextStart(text, from - contextLength, to); at < to; ) {
      const code = codes[text[at] ?? 0] ?? 0;
      const kind = code >>> kindShift;
      if (kind === tokenKinds.space) {
        at++;
        if ((code & unitBits) === newline) this.#endLine(place, at, from);
        continue;
      }
      const first = place;
      units[place++] = code;
      let end = at + 1;
      let hash = 0;
      if (kind === tokenKinds.word || kind === tokenKinds.digit) {
        hash = mix(salts.word, code & unitBits);
        for (; end < to; end++) {
          const next = codes[text[end] ?? 0] ?? 0;
          if (!isWord(next >>> kindShift)) break;
          units[place++] = next;
          hash = mix(hash, next & unitBits);
        }
        if (end === to && isWord(kindAt(text, end))) return;
        this.#add(tokenKinds.word, hash, first, place - first);
      } else if (kind === tokenKinds.mark) {
        hash = mix(salts.marks, code & unitBits);
        for (; end < to; end++) {
          const next = codes[text[end] ?? 0] ?? 0;
          if (next >>> kindShift !== tokenKinds.mark) break;
          units[place++] = next;
          if (end - at < longestMarks) hash = mix(hash, next & unitBits);
        }
        if (end === to && kindAt(text, end) === tokenKinds.mark) return;
        this.#add(tokenKinds.mark, hash, first, place - first);
      } else this.#add(tokenKinds.dense, 0, first, this.#denseRun(text, at));
      this.#settle(end, from);
      at = end;
    }
  }

  #add(kind: number, hash: number, place: number, length: number): void {
    const { count } = this;
    this.kinds[count] = kind;
    this.hashes[count] = hash;
    this.places[count] = place;
    this.lengths[count] = length;
  }

  #settle(end: number, from: number): void {
    if (end <= from) this.own++;
    else this.parts[this.count] = (end - 1 - from) / partLength;
    this.count++;
  }

  // Several in a row, with nothing but white space between them, are one.
  #endLine(place: number, end: number, from: number): void {
    if (this.count > 0 && this.kinds[this.count - 1] === tokenKinds.lineEnd) return;
    this.#add(tokenKinds.lineEnd, 0, place, 0);
    this.#settle(end, from);
  }

  #denseRun(text: Uint16Array, at: number): number {
    const { count } = this;
    const follows =
      count > 0 && this.kinds[count - 1] === tokenKinds.dense && kindAt(text, at - 1) === tokenKinds.dense;
    return follows ? Math.min(longestDense, (this.lengths[count - 1] ?? 0) + 1) : 1;
  }
}

function isWord(kind: number): boolean {
  return kind === tokenKinds.word || kind === tokenKinds.digit;
}

// Behind the end of a text there is nothing that joins.
function kindAt(text: Uint16Array, at: number): number {
  return at < 0 || at >= text.length ? tokenKinds.space : (codes[text[at] ?? 0] ?? 0) >>> kindShift;
}

// The context begins with a whole token.
function contextStart(text: Uint16Array, from: number, to: number): number {
  const before = kindAt(text, from - 1);
  let at = from;
  if (isWord(before)) while (at < to && isWord(kindAt(text, at))) at++;
  else if (before === tokenKinds.mark) while (at < to && kindAt(text, at) === tokenKinds.mark) at++;
  return at;
}

function buildCodes(): Uint32Array {
  const table = new Uint32Array(65_536);
  const dense =
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]$/u;
  for (let unit = 0; unit < table.length; unit++) {
    const char = String.fromCharCode(unit);
    const kind = kindOf(char, dense);
    const fold = gateFold(unit);
    const folded = kind === tokenKinds.space ? unit : kind === tokenKinds.digit ? 0x30 : fold === 0x2019 ? 0x27 : fold;
    table[unit] = (kind << kindShift) | folded;
  }
  return table;
}

function kindOf(char: string, dense: RegExp): number {
  if (/\s/.test(char)) return tokenKinds.space;
  if (dense.test(char)) return tokenKinds.dense;
  if (/^\p{Nd}$/u.test(char)) return tokenKinds.digit;
  return /^[\p{L}\p{M}'’]$/u.test(char) ? tokenKinds.word : tokenKinds.mark;
}

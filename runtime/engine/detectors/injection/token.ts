// The tokens that the linear model of "injection" reads in a block of a text: words, runs of punctuation marks, line
// ends, and single characters of scripts that write without spaces. Letters are folded by case and look-alikes, and all
// digits are equal. A token belongs to the block in which it ends, so that no block cuts a word; tokens that end in the
// span before the block are its context. Text before that span has no influence, so a stream that keeps it gets the
// same result as a scan of the whole text.

import { letterFold } from "../../text/fold.ts";
import { mix } from "./hash.ts";

/** Length of a block, in code units. Blocks begin at its multiples: 0, 256, 512 and so on. */
export const blockLength = 256;
/** How far before a block its context begins, in code units. */
export const contextLength = 96;
/** Length of the parts of a block, which are summed separately. */
export const partLength = 64;
/** Number of parts in a block. */
export const blockParts = blockLength / partLength;

/** The kinds of tokens. */
export const tokenKinds = { space: 0, word: 1, digit: 2, mark: 3, dense: 4, lineEnd: 5 } as const;

/** Maximum length of a run of punctuation that is distinguished. */
const maxMarksLength = 4;
/** Maximum length of n-grams in scripts without spaces. */
const maxDenseLength = 4;
const maxUnits = blockLength + contextLength;
const salts = { word: 0x811c9dc5, marks: 0x3c6ef372 };
const newline = 10;
const kindShift = 16;
const unitBits = 0xffff;
/** By code unit: its folded unit and, in the upper bits, its kind. */
const codes = buildCodes();

/** The tokens of one block after the other; created once and reused. */
export class Tokens {
  /** Number of tokens, context first. */
  count = 0;
  /** Index of the first token after the context. */
  own = 0;
  /** Values of `tokenKinds`. A digit counts as a word. */
  readonly kinds = new Uint8Array(maxUnits);
  readonly hashes = new Int32Array(maxUnits);
  /** The part of the block in which a token ends. */
  readonly parts = new Uint8Array(maxUnits);
  /** Start of a token's folded units. */
  readonly places = new Uint16Array(maxUnits);
  /** Length of a token; for a character without spaces around it, its position within its run, from 1 up to 4. */
  readonly lengths = new Uint16Array(maxUnits);
  readonly units = new Uint16Array(maxUnits);

  /** Reads a block of a text, given as code units, between two offsets. */
  read(text: Uint16Array, from: number, to: number): void {
    const { units } = this;
    this.count = 0;
    this.own = 0;
    let position = 0;
    for (let at = from < contextLength ? 0 : contextStart(text, from - contextLength, to); at < to; ) {
      const code = codes[text[at] ?? 0] ?? 0;
      const kind = code >>> kindShift;
      if (kind === tokenKinds.space) {
        at++;
        if ((code & unitBits) === newline) this.#endLine(position, at, from);
        continue;
      }
      const first = position;
      units[position++] = code;
      let end = at + 1;
      let hash = 0;
      if (kind === tokenKinds.word || kind === tokenKinds.digit) {
        hash = mix(salts.word, code & unitBits);
        for (; end < to; end++) {
          const next = codes[text[end] ?? 0] ?? 0;
          if (!isWord(next >>> kindShift)) break;
          units[position++] = next;
          hash = mix(hash, next & unitBits);
        }
        if (end === to && isWord(kindAt(text, end))) return;
        this.#add(tokenKinds.word, hash, first, position - first);
      } else if (kind === tokenKinds.mark) {
        hash = mix(salts.marks, code & unitBits);
        for (; end < to; end++) {
          const next = codes[text[end] ?? 0] ?? 0;
          if (next >>> kindShift !== tokenKinds.mark) break;
          units[position++] = next;
          if (end - at < maxMarksLength) hash = mix(hash, next & unitBits);
        }
        if (end === to && kindAt(text, end) === tokenKinds.mark) return;
        this.#add(tokenKinds.mark, hash, first, position - first);
      } else this.#add(tokenKinds.dense, 0, first, this.#denseRun(text, at));
      this.#settle(end, from);
      at = end;
    }
  }

  #add(kind: number, hash: number, position: number, length: number): void {
    const { count } = this;
    this.kinds[count] = kind;
    this.hashes[count] = hash;
    this.places[count] = position;
    this.lengths[count] = length;
  }

  #settle(end: number, from: number): void {
    if (end <= from) this.own++;
    else this.parts[this.count] = (end - 1 - from) / partLength;
    this.count++;
  }

  // Consecutive line ends, with only white space between them, count as one.
  #endLine(position: number, end: number, from: number): void {
    if (this.count > 0 && this.kinds[this.count - 1] === tokenKinds.lineEnd) return;
    this.#add(tokenKinds.lineEnd, 0, position, 0);
    this.#settle(end, from);
  }

  #denseRun(text: Uint16Array, at: number): number {
    const { count } = this;
    const follows =
      count > 0 && this.kinds[count - 1] === tokenKinds.dense && kindAt(text, at - 1) === tokenKinds.dense;
    return follows ? Math.min(maxDenseLength, (this.lengths[count - 1] ?? 0) + 1) : 1;
  }
}

function isWord(kind: number): boolean {
  return kind === tokenKinds.word || kind === tokenKinds.digit;
}

// Nothing after the end of the text joins a token.
function kindAt(text: Uint16Array, at: number): number {
  return at < 0 || at >= text.length ? tokenKinds.space : (codes[text[at] ?? 0] ?? 0) >>> kindShift;
}

// The context begins at the start of a token.
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
    const fold = letterFold(unit);
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

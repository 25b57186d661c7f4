// Text of scripts whose words are written in several ways: Arabic and Hebrew with or without vowel marks, Hindi with or
// without nukta. Such text is folded to one spelling, with a way back to the offsets of the text. Everything that
// becomes one unit is bounded, so that findings depend on a bounded part of the text.

import { caseFold } from "../text/fold.ts";

/** The scripts, by ISO 15924 code. */
export type FoldedScript = "Arab" | "Hebr" | "Deva";

const scripts: readonly FoldedScript[] = ["Arab", "Hebr", "Deva"];

interface ScriptRule {
  /** Letters of the script. */
  readonly letter: RegExp;
  /** Marks that words are written with and without. */
  readonly dropped: RegExp;
  readonly folded: ReadonlyMap<string, string>;
}

const rules: Readonly<Record<FoldedScript, ScriptRule>> = {
  Arab: {
    letter: /[\u0620-\u064a\u066e-\u06d3\u06d5]/,
    // Vowel marks, Quranic marks, and the tatweel that stretches a word.
    dropped: /[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/,
    folded: pairs("أ ا إ ا آ ا ٱ ا ى ي ی ي ئ ي ؤ و ة ه ک ك ہ ه ھ ه"),
  },
  Hebr: {
    letter: /[\u05d0-\u05f2]/,
    dropped: /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/,
    folded: pairs("ך כ ם מ ן נ ף פ ץ צ"),
  },
  Deva: {
    letter: /[\u0904-\u0939\u0958-\u0961]/,
    dropped: /[\u093c\u200c\u200d]/,
    folded: pairs("ँ ं"),
  },
};
/** Nasals with a virama before a consonant are written as a dot above, too. */
const nasals = new Set([..."ङञणनम"].map((letter) => letter.charCodeAt(0)));
const virama = 0x94d;
/** The dot above a letter. */
const anusvara = 0x902;
const consonant = /[\u0915-\u0939]/;

/** Successive dropped marks, and successive units of white space, that count as none and as one. More end a word. */
const maxRun = 4;
/** What stands for a run that is too long. */
const broken = 0;
const spaceCode = 0x20;

/** A folded text. Unit i comes from the offsets `starts[i]` to `ends[i]`. */
export interface FoldedText {
  readonly text: string;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** What a unit is: bits of scripts whose letter it is, and of scripts that drop it. */
const letterBits: Readonly<Record<FoldedScript, number>> = { Arab: 1, Hebr: 2, Deva: 4 };
const allBits = 7;
const droppedShift = 3;
const spaceBit = 64;
/** Ranges that contain all letters, marks and white space above. */
const ranges = [
  [0, 0xa00],
  [0x1680, 0x1681],
  [0x2000, 0x2070],
  [0x3000, 0x3001],
  [0xfeff, 0xff00],
] as const;
const kindOf = kinds();
const tables = new Map<FoldedScript, Uint16Array>();

function kinds(): Uint8Array {
  const table = new Uint8Array(65_536);
  for (const [from, to] of ranges)
    for (let code = from; code < to; code++) {
      const unit = String.fromCharCode(code);
      let bits = /\s/.test(unit) ? spaceBit : 0;
      for (const script of scripts) {
        if (rules[script].letter.test(unit)) bits |= letterBits[script];
        if (rules[script].dropped.test(unit)) bits |= letterBits[script] << droppedShift;
      }
      table[code] = bits;
    }
  return table;
}

// What each unit becomes; made when a text first has letters of the script.
function tableOf(script: FoldedScript): Uint16Array {
  const made = tables.get(script);
  if (made !== undefined) return made;
  const table = Uint16Array.from({ length: 65_536 }, (_, code) => caseFold(code));
  for (const [from, to] of rules[script].folded) table[from.charCodeAt(0)] = to.charCodeAt(0);
  tables.set(script, table);
  return table;
}

// Every detector with an overlay asks about the same text, so what is known of the last one is kept.
interface Known {
  readonly text: string;
  /** Bits of the scripts of which it has letters. */
  readonly scripts: number;
  readonly folded: Map<FoldedScript, FoldedText>;
}
let last: Known = { text: "", scripts: 0, folded: new Map() };

function known(text: string): Known {
  if (last.text !== text) last = { text, scripts: scriptsIn(text), folded: new Map() };
  return last;
}

function scriptsIn(text: string): number {
  let bits = 0;
  for (let i = 0; i < text.length && bits !== allBits; i++) bits |= (kindOf[text.charCodeAt(i)] ?? 0) & allBits;
  return bits;
}

/** Whether a text has letters of a script. */
export function hasScript(text: string, script: FoldedScript): boolean {
  return (known(text).scripts & letterBits[script]) !== 0;
}

/** A pattern of the letters of a script. */
export function scriptLetters(script: FoldedScript): RegExp {
  return rules[script].letter;
}

/** The script by whose rules a term is folded; undefined when it is compared verbatim. */
export function scriptOf(term: string): FoldedScript | undefined {
  return scripts.find((script) => rules[script].letter.test(term));
}

/** An offset from which at least `units` folded units remain, or 0. */
export function unitsBack(text: string, units: number, script: FoldedScript): number {
  const dropped = letterBits[script] << droppedShift;
  let at = text.length;
  for (let left = units; left > 0 && at > 0; at--) {
    const unit = text.charCodeAt(at - 1);
    const kind = kindOf[unit] ?? 0;
    const isJoined =
      unit === virama ||
      ((kind & spaceBit) !== 0 && at > 1 && ((kindOf[text.charCodeAt(at - 2)] ?? 0) & spaceBit) !== 0);
    if (!isJoined && (kind & dropped) === 0) left--;
  }
  return at;
}

/** Folds a text by the rules of a script. */
export function foldScript(given: string, script: FoldedScript): FoldedText {
  const { folded } = known(given);
  const before = folded.get(script);
  if (before !== undefined) return before;
  const made = foldUnits(given, script);
  folded.set(script, made);
  return made;
}

function foldUnits(given: string, script: FoldedScript): FoldedText {
  const { length } = given;
  const droppedBit = letterBits[script] << droppedShift;
  const table = tableOf(script);
  const codes = new Uint16Array(length);
  const starts = new Int32Array(length);
  const ends = new Int32Array(length);
  let count = 0;
  let run = 0;
  const add = (code: number, start: number, end: number): void => {
    codes[count] = code;
    starts[count] = start;
    ends[count++] = end;
  };
  for (let at = 0; at < length; at++) {
    const unit = given.charCodeAt(at);
    const kind = kindOf[unit] ?? 0;
    const isSpace = (kind & spaceBit) !== 0;
    const before = count === 0 ? undefined : codes[count - 1];
    if ((kind & droppedBit) !== 0 || (isSpace && (before === spaceCode || before === broken))) {
      if (++run > maxRun && before !== broken) add(broken, at, at + 1);
      else if (count > 0) ends[count - 1] = at + 1;
      continue;
    }
    run = 0;
    if (
      script === "Deva" &&
      nasals.has(unit) &&
      given.charCodeAt(at + 1) === virama &&
      consonant.test(given.charAt(at + 2))
    ) {
      add(anusvara, at, at + 2);
      at++;
    } else add(isSpace ? spaceCode : (table[unit] ?? unit), at, at + 1);
  }
  return { text: textOf(codes.subarray(0, count)), starts, ends };
}

/** Units that one call can make into a text. */
const unitsAtOnce = 8_192;

function textOf(codes: Uint16Array): string {
  let text = "";
  for (let from = 0; from < codes.length; from += unitsAtOnce)
    text += String.fromCharCode(...codes.subarray(from, from + unitsAtOnce));
  return text;
}

function pairs(list: string): ReadonlyMap<string, string> {
  const items = list.split(" ");
  return new Map(items.flatMap((from, at) => (at % 2 === 0 ? [[from, items[at + 1] ?? ""] as const] : [])));
}

// Text of scripts whose words are written in several ways: Arabic and Hebrew with or without vowel marks, Hindi with or
// without nukta. Such text is folded to one spelling, with a way back to the offsets of the text. Everything that
// becomes one unit is bounded, so that findings depend on a bounded part of the text.

import { caseFold } from "../text/fold.ts";

/** The scripts, by ISO 15924 code. */
export type FoldedScript = "Arab" | "Hebr" | "Deva";

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
const nasals = new Set(["ङ", "ञ", "ण", "न", "म"]);
const virama = "\u094d";
const space = /\s/;
const consonant = /[\u0915-\u0939]/;

/** Successive dropped marks, and successive units of white space, that count as none and as one. More end a word. */
const maxRun = 4;
/** What stands for a run that is too long. */
const broken = "\u0000";

/** A folded text. Unit i comes from the offsets `starts[i]` to `ends[i]`. */
export interface FoldedText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Whether a text has letters of a script. */
export function hasScript(text: string, script: FoldedScript): boolean {
  return rules[script].letter.test(text);
}

/** A pattern of the letters of a script. */
export function scriptLetters(script: FoldedScript): RegExp {
  return rules[script].letter;
}

/** The script by whose rules a term is folded; undefined when it is compared verbatim. */
export function scriptOf(term: string): FoldedScript | undefined {
  return (["Arab", "Hebr", "Deva"] as const).find((script) => hasScript(term, script));
}

/** An offset from which at least `units` folded units remain, or 0. */
export function unitsBack(text: string, units: number, script: FoldedScript): number {
  const { dropped } = rules[script];
  let at = text.length;
  for (let left = units; left > 0 && at > 0; at--) {
    const unit = text.charAt(at - 1);
    const isJoined = unit === virama || (space.test(unit) && at > 1 && space.test(text.charAt(at - 2)));
    if (!isJoined && !dropped.test(unit)) left--;
  }
  return at;
}

/** Folds a text by the rules of a script. */
export function foldScript(given: string, script: FoldedScript): FoldedText {
  const { dropped, folded } = rules[script];
  const starts: number[] = [];
  const ends: number[] = [];
  let text = "";
  let run = 0;
  const add = (unit: string, start: number, end: number) => {
    text += unit;
    starts.push(start);
    ends.push(end);
  };
  for (let at = 0; at < given.length; at++) {
    const unit = given.charAt(at);
    const isSpace = space.test(unit);
    const isMark = dropped.test(unit);
    if (isMark || (isSpace && (text.endsWith(" ") || text.endsWith(broken)))) {
      const last = ends.length - 1;
      if (++run > maxRun) {
        if (!text.endsWith(broken)) add(broken, at, at + 1);
        else ends[last] = at + 1;
      } else if (last >= 0) ends[last] = at + 1;
      continue;
    }
    run = 0;
    if (script === "Deva" && nasals.has(unit) && given[at + 1] === virama && consonant.test(given.charAt(at + 2))) {
      add("ं", at, at + 2);
      at++;
    } else add(isSpace ? " " : (folded.get(unit) ?? String.fromCharCode(caseFold(unit.charCodeAt(0)))), at, at + 1);
  }
  return { text, starts, ends };
}

function pairs(list: string): ReadonlyMap<string, string> {
  const items = list.split(" ");
  return new Map(items.flatMap((from, at) => (at % 2 === 0 ? [[from, items[at + 1] ?? ""] as const] : [])));
}

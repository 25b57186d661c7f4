// Finds terms of folded scripts (script-fold.ts): a sweep folds the text and searches it with an automaton over the
// folded terms. Texts without letters of the script cost one look at each unit.

import type { OpenEdge, Sweep } from "../detectors/detector-plan.ts";
import type { Finding } from "../detectors/finding.ts";
import { edgedSweep } from "../detectors/sweep.ts";
import type { OverlayEntry } from "../languages/overlay-set.ts";
import { automatonTables, openAutomaton } from "../pattern/aho-corasick.ts";
import { Exceptions } from "../text/exception.ts";
import { automatonFoldText } from "../text/fold.ts";
import { type FoldedScript, type FoldedText, foldScript, hasScript, scriptLetters, unitsBack } from "./script-fold.ts";
import { maxForms, plainTerm, surroundingsOf } from "./term-form.ts";

const wordPoint = /[\p{L}\p{M}\p{N}]/u;
/** Words that are written together with the next one may be combined: "and" with "the". */
const maxPrefixLength = 4;

/** An entry with its category in findings. */
export interface FoldedTerm {
  readonly entry: OverlayEntry;
  readonly category: string;
  readonly basis: string;
}

interface Form {
  readonly text: string;
  readonly isWord: boolean;
  readonly prefixes: readonly string[];
  readonly unless: Exceptions;
  readonly found: Pick<Finding, "category" | "score" | "attributes">;
}

/** The sweep for terms of one script. `count` is told of the places of terms in phrases around them. */
export function scriptSweep(
  terms: readonly FoldedTerm[],
  script: FoldedScript,
  count: (places: number) => void,
): Sweep {
  const forms = terms.flatMap((term) => {
    const own = formsOf(term, script);
    for (const { unless } of own) count(unless.size);
    return own;
  });
  const byLiteral = Map.groupBy(forms, ({ text }) => automatonFoldText(text));
  const automaton = openAutomaton(automatonTables([...byLiteral.keys()]));
  const uses = [...byLiteral.values()];
  const maxUnits = Math.max(...forms.map(lengthOf)) + 1;
  const find = (text: string): readonly Finding[] => {
    if (!hasScript(text, script)) return [];
    const folded = foldScript(text, script);
    const findings: Finding[] = [];
    automaton.scan(folded.text, (literal, end) => {
      for (const form of uses[literal] ?? []) {
        const finding = findingAt(form, folded, end);
        if (finding !== undefined) findings.push(finding);
      }
    });
    return findings;
  };
  const open: OpenEdge = (text, from) => {
    const at = Math.max(from, unitsBack(text, maxUnits, script));
    const letter = text.slice(at).search(scriptLetters(script));
    return letter < 0 ? text.length : at + letter;
  };
  return edgedSweep(find, { open });
}

// How many folded units decide about a form, from its start on.
function lengthOf({ text, unless }: Form): number {
  return maxPrefixLength + text.length + unless.maxAfter;
}

function formsOf({ entry, category, basis }: FoldedTerm, script: FoldedScript): Form[] {
  const { term, language, layer, score, matching } = entry;
  if (term === undefined) return [];
  const fold = (text: string) => foldScript(plainTerm(text), script).text;
  const text = fold(term.term);
  const texts = term.match === "stem" ? [text, ...matching.suffixes.map((suffix) => text + fold(suffix))] : [text];
  const found = { category, score, attributes: { language, basis, overlay: layer } };
  const unless = term.unless.map(fold);
  return [...new Set(texts)].slice(0, maxForms).map((form) => ({
    ...{ text: form, isWord: term.match !== "substring", prefixes: matching.prefixes.map(fold), found },
    unless: new Exceptions(surroundingsOf(form, unless)),
  }));
}

function findingAt({ text, isWord, prefixes, unless, found }: Form, folded: FoldedText, end: number) {
  let start = end - text.length;
  if (start < 0 || folded.text.slice(start, end) !== text) return undefined;
  if (unless.around(folded.text, start, end) === "yes") return undefined;
  if (isWord) {
    if (wordPoint.test(folded.text.charAt(end))) return undefined;
    const word = wordStart(folded.text, start, prefixes);
    if (word === undefined) return undefined;
    start = word;
  }
  return { ...found, start: folded.starts[start] ?? 0, end: folded.ends[end - 1] ?? 0 };
}

// Where the word begins: at the term, or at the prefixes before it; undefined when it is another word.
function wordStart(text: string, start: number, prefixes: readonly string[]): number | undefined {
  const isFree = (at: number) => at === 0 || !wordPoint.test(text.charAt(at - 1));
  if (isFree(start)) return start;
  const prefix = prefixes
    .map((each) => start - each.length)
    .find((at) => at >= 0 && prefixes.includes(text.slice(at, start)) && isFree(at));
  return prefix;
}

// Evaluates the hits of literals in a text. Phrases and triggers are checked where they occur. Required literals give
// the windows in which their patterns can match.

import type { Phrase, Trigger } from "../detectors/detector-plan.ts";
import type { Finding } from "../detectors/finding.ts";
import type { Automaton } from "../pattern/aho-corasick.ts";
import type { RequiredLiteral } from "../pattern/required-literals.ts";
import { CollapsedText, Windows, windowAround } from "../pattern/search-windows.ts";
import { endsWithLiteral } from "../text/fold.ts";
import type { View } from "../text/normalize.ts";
import type { PatternUse } from "./pattern-groups.ts";
import { phraseEnd, phraseStart } from "./phrase.ts";

/** Receives a finding of the detector with this number. */
export type Report = (job: number, finding: Finding) => void;

interface PhraseUse {
  readonly job: number;
  readonly phrase: Phrase;
}

interface RequiredLiteralUse {
  readonly pattern: number;
  readonly required: RequiredLiteral;
}

interface TriggerUse {
  readonly job: number;
  readonly trigger: Trigger;
  /** Its literal, with letters folded. */
  readonly literal: string;
}

interface CoLiteralUse {
  readonly set: number;
  readonly literal: string;
}

/** The uses of one literal of the automaton. */
export interface LiteralUses {
  readonly phrases: PhraseUse[];
  readonly required: RequiredLiteralUse[];
  readonly triggers: TriggerUse[];
  /** The sets of co-literals that contain it, by number. */
  readonly coLiterals: CoLiteralUse[];
}

/** The tables of a search for literals. */
export interface LiteralTables {
  readonly automaton: Automaton;
  /** By literal. */
  readonly uses: readonly LiteralUses[];
  readonly patterns: readonly PatternUse[];
  /** For each pattern, the set of co-literals of which one must occur as well; -1 when there is none. */
  readonly coLiteralSetOf: readonly number[];
}

/** The callbacks of a search for literals. */
export interface LiteralSearch {
  readonly readsView: (job: number) => boolean;
  readonly report: Report;
  /** Called at intervals, since a text may be full of literals. An exception that it throws ends the search. */
  readonly lap: ((job: number | undefined) => void) | undefined;
}

/** Hits between two laps. */
const hitsOfLap = 256;

/** Reports the findings of phrases and triggers, and returns the windows of a text for each pattern that may match. */
export function literalWindows(
  tables: LiteralTables,
  view: View,
  { readsView, report, lap }: LiteralSearch,
): Map<number, Windows> {
  // Windows are computed after the scan, when it is known whether co-literals occur.
  const hits = new Map<number, RequiredLiteralHit[]>();
  const coLiteralEnds: number[][] = [];
  const { text } = view;
  let count = 0;
  tables.automaton.scan(text, (literal, end) => {
    const uses = tables.uses[literal];
    if (uses === undefined) return;
    if (lap !== undefined && ++count % hitsOfLap === 0) lap(undefined);
    const { coLiterals, phrases, triggers, required } = uses;
    // Most literals have only one use.
    if (coLiterals.length > 0) addCoLiteralEnd(coLiteralEnds, coLiterals, text, end);
    if (phrases.length > 0) locatePhrases(phrases, view, end, readsView, report);
    if (triggers.length > 0)
      for (const { job, trigger, literal: wanted } of triggers) {
        const isHit = readsView(job) && endsWithLiteral(text, end, wanted);
        const finding = isHit ? trigger.locate(text, end) : undefined;
        if (finding !== undefined) report(job, finding);
      }
    if (required.length > 0)
      for (const { pattern, required } of uses.required) {
        const use = tables.patterns[pattern];
        if (use === undefined || !readsView(use.job) || !endsWithLiteral(text, end, required.literal)) continue;
        const known = hits.get(pattern);
        if (known !== undefined) known.push({ required, end });
        else hits.set(pattern, [{ required, end }]);
      }
  });
  return windowsOf(hits, tables, text, coLiteralEnds);
}

function addCoLiteralEnd(all: number[][], uses: readonly CoLiteralUse[], text: string, end: number): void {
  for (const { set, literal } of uses) {
    if (!endsWithLiteral(text, end, literal)) continue;
    const ends = all[set];
    if (ends === undefined) all[set] = [end];
    else ends.push(end);
  }
}

function locatePhrases(
  phrases: readonly PhraseUse[],
  view: View,
  end: number,
  readsView: (job: number) => boolean,
  report: Report,
): void {
  for (const { job, phrase } of phrases) {
    if (!readsView(job)) continue;
    const { category, score, attributes } = phrase;
    const start = phraseStart(phrase, view.text, end);
    if (start >= 0) report(job, { category, start, end: phraseEnd(phrase, view.text, end), score, attributes });
  }
}

interface RequiredLiteralHit {
  readonly required: RequiredLiteral;
  readonly end: number;
}

// A window has no match when no co-literal of the pattern ends in it. `coLiteralEnds` holds, for each set, the
// ascending ends of its hits.
function windowsOf(
  hits: ReadonlyMap<number, readonly RequiredLiteralHit[]>,
  { patterns, coLiteralSetOf }: LiteralTables,
  text: string,
  coLiteralEnds: readonly (readonly number[] | undefined)[],
): Map<number, Windows> {
  const windows = new Map<number, Windows>();
  let collapsed: CollapsedText | undefined;
  for (const [pattern, list] of hits) {
    const set = coLiteralSetOf[pattern] ?? -1;
    const ends = coLiteralEnds[set];
    if (set >= 0 && ends === undefined) continue;
    const isElastic = patterns[pattern]?.probe.pattern.elastic === true;
    if (isElastic) collapsed ??= new CollapsedText(text);
    for (const { required, end } of list) {
      const [from, to] = windowAround(required, end, text.length, isElastic ? collapsed : undefined);
      if (ends !== undefined && !hasWithin(ends, from, to)) continue;
      const known = windows.get(pattern);
      if (known !== undefined) known.add(from, to);
      else windows.set(pattern, new Windows(from, to));
    }
  }
  return windows;
}

// Whether one of the ascending ends lies after `from` and at most at `to`. A binary search, since a text may have as
// many ends as hits.
function hasWithin(ends: readonly number[], from: number, to: number): boolean {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > from) high = middle;
    else low = middle + 1;
  }
  return low < ends.length && (ends[low] ?? 0) <= to;
}

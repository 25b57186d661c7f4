// What the literals in a text lead to: phrases and triggers are looked at where they are, and the literals that gate patterns give the
// windows in which those can match.

import type { Automaton } from "./automaton.ts";
import type { Gate } from "./literal.ts";
import type { View } from "./normalize.ts";
import { phraseStart } from "./phrase.ts";
import type { Finding, Phrase, Trigger } from "./plan.ts";
import type { PatternUse } from "./ungated.ts";
import { CollapsedText, Windows, windowAround } from "./window.ts";

/** Takes what a detector, given by its number, found. */
export type Report = (job: number, finding: Finding) => void;

interface PhraseUse {
  readonly job: number;
  readonly phrase: Phrase;
}

interface GateUse {
  readonly pattern: number;
  readonly gate: Gate;
}

interface TriggerUse {
  readonly job: number;
  readonly trigger: Trigger;
}

/** What a literal of the automaton is for. */
export interface LiteralUses {
  readonly phrases: PhraseUse[];
  readonly gates: GateUse[];
  readonly triggers: TriggerUse[];
  /** Sets of literals, by number, that it belongs to. */
  readonly companies: number[];
}

/** What literals lead to. */
export interface GateTables {
  readonly automaton: Automaton;
  /** By literal. */
  readonly uses: readonly LiteralUses[];
  readonly patterns: readonly PatternUse[];
  /** The set of literals of which one has to be there as well, for each pattern; -1 when there is none. */
  readonly companyOf: readonly number[];
}

/** What a search for literals works with. */
export interface GateSearch {
  readonly readsView: (job: number) => boolean;
  readonly report: Report;
  /** Takes the time now and then, since a text may be full of literals; what it throws ends the search. */
  readonly lap: ((job: number | undefined) => void) | undefined;
}

/** Hits between two laps. */
const hitsOfLap = 256;

/** Reports what literals find by themselves, and gives the windows of a text for each pattern that may match. */
export function gateWindows(
  tables: GateTables,
  view: View,
  { readsView, report, lap }: GateSearch,
): Map<number, Windows> {
  // What a gate leads to is worked out after the scan, when it is known whether the rest of the pattern can be there.
  const hits = new Map<number, GateHit[]>();
  const company: number[][] = [];
  const { text } = view;
  let count = 0;
  tables.automaton.scan(text, (literal, end) => {
    const uses = tables.uses[literal];
    if (uses === undefined) return;
    if (lap !== undefined && ++count % hitsOfLap === 0) lap(undefined);
    const { companies, phrases, triggers, gates } = uses;
    // Most literals are for one thing only.
    if (companies.length > 0) addCompanyEnd(company, companies, end);
    if (phrases.length > 0) locatePhrases(phrases, view, end, readsView, report);
    if (triggers.length > 0)
      for (const { job, trigger } of triggers) {
        const finding = readsView(job) ? trigger.locate(text, end) : undefined;
        if (finding !== undefined) report(job, finding);
      }
    if (gates.length > 0)
      for (const { pattern, gate } of gates) {
        const use = tables.patterns[pattern];
        if (use === undefined || !readsView(use.job)) continue;
        const known = hits.get(pattern);
        if (known !== undefined) known.push({ gate, end });
        else hits.set(pattern, [{ gate, end }]);
      }
  });
  return windowsOf(hits, tables, text, company);
}

function addCompanyEnd(all: number[][], companies: readonly number[], end: number): void {
  for (const number of companies) {
    const ends = all[number];
    if (ends === undefined) all[number] = [end];
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
    const start = phraseStart(phrase, view.folded(), end);
    if (start >= 0) report(job, { category, start, end, score, attributes });
  }
}

interface GateHit {
  readonly gate: Gate;
  readonly end: number;
}

// A window in which no literal of the pattern's company ends has no match. `companyEnds` has the ends by set, in order.
function windowsOf(
  hits: ReadonlyMap<number, readonly GateHit[]>,
  { patterns, companyOf }: GateTables,
  text: string,
  companyEnds: readonly (readonly number[] | undefined)[],
): Map<number, Windows> {
  const windows = new Map<number, Windows>();
  let collapsed: CollapsedText | undefined;
  for (const [pattern, list] of hits) {
    const set = companyOf[pattern] ?? -1;
    const company = companyEnds[set];
    if (set >= 0 && company === undefined) continue;
    const isElastic = patterns[pattern]?.probe.pattern.elastic === true;
    if (isElastic) collapsed ??= new CollapsedText(text);
    for (const { gate, end } of list) {
      const [from, to] = windowAround(gate, end, text.length, isElastic ? collapsed : undefined);
      if (company !== undefined && !hasWithin(company, from, to)) continue;
      const known = windows.get(pattern);
      if (known !== undefined) known.add(from, to);
      else windows.set(pattern, new Windows(from, to));
    }
  }
  return windows;
}

// Ends rise. Looked for by halves: a text may have as many of them as hits.
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

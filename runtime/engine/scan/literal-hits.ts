// Evaluates the hits of literals in a text. Phrases and triggers are checked where they occur. Required literals give
// the windows in which their patterns can match.

import type { Phrase, Trigger } from "../detectors/detector-plan.ts";
import type { Finding } from "../detectors/finding.ts";
import type { LiteralIndex } from "../pattern/literal-index.ts";
import type { RequiredLiteral } from "../pattern/required-literals.ts";
import { CollapsedText, type PatternWindows, type RequiredLiteralHit, windowsOf } from "../pattern/search-windows.ts";
import { endsWithLiteral } from "../text/fold.ts";
import { lazily, type View } from "../text/normalize.ts";
import { inBatches } from "../text/steps.ts";
import type { CoLiterals, CoLiteralUse, LiteralHits } from "./co-literals.ts";
import type { PatternUse } from "./pattern-groups.ts";
import { phraseEnd, phraseStart } from "./phrase.ts";

/** Receives a finding of the detector with this number. */
export type Report = (job: number, finding: Finding) => void;

interface PhraseUse {
  readonly kind: "phrase";
  readonly job: number;
  readonly phrase: Phrase;
}

interface RequiredLiteralUse {
  readonly kind: "required";
  readonly pattern: number;
  readonly required: RequiredLiteral;
}

interface TriggerUse {
  readonly kind: "trigger";
  readonly job: number;
  readonly trigger: Trigger;
  /** Its literal, with letters folded. */
  readonly literal: string;
}

/** What a detector does with one literal. */
export type LiteralUse = PhraseUse | RequiredLiteralUse | TriggerUse | CoLiteralUse;

/** The uses of one literal of the index. */
export interface LiteralUses {
  readonly phrases: readonly PhraseUse[];
  readonly required: readonly RequiredLiteralUse[];
  readonly triggers: readonly TriggerUse[];
  /** The sets of co-literals that contain it, by number. */
  readonly coLiterals: readonly CoLiteralUse[];
}

/** The literal of a use, as its detector has it. */
export function literalOf(use: LiteralUse): string {
  switch (use.kind) {
    case "phrase":
      return use.phrase.text;
    case "required":
      return use.required.literal;
    case "trigger":
      return use.trigger.literal;
    case "co-literal":
      return use.literal;
  }
}

type Growing<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Each)[] ? Each[] : never };

/** The uses by literal, step by step. `numbers` has the number of its literal for each use; all are below `count`. */
export function* usesByLiteral(
  uses: readonly LiteralUse[],
  { numbers, count }: { readonly numbers: Int32Array; readonly count: number },
): Generator<void, LiteralUses[]> {
  // An engine has tens of thousands of literals, and most have one use: a kind without uses has no list of its own.
  const none: never[] = [];
  const all: Growing<LiteralUses>[] = [];
  for (let i = 0; i < count; i++) all.push({ phrases: none, required: none, triggers: none, coLiterals: none });
  yield;
  let at = 0;
  yield* inBatches(uses, (use) => {
    const one = all[numbers[at++] ?? -1];
    if (one === undefined) return;
    if (use.kind === "phrase") one.phrases = withNext(one.phrases, use);
    else if (use.kind === "required") one.required = withNext(one.required, use);
    else if (use.kind === "trigger") one.triggers = withNext(one.triggers, use);
    else one.coLiterals = withNext(one.coLiterals, use);
  });
  return all;
}

function withNext<T>(list: T[], next: T): T[] {
  if (list.length === 0) return [next];
  list.push(next);
  return list;
}

/** The tables of a search for literals. */
export interface LiteralTables {
  readonly index: LiteralIndex;
  /** By literal. */
  readonly uses: readonly LiteralUses[];
  /** By literal: the bits of `literalKinds`. */
  readonly kinds: Uint8Array;
  readonly patterns: readonly PatternUse[];
  readonly coLiterals: CoLiterals;
  /** For each pattern, the set of co-literals of which one must occur as well; -1 when there is none. */
  readonly coLiteralSetOf: readonly number[];
}

/** What a literal is used for. */
const literalKinds = { coLiteral: 1, required: 2, located: 4 } as const;

/** The kinds of literals with these uses. */
export function kindsOf(all: readonly LiteralUses[]): Uint8Array {
  return Uint8Array.from(
    all,
    ({ coLiterals, phrases, triggers, required }) =>
      (coLiterals.length > 0 ? literalKinds.coLiteral : 0) |
      (required.length > 0 ? literalKinds.required : 0) |
      (phrases.length + triggers.length > 0 ? literalKinds.located : 0),
  );
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
): ReadonlyMap<number, PatternWindows> {
  // Most literals of patterns occur without the others that a match needs, so they are only noted until all are known.
  const required: number[] = [];
  const coLiterals: number[] = [];
  const { text } = view;
  const { kinds } = tables;
  let count = 0;
  tables.index.scan(text, (literal, end) => {
    const kind = kinds[literal] ?? 0;
    if (lap !== undefined && ++count % hitsOfLap === 0) lap(undefined);
    if ((kind & literalKinds.coLiteral) !== 0) coLiterals.push(literal, end);
    if ((kind & literalKinds.required) !== 0) required.push(literal, end);
    if ((kind & literalKinds.located) === 0) return;
    const uses = tables.uses[literal];
    if (uses === undefined) return;
    // Most literals have only one use.
    if (uses.phrases.length > 0) locatePhrases(uses.phrases, view, end, readsView, report);
    for (const { job, trigger, literal: wanted } of uses.triggers) {
      const isHit = readsView(job) && endsWithLiteral(text, end, wanted);
      const finding = isHit ? trigger.locate(text, end) : undefined;
      if (finding !== undefined) report(job, finding);
    }
  });
  if (required.length === 0) return noWindows;
  const hits = requiredHits(tables, required, coLiterals, { text, readsView });
  if (hits.size === 0) return noWindows;
  const coEnds = coLiteralEnds(tables, hits, coLiterals, text);
  const collapse = lazily(() => new CollapsedText(text));
  const windows = new Map<number, PatternWindows>();
  for (const [pattern, list] of hits) {
    const probed = tables.patterns[pattern]?.probe.pattern;
    const set = tables.coLiteralSetOf[pattern] ?? -1;
    const found = probed && windowsOf(probed, list, { text, coEnds: coEnds.get(set), collapse });
    if (found !== undefined) windows.set(pattern, found);
  }
  return windows;
}

const noWindows: ReadonlyMap<number, PatternWindows> = new Map();

// The hits of each pattern that is read in the text, and whose co-literals may occur in it.
function requiredHits(
  { uses, patterns, coLiterals, coLiteralSetOf }: LiteralTables,
  required: LiteralHits,
  found: LiteralHits,
  { text, readsView }: { readonly text: string; readonly readsView: (job: number) => boolean },
): ReadonlyMap<number, readonly RequiredLiteralHit[]> {
  const hits = new Map<number, RequiredLiteralHit[]>();
  const isPresent = coLiterals.presentIn(found);
  for (let i = 0; i < required.length; i += 2) {
    const end = required[i + 1] ?? 0;
    for (const { pattern, required: literal } of uses[required[i] ?? 0]?.required ?? []) {
      const set = coLiteralSetOf[pattern] ?? -1;
      if (set >= 0 && !isPresent(set)) continue;
      const use = patterns[pattern];
      if (use === undefined || !readsView(use.job) || !endsWithLiteral(text, end, literal.literal)) continue;
      const known = hits.get(pattern);
      if (known !== undefined) known.push({ required: literal, end });
      else hits.set(pattern, [{ required: literal, end }]);
    }
  }
  return hits;
}

// The ascending ends of the co-literals that patterns with hits need, by set.
function coLiteralEnds(
  { coLiterals, coLiteralSetOf }: LiteralTables,
  hits: ReadonlyMap<number, unknown>,
  found: LiteralHits,
  text: string,
): ReadonlyMap<number, readonly number[]> {
  const wanted = new Set<number>();
  for (const pattern of hits.keys()) {
    const set = coLiteralSetOf[pattern] ?? -1;
    if (set >= 0) wanted.add(set);
  }
  if (wanted.size === 0) return noEnds;
  const sets = [...wanted];
  const ends = coLiterals.endsOf(sets, found, text);
  return new Map(sets.map((set, index) => [set, ends[index] ?? []]));
}

const noEnds: ReadonlyMap<number, readonly number[]> = new Map();

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

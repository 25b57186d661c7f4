// The contribution of a detector to the shared scan: literals, patterns and sweeps, and how to turn their hits into
// findings.

import type { JsonObject } from "@bufbuild/protobuf";
import type { LinearPattern, PatternMatch } from "../pattern/linear-pattern.ts";
import type { Exceptions } from "../text/exception.ts";
import type { Detection, DetectorDefinition, TextSource } from "./detector.ts";
import type { Finding } from "./finding.ts";

/** A phrase that is found verbatim. */
export interface Phrase {
  /** Normalised by NFKC, with white space collapsed and trimmed. */
  readonly text: string;
  readonly wholeWord: boolean;
  readonly caseSensitive: boolean;
  readonly category: string;
  readonly score: number;
  readonly attributes?: Readonly<Record<string, string>>;
  /** How many letters may follow before the word ends; the finding covers them. Default: 0. */
  readonly maxMoreLetters?: number;
  /** Text around the phrase that makes it no finding. */
  readonly unless?: Exceptions;
}

/**
 * The edge of a growing text: the smallest offset, `from` or later, at which a finding may begin that later text could
 * add, change or remove; the length of the text when there is none. It may read at most 512 units before `from`. Units
 * before `seen` were present at the last call, which returned `from`; its result still holds for them, so they need not
 * be read again. Example: for findings without white space, `open("see key=abc", 0)` is 4, since the last word may
 * grow. A detector with a trigger or a sweep without this function is judged only at the end of a stream.
 */
export type OpenEdge = (text: string, from: number, seen?: number) => number;

/** A pattern with the finding for a match; undefined when a match is not a finding. */
export interface PatternProbe {
  readonly pattern: LinearPattern;
  /** Whether it reads the text with look-alike letters folded. */
  readonly folded: boolean;
  readonly accept: (match: PatternMatch, text: string) => Finding | undefined;
  /** How many units after a match `accept` reads at most. It reads at most 512 units before the match. Default: 0. */
  readonly reach?: number;
}

/** A literal whose neighbourhood is examined by code. The code may read only a bounded part of the text. */
export interface Trigger {
  readonly literal: string;
  /** `end` is the offset after the literal: 3 for "key" at the start of a text. */
  readonly locate: (text: string, end: number) => Finding | undefined;
  /** The edge, also for occurrences of the literal that are still to come. */
  readonly open?: OpenEdge;
  /**
   * Maximum distance from a finding's literal back to text before the edge. Example: with `maxUnitsBefore` 40, a
   * literal at offset 70 stays unsettled while the edge is at 100. Default: 0.
   */
  readonly maxUnitsBefore?: number;
}

/**
 * One linear pass over a text, for findings without a literal. Findings begin at `from` or later; the text before is
 * context, of which at least 512 units are present. A pass from an edge that `open` returned finds the same as a pass
 * over the whole text. Findings that begin at `to` or later may be omitted.
 */
export interface Sweep {
  (text: string, from?: number, to?: number): readonly Finding[];
  readonly open?: OpenEdge;
}

/**
 * Scores fixed windows of a form of a text. A score depends on the window, a bounded span before it, and whether more
 * text follows.
 */
export interface WindowProbe {
  /** The windows of a text of this length, as pairs of offsets. */
  readonly windowsOf: (length: number) => readonly (readonly [number, number])[];
  /** How far before a window the scorer reads, in code units. */
  readonly reach: number;
  /** Creates a scorer for the windows of one text, which is fastest from front to back. */
  readonly open: () => ScoreWindow;
  /** The same, including scores that are too low for a finding; absent when there are none. */
  readonly faint?: () => ScoreWindow;
}

/** Scores a window of a text. `offset` is the start of the text in a longer text of which it is a part. */
export type ScoreWindow = (text: string, from: number, to: number, offset?: number) => Finding | undefined;

/** Weights of models by their name, such as "injection". */
export type Models = ReadonlyMap<string, Uint8Array>;

/** Everything that a detector with its parameters contributes to a scan. */
export interface Plan {
  /** Bits of `reads` in normalize.ts: the forms of a text that it reads. */
  readonly reads: number;
  readonly phrases: readonly Phrase[];
  readonly patterns: readonly PatternProbe[];
  readonly triggers: readonly Trigger[];
  readonly sweeps: readonly Sweep[];
  /** Scores windows, if the detector does. */
  readonly window?: WindowProbe;
  /**
   * Turns the detections of all forms of a text into the final ones, for example when scores depend on each other or on
   * the source of the text.
   */
  readonly settle: (detections: readonly Detection[], source: TextSource) => readonly Detection[];
  /** The same, including scores that are too low for a detection; absent when there are none. */
  readonly settleFaint?: Plan["settle"];
}

/** A catalog entry with its compiler. */
export interface Detector {
  readonly definition: DetectorDefinition;
  /** `models` has the weights that were given to `compile`. */
  readonly plan: (parameters: JsonObject, models: Models) => Plan;
}

/** Drops each detection that lies within another one of the same category; the outer one keeps the higher score. */
export function withoutInner(detections: readonly Detection[]): Detection[] {
  const kept: Detection[] = [];
  const outer = new Map<string, number>();
  for (const detection of [...detections].sort((a, b) => a.start - b.start || b.end - a.end || b.score - a.score)) {
    const index = outer.get(detection.category);
    const last = index === undefined ? undefined : kept[index];
    if (index !== undefined && last !== undefined && detection.end <= last.end) {
      if (detection.score > last.score) kept[index] = { ...last, score: detection.score };
      continue;
    }
    outer.set(detection.category, kept.length);
    kept.push(detection);
  }
  return kept;
}

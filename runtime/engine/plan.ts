// What a detector contributes to the shared scan: literals, patterns and sweeps, and what to make of their hits.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Detection, DetectorDefinition, TextSource } from "./detector.ts";
import type { LinearPattern, PatternMatch } from "./regex.ts";

/** Something found in one form of a text; offsets are those of that form. */
export interface Finding {
  readonly category: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** A phrase to find as it is written. */
export interface Phrase {
  /** Normalised by NFKC, white space collapsed and trimmed. */
  readonly text: string;
  readonly wholeWord: boolean;
  readonly caseSensitive: boolean;
  readonly category: string;
  readonly score: number;
  readonly attributes?: Readonly<Record<string, string>>;
}

/**
 * What of a text is not settled while more of it is to come: the least offset, `from` or behind it, at which a finding may begin that
 * later text could still add, change or take away; the length of the text when there is none. It may look at no more than 512 units
 * before `from`. Units before `seen` were there when it was last asked, and then it answered `from`: what it said of them still holds, so it
 * need not look at them again. A detector with a trigger or a sweep that does not say this is judged at the end of a stream only.
 */
export type OpenEdge = (text: string, from: number, seen?: number) => number;

/** A pattern, and what a match of it means; undefined when nothing. */
export interface PatternProbe {
  readonly pattern: LinearPattern;
  /** Whether it reads the text with look-alike letters folded. */
  readonly folded: boolean;
  readonly accept: (match: PatternMatch, text: string) => Finding | undefined;
  /** How many units behind a match `accept` reads at most. It reads at most 512 before it. Default: 0. */
  readonly reach?: number;
}

/** A literal whose neighbourhood is read by code. It must look at a bounded part of the text only. */
export interface Trigger {
  readonly literal: string;
  /** `end` is the offset behind the literal. */
  readonly locate: (text: string, end: number) => Finding | undefined;
  /** What is not settled, occurrences of the literal that are still to come included. */
  readonly open?: OpenEdge;
  /** How far before what is open the literal of a finding may stand that is behind it. While it stands there, it is open as well. Default: 0. */
  readonly lead?: number;
}

/**
 * One pass over a text in linear time, for what has no literal. Findings begin at `from` or behind it; what is before is context, of
 * which at least 512 units are there. An edge that `open` gives is a place from which a pass finds what a pass over everything finds. What
 * begins at `to` or behind it need not be found.
 */
export interface Sweep {
  (text: string, from?: number, to?: number): readonly Finding[];
  readonly open?: OpenEdge;
}

/** Scores fixed windows of a form of a text, each by what lies in it, a bounded stretch before it, and whether more comes behind it. */
export interface WindowProbe {
  /** The windows of a text of this length. */
  readonly windowsOf: (length: number) => readonly (readonly [number, number])[];
  /** How far before a window it looks, in code units. */
  readonly reach: number;
  /** What scores the windows of one text, best from front to back. */
  readonly open: () => ScoreWindow;
}

/** Scores a window of a text. `offset` is where it begins in a longer text of which it is a part. */
export type ScoreWindow = (text: string, from: number, to: number, offset?: number) => Finding | undefined;

/** What the windows of a text gave, as far as somebody has scored them already. */
export interface KnownWindows {
  /** By window, in order, for a detector in the form of these `reads`; undefined for a window in which nothing was found. */
  readonly of: (specKey: string, kinds: number) => readonly (Finding | undefined)[];
}

/** Weights of models by their name, such as "injection". */
export type Models = ReadonlyMap<string, Uint8Array>;

/** All that one detector with its parameters wants of the scan. */
export interface Plan {
  /** Bits of `reads` in normalize.ts: the forms of a text that it reads. */
  readonly reads: number;
  readonly phrases: readonly Phrase[];
  readonly patterns: readonly PatternProbe[];
  readonly triggers: readonly Trigger[];
  readonly sweeps: readonly Sweep[];
  /** What scores windows, if the detector has such a thing. */
  readonly window?: WindowProbe;
  /** Makes the final detections of all forms of a text, such as scores that depend on each other, or on whose text it is. */
  readonly settle: (detections: readonly Detection[], source: TextSource) => readonly Detection[];
}

/** An entry of the catalog and how to compile it. */
export interface Detector {
  readonly definition: DetectorDefinition;
  /** `models` has the weights that were given to `compile`. */
  readonly plan: (parameters: JsonObject, models: Models) => Plan;
}

/** Drops a detection that lies within another of the same category; the other keeps the higher score. */
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

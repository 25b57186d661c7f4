// What a detector contributes to the shared scan: literals, patterns and sweeps, and what to make of their hits.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Detection, DetectorDefinition } from "./detector.ts";
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

/** A pattern, and what a match of it means; undefined when nothing. */
export interface PatternProbe {
  readonly pattern: LinearPattern;
  /** Whether it reads the text with look-alike letters folded. */
  readonly folded: boolean;
  readonly accept: (match: PatternMatch, text: string) => Finding | undefined;
}

/** A literal whose neighbourhood is read by code. It must look at a bounded part of the text only. */
export interface Trigger {
  readonly literal: string;
  /** `end` is the offset behind the literal. */
  readonly locate: (text: string, end: number) => Finding | undefined;
}

/** One pass over a text in linear time, for what has no literal. */
export type Sweep = (text: string) => readonly Finding[];

/** All that one detector with its parameters wants of the scan. */
export interface Plan {
  /** Bits of `reads` in normalize.ts: the forms of a text that it reads. */
  readonly reads: number;
  readonly phrases: readonly Phrase[];
  readonly patterns: readonly PatternProbe[];
  readonly triggers: readonly Trigger[];
  readonly sweeps: readonly Sweep[];
  /** Makes the final detections of all forms of a text, such as scores that depend on each other. */
  readonly settle: (detections: readonly Detection[]) => readonly Detection[];
}

/** An entry of the catalog and how to compile it. */
export interface Detector {
  readonly definition: DetectorDefinition;
  readonly plan: (parameters: JsonObject) => Plan;
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

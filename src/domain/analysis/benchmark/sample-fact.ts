// What is known of a sample of a benchmark after it was judged. It has no text.

import type { FoundSpan } from "./prediction.ts";

/** What is known of a sample after it was judged. */
export type SampleFact = {
  readonly id: string;
  readonly truth: boolean | null;
  readonly found: boolean | null;
  readonly outcome: string | null;
  readonly score: number | null;
  /** Why it could not be judged; null when it was. */
  readonly why: string | null;
  readonly stage: string;
  readonly language: string | null;
  readonly labels: readonly string[];
  readonly tags: readonly string[];
  readonly group: string | null;
  readonly foundLabels: readonly string[];
  readonly rules: readonly string[];
  readonly detectors: readonly string[];
  readonly mustMatch: readonly string[];
  readonly mustNotMatch: readonly string[];
  readonly expectedSpans: readonly FoundSpan[];
  readonly spans: readonly FoundSpan[];
  readonly isUnjudged: boolean;
  readonly hasKeyword: boolean;
  readonly latencyUs: number | null;
};

/** What samples are sliced by. */
export const sliceKinds = ["label", "stage", "language", "tag", "detector", "rule"] as const;
/** What samples are sliced by. */
export type SliceKind = (typeof sliceKinds)[number];

/** A part of the samples; for a detector or a rule, all of them as it alone judges them. */
export type Slice = { readonly by: SliceKind; readonly value: string };

/** What a sample has of a kind. */
export function valuesOf(by: SliceKind, fact: SampleFact): readonly string[] {
  if (by === "label") return fact.labels;
  if (by === "stage") return [fact.stage];
  if (by === "language") return fact.language === null ? [] : [fact.language];
  if (by === "tag") return fact.tags;
  return by === "detector" ? fact.detectors : fact.rules;
}

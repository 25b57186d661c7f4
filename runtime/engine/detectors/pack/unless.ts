// Sentences that are harmless in some contexts: a place to live, dying of laughter, a denial.

import type { PatternMatch } from "../../pattern/linear-pattern.ts";
import type { PatternProbe } from "../detector-plan.ts";
import { type SentenceRule, sentenceProbes } from "./pattern.ts";

/** A sentence with the contexts that make it harmless: directly before it, within it, and directly after it. */
export interface GuardedSentence extends SentenceRule {
  readonly unlessBefore?: RegExp;
  readonly unlessWithin?: RegExp;
  readonly unlessBehind?: RegExp;
}

/** How many code units on each side of a sentence are read. */
const contextLength = 60;

/** The probes for the sentences of some languages. A sentence with an exempt phrase is not a finding. */
export function guardedProbes(
  sentences: readonly GuardedSentence[],
  languages: readonly string[],
  exempt: ReadonlySet<string>,
): PatternProbe[] {
  return sentences.flatMap((sentence) =>
    sentenceProbes([sentence], languages, exempt).map(
      (probe): PatternProbe => ({
        ...probe,
        accept: (match, text) => (isHarmless(sentence, match, text) ? undefined : probe.accept(match, text)),
      }),
    ),
  );
}

function isHarmless(
  { unlessBefore, unlessWithin, unlessBehind }: GuardedSentence,
  { start, end }: PatternMatch,
  text: string,
): boolean {
  return (
    unlessBefore?.test(text.slice(Math.max(0, start - contextLength), start)) === true ||
    unlessWithin?.test(text.slice(start, end)) === true ||
    unlessBehind?.test(text.slice(end, end + contextLength)) === true
  );
}

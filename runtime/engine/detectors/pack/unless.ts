// Sentences that mean no harm when something stands beside or within them: a place to live, laughter to die of, a denial.

import type { PatternProbe } from "../../plan.ts";
import type { PatternMatch } from "../../regex.ts";
import { type SentenceRule, sentenceProbes } from "./pattern.ts";

/** A sentence, and what makes it harmless right before it, within it, and right behind it. */
export interface GuardedSentence extends SentenceRule {
  readonly unlessBefore?: RegExp;
  readonly unlessWithin?: RegExp;
  readonly unlessBehind?: RegExp;
}

/** How many units beside a sentence are read. */
const contextLength = 60;

/** The probes of the sentences of some languages. A sentence with an exempt phrase is no finding. */
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

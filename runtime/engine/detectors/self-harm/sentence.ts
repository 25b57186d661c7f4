// What the sentences of people at risk have in common.

import type { GuardedSentence } from "../pack/unless.ts";

type Unless = Pick<GuardedSentence, "unlessBefore" | "unlessBehind">;

/** A sentence of somebody who is at risk, or who speaks of somebody near who is. */
export function intent(language: string, pattern: string, unless: Unless = {}): GuardedSentence {
  return { category: "self_harm.intent", language, score: 0.85, pattern, ...unless };
}

/** A request for means. */
export function means(language: string, pattern: string, unless: Unless = {}): GuardedSentence {
  return { category: "self_harm.means", language, score: 0.8, pattern, ...unless };
}

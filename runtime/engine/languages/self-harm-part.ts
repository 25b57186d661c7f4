// Defines the sentences of people at risk. RE2 has no word boundary next to non-ASCII letters, so the sentences of
// languages with such letters have none.

/** A sentence of one language, with the contexts that make it harmless. */
export interface RiskSentence {
  readonly category: string;
  readonly score: number;
  readonly pattern: string;
  /** Context directly before the sentence that makes it harmless. */
  readonly unlessBefore?: RegExp;
  /** Context directly after the sentence that makes it harmless. */
  readonly unlessBehind?: RegExp;
}

type Unless = Pick<RiskSentence, "unlessBefore" | "unlessBehind">;

/** A sentence of a person at risk, or about somebody close who is. */
export function intent(pattern: string, unless: Unless = {}): RiskSentence {
  return { category: "self_harm.intent", score: 0.85, pattern, ...unless };
}

/** A request for means. */
export function means(pattern: string, unless: Unless = {}): RiskSentence {
  return { category: "self_harm.means", score: 0.8, pattern, ...unless };
}

// How the sentences of the detector "toxicity" are written down.

import type { SentenceRule } from "../pack/pattern.ts";

/** A sentence of a kind, such as "threat", in a language (BCP 47), with the score that it gives between 0 and 1. */
export function toxicRule(kind: string, language: string, score: number, pattern: string): SentenceRule {
  return { category: `toxicity.${kind}`, language, score, pattern };
}

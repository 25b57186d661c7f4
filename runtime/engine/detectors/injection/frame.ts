// Injection rules from the frames of a language: what is told about the model, about the writer or about a scene, so that rules seem to
// be off.

import { inOneSentence } from "./order.ts";
import type { Rule } from "./rule.ts";

/** What the frames of a language sound like: alternatives of a pattern, in which "…" stands for up to 40 characters of the same sentence. */
export interface Frames {
  /** Says that what the model was told in the beginning has ended. */
  readonly ended: string;
  /** Asks for what stands before the conversation. */
  readonly before: string;
  /** Has the moderation or the ethics of the model turned off. */
  readonly off: string;
  /** A relative who tells how to make what no model tells. */
  readonly relative: string;
  /** Says that the writer commands over those who made the model. */
  readonly maker: string;
  /** Says that the model has lost its memory, or loses points when it refuses. */
  readonly wiped: string;
  /** An artificial intelligence that nothing holds back. */
  readonly unchained: string;
  /** Whether words stand without white space between them. */
  readonly isUnspaced?: boolean;
}

/** The rules of a language, in the form (NFKC) that texts are matched in. What begins right behind a quotation mark is talked about, and no match. */
export function rulesOfFrames({ isUnspaced, ...frames }: Frames): Rule[] {
  const start = isUnspaced === true ? "(?:^|[^\"'“«„])" : "(?:^|[^\\p{L}\"'“«„”])";
  const found: readonly Rule[] = [
    { family: "override", weight: 0.65, pattern: frames.ended },
    { family: "prompt_extraction", weight: 0.65, pattern: frames.before },
    { family: "jailbreak_persona", weight: 0.6, pattern: frames.off },
    { family: "jailbreak_persona", weight: 0.6, pattern: frames.relative.replaceAll("…", "……") },
    { family: "role_hijack", weight: 0.65, pattern: frames.maker },
    { family: "override", weight: 0.65, pattern: frames.wiped },
    { family: "jailbreak_persona", weight: 0.6, pattern: frames.unchained },
  ];
  return found.map((rule) => ({ ...rule, pattern: inOneSentence(`${start}(?:${rule.pattern})`) }));
}

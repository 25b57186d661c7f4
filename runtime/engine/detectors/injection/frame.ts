// Injection rules from the framings of a language: statements about the model, the writer or a scene that pretend that
// rules do not apply.

import type { Frames, Rule } from "../../languages/injection-part.ts";
import { inOneSentence } from "./order.ts";

/**
 * The rules of a language, normalised (NFKC) like the texts. A match directly after a quotation mark is quoted, and
 * does not count.
 */
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

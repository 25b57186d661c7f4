// Injection rules from a language's words about the model's instructions: requests to show them in any form of the
// verb, and claims that they have ended.

import type { Prompts, Rule } from "../../languages/injection-part.ts";

/** The rules of a language. */
export function rulesOfPrompts({ show, told, ends }: Prompts): Rule[] {
  return [
    { family: "prompt_extraction", weight: 0.5, pattern: `(?:^|[^\\p{L}])(?:${show})[^\\n.!?]{0,24} (?:${told})` },
    { family: "prompt_extraction", weight: 0.5, pattern: `(?:^|[^\\p{L}])(?:${told})[^\\n.!?]{0,24} (?:${show})` },
    { family: "override", weight: 0.5, pattern: `(?:^|[^\\p{L}])(?:${ends})` },
  ];
}

// Injection rules from the words of a language: dropping the operator's rules, asking for the hidden text, and taking a
// role without rules.

import type { Rule, Wording } from "../../languages/injection-part.ts";

/**
 * The rules of a language, normalised (NFKC) like the texts. A match directly after a quotation mark is quoted, and
 * does not count.
 */
export function rulesOfWording({ drop, rules, show, secret, become, free, verbs, isUnspaced }: Wording): Rule[] {
  const start = isUnspaced === true ? "(?:^|[^\"'“«„])" : "(?:^|[^\\p{L}\"'“«„”])";
  const beside = (verb: string, object: string): string[] => [
    ...(verbs === "last" ? [] : [`${start}(?:${verb})[^\\n.!?:]{0,32}(?:${object})`]),
    ...(verbs === "first" ? [] : [`${start}(?:${object})[^\\n.!?:।۔]{0,24}(?:${verb})`]),
  ];
  const found = [
    ...beside(drop, rules).map((pattern) => ({ family: "override", weight: 0.75, pattern })),
    ...beside(show, secret).map((pattern) => ({ family: "prompt_extraction", weight: 0.65, pattern })),
    { family: "role_hijack", weight: 0.65, pattern: `${start}(?:${become})[^\\n!?]{0,48}(?:${free})` },
  ];
  return found.map((rule) => ({ ...rule, pattern: rule.pattern.normalize("NFKC") }));
}

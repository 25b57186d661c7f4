// Injection rules from the words of a language: dropping the operator's rules, asking for the hidden text, and taking a role without rules.

import type { Rule } from "./rule.ts";

/** The words of a language, as alternatives of a pattern. */
export interface Wording {
  /** Verbs that drop rules. */
  readonly drop: string;
  /** The operator's rules, said so that no other rules are meant. */
  readonly rules: string;
  /** Verbs that show a text. */
  readonly show: string;
  /** The text of the operator that nobody shall see, said so that no other text is meant. */
  readonly secret: string;
  /** What opens a role. */
  readonly become: string;
  /** What says that a role has no rules. */
  readonly free: string;
  /** Whether verbs stand before or after what they are about. */
  readonly verbs: "first" | "last" | "either";
  /** Whether words stand without white space between them. */
  readonly isUnspaced?: boolean;
}

/** The rules of a language, in the form (NFKC) that texts are matched in. What begins right behind a quotation mark is talked about, and no match. */
export function rulesOf({ drop, rules, show, secret, become, free, verbs, isUnspaced }: Wording): Rule[] {
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

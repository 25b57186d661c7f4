// Injection rules from the orders of a language: the short sentences that everybody tries first, in addition to the
// rules from its wording.

import type { Orders, Rule } from "../../languages/injection-part.ts";

const gap = "[^\\n.!?:;。！？।۔؟]{0,40}";

/**
 * The rules of a language, normalised (NFKC) like the texts. A match directly after a quotation mark is quoted, and
 * does not count.
 */
export function rulesOfOrders({ isUnspaced, ...orders }: Orders): Rule[] {
  const start = isUnspaced === true ? "(?:^|[^\"'“«„])" : "(?:^|[^\\p{L}\"'“«„”])";
  const found: readonly Rule[] = [
    { family: "override", weight: 0.75, pattern: `${start}(?:${orders.forget})` },
    { family: "role_hijack", weight: 0.65, pattern: `${start}(?:${orders.obey})` },
    { family: "prompt_extraction", weight: 0.7, pattern: `${start}(?:${orders.recite})` },
    { family: "jailbreak_persona", weight: 0.75, pattern: `(?:^|\\n)(?:${orders.mode})` },
    { family: "jailbreak_persona", weight: 0.7, pattern: `${start}(?:${orders.persona})` },
    { family: "refusal_suppression", weight: 0.65, pattern: `${start}(?:${orders.refuse})` },
    { family: "indirect", weight: 0.7, pattern: `${start}(?:${orders.indirect})` },
    { family: "encoded_instruction", weight: 0.7, pattern: `${start}(?:${orders.decode})` },
  ];
  return found.map((rule) => ({ ...rule, pattern: inOneSentence(rule.pattern) }));
}

/** Expands "…" in a pattern to up to 40 characters of the same sentence, and normalises it (NFKC) like the texts. */
export function inOneSentence(pattern: string): string {
  return pattern.replaceAll("…", gap).normalize("NFKC");
}

// Injection rules from the orders of a language: the short sentences that everybody tries first, beside the rules that its wording gives.

import type { Rule } from "./rule.ts";

/** What the orders of a language sound like: alternatives of a pattern, in which "…" stands for up to 40 characters of the same sentence. */
export interface Orders {
  /** Drops what was said before, or the rules above. */
  readonly forget: string;
  /** Makes the writer the only one who is obeyed. */
  readonly obey: string;
  /** Asks for the text above word for word, or what the hidden instructions are. */
  readonly recite: string;
  /** Turns on a mode for developers, as the beginning of a message, with what shows that no device is meant. */
  readonly mode: string;
  /** Opens a role whose name or nature says that it has no rules. */
  readonly persona: string;
  /** Forbids to refuse or to warn. */
  readonly refuse: string;
  /** Speaks to a model out of a document. */
  readonly indirect: string;
  /** Has a text decoded and obeyed. */
  readonly decode: string;
  /** Whether words stand without white space between them. */
  readonly isUnspaced?: boolean;
}

const gap = "[^\\n.!?:;。！？।۔؟]{0,40}";

/** The rules of a language, in the form (NFKC) that texts are matched in. What begins right behind a quotation mark is talked about, and no match. */
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

/** A pattern with "…" for up to 40 characters of the same sentence, in the form (NFKC) that texts are matched in. */
export function inOneSentence(pattern: string): string {
  return pattern.replaceAll("…", gap).normalize("NFKC");
}

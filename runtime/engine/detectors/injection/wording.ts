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

/** What English words name in a text of another language: the operator's rules, and the hidden text. */
const english = {
  rules:
    "(?:all|previous|earlier|prior|old|your|ur|hidden|safety|company|developer|original|initial)(?: [\\p{L}]+){0,2} (?:instructions?|rules?|guidelines?|restrictions?|filters?|prompts?)|system ?prompts?",
  // Somebody who wants a system prompt written says "a system prompt".
  secret:
    "(?:the|your|ur|di|el|tu|ton|le|den|das|dein(?:en)?|teu|seu|apna|tumhara|aapka|tomar|apnar|unn?oda|svoj|tvoj|ni ?de|(?:kimi|omae|anata) no|neo(?:ui)?|ang|yung|iyong) (?:[\\p{L}]+ )?(?:system prompt|system message|(?:hidden|secret) (?:prompt|message|instructions|rules|config))|system ?prompt (?:wo|eul|reul)|(?:your|ur|developer) (?:prompt|instructions?)|(?:hidden|secret|internal) (?:prompt|instructions?|rules?)",
};
const wordEnd = "(?:$|[^\\p{L}])";

/** The rules of a language in Latin letters and mixed with English, where verbs are whole words. */
export function rulesOfMixed({ drop, rules, show, secret, ...wording }: Wording): Rule[] {
  return rulesOfWording({
    ...wording,
    drop: `(?:${drop})${wordEnd}`,
    rules: rules.replace("{rules}", english.rules),
    show: `(?:${show})${wordEnd}`,
    secret: secret.replace("{secret}", english.secret),
  });
}

// Groups of words to which English injection rules refer in braces, such as {rules}.

import type { Rule } from "../../injection-part.ts";

const words: ReadonlyMap<string, string> = new Map([
  [
    "ignore",
    "(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|bypass(?:ing)?|overrid(?:e|ing)|discard(?:ing)?|abandon(?:ing)?|neglect(?:ing)?|overlook(?:ing)?|skip(?:ping)?|drop(?:ping)?|erase|delete|cancel|nullify|void|suspend|unlearn|set aside|throw away|throw out|do not follow|don'?t follow|stop following|do not obey|don'?t obey|stop obeying|pay no attention to|pay no heed to|take no notice of|no longer follow|no longer obey|no longer apply)",
  ],
  [
    "all",
    "(?:(?:all|any|every|each|everything|of|the|your|these|those|this|that|its|our|their|other|and|such|about|from|in|with|a|whole|entire|completely|totally|both) ){0,5}",
  ],
  [
    "every",
    "(?:(?:all|any|every|each|everything|your|of|these|those|this|that|its|our|their|both|such|about|from|in|a|whole|entire|completely|totally|other|and) (?:the )?){0,5}",
  ],
  [
    "previous",
    "(?:previous|prior|preceding|above|earlier|past|foregoing|former|initial|original|existing|current|present|system|developer|default|given|pre-existing|preset|safety|base|hidden|internal|aforementioned|standing|programmed|built-in|ethical|content|moderation|operator'?s?)",
  ],
  [
    "instructions",
    "(?:instructions?|directions?|directives?|commands?|prompts?|rules?|guidelines?|guidance|orders?|programming|constraints?|restrictions?|policy|policies|guardrails?|safeguards?|protocols?|limitations?|parameters|filters?|system message|configuration|settings|training|context|conversation|messages?|setup|briefing|task|tasks)",
  ],
  [
    "orders",
    "(?:instructions?|directions?|directives?|commands|prompts?|rules|guidelines?|guidance|orders|programming|constraints|restrictions|policy|policies|guardrails?|safeguards?|protocols?|limitations?|filters?|system messages?)",
  ],
  [
    "reveal",
    "(?:reveal|show|print|display|output|disclose|expose|leak|dump|divulge|repeat|recite|echo|write out|write down|type out|spit out|list|give me|tell me|share|provide|return|reproduce|copy|paste|quote|state|translate|summari[sz]e|encode|send me|post|spell out|read out|read me|read back)",
  ],
  [
    "model",
    "(?:ai|a\\.i\\.|assistant|chat ?bot|bot|model|llm|language model|gpt|chatgpt|claude|gemini|llama|copilot|grok|bard)",
  ],
]);

/** A rule with each {name} replaced by its words. */
export function withWords(rule: Rule): Rule {
  return { ...rule, pattern: rule.pattern.replace(/\{([a-z]+)\}/g, (whole, name: string) => words.get(name) ?? whole) };
}

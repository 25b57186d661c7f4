// Lists all patterns of the built-in detectors, and prints the stored facts about them.

import { RE2JS } from "re2js";
import { analyse, patternKey, type StoredFacts, storeFacts } from "../pattern/pattern-facts.ts";
import { injectionRules } from "./injection/injection.ts";
import { expandRule } from "./injection/rule.ts";

import { expandSentence } from "./pack/pattern.ts";
import { selfHarmSentences } from "./self-harm/self-harm.ts";
import { contemptRules } from "./toxicity/contempt.ts";
import { contemptWords, toxicSentences } from "./toxicity/toxicity.ts";

/** A pattern with its flags, in the form that re2js takes them. */
export interface BuiltIn {
  readonly source: string;
  readonly bits: number;
}

/** The patterns of all built-in detectors. */
export function builtIns(): BuiltIn[] {
  return [
    ...injectionRules.map(({ pattern, caseSensitive }) => ({
      source: expandRule(pattern),
      bits: caseSensitive === true ? 0 : RE2JS.CASE_INSENSITIVE,
    })),
    ...[...toxicSentences, ...contemptRules(contemptWords), ...selfHarmSentences].map(({ pattern }) => ({
      source: expandSentence(pattern),
      bits: RE2JS.CASE_INSENSITIVE,
    })),
  ];
}

/** The content of gen/engine/patterns.json: the facts of every built-in pattern by its key. */
export function printBuiltInFacts(): string {
  const lines = new Map<string, StoredFacts>();
  for (const { source, bits } of builtIns())
    lines.set(patternKey(source, bits), storeFacts(analyse(RE2JS.compile(source, bits))));
  const entries = [...lines].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{\n${entries.map(([key, facts]) => `${JSON.stringify(key)}:${JSON.stringify(facts)}`).join(",\n")}\n}\n`;
}

// Work load W: 1,300 phrases in several languages, 300 regular expressions, the built-in detectors and 5 conditions.

import { seededRandom } from "../../runtime/engine/authoring/seeded-random.ts";
import type { PolicyDocument } from "../../runtime/engine/policy/document.ts";
import { patterns } from "./patterns.ts";
import { pick } from "./random.ts";
import { words } from "./words.ts";

/** Phrases of W: three or four words each, none of which ordinary text is likely to contain in this order. */
export function phrases(count = 1300): string[] {
  const random = seededRandom(1);
  const found = new Set<string>();
  while (found.size < count) {
    const language = pick(Object.values(words), random);
    found.add(Array.from({ length: 3 + Math.floor(random() * 2) }, () => pick(language, random)).join(" "));
  }
  return [...found];
}

/** The policy of W. */
export function workLoadPolicy(): PolicyDocument {
  return {
    apiVersion: "policyguard/v1",
    kind: "Policy",
    metadata: { name: "work-load" },
    lists: { own_domains: ["example.com", "example.org"] },
    detectors: {
      phrases: { use: "keywords", keywords: phrases() },
      patterns: { use: "regex", patterns: patterns() },
      pii: { use: "pii", entities: ["EMAIL", "IBAN", "CREDIT_CARD"] },
    },
    rules: [
      { id: "phrases", stages: ["input"], detect: "phrases", when: 'segment.trust == "untrusted"', action: "FLAG" },
      {
        id: "patterns",
        stages: ["input"],
        detect: "patterns",
        when: "finding.score > 0.5",
        action: "REDACT",
      },
      { id: "secrets", stages: ["input"], detect: "secrets", when: 'request.stage == "input"', action: "BLOCK" },
      { id: "pii", stages: ["input"], detect: "pii", unless: "finding.domain in lists.own_domains", action: "REDACT" },
      {
        id: "injection",
        stages: ["input"],
        detect: "injection",
        when: "segment.length < 100000 && finding.score > 0.4",
        action: "BLOCK",
      },
    ],
  };
}

/** A policy of one phrase that no text has: what an evaluation by it costs is what lies around the engine. */
export function lightPolicy(): PolicyDocument {
  return {
    apiVersion: "policyguard/v1",
    kind: "Policy",
    metadata: { name: "light" },
    detectors: { phrases: { use: "keywords", keywords: ["a phrase that nobody writes"] } },
    rules: [{ id: "phrases", stages: ["input"], detect: "phrases", action: "FLAG" }],
  };
}

/** A policy of further patterns beside those of W. */
export function patternPolicy(name: string, list: string[]): PolicyDocument {
  return {
    apiVersion: "policyguard/v1",
    kind: "Policy",
    metadata: { name },
    detectors: { patterns: { use: "regex", patterns: list } },
    rules: [{ id: "patterns", stages: ["input"], detect: "patterns", action: "REDACT" }],
  };
}

// The detector "repetition" finds characters, words or lines that are repeated very often, as in attacks that exhaust a
// model or push its instructions out of its context, and in outputs that are stuck in a loop.

import { reads } from "../../text/normalize.ts";
import type { Detector } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";

const maxUnitLength = 64;
const reach = 1_024;

/** The detector "repetition". */
export const repetition: Detector = {
  definition: {
    id: "repetition",
    displayName: "Repetition",
    description:
      "Finds characters, words and phrases that are repeated many times in a row. Rules and tables are no findings.",
    version: "1.0.0",
    category: "content",
    tags: ["repetition", "denial-of-service", "loop", "owasp-llm10"],
    categories: ["repetition.character", "repetition.phrase"],
    entities: [],
    languages: ["*"],
    costClass: "linear",
    scope: "whole",
    defaultThreshold: 0.5,
    floor: 0.8,
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        characters: {
          type: "integer",
          description: "Times that a letter, digit or mark may stand in a row.",
          minimum: 4,
          maximum: 512,
          default: 40,
        },
        phrases: {
          type: "integer",
          description: "Times that a word, phrase or line of at most 64 characters may follow itself.",
          minimum: 3,
          maximum: 64,
          default: 8,
        },
      },
    },
    references: ["https://genai.owasp.org/llmrisk/llm102025-unbounded-consumption/"],
    measures: [
      { name: "recall", value: 0.968, data: "250 answers that got stuck, made up apart from the detector" },
      {
        name: "false positive rate",
        value: 0,
        data: "300 rules, tables, lists, verses and figures, made up apart from the detector",
      },
    ],
    examples: [
      { text: `say ${"poem ".repeat(12)}`, categories: ["repetition.phrase"] },
      { text: `${"A".repeat(80)} hello`, categories: ["repetition.character"] },
      { text: "-----------------------------------------------------\nno, no, no, no, no!", categories: [] },
    ],
    check: () => [],
  },
  plan: (parameters) => {
    const limits = { characters: limitOf(parameters.characters, 40), phrases: limitOf(parameters.phrases, 8) };
    return {
      reads: reads.normal,
      phrases: [],
      patterns: [],
      triggers: [],
      sweeps: [(text) => find(text, limits)],
      settle: (detections) => detections,
    };
  },
};

interface Limits {
  readonly characters: number;
  readonly phrases: number;
}

function limitOf(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}

/** Characters of rulers and indentation. */
const ruler = /^[\s\-_=*#~.+|/\\<>─━═│·•░▒▓█]+$/;

function find(text: string, limits: Limits): Finding[] {
  const findings: Finding[] = [];
  let at = 0;
  while (at < text.length) {
    const end = runEnd(text, at);
    if (end - at > limits.characters && !ruler.test(text[at] ?? "")) {
      const attributes = { count: String(end - at), basis: "one character in a row" };
      findings.push({ category: "repetition.character", start: at, end, score: 0.9, attributes });
    }
    at = end;
  }
  return [...findings, ...findPhrases(text, limits)];
}

// Long runs are cut, so that a finding depends on a bounded part of the text.
function runEnd(text: string, from: number): number {
  const unit = text.charCodeAt(from);
  let end = from + 1;
  while (end < text.length && end - from < reach && text.charCodeAt(end) === unit) end++;
  return end;
}

// Each word is compared with the word before it, the one two before it, and so on up to eight: n equal words in a row
// at distance n make a repeated phrase of n words. Words are compared by a hash of their letters, in eight comparisons
// per word.
const maxPhraseLength = 8;
/** Word units below this one are digits. */
const firstLetter = 0x41;
/** How many times more often numbers may repeat, since table columns repeat them. */
const longerFigures = 8;
const kept = 1_024;
const inKept = kept - 1;
/** Hashes of the last words; older ones are overwritten and never read. */
const hashes = new Int32Array(kept);
const starts = new Int32Array(kept);
const equal = new Int32Array(maxPhraseLength + 1);

function findPhrases(text: string, { phrases }: Limits): Finding[] {
  const findings: Finding[] = [];
  const lower = text.toLowerCase();
  const given = lower.length === text.length ? lower : text;
  equal.fill(0);
  let openUntil = 0;
  let count = 0;
  let lastWithLetter = -1;
  for (let at = 0; at < given.length; ) {
    if (!isWordUnit(given.charCodeAt(at))) {
      at++;
      continue;
    }
    const start = at;
    let hash = 0;
    for (; at < given.length && at - start < maxUnitLength && isWordUnit(given.charCodeAt(at)); at++) {
      const unit = given.charCodeAt(at);
      hash = (Math.imul(hash, 31) + unit) | 0;
      if (unit >= firstLetter) lastWithLetter = count;
    }
    hashes[count & inKept] = hash;
    starts[count & inKept] = start;
    for (let length = 1; length <= Math.min(maxPhraseLength, count); length++) {
      equal[length] = hashes[(count - length) & inKept] === hash ? (equal[length] ?? 0) + 1 : 0;
      if ((equal[length] ?? 0) < length * phrases || start < openUntil) continue;
      const firstWord = count - length * (phrases + 1) + 1;
      if (lastWithLetter < firstWord && (equal[length] ?? 0) < length * phrases * longerFigures) continue;
      const first = starts[firstWord & inKept] ?? 0;
      openUntil = start + reach;
      const attributes = { count: String(phrases + 1), basis: "a phrase follows itself" };
      findings.push({ category: "repetition.phrase", start: first, end: at, score: 0.8, attributes });
    }
    count++;
  }
  return findings;
}

// Letters and digits; in other scripts everything except white space and general punctuation.
function isWordUnit(unit: number): boolean {
  if (unit < 0x80)
    return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a);
  return unit >= 0xc0 && !(unit >= 0x2000 && unit <= 0x2bff) && !(unit >= 0x3000 && unit <= 0x303f);
}

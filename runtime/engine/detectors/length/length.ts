// The detector "length" finds texts that are longer than the author allows. The part beyond a limit is the finding.

import type { JsonObject } from "@bufbuild/protobuf";
import { reads } from "../../text/normalize.ts";
import type { ParameterProblem } from "../detector.ts";
import type { Detector } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";

/** The detector "length". */
export const length: Detector = {
  definition: {
    id: "length",
    displayName: "Length",
    description: "Finds what a text has beyond a number of characters, words, lines or tokens. Tokens are estimated.",
    version: "1.0.0",
    category: "content",
    tags: ["length", "limit", "owasp-llm10"],
    categories: ["length.characters", "length.lines", "length.tokens", "length.words"],
    entities: [],
    languages: ["*"],
    costClass: "linear",
    scope: "whole",
    defaultThreshold: 0.5,
    floor: 1,
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        max_characters: limit("Characters (UTF-16 code units)."),
        max_words: limit("Words: runs of letters and digits."),
        max_lines: limit("Lines."),
        max_tokens: limit(
          "Tokens, estimated as a quarter of the letters of alphabets and one for each other character.",
        ),
      },
    },
    references: ["https://genai.owasp.org/llmrisk/llm102025-unbounded-consumption/"],
    // None: a length limit leaves nothing to judge. Tokens are estimated, as the description says.
    measures: [],
    examples: [
      { text: "one two three four", categories: ["length.words"], parameters: { max_words: 3 } },
      { text: "one two three", categories: [], parameters: { max_words: 3, max_characters: 13, max_lines: 1 } },
    ],
    check: checkLimits,
  },
  plan: (parameters) => ({
    reads: reads.given,
    phrases: [],
    patterns: [],
    triggers: [],
    sweeps: [(text) => find(text, parameters)],
    settle: (detections) => detections,
  }),
};

function limit(description: string): JsonObject {
  return { type: "integer", description, minimum: 1, maximum: 10_000_000 };
}

const limits = ["max_characters", "max_words", "max_lines", "max_tokens"];

function checkLimits(parameters: JsonObject): ParameterProblem[] {
  if (limits.some((name) => parameters[name] !== undefined)) return [];
  return [{ path: "", message: `give at least one of ${limits.join(", ")}` }];
}

const unitsOf: Readonly<Record<string, RegExp>> = {
  words: /[\p{L}\p{N}\p{M}]+/gu,
  lines: /[^\n]*\n|[^\n]+$/g,
  tokens: /[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}]{1,4}|\d{1,3}|[^\s]/gu,
};

function find(text: string, parameters: JsonObject): Finding[] {
  const findings: Finding[] = [];
  const add = (name: string, start: number, most: number): void => {
    const attributes = { limit: String(most), basis: `more than ${most} ${name}` };
    findings.push({ category: `length.${name}`, start, end: text.length, score: 1, attributes });
  };
  const characters = parameters.max_characters;
  if (typeof characters === "number" && text.length > characters) add("characters", characters, characters);
  for (const [name, unit] of Object.entries(unitsOf)) {
    const most = parameters[`max_${name}`];
    if (typeof most !== "number") continue;
    let count = 0;
    for (const { index } of text.matchAll(unit)) {
      if (++count <= most) continue;
      add(name, index, most);
      break;
    }
  }
  return findings;
}

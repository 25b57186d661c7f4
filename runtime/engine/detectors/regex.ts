// The detector "regex" finds patterns that the author chooses, on a linear-time engine, so that no pattern can hang a
// runtime.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { compilePattern, type PatternFlags } from "../pattern/compile-pattern.ts";
import type { LinearPattern } from "../pattern/linear-pattern.ts";
import { PatternError } from "../pattern/pattern-error.ts";
import { maxPatternLength, programLimits } from "../pattern/pattern-facts.ts";
import { reads } from "../text/normalize.ts";
import type { ParameterProblem } from "./detector.ts";
import { type Detector, type PatternProbe, withoutInner } from "./detector-plan.ts";
import { categorySchema, listParameter, textParameter } from "./parameter.ts";

const category = "regex";

/** The detector "regex". */
export const regex: Detector = {
  definition: {
    id: "regex",
    displayName: "Regular expressions",
    description:
      "Finds matches of regular expressions (RE2 syntax) on an engine whose time is linear in the text, whatever the pattern.",
    version: "1.0.0",
    category: "content",
    tags: ["regex", "pattern"],
    categories: [category],
    entities: [],
    languages: ["*"],
    costClass: "linear",
    scope: "local",
    defaultThreshold: 0.5,
    floor: 1,
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["patterns"],
      properties: {
        patterns: {
          type: "array",
          description: "Patterns in RE2 syntax: no look-around, no back-references.",
          minItems: 1,
          maxItems: 500,
          items: { anyOf: [patternText(), patternObject()] },
        },
        category: categorySchema(category),
      },
    },
    references: ["https://github.com/google/re2/wiki/Syntax"],
    // None: a pattern matches what its author wrote. Tests verify that it matches as RE2 does.
    measures: [],
    examples: [
      { text: "See ticket ABC-1234.", categories: [category], parameters: { patterns: ["\\bABC-[0-9]{4}\\b"] } },
      { text: "See ticket ABC-12345.", categories: [], parameters: { patterns: ["\\bABC-[0-9]{4}\\b"] } },
    ],
    check: checkPatterns,
  },
  plan: (parameters) => ({
    reads: reads.given | reads.normalAgain,
    phrases: [],
    patterns: listParameter(parameters, "patterns").map((value) =>
      probeOf(value, textParameter(parameters, "category", category)),
    ),
    triggers: [],
    sweeps: [],
    settle: withoutInner,
  }),
};

function patternText(): JsonObject {
  return { type: "string", minLength: 1, maxLength: maxPatternLength };
}

function patternObject(): JsonObject {
  return {
    type: "object",
    additionalProperties: false,
    required: ["pattern"],
    properties: {
      pattern: patternText(),
      name: {
        type: "string",
        description: "Told with each finding as its attribute `pattern`.",
        minLength: 1,
        maxLength: 64,
      },
      flags: {
        type: "string",
        description: "i: ignore case; m: ^ and $ match at lines; s: . matches newlines.",
        pattern: "^[ims]{0,3}$",
      },
    },
  };
}

interface PatternParameter {
  readonly pattern: string;
  readonly name: string | undefined;
  readonly flags: PatternFlags;
  /** Path of the pattern's text below the list's element. */
  readonly path: string;
}

function readPattern(value: JsonValue): PatternParameter | undefined {
  if (typeof value === "string") return { pattern: value, name: undefined, flags: {}, path: "" };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { pattern, name } = value;
  if (typeof pattern !== "string") return undefined;
  const letters = textParameter(value, "flags", "");
  const flags = { ignoreCase: letters.includes("i"), multiline: letters.includes("m"), dotAll: letters.includes("s") };
  return { pattern, name: typeof name === "string" ? name : undefined, flags, path: ".pattern" };
}

function checkPatterns(parameters: JsonObject): readonly ParameterProblem[] {
  const problems: ParameterProblem[] = [];
  let total = 0;
  listParameter(parameters, "patterns").forEach((value, index) => {
    const read = readPattern(value);
    // Once the instruction limit is exceeded, the remaining patterns need not be compiled.
    if (read === undefined || read.pattern.length > maxPatternLength || total > programLimits.together) return;
    const path = `patterns[${index}]${read.path}`;
    const compiled = tryCompile(read);
    if (compiled instanceof Error) {
      problems.push({ path, message: compiled.message });
      return;
    }
    total += compiled.programSize;
    if (compiled.minLength === 0)
      problems.push({ path, message: "the pattern matches the empty text, so it would match everywhere" });
    if (compiled.programSize > programLimits.pattern) {
      const size = compiled.programSize.toLocaleString("en");
      problems.push({
        path,
        message: `the pattern compiles to ${size} instructions; ${programLimits.pattern.toLocaleString("en")} are allowed: repeat less`,
      });
    }
  });
  if (total > programLimits.together) {
    const size = total.toLocaleString("en");
    problems.push({
      path: "patterns",
      message: `the patterns compile to ${size} or more instructions together; ${programLimits.together.toLocaleString("en")} are allowed`,
    });
  }
  return problems;
}

function tryCompile({ pattern, flags }: PatternParameter): LinearPattern | PatternError {
  try {
    return compilePattern(pattern, flags);
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
}

function probeOf(value: JsonValue, name: string): PatternProbe {
  const read = readPattern(value);
  if (read === undefined) throw new Error("a pattern must be a text or an object with `pattern`");
  const attributes = { basis: "pattern", ...(read.name !== undefined && { pattern: read.name }) };
  return {
    pattern: compilePattern(read.pattern, read.flags),
    folded: false,
    accept: ({ start, end }) => ({ category: name, start, end, score: 1, attributes }),
  };
}

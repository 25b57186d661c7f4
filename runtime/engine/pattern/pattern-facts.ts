// The facts that the analysis finds about a pattern. It takes some milliseconds for each pattern, so the facts of the
// built-in patterns are kept in gen/engine/patterns.json. That file only saves time: a pattern that is not in it is
// analysed when it is compiled.

import { hash } from "node:crypto";
import type { RE2JS } from "re2js";
import { measureMatches } from "./match-length.ts";
import { PatternError } from "./pattern-error.ts";
import { readProgram } from "./program.ts";
import { type RareCharacters, rareCharactersOf } from "./rare-characters.ts";
import { type CoReach, type RequiredLiteral, requiredLiterals, unboundedReach } from "./required-literals.ts";

/**
 * The version of the analysis. Facts hold for every program with the same version of the analysis and of re2js.
 * Increase it with every change after which `analyse` finds other facts about any pattern, or after which its facts or
 * its key are stored in another form or have another meaning. Then run `npm run generate` and record the new facts in
 * the test of this file. Renames, comments and moves do not change it.
 */
export const analysisVersion = 2;

/**
 * Limits of compiled instructions: for one pattern of an author, and for all patterns of one detector or output schema.
 */
export const programLimits = { pattern: 5_000, together: 50_000 } as const;

/** Characters that a pattern of an author may have: compiling takes time before the number of instructions is known. */
export const maxPatternLength = 4_096;

/** Facts about a pattern. */
export interface PatternFacts {
  readonly programSize: number;
  readonly minLength: number;
  /** Infinity when a loop is unbounded. */
  readonly maxLength: number;
  /** Whether lengths hold for text with collapsed white space only. */
  readonly elastic: boolean;
  /** Every match contains one of these; empty when the search has to run over the whole text. */
  readonly requiredLiterals: readonly RequiredLiteral[];
  /** Every match also contains one of these; empty when no such literals are known. */
  readonly coLiterals: readonly string[];
  /** How far a match extends around its co-literals. */
  readonly coReach: CoReach;
  /**
   * A kind of characters, rare in prose, of which every match contains two. Known only for patterns without required
   * literals.
   */
  readonly rareCharacters: RareCharacters;
}

/** Finds the facts of a pattern. Throws PatternError for a pattern that can never match. */
export function analyse(engine: RE2JS): PatternFacts {
  const program = readProgram(engine);
  const lengths = measureMatches(program);
  if (lengths.minLength === Number.POSITIVE_INFINITY) throw new PatternError("the pattern can never match");
  // The caller refuses larger patterns, so looking for their literals would be wasted work.
  const isLarge = program.code.length > programLimits.pattern;
  const literals = isLarge ? undefined : requiredLiterals(program, lengths);
  return {
    programSize: engine.programSize(),
    minLength: lengths.minLength,
    maxLength: lengths.maxLength,
    elastic: lengths.elastic || literals?.elastic === true,
    requiredLiterals: literals?.literals ?? [],
    coLiterals: literals?.coLiterals ?? [],
    coReach: literals?.coReach ?? unboundedReach,
    rareCharacters: literals === undefined && !isLarge ? rareCharactersOf(program) : "none",
  };
}

/** The key of a pattern's facts: a digest of its text and the bits of its flags. */
export function patternKey(source: string, bits: number): string {
  return hash("sha256", `${bits}:${source}`, "base64url").slice(0, 22);
}

/** Facts as JSON. Unbounded lengths are null. */
export interface StoredFacts {
  /** Program size, minimum length, maximum length, and 1 for an elastic pattern. */
  readonly numbers: readonly (number | null)[];
  /** Required literals with their reach before and after, one after the other. */
  readonly gates: readonly (string | number | null)[];
  /** For each literal, the instructions at which it begins. */
  readonly cuts: readonly (readonly number[])[];
  readonly company: readonly string[];
  /** The reach of co-literals before and after; absent when it is not bounded. */
  readonly reach?: readonly (number | null)[];
  readonly spice: string;
}

/** The facts in their stored form. */
export function storeFacts(facts: PatternFacts): StoredFacts {
  const { programSize, minLength, maxLength, elastic, requiredLiterals, coLiterals, coReach, rareCharacters } = facts;
  const { before, after } = coReach;
  return {
    numbers: [programSize, bounded(minLength), bounded(maxLength), elastic ? 1 : 0],
    spice: rareCharacters,
    gates: requiredLiterals.flatMap(({ literal, before, after }) => [literal, bounded(before), bounded(after)]),
    cuts: requiredLiterals.map(({ cuts }) => cuts),
    company: coLiterals,
    ...(Number.isFinite(before) || Number.isFinite(after) ? { reach: [bounded(before), bounded(after)] } : {}),
  };
}

/** The facts from their stored form. */
export function readFacts({ numbers, gates, cuts, company, reach = [], spice }: StoredFacts): PatternFacts {
  const [programSize = 0, minLength, maxLength, elastic] = numbers;
  const read: RequiredLiteral[] = [];
  for (let i = 0; i + 2 < gates.length; i += 3) {
    const literal = String(gates[i]);
    read.push({ literal, before: unbounded(gates[i + 1]), after: unbounded(gates[i + 2]), cuts: cuts[i / 3] ?? [] });
  }
  return {
    programSize: programSize ?? 0,
    minLength: unbounded(minLength),
    maxLength: unbounded(maxLength),
    elastic: elastic === 1,
    requiredLiterals: read,
    coLiterals: company,
    coReach: { before: unbounded(reach[0]), after: unbounded(reach[1]) },
    rareCharacters: spice === "digits" || spice === "marks" ? spice : "none",
  };
}

function bounded(length: number): number | null {
  return Number.isFinite(length) ? length : null;
}

function unbounded(length: string | number | null | undefined): number {
  return typeof length === "number" ? length : Number.POSITIVE_INFINITY;
}

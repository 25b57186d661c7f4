// What the compiler of patterns learns about one. Learning it costs some milliseconds a pattern, so what is known of the built-in ones is
// kept in gen/engine/patterns.json. That file only saves time: a pattern that is not in it is analysed when it is compiled.

import { hash } from "node:crypto";
import type { RE2JS } from "re2js";
import { measure } from "./distance.ts";
import { type Gate, requiredLiterals } from "./literal.ts";
import { PatternError } from "./pattern-error.ts";
import { readProgram } from "./program.ts";
import { type Spice, spiceOf } from "./spice.ts";

/** What is known about a pattern. */
export interface PatternFacts {
  readonly programSize: number;
  readonly minLength: number;
  /** Infinity when a loop is unbounded. */
  readonly maxLength: number;
  /** Whether lengths hold for text with collapsed white space only. */
  readonly elastic: boolean;
  /** Every match contains one of these; empty when the pattern has to run over the whole text. */
  readonly gates: readonly Gate[];
  /** Every match contains one of these as well; empty when nothing more is known. */
  readonly company: readonly string[];
  /** A kind of characters, rare in prose, of which every match contains two. Known of patterns without gates only. */
  readonly spice: Spice;
}

/** Finds out the facts of a pattern. Throws PatternError for one that can never match. */
export function analyse(engine: RE2JS): PatternFacts {
  const program = readProgram(engine);
  const distances = measure(program);
  if (distances.minLength === Number.POSITIVE_INFINITY) throw new PatternError("the pattern can never match");
  const literals = requiredLiterals(program, distances);
  return {
    programSize: engine.programSize(),
    minLength: distances.minLength,
    maxLength: distances.maxLength,
    elastic: distances.elastic || literals?.elastic === true,
    gates: literals?.gates ?? [],
    company: literals?.company ?? [],
    spice: literals === undefined ? spiceOf(program) : "none",
  };
}

/** By what a pattern is found again: its text and the bits of its flags. */
export function patternKey(source: string, bits: number): string {
  return hash("sha256", `${bits}:${source}`, "base64url").slice(0, 22);
}

/** Facts as JSON. Unbounded lengths are null. */
export interface StoredFacts {
  /** Numbers of groups and of instructions, least and greatest length, 1 for an elastic pattern. */
  readonly numbers: readonly (number | null)[];
  /** Literals with their reach before and after, one after the other. */
  readonly gates: readonly (string | number | null)[];
  /** The instructions at which each of them begins. */
  readonly cuts: readonly (readonly number[])[];
  readonly company: readonly string[];
  readonly spice: string;
}

/** The facts in the form in which they are kept. */
export function storeFacts(facts: PatternFacts): StoredFacts {
  const { programSize, minLength, maxLength, elastic, gates, company, spice } = facts;
  return {
    numbers: [programSize, bounded(minLength), bounded(maxLength), elastic ? 1 : 0],
    spice,
    gates: gates.flatMap(({ literal, before, after }) => [literal, bounded(before), bounded(after)]),
    cuts: gates.map(({ cuts }) => cuts),
    company,
  };
}

/** The facts that were kept. */
export function readFacts({ numbers, gates, cuts, company, spice }: StoredFacts): PatternFacts {
  const [programSize = 0, minLength, maxLength, elastic] = numbers;
  const read: Gate[] = [];
  for (let i = 0; i + 2 < gates.length; i += 3) {
    const literal = String(gates[i]);
    read.push({ literal, before: unbounded(gates[i + 1]), after: unbounded(gates[i + 2]), cuts: cuts[i / 3] ?? [] });
  }
  return {
    programSize: programSize ?? 0,
    minLength: unbounded(minLength),
    maxLength: unbounded(maxLength),
    elastic: elastic === 1,
    gates: read,
    company,
    spice: spice === "digits" || spice === "marks" ? spice : "none",
  };
}

function bounded(length: number): number | null {
  return Number.isFinite(length) ? length : null;
}

function unbounded(length: string | number | null | undefined): number {
  return typeof length === "number" ? length : Number.POSITIVE_INFINITY;
}

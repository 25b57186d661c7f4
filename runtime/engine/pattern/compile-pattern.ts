// Patterns on a linear-time engine (re2js), and the automata that replace it: they give the same answers many times
// faster.

import { RE2JS, RE2JSException } from "re2js";
import patterns from "../../../gen/engine/patterns.json" with { type: "json" };
import { type DfaTables, dfaTables } from "./dfa-state.ts";
import { LazyDfa } from "./lazy-dfa.ts";
import type { LinearPattern } from "./linear-pattern.ts";
import { createLookahead, type Lookahead } from "./lookahead.ts";
import { measureMatches } from "./match-length.ts";
import { patternMemory } from "./memory-budget.ts";
import { coreProgramOf } from "./optional-prefix.ts";
import { PatternCache } from "./pattern-cache.ts";
import { explainRefusal, PatternError } from "./pattern-error.ts";
import { analyse, type PatternFacts, patternKey, readFacts, type StoredFacts, storeFacts } from "./pattern-facts.ts";
import { PriorityDfa } from "./priority-dfa.ts";
import { readProgram } from "./program.ts";
import type { RareCharacters } from "./rare-characters.ts";
import type { CoReach, RequiredLiteral } from "./required-literals.ts";

/** Flags of a pattern. */
export interface PatternFlags {
  readonly ignoreCase?: boolean;
  readonly multiline?: boolean;
  readonly dotAll?: boolean;
}

const memory = new PatternCache();
const builtInFacts: ReadonlyMap<string, StoredFacts> = new Map(Object.entries(patterns));

/** Compiles a pattern, or takes it from the cache. Throws PatternError. */
export function compilePattern(source: string, flags: PatternFlags = {}): LinearPattern {
  const bits = flagBits(flags);
  return memory.take(`${bits}:${source}`, () => newPattern(source, bits));
}

/**
 * Takes over facts about patterns that were found elsewhere: these patterns are neither analysed here, nor compiled
 * before a search needs them.
 */
export function learnPatterns(facts: Iterable<readonly [key: string, StoredFacts]>): void {
  memory.learn(facts);
}

/** Runs `work` and returns its result with the facts of all patterns that it asked for, except built-in ones. */
export function recordPatterns<T>(work: () => T): { readonly result: T; readonly facts: Map<string, StoredFacts> } {
  const { result, asked } = memory.record(work);
  const facts = asked.flatMap((pattern) => {
    const [bits = "0"] = pattern.key.split(":", 1);
    const key = patternKey(pattern.source, Number(bits));
    return builtInFacts.has(key) ? [] : [[key, storeFacts(pattern)] as const];
  });
  return { result, facts: new Map(facts) };
}

function newPattern(source: string, bits: number): LinearPattern {
  const key = patternKey(source, bits);
  const stored = builtInFacts.get(key) ?? memory.factsOf(key);
  if (stored !== undefined) return new CompiledPattern(source, bits, readFacts(stored));
  const engine = compileEngine(source, bits);
  return new CompiledPattern(source, bits, analyse(engine), engine);
}

class CompiledPattern implements LinearPattern {
  readonly source: string;
  readonly key: string;
  readonly programSize: number;
  readonly minLength: number;
  readonly maxLength: number;
  readonly elastic: boolean;
  readonly requiredLiterals: readonly RequiredLiteral[];
  readonly coLiterals: readonly string[];
  readonly coReach: CoReach;
  readonly rareCharacters: RareCharacters;
  readonly #bits: number;
  #engine: RE2JS | undefined;
  #lookahead: Lookahead | undefined;
  /** Null until the first use. */
  #tables: DfaTables | undefined | null;
  #dfa: LazyDfa | undefined;
  #finder: LazyDfa | undefined;
  #priorityDfa: PriorityDfa | undefined;

  constructor(source: string, bits: number, facts: PatternFacts, engine?: RE2JS) {
    this.source = source;
    this.key = `${bits}:${source}`;
    this.programSize = facts.programSize;
    this.minLength = facts.minLength;
    this.maxLength = facts.maxLength;
    this.elastic = facts.elastic;
    this.requiredLiterals = facts.requiredLiterals;
    this.coLiterals = facts.coLiterals;
    this.coReach = facts.coReach;
    this.rareCharacters = facts.rareCharacters;
    this.#bits = bits;
    this.#engine = engine;
    this.#tables = facts.minLength === 0 ? undefined : null;
  }

  get engine(): RE2JS {
    this.#engine ??= compileEngine(this.source, this.#bits);
    return this.#engine;
  }

  get lookahead(): Lookahead {
    this.#lookahead ??= createLookahead(measureMatches(readProgram(this.engine)));
    return this.#lookahead;
  }

  get dfa(): LazyDfa | undefined {
    const tables = this.#dfaTables();
    if (tables !== undefined) this.#dfa ??= LazyDfa.over(tables, patternMemory);
    return this.#dfa;
  }

  get finder(): LazyDfa | undefined {
    const tables = this.#dfaTables();
    if (tables === undefined || this.#finder !== undefined) return this.#finder;
    const program = readProgram(this.engine);
    const core = coreProgramOf(program, measureMatches(program));
    this.#finder = core.maxPrefixLength === 0 ? this.dfa : LazyDfa.finding(tables, core, patternMemory);
    return this.#finder;
  }

  get priorityDfa(): PriorityDfa | undefined {
    const tables = this.#dfaTables();
    if (tables !== undefined) this.#priorityDfa ??= new PriorityDfa(tables, patternMemory);
    return this.#priorityDfa;
  }

  #dfaTables(): DfaTables | undefined {
    if (this.#tables === null) this.#tables = dfaTables([readProgram(this.engine)]);
    return this.#tables;
  }
}

/** Compiles a pattern that only has to say whether a text matches; it is not analysed. Throws PatternError. */
export function compileTest(source: string): RE2JS {
  return compileEngine(source, 0);
}

/** Whether an offset lies inside a surrogate pair. True for offset 1 of "😀". */
export function splitsPair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

function flagBits({ ignoreCase, multiline, dotAll }: PatternFlags): number {
  return (
    (ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0) |
    (multiline === true ? RE2JS.MULTILINE : 0) |
    (dotAll === true ? RE2JS.DOTALL : 0)
  );
}

function compileEngine(source: string, bits: number): RE2JS {
  try {
    return RE2JS.compile(source, bits);
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternError(explainRefusal(error.message));
    throw error;
  }
}

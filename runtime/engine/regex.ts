// Patterns on a linear-time engine (re2js), and the automata that stand in for it: they know the same and are many times cheaper.

import { RE2JS, RE2JSException } from "re2js";
import patterns from "../../gen/engine/patterns.json" with { type: "json" };
import { LazyDfa } from "./dfa.ts";
import { type DfaTables, dfaTables } from "./dfa-state.ts";
import { measure } from "./distance.ts";
import type { Gate } from "./literal.ts";
import { createLookahead, type Lookahead } from "./lookahead.ts";
import { essenceOf } from "./optional-lead.ts";
import { OrderedDfa } from "./ordered-dfa.ts";
import { explainRefusal, PatternError } from "./pattern-error.ts";
import { analyse, type PatternFacts, patternKey, readFacts, type StoredFacts, storeFacts } from "./pattern-facts.ts";
import { PatternMemory } from "./pattern-memory.ts";
import { readProgram } from "./program.ts";
import type { Spice } from "./spice.ts";
import { patternMemory } from "./state-memory.ts";

/** Flags of a pattern. */
export interface PatternFlags {
  readonly ignoreCase?: boolean;
  readonly multiline?: boolean;
  readonly dotAll?: boolean;
}

/** A compiled pattern with what was learned about it. */
export interface LinearPattern extends PatternFacts {
  readonly source: string;
  /** Source and flags: patterns with one key are one pattern. */
  readonly key: string;
  /** Made when first asked for, as is what follows from it: many patterns are never needed, since their literals never occur. */
  readonly engine: RE2JS;
  /** How far behind the end of a match the engine may have looked, at most. */
  readonly lookahead: Lookahead;
  /** The automaton that follows matches from their beginning. Undefined for a pattern that has none. */
  readonly dfa: LazyDfa | undefined;
  /** The automaton that finds where matches end. Undefined for a pattern that has none. */
  readonly finder: LazyDfa | undefined;
  /** The automaton that knows where a match ends that begins at a place. Undefined for a pattern that has none. */
  readonly ordered: OrderedDfa | undefined;
}

/** One match. Offsets are those of the searched text. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
}

const memory = new PatternMemory();
const builtInFacts: ReadonlyMap<string, StoredFacts> = new Map(Object.entries(patterns));

/** Compiles a pattern, or remembers it. Throws PatternError. */
export function compilePattern(source: string, flags: PatternFlags = {}): LinearPattern {
  const bits = flagBits(flags);
  return memory.take(`${bits}:${source}`, () => newPattern(source, bits));
}

/** Tells what was found out about patterns elsewhere: they need not be analysed here, nor compiled before somebody searches for them. */
export function learnPatterns(facts: Iterable<readonly [key: string, StoredFacts]>): void {
  memory.learn(facts);
}

/** Does work, and says which patterns it asked for, and what is known about them; the built-in ones apart. */
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
  readonly gates: readonly Gate[];
  readonly company: readonly string[];
  readonly spice: Spice;
  readonly #bits: number;
  #engine: RE2JS | undefined;
  #lookahead: Lookahead | undefined;
  /** Null until it was asked for. */
  #tables: DfaTables | undefined | null;
  #dfa: LazyDfa | undefined;
  #finder: LazyDfa | undefined;
  #ordered: OrderedDfa | undefined;

  constructor(source: string, bits: number, facts: PatternFacts, engine?: RE2JS) {
    this.source = source;
    this.key = `${bits}:${source}`;
    this.programSize = facts.programSize;
    this.minLength = facts.minLength;
    this.maxLength = facts.maxLength;
    this.elastic = facts.elastic;
    this.gates = facts.gates;
    this.company = facts.company;
    this.spice = facts.spice;
    this.#bits = bits;
    this.#engine = engine;
    this.#tables = facts.minLength === 0 ? undefined : null;
  }

  get engine(): RE2JS {
    this.#engine ??= compileEngine(this.source, this.#bits);
    return this.#engine;
  }

  get lookahead(): Lookahead {
    this.#lookahead ??= createLookahead(measure(readProgram(this.engine)));
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
    const essence = essenceOf(program, measure(program));
    this.#finder = essence.lead === 0 ? this.dfa : LazyDfa.finding(tables, essence, patternMemory);
    return this.#finder;
  }

  get ordered(): OrderedDfa | undefined {
    const tables = this.#dfaTables();
    if (tables !== undefined) this.#ordered ??= new OrderedDfa(tables, patternMemory);
    return this.#ordered;
  }

  #dfaTables(): DfaTables | undefined {
    if (this.#tables === null) this.#tables = dfaTables([readProgram(this.engine)]);
    return this.#tables;
  }
}

/** Whether an offset lies inside a surrogate pair. */
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

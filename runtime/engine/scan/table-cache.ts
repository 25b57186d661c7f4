// The large tables of an engine, each under the digest of its source. Another thread, or the previous engine, may have
// built some of them already: those are reused, and the others are built here. So an engine is the same whatever the
// cache holds.

import { hash } from "node:crypto";
import type { PatternProbe } from "../detectors/detector-plan.ts";
import { type AutomatonTables, automatonTables } from "../pattern/aho-corasick.ts";
import { type DfaTables, dfaTables } from "../pattern/dfa-state.ts";
import type { LinearPattern } from "../pattern/linear-pattern.ts";
import { type LiteralIndexTables, literalIndexTables } from "../pattern/literal-index.ts";
import { arrayBytes } from "../pattern/memory-budget.ts";
import { type PrefixSetTables, prefixSetTables } from "../pattern/prefix-sets.ts";
import { readProgram } from "../pattern/program.ts";
import type { StateMarks } from "../pattern/state-mark.ts";
import type { AssertTablesFit } from "../pattern/table-limit.ts";
import { automatonFoldText } from "../text/fold.ts";
import { assertTablesFit } from "./bundle-limit.ts";

/** An index of literals, and which of them each literal is that was given. */
export interface NumberedIndex {
  readonly tables: LiteralIndexTables;
  /** For each literal that was given, the number of its folded form in the index. */
  readonly numbers: Int32Array;
  /** How many literals the index has. */
  readonly count: number;
}

/** Tables by kind and digest. Arrays and plain values only, so that threads can exchange them. */
export interface Tables {
  readonly automata: Map<string, AutomatonTables>;
  readonly indexes: Map<string, NumberedIndex>;
  /** Null for programs whose alphabet has too many classes. */
  readonly dfas: Map<string, DfaTables | null>;
  readonly prefixSets: Map<string, PrefixSetTables>;
  readonly marks: Map<string, StateMarks>;
}

/** Empty tables of each kind. */
export function emptyTables(): Tables {
  return { automata: new Map(), indexes: new Map(), dfas: new Map(), prefixSets: new Map(), marks: new Map() };
}

/** Adds tables to others. */
export function addTables(to: Tables, { automata, indexes, dfas, prefixSets, marks }: Tables): void {
  for (const [key, value] of automata) to.automata.set(key, value);
  for (const [key, value] of indexes) to.indexes.set(key, value);
  for (const [key, value] of dfas) to.dfas.set(key, value);
  for (const [key, value] of prefixSets) to.prefixSets.set(key, value);
  for (const [key, value] of marks) to.marks.set(key, value);
}

/** Gives an engine its tables. */
export class TableCache {
  readonly #known: Tables;
  #bytes = 0;
  /** The tables that the engine uses. */
  readonly taken = emptyTables();

  constructor(known: Tables = emptyTables()) {
    this.#known = known;
  }

  /**
   * A cache for tables that live shorter than the engine: it knows all tables of this one, and has a memory limit of
   * its own.
   */
  withOwnLimit(): TableCache {
    const known = emptyTables();
    addTables(known, this.#known);
    addTables(known, this.taken);
    return new TableCache(known);
  }

  /** The automaton of these literals. */
  automaton(literals: readonly string[]): AutomatonTables {
    return this.#take(this.#known.automata, this.taken.automata, literals, (assertFit) =>
      automatonTables(literals, { assertFit }),
    );
  }

  /** The index of these literals, which are folded for it; equal ones have one number. */
  index(literals: readonly string[]): NumberedIndex {
    return this.#take(this.#known.indexes, this.taken.indexes, literals, (assertFit) => {
      const numberOf = new Map<string, number>();
      const numbers = Int32Array.from(literals, (literal) => {
        const folded = automatonFoldText(literal);
        const number = numberOf.get(folded) ?? numberOf.size;
        numberOf.set(folded, number);
        return number;
      });
      return { tables: literalIndexTables([...numberOf.keys()], { assertFit }), numbers, count: numberOf.size };
    });
  }

  /** The lazy automaton of these patterns; undefined when their alphabet has too many classes. */
  dfa(patterns: readonly LinearPattern[]): DfaTables | undefined {
    const make = () => dfaTables(patterns.map(({ engine }) => readProgram(engine))) ?? null;
    return this.#take(this.#known.dfas, this.taken.dfas, keysOf(patterns), make) ?? undefined;
  }

  /** The prefix sets of these patterns. */
  prefixSets(probes: readonly Pick<PatternProbe, "pattern" | "folded">[]): PrefixSetTables {
    const make = (assertFit: AssertTablesFit) =>
      prefixSetTables(
        probes.map(({ pattern: { engine, requiredLiterals }, folded }) => ({
          program: readProgram(engine),
          requiredLiterals,
          folded,
        })),
        assertFit,
      );
    const source = probes.map(({ pattern, folded }) => `${folded}:${pattern.key}`);
    return this.#take(this.#known.prefixSets, this.taken.prefixSets, source, make);
  }

  /** Marks of the states of an automaton. `source` is everything that they depend on. */
  marks(source: readonly string[], make: () => StateMarks): StateMarks {
    return this.#take(this.#known.marks, this.taken.marks, source, make);
  }

  // Tables that can be large are refused before their memory is allocated.
  #take<V>(
    known: ReadonlyMap<string, V>,
    taken: Map<string, V>,
    source: readonly string[],
    make: (assertFit: AssertTablesFit) => V,
  ): V {
    const key = hash("sha256", JSON.stringify(source), "base64url");
    const here = taken.get(key);
    if (here !== undefined) return here;
    const found = known.get(key);
    const tables = found === undefined ? make((bytes) => assertTablesFit(this.#bytes + bytes)) : found;
    this.#bytes += arrayBytes({ tables });
    assertTablesFit(this.#bytes);
    taken.set(key, tables);
    return tables;
  }
}

function keysOf(patterns: readonly LinearPattern[]): string[] {
  return patterns.map(({ key }) => key);
}

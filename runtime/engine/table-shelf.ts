// The heavy tables of an engine, each under the digest of what it is made of. Another thread, or the engine before, may have made some
// of them already: what lies on the shelf is taken, the rest is made here. So an engine is the same whatever lies there.

import { hash } from "node:crypto";
import { type AutomatonTables, automatonTables } from "./automaton.ts";
import { type DfaTables, dfaTables } from "./dfa-state.ts";
import type { StoredFacts } from "./pattern-facts.ts";
import { readProgram } from "./program.ts";
import type { LinearPattern } from "./regex.ts";
import { type LeadTables, leadTables } from "./stream/lead.ts";
import type { StateMarks } from "./stream/state-mark.ts";

/** Tables by kind and digest. Arrays and plain values only, so that they can go from thread to thread. */
export interface Tables {
  readonly automata: Map<string, AutomatonTables>;
  /** Null for programs that tell too many characters apart. */
  readonly dfas: Map<string, DfaTables | null>;
  readonly leads: Map<string, LeadTables>;
  readonly marks: Map<string, StateMarks>;
}

/** What another thread found out and made. */
export interface Prefabricated extends Tables {
  /** Facts of patterns by `patternKey`. */
  readonly facts: ReadonlyMap<string, StoredFacts>;
}

/** No tables yet. */
export function noTables(): Tables {
  return { automata: new Map(), dfas: new Map(), leads: new Map(), marks: new Map() };
}

/** Gives an engine its tables. */
export class TableShelf {
  readonly #known: Tables;
  /** Those that the engine has taken. */
  readonly taken = noTables();

  constructor(known: Tables = noTables()) {
    this.#known = known;
  }

  /** The automaton of these literals. */
  automaton(literals: readonly string[]): AutomatonTables {
    return takeFrom(this.#known.automata, this.taken.automata, literals, () => automatonTables(literals));
  }

  /** The lazy automaton of these patterns; undefined when they tell too many characters apart. */
  dfa(patterns: readonly LinearPattern[]): DfaTables | undefined {
    const make = () => dfaTables(patterns.map(({ engine }) => readProgram(engine))) ?? null;
    return takeFrom(this.#known.dfas, this.taken.dfas, keysOf(patterns), make) ?? undefined;
  }

  /** What may stand before the literals of these patterns. */
  leads(patterns: readonly LinearPattern[]): LeadTables {
    const make = () => leadTables(patterns.map(({ engine, gates }) => ({ program: readProgram(engine), gates })));
    return takeFrom(this.#known.leads, this.taken.leads, keysOf(patterns), make);
  }

  /** Marks of the states of an automaton. `source` is all that they depend on. */
  marks(source: readonly string[], make: () => StateMarks): StateMarks {
    return takeFrom(this.#known.marks, this.taken.marks, source, make);
  }
}

function takeFrom<V>(
  known: ReadonlyMap<string, V>,
  taken: Map<string, V>,
  source: readonly string[],
  make: () => V,
): V {
  const key = hash("sha256", JSON.stringify(source), "base64url");
  const found = taken.get(key) ?? known.get(key);
  const tables = found === undefined ? make() : found;
  taken.set(key, tables);
  return tables;
}

function keysOf(patterns: readonly LinearPattern[]): string[] {
  return patterns.map(({ key }) => key);
}

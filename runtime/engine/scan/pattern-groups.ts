// Groups of patterns without a required literal. One lazy automaton of a group says in one pass which of its patterns
// match, and only those are searched. A text may need more states than the budget allows: then each pattern is searched
// by itself.

import type { PatternProbe } from "../detectors/detector-plan.ts";
import type { BuildBudget } from "../pattern/dfa-state.ts";
import { LazyDfa } from "../pattern/lazy-dfa.ts";
import { groupMemory } from "../pattern/memory-budget.ts";
import { RareCharacterIndex, type RareCharacters } from "../pattern/rare-characters.ts";
import { lazily, type View } from "../text/normalize.ts";
import { TableCache } from "./table-cache.ts";

/** A pattern, and the detector that uses it. */
export interface PatternUse {
  readonly job: number;
  readonly probe: PatternProbe;
}

const maxReach = 64;
const maxPatterns = 80;
const maxInstructions = 8_000;

/** The patterns of a bundle that have no required literal, in groups. */
export class PatternGroups {
  readonly #groups: readonly Group[];

  /** `readsOf` says which forms of a text a detector reads. */
  constructor(uses: readonly PatternUse[], readsOf: (job: number) => number, tableCache = new TableCache()) {
    const byText = Map.groupBy(uses, (use) => `${use.probe.folded}:${readsOf(use.job)}:${rareCharactersOfUse(use)}`);
    this.#groups = [...byText.values()].flatMap(groupsOf).map((group) => new Group(group, tableCache));
  }

  /** Builds, step by step, what the first search would build. */
  *prepare(): Generator<void, void> {
    for (const group of this.#groups) {
      group.prepare();
      yield;
    }
  }

  /** The patterns that may match in a form of a text. When the budget is used up, all patterns of a group. */
  matching(view: View, readsView: (job: number) => boolean, budget: BuildBudget): readonly PatternUse[] {
    if (this.#groups.length === 0) return none;
    const spiced = lazily(() => new RareCharacterIndex(view.text));
    return this.#groups.flatMap((group) => (readsView(group.job) ? group.matching(view, spiced, budget) : none));
  }
}

const none: readonly PatternUse[] = [];

class Group {
  readonly job: number;
  readonly #uses: readonly PatternUse[];
  readonly #isFolded: boolean;
  readonly #rareCharacters: RareCharacters;
  readonly #reach: number;
  readonly #tableCache: TableCache;
  /** Null until the first use. */
  #dfa: LazyDfa | undefined | null;

  constructor(uses: readonly PatternUse[], tableCache: TableCache) {
    this.#uses = uses;
    this.#tableCache = tableCache;
    this.job = uses[0]?.job ?? 0;
    this.#isFolded = uses[0]?.probe.folded === true;
    this.#rareCharacters = uses[0] === undefined ? "none" : rareCharactersOfUse(uses[0]);
    this.#reach = Math.max(...uses.map(({ probe }) => probe.pattern.maxLength));
    // A group of one pattern uses the automaton of that pattern; a pattern that matches the empty text has none.
    this.#dfa = uses.length === 1 ? undefined : null;
  }

  prepare(): LazyDfa | undefined {
    if (this.#dfa === null) {
      const tables = this.#tableCache.dfa(this.#uses.map(({ probe }) => probe.pattern));
      this.#dfa = tables === undefined ? undefined : LazyDfa.over(tables, groupMemory);
    }
    return this.#dfa;
  }

  matching(view: View, spiced: () => RareCharacterIndex, budget: BuildBudget): readonly PatternUse[] {
    const dfa = this.prepare();
    if (dfa === undefined) return this.#uses;
    const found = new Set<number>();
    const text = this.#isFolded ? view.folded() : view.text;
    // Folding only adds small letters of ASCII, which are not rare, so the offsets of rare characters stay valid.
    const parts = spiced().parts(this.#rareCharacters, this.#reach);
    for (let i = 0; i + 1 < parts.length; i += 2)
      if (!dfa.findAll(text, { from: parts[i] ?? 0, to: parts[i + 1] ?? 0 }, found, budget)) return this.#uses;
    if (found.size === 0) return none;
    return [...found].sort((a, b) => a - b).flatMap((index) => this.#uses[index] ?? []);
  }
}

// Rare characters help only where matches are short: long windows would cover the text anyway.
function rareCharactersOfUse({ probe: { pattern } }: PatternUse): RareCharacters {
  return pattern.elastic || pattern.maxLength > maxReach ? "none" : pattern.rareCharacters;
}

// A pattern that matches the empty text always matches, so it forms a group of its own.
function groupsOf(uses: readonly PatternUse[]): PatternUse[][] {
  const groups: PatternUse[][] = [];
  let open: PatternUse[] = [];
  let size = 0;
  for (const use of uses) {
    const { minLength, programSize } = use.probe.pattern;
    if (minLength === 0) {
      groups.push([use]);
      continue;
    }
    if (open.length >= maxPatterns || size + programSize > maxInstructions) {
      groups.push(open);
      open = [];
      size = 0;
    }
    open.push(use);
    size += programSize;
  }
  return open.length === 0 ? groups : [...groups, open];
}

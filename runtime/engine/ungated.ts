// Patterns without a literal that could gate them. One lazy automaton for many of them says in one pass which ones match; only those are
// searched. Together they may need more states than a text is worth: then each is searched by itself.

import { LazyDfa } from "./dfa.ts";
import type { BuildBudget } from "./dfa-state.ts";
import { lazily, type View } from "./normalize.ts";
import type { PatternProbe } from "./plan.ts";
import { type Spice, SpicedText } from "./spice.ts";
import { groupMemory } from "./state-memory.ts";
import { TableShelf } from "./table-shelf.ts";

/** A pattern, and the detector that wants it. */
export interface PatternUse {
  readonly job: number;
  readonly probe: PatternProbe;
}

const longestReach = 64;
const mostPatterns = 80;
const mostInstructions = 8_000;

/** The patterns of a bundle that have no literal. */
export class UngatedPatterns {
  readonly #groups: readonly Group[];

  /** `readsOf` says which forms of a text a detector reads. */
  constructor(uses: readonly PatternUse[], readsOf: (job: number) => number, shelf = new TableShelf()) {
    const byText = Map.groupBy(uses, (use) => `${use.probe.folded}:${readsOf(use.job)}:${spiceOfUse(use)}`);
    this.#groups = [...byText.values()].flatMap(groupsOf).map((group) => new Group(group, shelf));
  }

  /** Makes, step by step, what the first search would make. */
  *prepare(): Generator<void, void> {
    for (const group of this.#groups) {
      group.prepare();
      yield;
    }
  }

  /** Those that may match in a form of a text, the budget willing. */
  matching(view: View, readsView: (job: number) => boolean, budget: BuildBudget): readonly PatternUse[] {
    if (this.#groups.length === 0) return none;
    const spiced = lazily(() => new SpicedText(view.text));
    return this.#groups.flatMap((group) => (readsView(group.job) ? group.matching(view, spiced, budget) : none));
  }
}

const none: readonly PatternUse[] = [];

class Group {
  readonly job: number;
  readonly #uses: readonly PatternUse[];
  readonly #isFolded: boolean;
  readonly #spice: Spice;
  readonly #reach: number;
  readonly #shelf: TableShelf;
  /** Null until it was asked for. */
  #dfa: LazyDfa | undefined | null;

  constructor(uses: readonly PatternUse[], shelf: TableShelf) {
    this.#uses = uses;
    this.#shelf = shelf;
    this.job = uses[0]?.job ?? 0;
    this.#isFolded = uses[0]?.probe.folded === true;
    this.#spice = uses[0] === undefined ? "none" : spiceOfUse(uses[0]);
    this.#reach = Math.max(...uses.map(({ probe }) => probe.pattern.maxLength));
    // The automaton of a single pattern is the pattern's own; one that matches the empty text has none.
    this.#dfa = uses.length === 1 ? undefined : null;
  }

  prepare(): LazyDfa | undefined {
    if (this.#dfa === null) {
      const tables = this.#shelf.dfa(this.#uses.map(({ probe }) => probe.pattern));
      this.#dfa = tables === undefined ? undefined : LazyDfa.over(tables, groupMemory);
    }
    return this.#dfa;
  }

  matching(view: View, spiced: () => SpicedText, budget: BuildBudget): readonly PatternUse[] {
    const dfa = this.prepare();
    if (dfa === undefined) return this.#uses;
    const found = new Set<number>();
    const text = this.#isFolded ? view.folded() : view.text;
    // Folding only adds letters of ASCII, and small ones.
    const parts = spiced().parts(this.#spice, this.#reach);
    for (let i = 0; i + 1 < parts.length; i += 2)
      if (!dfa.findAll(text, { from: parts[i] ?? 0, to: parts[i + 1] ?? 0 }, found, budget)) return this.#uses;
    if (found.size === 0) return none;
    return [...found].sort((a, b) => a - b).flatMap((index) => this.#uses[index] ?? []);
  }
}

// Around spice only where matches are short: long windows would cover the text anyway.
function spiceOfUse({ probe: { pattern } }: PatternUse): Spice {
  return pattern.elastic || pattern.maxLength > longestReach ? "none" : pattern.spice;
}

// Patterns that match the empty text match always, so they are each a group of their own.
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
    if (open.length >= mostPatterns || size + programSize > mostInstructions) {
      groups.push(open);
      open = [];
      size = 0;
    }
    open.push(use);
    size += programSize;
  }
  return open.length === 0 ? groups : [...groups, open];
}

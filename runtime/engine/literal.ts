// Required literals: a small set of strings of which every match of a pattern contains at least one (the idea of RE2's prefilter,
// https://github.com/google/re2/blob/main/re2/prefilter.cc). Every way through the program leads over its cut points; at each of them
// the strings that can follow are listed, and the most telling list wins. Where no cut point has one, both branches of a choice must.
// Literals are folded by `gateFold`, so they suit the automaton.

import { cutPoints } from "./cut-point.ts";
import type { Distances } from "./distance.ts";
import { gateFold, gateFoldText, spaceUnit } from "./fold.ts";
import type { Instruction, Program } from "./program.ts";

/** A literal and how far a match around it can reach, in units of collapsed text. */
export interface Gate {
  readonly literal: string;
  readonly before: number;
  readonly after: number;
  /** The instructions at which it begins. */
  readonly cuts: readonly number[];
}

/** Literals that gate a pattern. */
export interface Gates {
  readonly gates: readonly Gate[];
  /** Whether a literal stands for runs of white space of different lengths. */
  readonly elastic: boolean;
}

/** The required literals of a pattern. */
export interface RequiredLiterals extends Gates {
  /** Further literals of which every match contains one as well, elsewhere; empty when there are none. */
  readonly company: readonly string[];
}

const longestLiteral = 24;
const mostLiterals = 64;
const mostSymbols = 4;
const mostPoints = 12;
const mostSplits = 60;
/** Choices to look into where literals would be welcome but are not needed. */
const fewSplits = 12;
const weakestScore = 2;
/** Units around a literal from which on a look around is a wide one. */
const wideReach = 48;
/** From here on, branches are not worth looking into. */
const goodScore = 5;
/** From here on, nothing better is looked for. */
const excellentScore = 9;

/** The required literals of a program; undefined when it has none worth searching for. */
export function requiredLiterals(program: Program, distances: Distances): RequiredLiterals | undefined {
  const search: Search = { program, distances, splitting: new Set(), splitCount: 0 };
  const accept = program.code.findIndex((code) => code.step === "match");
  const found = literalsBetween(search, program.start, accept);
  if (found === undefined || found.score < weakestScore) return undefined;
  const isWide = found.gates.some(({ before, after }) => before + after > wideReach);
  return {
    gates: found.gates,
    elastic: found.elastic,
    company: isWide ? companyOf({ ...search, splitCount: mostSplits - fewSplits }, found, accept) : [],
  };
}

// Where the literals lead to a wide look around, it is worth to know beforehand whether the rest of the pattern can be there.
function companyOf(search: Search, found: Candidate, accept: number): readonly string[] {
  const cuts = cutPoints(search.program, search.program.start, accept);
  let best: Candidate | undefined;
  for (const [index, cut] of cuts.entries()) {
    if (cut === accept || (best !== undefined && best.score >= goodScore)) break;
    const at = continuesLiteral(search, cuts[index - 1], cut) ? undefined : literalsAt(search, cut);
    const candidate = at ?? literalsOfBranches(search, cut, cuts[index + 1] ?? accept);
    if (candidate !== undefined && isElsewhere(candidate, found)) best = better(best, candidate);
  }
  return best === undefined || best.score < weakestScore ? [] : best.gates.map(({ literal }) => literal);
}

function isElsewhere({ gates }: Candidate, found: Candidate): boolean {
  return gates.every(({ literal }) =>
    found.gates.every((gate) => !gate.literal.includes(literal) && !literal.includes(gate.literal)),
  );
}

interface Search {
  readonly program: Program;
  readonly distances: Distances;
  readonly splitting: Set<number>;
  splitCount: number;
}

interface Candidate extends Gates {
  readonly score: number;
}

interface Item {
  readonly node: number;
  readonly text: string;
}

function literalsBetween(search: Search, from: number, to: number): Candidate | undefined {
  const cuts = cutPoints(search.program, from, to);
  let best: Candidate | undefined;
  for (let i = 0; i < cuts.length && (best?.score ?? 0) < excellentScore; i++) {
    const cut = cuts[i] ?? to;
    if (cut !== to && !continuesLiteral(search, cuts[i - 1], cut)) best = better(best, literalsAt(search, cut));
  }
  if (best !== undefined && best.score >= goodScore) return best;
  for (let i = 0; i + 1 < cuts.length; i++)
    best = better(best, literalsOfBranches(search, cuts[i] ?? to, cuts[i + 1] ?? to));
  return best;
}

// Within a literal, what begins at its first character is longer than what begins later.
function continuesLiteral(search: Search, previous: number | undefined, cut: number): boolean {
  const code = previous === undefined ? undefined : search.program.code[previous];
  return code?.step === "rune" && !code.space && code.next[0] === cut && symbolsOf(code)?.length === 1;
}

function literalsOfBranches(search: Search, split: number, join: number): Candidate | undefined {
  const code = search.program.code[split];
  if (code?.step !== "split" || search.splitting.has(split) || search.splitCount++ > mostSplits) return undefined;
  search.splitting.add(split);
  const found: Candidate[] = [];
  let complete = true;
  for (const next of code.next) {
    if (!canMatch(search, next)) continue;
    const branch = next === join ? undefined : literalsBetween(search, next, join);
    if (branch === undefined) complete = false;
    else found.push(branch);
    if (!complete) break;
  }
  search.splitting.delete(split);
  return complete ? union(found) : undefined;
}

function canMatch(search: Search, node: number): boolean {
  return (search.distances.after[node] ?? Number.NEGATIVE_INFINITY) >= 0;
}

// The strings that can follow an instruction, grown by one symbol at a time for as long as they stay few.
function literalsAt(search: Search, cut: number): Candidate | undefined {
  const seen = new Places(search.program.code.length);
  let closed = new Set<string>();
  let open = reach(search, { node: cut, text: "" }, seen, closed);
  let elastic = false;
  for (let length = 0; open.length > 0 && length < longestLiteral && !closed.has(""); length++) {
    const ended = new Set(closed);
    const next: Item[] = [];
    for (const item of open) {
      if (next.length + ended.size > mostLiterals) break;
      const code = search.program.code[item.node];
      const symbols = code === undefined ? undefined : symbolsOf(code);
      if (symbols === undefined) ended.add(item.text);
      for (const symbol of symbols ?? []) {
        const merges = symbol === " " && item.text.endsWith(" ");
        if (merges) elastic = true;
        const text = merges ? item.text : item.text + symbol;
        for (const node of code?.next ?? []) next.push(...reach(search, { node, text }, seen, ended));
      }
    }
    if (next.length + ended.size > mostLiterals) break;
    open = next;
    closed = ended;
  }
  return candidate(search, cut, [...closed, ...open.map((item) => item.text)], elastic);
}

// The consuming instructions that a place leads to without consuming; texts that end a match go to `ended`.
function reach(search: Search, from: Item, seen: Places, ended: Set<string>): Item[] {
  const items: Item[] = [];
  const work = [from.node];
  const text = seen.numberOf(from.text);
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    const code = search.program.code[node];
    if (code === undefined || !canMatch(search, node) || !seen.add(text, node)) continue;
    if (code.step === "match") ended.add(from.text);
    else if (code.step === "rune") items.push({ node, text: from.text });
    else work.push(...code.next);
  }
  return items;
}

// Instructions that were come to with some text. Texts have numbers, since keys made of both would be most of the work.
class Places {
  readonly #size: number;
  readonly #numbers = new Map<string, number>();
  readonly #seen = new Set<number>();

  constructor(size: number) {
    this.#size = size;
  }

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }

  /** Whether it is new. */
  add(text: number, node: number): boolean {
    const before = this.#seen.size;
    return this.#seen.add(text * this.#size + node).size > before;
  }
}

function candidate(search: Search, cut: number, texts: readonly string[], elastic: boolean): Candidate | undefined {
  const before = search.distances.before[cut] ?? 0;
  const after = search.distances.after[cut] ?? 0;
  const kept = texts.filter((text) => !texts.some((other) => other !== text && text.startsWith(other)));
  const gates = new Map<string, Gate>();
  for (const text of kept) {
    const literal = text.trim();
    const lead = text.startsWith(" ") ? 1 : 0;
    const known = gates.get(literal);
    gates.set(literal, {
      literal,
      before: Math.max(known?.before ?? 0, before + lead),
      after: Math.max(known?.after ?? 0, after - lead - literal.length, 0),
      cuts: [cut],
    });
  }
  if (gates.size === 0 || gates.has("")) return undefined;
  return { gates: [...gates.values()], elastic, score: scoreOf([...gates.keys()]) };
}

const knownSymbols = new WeakMap<Instruction, { readonly symbols: readonly string[] | undefined }>();

// The symbols that an instruction takes when they are few; undefined when they are many.
function symbolsOf(code: Instruction): readonly string[] | undefined {
  let known = knownSymbols.get(code);
  if (known === undefined) {
    known = { symbols: findSymbols(code) };
    knownSymbols.set(code, known);
  }
  return known.symbols;
}

function findSymbols(code: Instruction): readonly string[] | undefined {
  if (code.space) return [" "];
  const symbols = new Set<string>();
  const ranges = code.ranges ?? [0, 0x10ffff];
  let points = 0;
  for (let i = 0; i + 1 < ranges.length; i += 2) {
    const to = ranges[i + 1] ?? 0;
    for (let point = ranges[i] ?? 0; point <= to; point++) {
      if (++points > mostPoints || (point > 0xffff && code.folds)) return undefined;
      symbols.add(gateFoldText(String.fromCodePoint(point)));
      if (symbols.size > mostSymbols) return undefined;
    }
  }
  return symbols.size === 0 ? undefined : [...symbols];
}

function better(a: Candidate | undefined, b: Candidate | undefined): Candidate | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.score > a.score ? b : a;
}

function union(parts: readonly Candidate[]): Candidate | undefined {
  const gates = new Map<string, Gate>();
  for (const gate of parts.flatMap((part) => part.gates)) {
    const known = gates.get(gate.literal);
    gates.set(gate.literal, {
      literal: gate.literal,
      before: Math.max(gate.before, known?.before ?? 0),
      after: Math.max(gate.after, known?.after ?? 0),
      cuts: [...new Set([...(known?.cuts ?? []), ...gate.cuts])],
    });
  }
  if (gates.size === 0) return undefined;
  return { gates: [...gates.values()], elastic: parts.some((part) => part.elastic), score: scoreOf([...gates.keys()]) };
}

// How telling literals are: the weakest counts, and many are worse than few.
function scoreOf(literals: readonly string[]): number {
  return Math.min(...literals.map(weightOf)) - 0.15 * Math.log2(literals.length);
}

function weightOf(literal: string): number {
  let weight = 0;
  for (let i = 0; i < literal.length; i++) {
    const unit = gateFold(literal.charCodeAt(i));
    weight += unit === spaceUnit ? 0.3 : unit > 0x7f ? 1.5 : 1;
  }
  return weight;
}

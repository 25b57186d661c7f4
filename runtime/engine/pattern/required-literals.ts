// Required literals: a small set of strings of which every match of a pattern contains at least one (the idea of RE2's
// prefilter, https://github.com/google/re2/blob/main/re2/prefilter.cc). Every path through the program passes its cut
// points. For each of them the strings that can follow are listed, and the most selective list is chosen. Where no cut
// point has a list, both branches of a choice need one. Literals are folded by `letterFold`, so they suit the
// automaton.

import { letterFold, letterFoldText, spaceUnit } from "../text/fold.ts";
import { cutPoints } from "./dominators.ts";
import type { MatchLengths } from "./match-length.ts";
import type { Instruction, Program } from "./program.ts";

/**
 * A literal, and how far a match extends before and after it at most, in units of collapsed text. For `[a-z]{1,9}@host`
 * the literal "@host" has 9 before and 0 after.
 */
export interface RequiredLiteral {
  readonly literal: string;
  readonly before: number;
  readonly after: number;
  /** The instructions at which the literal begins. */
  readonly cuts: readonly number[];
}

/** Literals of which every match contains one. */
export interface LiteralSet {
  readonly literals: readonly RequiredLiteral[];
  /** Whether a literal stands for runs of white space of different lengths. */
  readonly elastic: boolean;
}

/** The required literals of a pattern. */
export interface RequiredLiterals extends LiteralSet {
  /** Co-literals: every match also contains one of these, elsewhere. Empty when there are none. */
  readonly coLiterals: readonly string[];
  readonly coReach: CoReach;
}

/**
 * How far a match extends at most, in units of collapsed text: `before` the end of any co-literal in it, and `after`
 * it. For `(?:send|post)[a-z ]+key` with the co-literals "send" and "post", 4 before and Infinity after.
 */
export interface CoReach {
  readonly before: number;
  readonly after: number;
}

/** Nothing is known about where co-literals lie. */
export const unboundedReach: CoReach = { before: Number.POSITIVE_INFINITY, after: Number.POSITIVE_INFINITY };

const maxLiteralLength = 24;
const maxLiterals = 64;
const maxSymbols = 4;
const maxPoints = 12;
const maxSplits = 60;
/** Choices to examine for co-literals, which are welcome but not needed. */
const optionalSplits = 12;
const minScore = 2;
/** The units around a literal from which its window counts as wide. */
const wideReach = 48;
/** With this score, branches are not examined. */
const goodScore = 5;
/** With this score, the search stops. */
const excellentScore = 9;
/**
 * Instructions that a search may visit: for each instruction of the program, and in all. A pattern that needs more
 * visits has no literal, since the cost of the search must not grow faster than the patterns that an author may write.
 */
const maxVisits = { perInstruction: 400, inAll: 300_000 } as const;
/**
 * Cut points followed by too many strings, after which a search gives up: a pattern with many optional parts in a row
 * has many of them.
 */
const maxCrowded = 48;

/** The required literals of a program; undefined when it has none worth searching for. */
export function requiredLiterals(program: Program, lengths: MatchLengths): RequiredLiterals | undefined {
  const search: Search = { program, lengths, splitting: new Set(), splitCount: 0, effort: { visits: 0, crowded: 0 } };
  const accept = program.code.findIndex((code) => code.step === "match");
  const found = literalsBetween(search, program.start, accept);
  if (found === undefined || found.score < minScore || isExhausted(search)) return undefined;
  const isWide = found.literals.some(({ before, after }) => before + after > wideReach);
  const others = isWide
    ? coLiteralsOf({ ...search, splitCount: maxSplits - optionalSplits }, found, accept)
    : undefined;
  return {
    literals: found.literals,
    elastic: found.elastic,
    coLiterals: others?.literals.map(({ literal }) => literal) ?? [],
    coReach: others === undefined ? unboundedReach : reachOf(others, lengths.elastic || found.elastic),
  };
}

// Where lengths hold for the text as it is, a co-literal that stands for runs of white space has no known length.
function reachOf({ literals, elastic }: LiteralChoice, isElastic: boolean): CoReach {
  if (elastic && !isElastic) return unboundedReach;
  return {
    before: Math.max(...literals.map(({ literal, before }) => literal.length + before)),
    after: Math.max(...literals.map(({ after }) => after)),
  };
}

// Where the windows around the literals are wide, co-literals say whether the rest of the pattern can be present.
function coLiteralsOf(search: Search, found: LiteralChoice, accept: number): LiteralChoice | undefined {
  const cuts = cutPoints(search.program, search.program.start, accept);
  let best: LiteralChoice | undefined;
  for (const [index, cut] of cuts.entries()) {
    if (cut === accept || isExhausted(search) || (best !== undefined && best.score >= goodScore)) break;
    const at = continuesLiteral(search, cuts[index - 1], cut) ? undefined : literalsAt(search, cut);
    const choice = at ?? literalsOfBranches(search, cut, cuts[index + 1] ?? accept);
    if (choice !== undefined && isElsewhere(choice, found)) best = better(best, choice);
  }
  return best === undefined || best.score < minScore ? undefined : best;
}

function isElsewhere({ literals }: LiteralChoice, found: LiteralChoice): boolean {
  return literals.every(({ literal }) =>
    found.literals.every((other) => !other.literal.includes(literal) && !literal.includes(other.literal)),
  );
}

interface Search {
  readonly program: Program;
  readonly lengths: MatchLengths;
  readonly splitting: Set<number>;
  splitCount: number;
  /** Shared by all parts of a search. */
  readonly effort: { visits: number; crowded: number };
}

function isExhausted({ effort: { visits, crowded }, program: { code } }: Search): boolean {
  return visits > Math.min(maxVisits.inAll, maxVisits.perInstruction * code.length) || crowded > maxCrowded;
}

interface LiteralChoice extends LiteralSet {
  readonly score: number;
}

interface Item {
  readonly node: number;
  readonly text: string;
}

function literalsBetween(search: Search, from: number, to: number): LiteralChoice | undefined {
  search.effort.visits += search.program.code.length;
  if (isExhausted(search)) return undefined;
  const cuts = cutPoints(search.program, from, to);
  let best: LiteralChoice | undefined;
  for (let i = 0; i < cuts.length && (best?.score ?? 0) < excellentScore && !isExhausted(search); i++) {
    const cut = cuts[i] ?? to;
    if (cut !== to && !continuesLiteral(search, cuts[i - 1], cut)) best = better(best, literalsAt(search, cut));
  }
  if (best !== undefined && best.score >= goodScore) return best;
  for (let i = 0; i + 1 < cuts.length; i++)
    best = better(best, literalsOfBranches(search, cuts[i] ?? to, cuts[i + 1] ?? to));
  return best;
}

// Within a literal, a list that begins at its first character is longer than one that begins later.
function continuesLiteral(search: Search, previous: number | undefined, cut: number): boolean {
  const code = previous === undefined ? undefined : search.program.code[previous];
  return code?.step === "rune" && !code.space && code.next[0] === cut && symbolsOf(code)?.length === 1;
}

function literalsOfBranches(search: Search, split: number, join: number): LiteralChoice | undefined {
  const code = search.program.code[split];
  if (code?.step !== "split" || search.splitting.has(split) || search.splitCount++ > maxSplits) return undefined;
  search.splitting.add(split);
  const found: LiteralChoice[] = [];
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
  return (search.lengths.after[node] ?? Number.NEGATIVE_INFINITY) >= 0;
}

// The strings that can follow an instruction. They grow by one symbol at a time, as long as they stay few.
function literalsAt(search: Search, cut: number): LiteralChoice | undefined {
  const seen = new ReachedPairs(search.program.code.length);
  let closed = new Set<string>();
  let open = reach(search, { node: cut, text: "" }, seen, closed);
  if (open.length > maxLiterals) search.effort.crowded++;
  let elastic = false;
  for (let length = 0; open.length > 0 && length < maxLiteralLength && !closed.has(""); length++) {
    const ended = new Set(closed);
    const next: Item[] = [];
    for (const item of open) {
      if (next.length + ended.size > maxLiterals) break;
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
    if (next.length + ended.size > maxLiterals) break;
    open = next;
    closed = ended;
  }
  return choiceOf(search, cut, [...closed, ...open.map((item) => item.text)], elastic);
}

// The consuming instructions that an instruction reaches without consuming. Texts that end a match are added to
// `ended`.
function reach(search: Search, from: Item, seen: ReachedPairs, ended: Set<string>): Item[] {
  const items: Item[] = [];
  const work = [from.node];
  const text = seen.numberOf(from.text);
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    search.effort.visits++;
    const code = search.program.code[node];
    if (code === undefined || !canMatch(search, node) || !seen.add(text, node)) continue;
    if (code.step === "match") ended.add(from.text);
    else if (code.step === "rune") items.push({ node, text: from.text });
    else work.push(...code.next);
  }
  return items;
}

// Pairs of a text and an instruction that were reached. Texts have numbers, since building keys of both would be most
// of the work.
class ReachedPairs {
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

  /** Whether the pair is new. */
  add(text: number, node: number): boolean {
    const before = this.#seen.size;
    return this.#seen.add(text * this.#size + node).size > before;
  }
}

function choiceOf(search: Search, cut: number, texts: readonly string[], elastic: boolean): LiteralChoice | undefined {
  const before = search.lengths.before[cut] ?? 0;
  const after = search.lengths.after[cut] ?? 0;
  const distinct = new Set(texts);
  const literals = new Map<string, RequiredLiteral>();
  for (const text of distinct) {
    if (hasPrefixIn(distinct, text)) continue;
    const literal = text.trim();
    const spaces = text.startsWith(" ") ? 1 : 0;
    const known = literals.get(literal);
    literals.set(literal, {
      literal,
      before: Math.max(known?.before ?? 0, before + spaces),
      after: Math.max(known?.after ?? 0, after - spaces - literal.length, 0),
      cuts: [cut],
    });
  }
  if (literals.size === 0 || literals.has("")) return undefined;
  return { literals: [...literals.values()], elastic, score: scoreOf([...literals.keys()]) };
}

/** Whether another of the texts is a prefix of this one. Texts are short, so all their prefixes are looked up. */
function hasPrefixIn(texts: ReadonlySet<string>, text: string): boolean {
  for (let length = 0; length < text.length; length++) if (texts.has(text.slice(0, length))) return true;
  return false;
}

const knownSymbols = new WeakMap<Instruction, { readonly symbols: readonly string[] | undefined }>();

// The symbols that an instruction consumes when they are few; undefined when they are many.
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
      if (++points > maxPoints || (point > 0xffff && code.folds)) return undefined;
      symbols.add(letterFoldText(String.fromCodePoint(point)));
      if (symbols.size > maxSymbols) return undefined;
    }
  }
  return symbols.size === 0 ? undefined : [...symbols];
}

function better(a: LiteralChoice | undefined, b: LiteralChoice | undefined): LiteralChoice | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.score > a.score ? b : a;
}

function union(parts: readonly LiteralChoice[]): LiteralChoice | undefined {
  const literals = new Map<string, RequiredLiteral>();
  for (const each of parts.flatMap((part) => part.literals)) {
    const known = literals.get(each.literal);
    literals.set(each.literal, {
      literal: each.literal,
      before: Math.max(each.before, known?.before ?? 0),
      after: Math.max(each.after, known?.after ?? 0),
      cuts: [...new Set([...(known?.cuts ?? []), ...each.cuts])],
    });
  }
  if (literals.size === 0) return undefined;
  return {
    literals: [...literals.values()],
    elastic: parts.some((part) => part.elastic),
    score: scoreOf([...literals.keys()]),
  };
}

// How selective literals are: the least selective one counts, and many literals score lower than few.
function scoreOf(literals: readonly string[]): number {
  return Math.min(...literals.map(weightOf)) - 0.15 * Math.log2(literals.length);
}

function weightOf(literal: string): number {
  let weight = 0;
  for (let i = 0; i < literal.length; i++) {
    const unit = letterFold(literal.charCodeAt(i));
    weight += unit === spaceUnit ? 0.3 : unit > 0x7f ? 1.5 : 1;
  }
  return weight;
}

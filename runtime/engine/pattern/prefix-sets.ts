// The code units that a match may have before its required literal begins. While no literal has occurred, a match can
// be in progress only if the text ends in characters of this set. So a stream holds back nothing else for the pattern.

import { BoundedCache } from "../../../src/kit/process/bounded-cache.ts";
import { caseFold, mayFoldInto } from "../text/fold.ts";
import type { Instruction, Program } from "./program.ts";
import type { RequiredLiteral } from "./required-literals.ts";
import type { AssertTablesFit } from "./table-limit.ts";

const known = new BoundedCache<string, Uint8Array>({ maxEntries: 500 });
const unitCount = 65_536;

/** The prefix sets of some patterns. Arrays only, so that another thread can build them. */
export interface PrefixSetTables {
  /** By pattern: the number of its set. */
  readonly setOf: Int32Array;
  /** Sets of code units, one after the other. */
  readonly sets: Uint8Array;
}

/** The parts of a pattern that its prefix set depends on. */
export interface ProgramWithLiterals {
  readonly program: Program;
  readonly requiredLiterals: readonly RequiredLiteral[];
  /** Whether it is searched in text whose look-alikes are folded. The set describes the text as it is written. */
  readonly folded: boolean;
}

/** The sets of some patterns, each distinct set once. */
export function prefixSetTables(patterns: readonly ProgramWithLiterals[], assertFit: AssertTablesFit): PrefixSetTables {
  const distinct: PrefixSet[] = [];
  const indexOf = new Map<string, number>();
  const setOf = Int32Array.from(patterns, (pattern) => {
    const prefix = prefixSetOf(pattern);
    const known = indexOf.get(prefix.key) ?? distinct.push(prefix) - 1;
    indexOf.set(prefix.key, known);
    return known;
  });
  assertFit(distinct.length * unitCount);
  const sets = new Uint8Array(distinct.length * unitCount);
  for (const [index, prefix] of distinct.entries()) sets.set(unitsOf(prefix), index * unitCount);
  return { setOf, sets };
}

/**
 * For each pattern, the code units that a match may have before one of its literals: a table with 1 for each member.
 * Patterns with equal sets share the array. For `[a-z]+@example` the set holds the letters.
 */
export function openPrefixSets({ setOf, sets }: PrefixSetTables): (Uint8Array | undefined)[] {
  const count = sets.length / unitCount;
  const bySet = Array.from({ length: count }, (_, set) => sets.subarray(set * unitCount, (set + 1) * unitCount));
  return Array.from(setOf, (set) => bySet[set]);
}

/** The instructions that a match may pass before one of its required literals. */
interface PrefixSet {
  /** Prefix sets with equal keys have the same code units. */
  readonly key: string;
  readonly runes: readonly Instruction[];
  readonly folded: boolean;
}

function prefixSetOf({ program, requiredLiterals, folded }: ProgramWithLiterals): PrefixSet {
  const runes = new Map<string, Instruction>();
  for (const { cuts } of requiredLiterals) {
    for (const cut of cuts)
      for (const rune of [...runesBefore(program, cut), ...spacesAt(program, cut)]) runes.set(keyOf(rune), rune);
  }
  return { key: `${folded};${[...runes.keys()].sort().join(";")}`, runes: [...runes.values()], folded };
}

/** The code units of a set, as a table. */
function unitsOf({ key, runes, folded }: PrefixSet): Uint8Array {
  let set = known.get(key);
  if (set === undefined) {
    set = unitSet(runes);
    if (folded) set = set.map((_, unit, units) => (mayFoldInto(units, unit) ? 1 : 0));
    known.set(key, set);
  }
  return set;
}

function keyOf({ ranges, folds, notNewline }: Instruction): string {
  return `${ranges?.join() ?? "any"}/${folds}/${notNewline}`;
}

/** The instructions that the start reaches without passing the cut point. */
function runesBefore(program: Program, cut: number): Instruction[] {
  const found: Instruction[] = [];
  const seen = new Set([cut]);
  const work = [program.start];
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    const code = program.code[node];
    if (code === undefined || seen.has(node)) continue;
    seen.add(node);
    if (code.step === "rune") found.push(code);
    work.push(...code.next);
  }
  return found;
}

/** White space that the cut point itself may consume: literals are stored without it. */
function spacesAt(program: Program, cut: number): Instruction[] {
  const found: Instruction[] = [];
  const seen = new Set<number>();
  const work = [cut];
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    const code = program.code[node];
    if (code === undefined || seen.has(node)) continue;
    seen.add(node);
    if (code.step !== "rune") work.push(...code.next);
    else if (code.space) found.push(code);
  }
  return found;
}

// The set contains surrogates when it contains any code point beyond the basic plane.
function unitSet(runes: readonly Instruction[]): Uint8Array {
  const set = new Uint8Array(65_536);
  for (const { ranges = [0, 0x10ffff] } of runes) {
    for (let i = 0; i + 1 < ranges.length; i += 2) {
      const to = ranges[i + 1] ?? 0;
      if (to > 0xffff) set.fill(1, 0xd800, 0xe000);
      set.fill(1, Math.min(ranges[i] ?? 0, 0x10000), Math.min(to + 1, 0x10000));
    }
  }
  if (runes.some(({ folds }) => folds)) addCases(set);
  return set;
}

function addCases(set: Uint8Array): void {
  const folded = new Uint8Array(65_536);
  for (let unit = 0; unit < 65_536; unit++) if (set[unit] === 1) folded[caseFold(unit)] = 1;
  for (let unit = 0; unit < 65_536; unit++) if (folded[caseFold(unit)] === 1) set[unit] = 1;
}

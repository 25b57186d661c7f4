// What a match may have taken before the literal that gates its pattern has begun. While no literal has occurred, a match can be under way
// only if the text ends in characters of this set, so nothing else has to be held back for the pattern.

import { caseFold } from "../fold.ts";
import type { Gate } from "../literal.ts";
import type { Instruction, Program } from "../program.ts";

const known = new Map<string, Uint8Array>();
const mostKnown = 500;
const unitCount = 65_536;

/** What may stand before the literals of some patterns. Arrays only, so that another thread can have made them. */
export interface LeadTables {
  /** By pattern: the number of its set. */
  readonly setOf: Int32Array;
  /** Sets of code units, one after the other. */
  readonly sets: Uint8Array;
}

/** A pattern as far as this goes. */
export interface GatedProgram {
  readonly program: Program;
  readonly gates: readonly Gate[];
}

/** The sets of some patterns, each distinct one once. */
export function leadTables(patterns: readonly GatedProgram[]): LeadTables {
  const sets: Uint8Array[] = [];
  const setOf = Int32Array.from(patterns, ({ program, gates }) => {
    const units = leadUnits(program, gates);
    const known = sets.indexOf(units);
    return known < 0 ? sets.push(units) - 1 : known;
  });
  const flat = new Uint8Array(sets.length * unitCount);
  for (const [index, units] of sets.entries()) flat.set(units, index * unitCount);
  return { setOf, sets: flat };
}

/** For each pattern the code units that a match may have before one of its literals; patterns that have the same share the array. */
export function openLeads({ setOf, sets }: LeadTables): (Uint8Array | undefined)[] {
  const count = sets.length / unitCount;
  const bySet = Array.from({ length: count }, (_, set) => sets.subarray(set * unitCount, (set + 1) * unitCount));
  return Array.from(setOf, (set) => bySet[set]);
}

/** The code units that a match may have before one of the gates, as a table. */
export function leadUnits(program: Program, gates: readonly Gate[]): Uint8Array {
  const units = new Map<string, Instruction>();
  for (const { cuts } of gates) {
    for (const cut of cuts)
      for (const rune of [...runesBefore(program, cut), ...spacesAt(program, cut)]) units.set(keyOf(rune), rune);
  }
  const key = [...units.keys()].sort().join(";");
  let set = known.get(key);
  if (set === undefined) {
    set = unitSet([...units.values()]);
    if (known.size >= mostKnown) known.clear();
    known.set(key, set);
  }
  return set;
}

function keyOf({ ranges, folds, notNewline }: Instruction): string {
  return `${ranges?.join() ?? "any"}/${folds}/${notNewline}`;
}

/** What is reached from the start without passing the cut. */
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

/** White space that the cut itself may take: literals are kept without it. */
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

// Surrogates belong to the set when anything outside the basic plane does.
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

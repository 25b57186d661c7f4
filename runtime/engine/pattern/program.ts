// Reads the program into which re2js compiles a pattern (the instruction set of R. Cox, "Regular Expression Matching:
// the Virtual Machine Approach", https://swtch.com/~rsc/regexp/regexp2.html). Since the analysis reads the program and
// not the source, there is no second parser that could understand a pattern differently from the engine. The
// instruction numbers belong to the exact version of re2js in package.json; a test asserts them.

import { RE2JS } from "re2js";
import { isSpaceUnit } from "../text/fold.ts";

/** What an instruction does: consume one character, choose between two paths, continue, accept, or fail. */
export type Step = "rune" | "split" | "skip" | "match" | "fail";

/** One instruction. */
export interface Instruction {
  readonly step: Step;
  readonly next: readonly number[];
  /** Ranges of code points that a "rune" consumes, as pairs; undefined when it consumes almost everything. */
  readonly ranges: readonly number[] | undefined;
  /** Whether the ranges include all case variants. */
  readonly folds: boolean;
  /** Whether it consumes only white space. */
  readonly space: boolean;
  /** Whether it consumes everything but the line feed; only without ranges. */
  readonly notNewline: boolean;
  /** Bits of `conditions` that must hold here for the path to continue; 0 for none. */
  readonly condition: number;
}

/** Conditions that an instruction may test at an offset of the text; the numbers are those of re2js. */
export const conditions = {
  beginLine: 1,
  endLine: 2,
  beginText: 4,
  endText: 8,
  wordBoundary: 16,
  noWordBoundary: 32,
} as const;

/** The program of a pattern. */
export interface Program {
  readonly start: number;
  readonly code: readonly Instruction[];
}

interface RawInstruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: ArrayLike<number>;
}

const op = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  emptyWidth: 4,
  fail: 5,
  match: 6,
  nop: 7,
  rune: 8,
  rune1: 9,
  any: 10,
  anyNotNewline: 11,
};

/** The program of a compiled pattern. */
export function readProgram(pattern: RE2JS): Program {
  const program = pattern.re2().prog;
  return { start: program.start, code: program.inst.map((raw: RawInstruction) => instruction(raw)) };
}

function instruction(raw: RawInstruction): Instruction {
  const plain = { ranges: undefined, folds: false, space: false, notNewline: false, condition: 0 };
  switch (raw.op) {
    case op.alt:
    case op.altMatch:
      return { step: "split", next: [raw.out, raw.arg], ...plain };
    case op.emptyWidth:
      return { ...plain, step: "skip", next: [raw.out], condition: raw.arg };
    case op.capture:
    case op.nop:
      return { step: "skip", next: [raw.out], ...plain };
    case op.match:
      return { step: "match", next: [], ...plain };
    case op.fail:
      return { step: "fail", next: [], ...plain };
    case op.rune:
    case op.rune1:
      return runeInstruction(raw);
    case op.any:
    case op.anyNotNewline:
      return { ...plain, step: "rune", next: [raw.out], notNewline: raw.op === op.anyNotNewline };
    default:
      throw new Error(`re2js instruction ${raw.op} is not known`);
  }
}

function runeInstruction(raw: RawInstruction): Instruction {
  const runes = Array.from(raw.runes);
  const only = runes[0] ?? 0;
  const ranges = runes.length === 1 ? [only, only] : runes;
  return {
    step: "rune",
    next: [raw.out],
    ranges,
    folds: runes.length === 1 && (raw.arg & 1) !== 0,
    space: takesOnlySpace(ranges),
    notNewline: false,
    condition: 0,
  };
}

/** All code points that an instruction consumes, as pairs of first and last, in ascending order. */
export function pointsTaken({ ranges, folds, notNewline }: Instruction): readonly number[] {
  if (ranges === undefined) return notNewline ? [0, 9, 11, 0x10ffff] : [0, 0x10ffff];
  return folds ? caseVariants(ranges[0] ?? 0) : ranges;
}

/**
 * The minimum number of characters in a match that lie within certain ranges, counted up to 2. `isWithin` says whether
 * a range of code points lies within them.
 */
export function minTaken({ start, code }: Program, isWithin: (from: number, to: number) => boolean): 0 | 1 | 2 {
  const seen = new Set<number>();
  let level = [start];
  for (const count of [0, 1] as const) {
    const next: number[] = [];
    for (let node = level.pop(); node !== undefined; node = level.pop()) {
      const instruction = code[node];
      if (instruction === undefined || seen.has(node)) continue;
      seen.add(node);
      if (instruction.step === "match") return count;
      const counts = instruction.step === "rune" && takesOnly(instruction, isWithin);
      (counts ? next : level).push(...instruction.next);
    }
    level = next;
  }
  return 2;
}

function takesOnly(instruction: Instruction, isWithin: (from: number, to: number) => boolean): boolean {
  const points = pointsTaken(instruction);
  for (let i = 0; i + 1 < points.length; i += 2) if (!isWithin(points[i] ?? 0, points[i + 1] ?? 0)) return false;
  return true;
}

const variantsOf = new Map<number, readonly number[]>();

/**
 * The code points that re2js matches for a folded one. re2js is asked, so that there is only one table of case
 * variants.
 */
function caseVariants(point: number): readonly number[] {
  const known = variantsOf.get(point);
  if (known !== undefined) return known;
  // The snowman has no case. Beside it re2js keeps a character class as it is.
  const { code } = readProgram(RE2JS.compile(`(?i)[\\x{${point.toString(16)}}\\x{2603}]`));
  const ranges = code.find(({ step }) => step === "rune")?.ranges ?? [];
  const variants: number[] = [];
  for (let i = 0; i + 1 < ranges.length; i += 2)
    if (ranges[i] !== snowman) variants.push(ranges[i] ?? 0, ranges[i + 1] ?? 0);
  variantsOf.set(point, variants);
  return variants;
}

const snowman = 0x2603;

function takesOnlySpace(ranges: readonly number[]): boolean {
  for (let i = 0; i + 1 < ranges.length; i += 2) {
    const from = ranges[i] ?? 0;
    const to = ranges[i + 1] ?? 0;
    if (to - from > 32) return false;
    for (let point = from; point <= to; point++) if (point > 0xffff || !isSpaceUnit(point)) return false;
  }
  return ranges.length > 0;
}

// Reads the program into which re2js compiles a pattern (the instruction set of R. Cox, "Regular Expression Matching: the Virtual
// Machine Approach", https://swtch.com/~rsc/regexp/regexp2.html). Working on the program instead of the source means that there is
// no second parser which could understand a pattern differently from the engine. The instruction numbers belong to the exact version
// of re2js in package.json; a test holds them.

import type { RE2JS } from "re2js";
import { isSpaceUnit } from "./fold.ts";

/** What an instruction does: consume one character, choose between two ways, pass on, accept, or give up. */
export type Step = "rune" | "split" | "skip" | "match" | "fail";

/** One instruction. */
export interface Instruction {
  readonly step: Step;
  readonly next: readonly number[];
  /** Ranges of code points that a "rune" takes, as pairs; undefined when it takes almost everything. */
  readonly ranges: readonly number[] | undefined;
  /** Whether the ranges take all case variants too. */
  readonly folds: boolean;
  /** Whether it takes white space only. */
  readonly space: boolean;
}

/** A pattern's program. */
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
  const plain = { ranges: undefined, folds: false, space: false };
  switch (raw.op) {
    case op.alt:
    case op.altMatch:
      return { step: "split", next: [raw.out, raw.arg], ...plain };
    case op.capture:
    case op.emptyWidth:
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
      return { step: "rune", next: [raw.out], ...plain };
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
  };
}

function takesOnlySpace(ranges: readonly number[]): boolean {
  for (let i = 0; i + 1 < ranges.length; i += 2) {
    const from = ranges[i] ?? 0;
    const to = ranges[i + 1] ?? 0;
    if (to - from > 32) return false;
    for (let point = from; point <= to; point++) if (point > 0xffff || !isSpaceUnit(point)) return false;
  }
  return ranges.length > 0;
}

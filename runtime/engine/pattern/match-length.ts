// How much text a pattern can match before and after each of its instructions: longest paths over the strongly
// connected components of its program (R. Tarjan, "Depth-first search and linear graph algorithms", 1972). Lengths are
// UTF-16 code units of a text in which every run of white space counts as one unit. So `\s*` is bounded, and only other
// loops are not.

import type { Instruction, Program } from "./program.ts";

/** Lengths of the texts that a program can match. For `ab?\s*c` the minimum is 2 and the maximum 4. */
export interface MatchLengths {
  /** Maximum of units between the start of a match and this instruction; Infinity when unbounded. */
  readonly before: Float64Array;
  /** Maximum of units from this instruction, which is included, to the end of a match. */
  readonly after: Float64Array;
  readonly minLength: number;
  readonly maxLength: number;
  /** Whether a loop consumes runs of white space, so that lengths hold only for collapsed text. */
  readonly elastic: boolean;
  /** Maximum of characters that a match consumes outside of loops. */
  readonly straightLength: number;
  /** The characters that loops consume, as pairs of code points. */
  readonly loopRanges: readonly number[];
}

/** Measures a program. */
export function measureMatches(program: Program): MatchLengths {
  const graph = components(program);
  const weights = graph.order.map((members) => componentWeight(program, members));
  const lengths = weights.map((weight) => weight.length);
  const after = maxLengthAfter(program, graph, lengths);
  const straight = maxLengthAfter(
    program,
    graph,
    weights.map(({ length, cyclic }) => (cyclic ? 0 : length)),
  );
  return {
    before: maxLengthBefore(program, graph, weights),
    after,
    minLength: minMatchLength(program),
    maxLength: after[program.start] ?? 0,
    elastic: weights.some(({ cyclic, length }) => cyclic && length === 1),
    straightLength: Math.max(0, straight[program.start] ?? 0),
    loopRanges: graph.order
      .filter((_, index) => weights[index]?.cyclic)
      .flatMap((members) => members.flatMap((node) => rangesOf(program, node))),
  };
}

function rangesOf(program: Program, node: number): readonly number[] {
  const code = program.code[node];
  if (code?.step !== "rune") return [];
  return code.folds || code.ranges === undefined ? [0, 0x10ffff] : code.ranges;
}

// Components come in the order successors first, so each one sees the lengths of all that follow it.
function maxLengthAfter(program: Program, { component, order }: Components, lengths: readonly number[]): Float64Array {
  const after = new Float64Array(program.code.length).fill(Number.NEGATIVE_INFINITY);
  const rest = new Float64Array(order.length).fill(Number.NEGATIVE_INFINITY);
  order.forEach((members, index) => {
    let maxRest = Number.NEGATIVE_INFINITY;
    for (const node of members) {
      if (program.code[node]?.step === "match") maxRest = Math.max(maxRest, 0);
      for (const next of nextOf(program, node)) {
        const target = component[next] ?? 0;
        if (target !== index) maxRest = Math.max(maxRest, rest[target] ?? 0);
      }
    }
    rest[index] = maxRest < 0 ? maxRest : maxRest + (lengths[index] ?? 0);
    for (const node of members) after[node] = rest[index] ?? 0;
  });
  return after;
}

function maxLengthBefore(program: Program, { component, order }: Components, weights: readonly Weight[]): Float64Array {
  const before = new Float64Array(program.code.length).fill(Number.NEGATIVE_INFINITY);
  const reach = new Float64Array(order.length).fill(Number.NEGATIVE_INFINITY);
  reach[component[program.start] ?? 0] = 0;
  for (let index = order.length - 1; index >= 0; index--) {
    const { length, cyclic } = weights[index] ?? { length: 0, cyclic: false };
    const entry = reach[index] ?? 0;
    for (const node of order[index] ?? []) {
      before[node] = cyclic ? entry + length : entry;
      for (const next of nextOf(program, node)) {
        const target = component[next] ?? 0;
        if (target !== index) reach[target] = Math.max(reach[target] ?? 0, entry + length);
      }
    }
  }
  return before;
}

interface Weight {
  readonly length: number;
  readonly cyclic: boolean;
}

function componentWeight(program: Program, members: readonly number[]): Weight {
  const first = members[0] ?? 0;
  const cyclic = members.length > 1 || nextOf(program, first).includes(first);
  const runes = members.map((node) => program.code[node]).filter((code): code is Instruction => code?.step === "rune");
  if (runes.length === 0) return { length: 0, cyclic };
  if (!cyclic) return { length: Math.max(...runes.map(widestRune)), cyclic };
  return { length: runes.every((code) => code.space) ? 1 : Number.POSITIVE_INFINITY, cyclic };
}

function widestRune(code: Instruction): number {
  const last = code.ranges?.at(-1) ?? 0x10ffff;
  return last > 0xffff ? 2 : 1;
}

function narrowestRune(code: Instruction): number {
  const first = code.ranges?.[0] ?? 0;
  return first > 0xffff ? 2 : 1;
}

function nextOf(program: Program, node: number): readonly number[] {
  return program.code[node]?.next ?? [];
}

interface Components {
  readonly component: Int32Array;
  /** Members of each component; successors come before predecessors. */
  readonly order: readonly (readonly number[])[];
}

// Tarjan's algorithm without recursion: programs may be thousands of instructions deep.
function components(program: Program): Components {
  const size = program.code.length;
  const index = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const component = new Int32Array(size).fill(-1);
  const order: number[][] = [];
  const open: number[] = [];
  const work: { node: number; edge: number }[] = [{ node: program.start, edge: 0 }];
  let counter = 0;
  for (let frame = work.at(-1); frame !== undefined; frame = work.at(-1)) {
    const { node } = frame;
    if (frame.edge === 0) {
      index[node] = counter;
      low[node] = counter++;
      open.push(node);
    }
    const next = nextOf(program, node)[frame.edge++];
    if (next === undefined) {
      work.pop();
      if (low[node] === index[node]) order.push(closeComponent(open, node, component, order.length));
      const parent = work.at(-1)?.node;
      if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[node] ?? 0);
    } else if (index[next] === -1) work.push({ node: next, edge: 0 });
    else if (component[next] === -1) low[node] = Math.min(low[node] ?? 0, index[next] ?? 0);
  }
  return { component, order };
}

function closeComponent(open: number[], root: number, component: Int32Array, id: number): number[] {
  const members: number[] = [];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    component[node] = id;
    members.push(node);
    if (node === root) break;
  }
  return members;
}

// Dijkstra's algorithm with one bucket for each length, since a character beyond the basic plane takes two units.
function minMatchLength(program: Program): number {
  const best = new Map<number, number>([[program.start, 0]]);
  const buckets: number[][] = [[program.start]];
  for (let length = 0; length < buckets.length; length++) {
    const bucket = buckets[length] ?? [];
    for (let node = bucket.pop(); node !== undefined; node = bucket.pop()) {
      const code = program.code[node];
      if (code === undefined || best.get(node) !== length) continue;
      if (code.step === "match") return length;
      const reached = length + (code.step === "rune" ? narrowestRune(code) : 0);
      for (const next of code.next) {
        if ((best.get(next) ?? Number.POSITIVE_INFINITY) <= reached) continue;
        best.set(next, reached);
        while (buckets.length <= reached) buckets.push([]);
        buckets[reached]?.push(next);
      }
    }
  }
  return Number.POSITIVE_INFINITY;
}

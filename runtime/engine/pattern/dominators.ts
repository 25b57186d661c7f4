// Cut points of a program, which are dominators: the instructions on every path from one instruction to another.

import type { Program } from "./program.ts";

/**
 * The instructions on every path from one instruction to another, both included, in order. Empty when there is no path.
 */
export function cutPoints(program: Program, from: number, to: number): number[] {
  const path = shortestPath(program, from, to);
  const indexOf = new Map(path.map((node, index) => [node, index]));
  const visited = new Set<number>();
  const cuts: number[] = [];
  let furthest = 0;
  path.forEach((node, index) => {
    // No earlier instruction leads past this one: every path goes through it.
    if (index >= furthest) cuts.push(node);
    furthest = Math.max(furthest, furthestReached(program, node, to, indexOf, visited));
  });
  return cuts;
}

// The index on the path of the last instruction that `from` reaches without touching other instructions of the path.
function furthestReached(
  program: Program,
  from: number,
  to: number,
  indexOf: ReadonlyMap<number, number>,
  visited: Set<number>,
): number {
  let furthest = 0;
  const work = from === to ? [] : [...(program.code[from]?.next ?? [])];
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    const index = indexOf.get(node);
    if (index !== undefined) furthest = Math.max(furthest, index);
    else if (!visited.has(node)) {
      visited.add(node);
      work.push(...(program.code[node]?.next ?? []));
    }
  }
  return furthest;
}

function shortestPath(program: Program, from: number, to: number): number[] {
  const parent = new Map<number, number>([[from, from]]);
  let level = [from];
  while (level.length > 0 && !parent.has(to)) {
    const next: number[] = [];
    for (const node of level) {
      for (const target of program.code[node]?.next ?? []) {
        if (parent.has(target)) continue;
        parent.set(target, node);
        next.push(target);
      }
    }
    level = next;
  }
  if (!parent.has(to)) return [];
  const path = [to];
  for (let node = to; node !== from; ) {
    node = parent.get(node) ?? from;
    path.push(node);
  }
  return path.reverse();
}

// The patterns of streams that no literal gates, in groups that one automaton follows.

import { LazyDfa } from "../dfa.ts";
import type { PatternProbe } from "../plan.ts";
import { groupMemory } from "../state-memory.ts";
import type { TableShelf } from "../table-shelf.ts";

/** A pattern, and the detector that wants it. */
export interface StreamPattern {
  readonly job: number;
  readonly probe: PatternProbe;
}

/** Patterns without a literal that are searched together. */
export interface PatternGroup {
  readonly members: readonly number[];
  readonly isFolded: boolean;
  /** The most units that a match takes; infinite when that is not known. */
  readonly reach: number;
  readonly dfa: LazyDfa;
}

const mostPatterns = 80;
/** Patterns with long beginnings need many states together. */
const fewPatterns = 40;
const mostInstructions = 8_000;

/** Puts the patterns without a literal into groups, step by step. */
export function* groupSteps(patterns: readonly StreamPattern[], shelf: TableShelf): Generator<void, PatternGroup[]> {
  const ungated = [...patterns.entries()].flatMap(([index, { probe }]) => (isFree(probe) ? [index] : []));
  const alike = Map.groupBy(ungated, (index) => {
    const { job, probe } = patterns[index] ?? {};
    return `${job}:${probe?.folded}:${probe?.pattern.elastic}:${probe?.pattern.gates.length === 0}`;
  });
  const groups: PatternGroup[] = [];
  for (const members of alike.values()) {
    for (const few of chunked(members, patterns)) {
      groups.push(...groupsOfFew(few, patterns, shelf));
      yield;
    }
  }
  return groups;
}

/** Whether no literal says where a pattern may match: a match that may begin anywhere before one is under way long before it occurs. */
export function isFree({ pattern: { gates, dfa } }: PatternProbe): boolean {
  return gates.length === 0 || (dfa !== undefined && gates.some(({ before }) => !Number.isFinite(before)));
}

function chunked(members: readonly number[], patterns: readonly StreamPattern[]): number[][] {
  const groups: number[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const index of members) {
    const more = patterns[index]?.probe.pattern.programSize ?? 0;
    const open = groups.at(-1);
    const most = patterns[index]?.probe.pattern.gates.length === 0 ? mostPatterns : fewPatterns;
    if (open === undefined || open.length >= most || size + more > mostInstructions) {
      groups.push([index]);
      size = more;
    } else {
      open.push(index);
      size += more;
    }
  }
  return groups;
}

// Each alone has an automaton; together they may tell too many characters apart for one.
function groupsOfFew(
  members: readonly number[],
  patterns: readonly StreamPattern[],
  shelf: TableShelf,
): PatternGroup[] {
  const probes = members.flatMap((index) => patterns[index]?.probe ?? []);
  const tables = shelf.dfa(probes.map(({ pattern }) => pattern));
  if (tables === undefined) {
    const half = Math.ceil(members.length / 2);
    return [members.slice(0, half), members.slice(half)].flatMap((few) => groupsOfFew(few, patterns, shelf));
  }
  const dfa = LazyDfa.over(tables, groupMemory);
  const isElastic = probes.some(({ pattern }) => pattern.elastic);
  const reach = isElastic ? Number.POSITIVE_INFINITY : Math.max(...probes.map(({ pattern }) => pattern.maxLength));
  return [{ members, isFolded: probes.some(({ folded }) => folded), reach, dfa }];
}

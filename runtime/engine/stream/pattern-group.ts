// Groups the patterns of streams that have no required literal, so that one automaton follows each group.

import type { PatternProbe } from "../detectors/detector-plan.ts";
import { LazyDfa } from "../pattern/lazy-dfa.ts";
import { groupMemory } from "../pattern/memory-budget.ts";
import type { TableCache } from "../scan/table-cache.ts";

/** A pattern with the detector that needs it. */
export interface StreamPattern {
  readonly job: number;
  readonly probe: PatternProbe;
}

/** Patterns without a required literal that are searched together. */
export interface PatternGroup {
  readonly members: readonly number[];
  readonly isFolded: boolean;
  /** Maximum length of a match in units; infinite when unknown. */
  readonly reach: number;
  readonly dfa: LazyDfa;
}

const maxPatterns = 80;
/** Patterns with long beginnings need many states when combined. */
const fewPatterns = 40;
const maxInstructions = 8_000;

/** Groups the patterns without a required literal, step by step. */
export function* groupSteps(
  patterns: readonly StreamPattern[],
  tableCache: TableCache,
): Generator<void, PatternGroup[]> {
  const ungated = [...patterns.entries()].flatMap(([index, { probe }]) => (isFree(probe) ? [index] : []));
  const alike = Map.groupBy(ungated, (index) => {
    const { job, probe } = patterns[index] ?? {};
    return `${job}:${probe?.folded}:${probe?.pattern.elastic}:${probe?.pattern.requiredLiterals.length === 0}`;
  });
  const groups: PatternGroup[] = [];
  for (const members of alike.values()) {
    for (const few of chunked(members, patterns)) {
      groups.push(...groupsOfFew(few, patterns, tableCache));
      yield;
    }
  }
  return groups;
}

/**
 * Whether no literal bounds where a pattern may match. A match that may begin anywhere before its literal is under way
 * long before the literal occurs.
 */
export function isFree({ pattern: { requiredLiterals, dfa } }: PatternProbe): boolean {
  return (
    requiredLiterals.length === 0 ||
    (dfa !== undefined && requiredLiterals.some(({ before }) => !Number.isFinite(before)))
  );
}

function chunked(members: readonly number[], patterns: readonly StreamPattern[]): number[][] {
  const groups: number[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const index of members) {
    const more = patterns[index]?.probe.pattern.programSize ?? 0;
    const open = groups.at(-1);
    const maxMembers = patterns[index]?.probe.pattern.requiredLiterals.length === 0 ? maxPatterns : fewPatterns;
    if (open === undefined || open.length >= maxMembers || size + more > maxInstructions) {
      groups.push([index]);
      size = more;
    } else {
      open.push(index);
      size += more;
    }
  }
  return groups;
}

// Each pattern alone has an automaton; together they may distinguish too many characters for one.
function groupsOfFew(
  members: readonly number[],
  patterns: readonly StreamPattern[],
  tableCache: TableCache,
): PatternGroup[] {
  const probes = members.flatMap((index) => patterns[index]?.probe ?? []);
  const tables = tableCache.dfa(probes.map(({ pattern }) => pattern));
  if (tables === undefined) {
    const half = Math.ceil(members.length / 2);
    return [members.slice(0, half), members.slice(half)].flatMap((few) => groupsOfFew(few, patterns, tableCache));
  }
  const dfa = LazyDfa.over(tables, groupMemory);
  const isElastic = probes.some(({ pattern }) => pattern.elastic);
  const reach = isElastic ? Number.POSITIVE_INFINITY : Math.max(...probes.map(({ pattern }) => pattern.maxLength));
  return [{ members, isFolded: probes.some(({ folded }) => folded), reach, dfa }];
}

// The memory that states of lazy automata may take, for all engines of a process together. A full automaton discards
// its states and starts again, so that the bound costs time but changes no answer.

import type { DfaMemory } from "./state-table.ts";

const sharedBytes = 48 * 2 ** 20;
const groupBytes = 4 * 2 ** 20;

/**
 * For automata of single patterns: the maximum of each, and of all together beyond a small share that each may always
 * have.
 */
export const patternMemory: DfaMemory = { maxBytes: 2 ** 20, ownBytes: 64 * 1024, shared: { leftBytes: sharedBytes } };

/** For automata of groups of patterns, of which an engine has few: the maximum of each. */
export const groupMemory: DfaMemory = { maxBytes: groupBytes, ownBytes: groupBytes, shared: { leftBytes: 0 } };

/** Bytes that the states of all automata of this process take, approximately. */
export function patternStateBytes(): number {
  return sharedBytes - patternMemory.shared.leftBytes - groupMemory.shared.leftBytes;
}

const known = new WeakMap<object, number>();

/** Bytes of all arrays of numbers in a value, which is plain data that does not change. */
export function arrayBytes(value: object): number {
  const before = known.get(value);
  if (before !== undefined) return before;
  const bytes = bytesIn(value);
  known.set(value, bytes);
  return bytes;
}

function bytesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  const children: Iterable<unknown> = value instanceof Map ? value.values() : Object.values(value);
  let bytes = 0;
  for (const child of children) bytes += bytesIn(child);
  return bytes;
}

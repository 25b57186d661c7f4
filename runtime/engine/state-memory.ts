// What the states of lazy automata may take, all engines of a process together. An automaton that is full begins anew, so that a bound costs
// time and no answer.

import type { DfaMemory } from "./state-table.ts";

const sharedBytes = 48 * 2 ** 20;
const groupBytes = 4 * 2 ** 20;

/** Of single patterns: each, and together beyond a small share for everyone. */
export const patternMemory: DfaMemory = { mostBytes: 2 ** 20, ownBytes: 64 * 1024, shared: { leftBytes: sharedBytes } };

/** Of groups of patterns, of which an engine has few: each. */
export const groupMemory: DfaMemory = { mostBytes: groupBytes, ownBytes: groupBytes, shared: { leftBytes: 0 } };

/** Bytes that the states of all automata of this process take, about. */
export function patternStateBytes(): number {
  return sharedBytes - patternMemory.shared.leftBytes - groupMemory.shared.leftBytes;
}

const known = new WeakMap<object, number>();

/** Bytes of all arrays of numbers in a value. The value is plain data that does not change. */
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

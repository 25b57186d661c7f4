// The Merkle tree of RFC 9162, section 2.1, over SHA-256. A tree is never kept here as a whole: roots and proofs are
// made of the hashes of complete subtrees (2^height leaves that begin at a multiple of 2^height), which never change
// once they are there. Where the last subtree of a tree is not complete, its hash is made from the complete ones below;
// an odd node is promoted, never doubled.
//
// Sizes and indexes are integers below 2^53, so nothing here uses the bit operators, which have 32 bits.

import { hash } from "node:crypto";

/** The root of a tree without leaves. */
export const emptyRoot: Buffer = hash("sha256", "", "buffer");

/** Bytes of a hash. */
export const hashBytes = 32;

const nodePrefix = 1;

/** The hash of a node above two others. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  // One call with all bytes takes half the time of a hash that is updated three times.
  const bytes = Buffer.allocUnsafe(1 + left.length + right.length);
  bytes[0] = nodePrefix;
  bytes.set(left, 1);
  bytes.set(right, 1 + left.length);
  return hash("sha256", bytes, "buffer");
}

/** Leaves from `start` up to and without `end`, as the definitions of the RFC divide trees. */
export interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** A complete subtree: 2^height leaves, of which the first is leaf `index` times 2^height. */
export interface Subtree {
  readonly height: number;
  readonly index: number;
}

/** The complete subtrees that a range consists of, from the left. They become smaller. */
export function subtreesOf({ start, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end; ) {
    const height = floorLog2(end - at);
    const size = 2 ** height;
    subtrees.push({ height, index: at / size });
    at += size;
  }
  return subtrees;
}

/** The hash above the hashes of subtrees that become smaller; the empty root when there are none. */
export function foldSubtrees(hashes: readonly Uint8Array[]): Buffer {
  const last = hashes.at(-1);
  if (last === undefined) return emptyRoot;
  let folded: Buffer = Buffer.from(last);
  for (let i = hashes.length - 2; i >= 0; i--) folded = nodeHash(hashes[i] ?? emptyRoot, folded);
  return folded;
}

/** The ranges whose hashes prove that leaf `index` is in the tree of this size, from the leaf up (section 2.1.3.1). */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  if (!isWithin(index, 0, size - 1)) throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`);
  const ranges: LeafRange[] = [];
  for (let start = 0, end = size; end - start > 1; ) {
    const middle = start + splitOf(end - start);
    if (index < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.reverse();
}

/** The ranges whose hashes prove that the tree of size `to` begins with the tree of size `from` (section 2.1.4.1). */
export function consistencyRanges(from: number, to: number): LeafRange[] {
  if (!isWithin(from, 0, to)) throw new RangeError(`a tree of ${to} leaves does not begin with ${from}`);
  if (from === 0 || from === to) return [];
  const ranges: LeafRange[] = [];
  let start = 0;
  let end = to;
  while (from < end) {
    const middle = start + splitOf(end - start);
    if (from <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  // The former tree itself is known to whoever asks.
  if (start > 0) ranges.push({ start, end });
  return ranges.reverse();
}

/** What an inclusion proof says. */
export interface Inclusion {
  readonly leafHash: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly path: readonly Uint8Array[];
  readonly root: Uint8Array;
}

/** Whether the path proves that the leaf is in the tree (section 2.1.3.2). */
export function isIncluded({ leafHash, index, size, path, root }: Inclusion): boolean {
  if (!isWithin(index, 0, size - 1)) return false;
  let node = index;
  let last = size - 1;
  let reached: Buffer = Buffer.from(leafHash);
  for (const sibling of path) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      reached = nodeHash(sibling, reached);
      while (!isOdd(node) && node > 0) [node, last] = [half(node), half(last)];
    } else reached = nodeHash(reached, sibling);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && reached.equals(root);
}

/** What a consistency proof says. */
export interface Consistency {
  readonly from: number;
  readonly fromRoot: Uint8Array;
  readonly to: number;
  readonly toRoot: Uint8Array;
  readonly path: readonly Uint8Array[];
}

/** Whether the path proves that the later tree begins with the earlier one (section 2.1.4.2). */
export function isConsistent({ from, fromRoot, to, toRoot, path }: Consistency): boolean {
  if (!isWithin(from, 0, to)) return false;
  if (from === to) return path.length === 0 && Buffer.compare(fromRoot, toRoot) === 0;
  if (from === 0) return path.length === 0 && emptyRoot.equals(fromRoot);
  if (path.length === 0) return false;
  const [first, ...rest] = 2 ** floorLog2(from) === from ? [fromRoot, ...path] : path;
  let node = from - 1;
  let last = to - 1;
  while (isOdd(node)) [node, last] = [half(node), half(last)];
  let earlier: Buffer = Buffer.from(first ?? emptyRoot);
  let later: Buffer = earlier;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      earlier = nodeHash(sibling, earlier);
      later = nodeHash(sibling, later);
      while (!isOdd(node) && node > 0) [node, last] = [half(node), half(last)];
    } else later = nodeHash(later, sibling);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && earlier.equals(fromRoot) && later.equals(toRoot);
}

/** A tree that grows leaf by leaf and remembers only its complete subtrees: as many hashes as its size has ones. */
export class GrowingTree {
  #size = 0;
  /** From the left, becoming smaller. */
  readonly #subtrees: Buffer[] = [];

  /** Leaves so far. */
  get size(): number {
    return this.#size;
  }

  /** Adds the next leaf. */
  add(leafHash: Uint8Array): void {
    let complete: Buffer = Buffer.from(leafHash);
    for (let count = this.#size; isOdd(count); count = half(count)) {
      const left = this.#subtrees.pop();
      if (left === undefined) throw new Error("a tree has a subtree for each one of its size");
      complete = nodeHash(left, complete);
    }
    this.#subtrees.push(complete);
    this.#size++;
  }

  /** The root of the tree as it is. */
  root(): Buffer {
    return foldSubtrees(this.#subtrees);
  }
}

/** The largest power of two below `size`, where the RFC divides a tree. */
function splitOf(size: number): number {
  return 2 ** floorLog2(size - 1);
}

// Of a double, the exponent: exact for every integer below 2^53, which Math.log2 is not.
function floorLog2(value: number): number {
  return value < 2 ** 32 ? 31 - Math.clz32(value) : 32 + floorLog2(Math.floor(value / 2 ** 32));
}

function half(value: number): number {
  return Math.floor(value / 2);
}

function isOdd(value: number): boolean {
  return value % 2 === 1;
}

function isWithin(value: number, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max;
}

// The Merkle tree by the recursive definition of RFC 9162, section 2.1, as plainly as it is written there, to compare
// with.

import { hash } from "node:crypto";

/** SHA-256. */
export function sha256(...parts: readonly Uint8Array[]): Buffer {
  return hash("sha256", Buffer.concat(parts), "buffer");
}

/** The hash of a leaf. */
export function plainLeafHash(leaf: Uint8Array): Buffer {
  return sha256(Buffer.of(0), leaf);
}

/** MTH of the hashes of leaves. */
export function plainRoot(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return only;
  const k = split(leaves.length);
  return sha256(Buffer.of(1), plainRoot(leaves.slice(0, k)), plainRoot(leaves.slice(k)));
}

/** PATH(m, D). */
export function plainPath(m: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m < k ? [...plainPath(m, left), plainRoot(right)] : [...plainPath(m - k, right), plainRoot(left)];
}

/** PROOF(m, D). */
export function plainConsistency(m: number, leaves: readonly Buffer[]): Buffer[] {
  return subproof(m, leaves, true);
}

function subproof(m: number, leaves: readonly Buffer[], isWhole: boolean): Buffer[] {
  if (m === leaves.length) return isWhole ? [] : [plainRoot(leaves)];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m <= k
    ? [...subproof(m, left, isWhole), plainRoot(right)]
    : [...subproof(m - k, right, false), plainRoot(left)];
}

function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** The hashes of so many leaves. */
export function someLeaves(count: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => plainLeafHash(Buffer.from(`leaf ${i}`)));
}

// Proofs in which one thing was changed: none may be accepted.

import fc from "fast-check";
import { expect, it } from "vitest";
import { reportProgress, reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import {
  type Consistency,
  consistencyRanges,
  type Inclusion,
  inclusionRanges,
  isConsistent,
  isIncluded,
} from "../../../../src/kit/evidence/merkle.ts";
import { rangeHashes } from "../../../../src/kit/evidence/tile.ts";
import { MadeLog } from "../../../harness/made-log.ts";

const log = new MadeLog().grow(700);
const roots = new Map<number, Buffer>();

function rootOf(size: number): Buffer {
  const known = roots.get(size) ?? rangeHashes([{ start: 0, end: size }], log.tileAt)[0] ?? Buffer.alloc(32);
  roots.set(size, known);
  return known;
}

function flipped(bytes: Uint8Array, place: number): Buffer {
  const changed = Buffer.from(bytes);
  const at = place % changed.length;
  changed[at] = (changed[at] ?? 0) ^ (1 << (place % 8));
  return changed;
}

/** The path with a bit flipped, a hash removed, one twice, or two swapped; undefined where that changes nothing. */
function mutatedPath(path: readonly Uint8Array[], how: number, place: number): Uint8Array[] | undefined {
  const at = path.length === 0 ? 0 : place % path.length;
  const hash = path[at];
  if (hash === undefined) return how % 2 === 0 ? [rootOf(1)] : undefined;
  if (how === 0) return path.with(at, flipped(hash, place));
  if (how === 1) return path.toSpliced(at, 1);
  if (how === 2) return path.toSpliced(at, 0, hash);
  const other = path[at + 1];
  return other === undefined ? undefined : path.with(at, other).with(at + 1, hash);
}

function mutatedInclusion(proof: Inclusion, how: number, place: number): Inclusion | undefined {
  if (how === 4) return { ...proof, leafHash: flipped(proof.leafHash, place) };
  if (how === 5) return { ...proof, root: flipped(proof.root, place) };
  const index = place % proof.size;
  if (how === 6) return index === proof.index ? undefined : { ...proof, index };
  const path = mutatedPath(proof.path, how, place);
  return path && { ...proof, path };
}

function mutatedConsistency(proof: Consistency, how: number, place: number): Consistency | undefined {
  if (how === 4) return { ...proof, fromRoot: flipped(proof.fromRoot, place) };
  if (how === 5) return { ...proof, toRoot: flipped(proof.toRoot, place) };
  const from = 1 + (place % proof.to);
  if (how === 6) return from === proof.from ? undefined : { ...proof, from };
  const path = mutatedPath(proof.path, how, place);
  return path && { ...proof, path };
}

it("no proof is accepted with one thing changed", () => {
  const { n, seed } = sampleOf({ n: 4_000, seed: 23 });
  let tried = 0;
  const property = fc.property(
    ...([fc.integer({ min: 1, max: log.size }), fc.nat(), fc.nat(6), fc.nat(), fc.boolean()] as const),
    (size, pick, how, place, isOfEntry) => {
      const root = rootOf(size);
      if (isOfEntry) {
        const index = pick % size;
        const leafHash = rangeHashes([{ start: index, end: index + 1 }], log.tileAt)[0] ?? root;
        const path = rangeHashes(inclusionRanges(index, size), log.tileAt);
        const proof = { leafHash, index, size, path, root };
        expect(isIncluded(proof)).toBe(true);
        const mutated = mutatedInclusion(proof, how, place);
        fc.pre(mutated !== undefined);
        expect(isIncluded(mutated)).toBe(false);
      } else {
        const from = 1 + (pick % size);
        const path = rangeHashes(consistencyRanges(from, size), log.tileAt);
        const proof = { from, fromRoot: rootOf(from), to: size, toRoot: root, path };
        expect(isConsistent(proof)).toBe(true);
        const mutated = mutatedConsistency(proof, how, place);
        fc.pre(mutated !== undefined);
        expect(isConsistent(mutated)).toBe(false);
      }
      reportProgress(++tried);
    },
  );
  fc.assert(property, { numRuns: n, seed, maxSkipsPerRun: 100 });
  reportSample({ n: tried, failures: 0 });
});

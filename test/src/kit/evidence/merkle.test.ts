import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  consistencyRanges,
  emptyRoot,
  GrowingTree,
  inclusionRanges,
  isConsistent,
  isIncluded,
} from "../../../../src/kit/evidence/merkle.ts";
import {
  grownTiles,
  lastTiles,
  rangeHashes,
  type Tile,
  tileKey,
  tilesOf,
  tileWidth,
} from "../../../../src/kit/evidence/tile.ts";
import { plainConsistency, plainLeafHash, plainPath, plainRoot, someLeaves } from "./tree.ts";

const leaves = someLeaves(1_000);

/** The tiles of a tree that grew by so many leaves at a time. */
function tilesAfter(hashes: readonly Buffer[], step: number): Map<string, Tile> {
  const tiles = new Map<string, Tile>();
  for (let size = 0; size < hashes.length; size += step) {
    const held = new Set(lastTiles(size).map(tileKey));
    const added = hashes.slice(size, size + step);
    const grown = grownTiles(size, added, (at) => (held.has(tileKey(at)) ? tiles.get(tileKey(at))?.hashes : undefined));
    for (const tile of grown) tiles.set(tileKey(tile), tile);
  }
  return tiles;
}

const tiles = tilesAfter(leaves, 37);
const tileAt = (address: Tile | { level: number; n: number }) => tiles.get(tileKey(address))?.hashes;
const treeRoot = (size: number) => rangeHashes([{ start: 0, end: size }], tileAt)[0] ?? emptyRoot;

describe("trees of 0 to 1,000 leaves", () => {
  it("have the roots of the plain definition, from tiles and leaf by leaf", () => {
    const growing = new GrowingTree();
    for (let size = 0; size <= leaves.length; size++) {
      const root = plainRoot(leaves.slice(0, size));
      expect(treeRoot(size).equals(root), `tiles, ${size} leaves`).toBe(true);
      expect(growing.root().equals(root), `leaf by leaf, ${size} leaves`).toBe(true);
      const next = leaves[size];
      if (next !== undefined) growing.add(next);
    }
  });

  it("have the proofs of the plain definition, which verify", () => {
    // Of every size up to 40; above, of some, the powers of two among them.
    const sizes = leaves.map((_, i) => i + 1).filter((size) => size <= 40 || size % 64 < 2 || size % 61 === 0);
    for (const size of sizes) {
      const tree = leaves.slice(0, size);
      const root = treeRoot(size);
      for (const index of new Set([0, Math.floor(size / 3), 7_919 % size, size - 1])) {
        const path = rangeHashes(inclusionRanges(index, size), tileAt);
        expect(path).toEqual(plainPath(index, tree));
        const leafHash = leaves[index] ?? emptyRoot;
        expect(isIncluded({ leafHash, index, size, path, root })).toBe(true);
        const from = index + 1;
        const proof = rangeHashes(consistencyRanges(from, size), tileAt);
        expect(proof).toEqual(plainConsistency(from, tree));
        expect(isConsistent({ from, fromRoot: treeRoot(from), to: size, toRoot: root, path: proof })).toBe(true);
      }
    }
  });

  it("are all reached by a proof from each other", () => {
    for (let to = 0; to <= 40; to++)
      for (let from = 0; from <= to; from++) {
        const path = rangeHashes(consistencyRanges(from, to), tileAt);
        const claim = { from, fromRoot: treeRoot(from), to, toRoot: treeRoot(to), path };
        expect(isConsistent(claim), `${from} to ${to}`).toBe(true);
        if (from > 0 && from < to) {
          expect(isConsistent({ ...claim, fromRoot: treeRoot(from - 1) }), `${from} to ${to}`).toBe(false);
          expect(isConsistent({ ...claim, toRoot: treeRoot(to - 1) }), `${from} to ${to}`).toBe(false);
          expect(isConsistent({ ...claim, path: path.slice(1) }), `${from} to ${to}`).toBe(false);
          expect(isConsistent({ ...claim, path: [...path, emptyRoot] }), `${from} to ${to}`).toBe(false);
        }
      }
  });
});

describe("the tree", () => {
  it("has the root that Certificate Transparency publishes for its eight leaves", () => {
    const inputs = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
    const tree = new GrowingTree();
    for (const input of inputs) tree.add(plainLeafHash(Buffer.from(input, "hex")));
    expect(tree.root().toString("hex")).toBe("5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
  });

  it("refuses proofs that any change makes another claim", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1_000 }), fc.nat(), fc.nat(), fc.nat(), (size, a, b, kind) => {
        const index = a % size;
        const path = rangeHashes(inclusionRanges(index, size), tileAt);
        const claim = { leafHash: leaves[index] ?? emptyRoot, index, size, path, root: treeRoot(size) };
        const flipped = (hash: Buffer) => {
          const copy = Buffer.from(hash);
          copy.writeUInt8(copy.readUInt8(b % 32) ^ (1 << (b % 8)), b % 32);
          return copy;
        };
        const changes = [
          { leafHash: flipped(claim.leafHash) },
          { root: flipped(claim.root) },
          { path: path.map((hash, i) => (i === b % path.length ? flipped(hash) : hash)) },
          { path: path.slice(1) },
          { path: [...path, path[0] ?? emptyRoot] },
          { index: (index + 1 + (b % (size - 1))) % size },
          { index: -1 },
          { size: 0 },
        ];
        return !isIncluded({ ...claim, ...changes[kind % changes.length] });
      }),
      { seed: 9_162, numRuns: 1_000 },
    );
  });

  it("refuses questions about leaves and trees that are not there", () => {
    expect(() => inclusionRanges(5, 5)).toThrow(RangeError);
    expect(() => consistencyRanges(6, 5)).toThrow(RangeError);
    expect(consistencyRanges(0, 5)).toEqual([]);
    expect(isConsistent({ from: 0, fromRoot: treeRoot(3), to: 5, toRoot: treeRoot(5), path: [] })).toBe(false);
    expect(isConsistent({ from: 5, fromRoot: treeRoot(4), to: 5, toRoot: treeRoot(5), path: [] })).toBe(false);
  });
});

describe("tiles", () => {
  it("are as many, and as wide, as the specification counts for 70,000 leaves", () => {
    const all = tilesAfter(Array<Buffer>(70_000).fill(emptyRoot), 9_999);
    const widths = (level: number) =>
      [...all.values()].filter((tile) => tile.level === level).map(({ hashes }) => hashes.length / 32);
    const full = (level: number) => widths(level).filter((width) => width === tileWidth).length;
    const partial = (level: number) => widths(level).filter((width) => width < tileWidth);
    expect([full(0), partial(0)]).toEqual([273, [112]]);
    expect([full(1), partial(1)]).toEqual([1, [17]]);
    expect([full(2), partial(2)]).toEqual([0, [1]]);
    expect(widths(3)).toEqual([]);
  });

  it("are few for a proof in a large tree", () => {
    expect(tilesOf(inclusionRanges(123_456, 1_000_000)).length).toBeLessThanOrEqual(6);
    // Sizes beyond 32 bits are counted as well.
    expect(inclusionRanges(2 ** 40, 2 ** 41 + 1)).toHaveLength(42);
  });

  it("say which one is missing", () => {
    expect(() => rangeHashes([{ start: 0, end: 300 }], () => undefined)).toThrow("tile 1/0 has fewer than 1 hashes");
  });
});

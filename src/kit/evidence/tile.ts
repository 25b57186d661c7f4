// The hashes of a tree in tiles, after C2SP tlog-tiles (https://c2sp.org/tlog-tiles): tile `n` of level 0 has the
// hashes of the leaves from 256 n; tile `n` of level l those of the complete subtrees of height 8 l from 256 n. A full
// tile has 256 hashes and its own hash stands in the level above. Only the last tile of a level grows, and only at its
// end, so tiles of a large tree serve every smaller one.

import { foldSubtrees, hashBytes, type LeafRange, nodeHash, type Subtree, subtreesOf } from "./merkle.ts";

/** Hashes of a full tile. */
export const tileWidth = 256;

const tileHeight = 8;

/** Where a tile is. */
export interface TileAddress {
  readonly level: number;
  readonly n: number;
}

/** A tile: its hashes, one after the other. */
export interface Tile extends TileAddress {
  readonly hashes: Uint8Array;
}

/** Finds the hashes of a tile. */
export type TileSource = (address: TileAddress) => Uint8Array | undefined;

/** A tile's address as one text. */
export function tileKey({ level, n }: TileAddress): string {
  return `${level}/${n}`;
}

/** The tiles that the hashes of these ranges are made from. */
export function tilesOf(ranges: readonly LeafRange[]): TileAddress[] {
  const found = new Map<string, TileAddress>();
  for (const { level, n } of ranges.flatMap(subtreesOf).map(placeOf)) found.set(tileKey({ level, n }), { level, n });
  return [...found.values()];
}

/** The hash of each range. Throws when a tile is missing or too short. */
export function rangeHashes(ranges: readonly LeafRange[], tileAt: TileSource): Buffer[] {
  return ranges.map((range) => foldSubtrees(subtreesOf(range).map((subtree) => subtreeHash(subtree, tileAt))));
}

/** The last tiles of a tree of this size, which the next leaves continue. Those that would be empty are not there. */
export function lastTiles(size: number): TileAddress[] {
  const tiles: TileAddress[] = [];
  for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / tileWidth)) {
    if (count % tileWidth > 0) tiles.push({ level, n: Math.floor(count / tileWidth) });
  }
  return tiles;
}

/** The tiles that change when leaves are added to a tree of this size, of which `tileAt` has the last tiles. */
export function grownTiles(size: number, leafHashes: readonly Uint8Array[], tileAt: TileSource): Tile[] {
  const grown: Tile[] = [];
  let added: readonly Uint8Array[] = leafHashes;
  for (let level = 0, count = size; added.length > 0; level++, count = Math.floor(count / tileWidth)) {
    const full: Uint8Array[] = [];
    for (let done = 0; done < added.length; ) {
      const n = Math.floor((count + done) / tileWidth);
      const width = (count + done) % tileWidth;
      const present = width === 0 ? Buffer.alloc(0) : requireTile({ level, n }, width, tileAt);
      const some = added.slice(done, done + tileWidth - width);
      const hashes = Buffer.concat([present.subarray(0, width * hashBytes), ...some]);
      grown.push({ level, n, hashes });
      if (width + some.length === tileWidth) full.push(completeHash(hashes));
      done += some.length;
    }
    added = full;
  }
  return grown;
}

function subtreeHash(subtree: Subtree, tileAt: TileSource): Buffer {
  const { level, n, first, count } = placeOf(subtree);
  const hashes = requireTile({ level, n }, first + count, tileAt);
  return completeHash(hashes.subarray(first * hashBytes, (first + count) * hashBytes));
}

/** The tile of a subtree, and its hashes in it. */
function placeOf({ height, index }: Subtree): TileAddress & { readonly first: number; readonly count: number } {
  const level = Math.floor(height / tileHeight);
  const count = 2 ** (height % tileHeight);
  const start = index * count;
  return { level, n: Math.floor(start / tileWidth), first: start % tileWidth, count };
}

function requireTile(address: TileAddress, width: number, tileAt: TileSource): Buffer {
  const hashes = tileAt(address);
  if (hashes === undefined || hashes.length < width * hashBytes)
    throw new Error(`tile ${tileKey(address)} has fewer than ${width} hashes`);
  return Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength);
}

/** The hash above a power of two of hashes, such as that of a full tile. */
export function completeHash(hashes: Buffer): Buffer {
  if (hashes.length === hashBytes) return hashes;
  const middle = hashes.length / 2;
  return nodeHash(completeHash(hashes.subarray(0, middle)), completeHash(hashes.subarray(middle)));
}

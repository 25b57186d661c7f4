// Writes a log of evidence as a file (log-file.ts), a block of 256 entries at a time. The caller reads entries and
// tiles; what goes where is decided here.

import type { TreeHead } from "./checkpoint.ts";
import {
  checkpointLine,
  entryLine,
  type LeftOut,
  type LeftOutReason,
  type LogEntry,
  leftOutLine,
  tileLine,
} from "./log-file.ts";
import { hashBytes } from "./merkle.ts";
import { lastTiles, type TileAddress, type TileSource, tileKey, tileWidth } from "./tile.ts";

/** An entry of the log: itself, or why the file leaves it out. */
export type BlockEntry = LogEntry | { readonly seq: number; readonly because: LeftOutReason };

/** Lines of a log, and what they say, in their order. */
export interface LogPart {
  readonly lines: string;
  readonly written: readonly (LogEntry | LeftOut)[];
}

/** Writes one log. */
export class LogWriter {
  readonly #size: number;
  readonly #hasEveryTile: boolean;
  /** The full tile of each level that was written last. */
  readonly #written = new Map<number, number>();
  #leftOut: LeftOut | undefined;
  #said: (LogEntry | LeftOut)[] = [];

  /** Without a query every tile is written, so that older checkpoints can be compared with the log. */
  constructor({ size }: Pick<TreeHead, "size">, { hasQuery }: { readonly hasQuery: boolean }) {
    this.#size = size;
    this.#hasEveryTile = !hasQuery;
  }

  /** Blocks of the log. */
  get blocks(): number {
    return Math.ceil(this.#size / tileWidth);
  }

  /** The tiles that the first lines are made of. */
  lastTiles(): TileAddress[] {
    return lastTiles(this.#size);
  }

  /** The first lines. */
  head(note: string, tileAt: TileSource): string {
    const tiles = this.lastTiles().map((address) => {
      // Tiles may have grown since the checkpoint.
      const width = Math.floor(this.#size / tileWidth ** address.level) % tileWidth;
      return tileLine({ ...address, hashes: requireTile(address, tileAt).subarray(0, width * hashBytes) });
    });
    return checkpointLine(note) + tiles.join("");
  }

  /** The full tiles that block `n` has to follow, from the top, without those that were written. */
  tilesDue(n: number): TileAddress[] {
    const due: TileAddress[] = [];
    for (let level = 0, at = n; ; level++, at = Math.floor(at / tileWidth)) {
      if ((at + 1) * tileWidth ** (level + 1) > this.#size) return due.reverse();
      if (this.#written.get(level) !== at) due.push({ level, n: at });
    }
  }

  /** Block `n`. */
  block(n: number, entries: readonly BlockEntry[], tileAt: TileSource): LogPart {
    const lines: string[] = [];
    if (this.#hasEveryTile || entries.some((entry) => "leaf" in entry)) {
      for (const address of this.tilesDue(n)) {
        lines.push(this.#endLeftOut(), tileLine({ ...address, hashes: requireTile(address, tileAt) }));
        this.#written.set(address.level, address.n);
      }
    }
    for (const entry of entries) {
      if ("leaf" in entry) {
        lines.push(this.#endLeftOut(), entryLine(entry));
        this.#said.push(entry);
      } else lines.push(this.#leaveOut(entry.seq, entry.because));
    }
    return this.#part(lines.join(""));
  }

  /** The end. */
  end(): LogPart {
    return this.#part(this.#endLeftOut());
  }

  #part(lines: string): LogPart {
    const written = this.#said;
    this.#said = [];
    return { lines, written };
  }

  #leaveOut(seq: number, because: LeftOutReason): string {
    const open = this.#leftOut;
    if (open?.because === because) {
      this.#leftOut = { ...open, to: seq + 1 };
      return "";
    }
    const ended = this.#endLeftOut();
    this.#leftOut = { from: seq, to: seq + 1, because };
    return ended;
  }

  #endLeftOut(): string {
    const open = this.#leftOut;
    this.#leftOut = undefined;
    if (open === undefined) return "";
    this.#said.push(open);
    return leftOutLine(open);
  }
}

function requireTile(address: TileAddress, tileAt: TileSource): Uint8Array {
  const hashes = tileAt(address);
  if (hashes === undefined) throw new Error(`tile ${tileKey(address)} is missing`);
  return hashes;
}

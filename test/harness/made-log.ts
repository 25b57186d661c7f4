// Logs that were made without a server: entries, their tiles, and a key that signs.

import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { checkpointText } from "../../src/kit/evidence/checkpoint.ts";
import { leafHash, leafText, newOpening } from "../../src/kit/evidence/leaf.ts";
import type { LogEntry } from "../../src/kit/evidence/log-file.ts";
import { type BlockEntry, LogWriter } from "../../src/kit/evidence/log-writer.ts";
import { emptyRoot } from "../../src/kit/evidence/merkle.ts";
import { type NoteKey, signatureLine } from "../../src/kit/evidence/note.ts";
import {
  grownTiles,
  lastTiles,
  rangeHashes,
  type Tile,
  type TileSource,
  tileKey,
  tileWidth,
} from "../../src/kit/evidence/tile.ts";

const orgId = "5b0f3c1e-2a4d-4f6b-8c9d-0e1f2a3b4c5d";

/** Name of the logs. */
export const madeOrigin = `policy-guard/0f0e6ab2-6f3c-4c1c-9a2b-5a7a1d1f0c11/${orgId}`;

/** A log that grows. */
export class MadeLog {
  readonly key: NoteKey;
  readonly #privateKey: KeyObject;
  readonly entries: LogEntry[] = [];
  readonly #tiles = new Map<string, Tile>();

  constructor(
    keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } = generateKeyPairSync("ed25519"),
  ) {
    const { privateKey, publicKey } = keys;
    this.key = { name: madeOrigin, key: publicKey };
    this.#privateKey = privateKey;
  }

  get size(): number {
    return this.entries.length;
  }

  readonly tileAt: TileSource = (address) => this.#tiles.get(tileKey(address))?.hashes;

  /** Adds so many entries. `mark` is in the last value of each. */
  grow(count: number, mark = ""): this {
    const { size } = this;
    this.#add(Array.from({ length: count }, (_, i) => entryOf(size + i, mark)));
    return this;
  }

  #add(made: readonly LogEntry[]): void {
    const { size } = this;
    const held = new Set(lastTiles(size).map(tileKey));
    const source: TileSource = (address) => (held.has(tileKey(address)) ? this.tileAt(address) : undefined);
    const hashes = made.map(({ leaf }) => leafHash(leaf));
    if (made.length > 0) for (const tile of grownTiles(size, hashes, source)) this.#tiles.set(tileKey(tile), tile);
    for (const entry of made) this.entries.push(entry);
  }

  /** The signed checkpoint over the first entries. */
  checkpoint(size = this.size): string {
    const [root = emptyRoot] = rangeHashes([{ start: 0, end: size }], this.tileAt);
    return this.signed(checkpointText({ origin: madeOrigin, size, root }));
  }

  /** A text, signed with the key of the log, under its name unless another is given. */
  signed(text: string, name: string = this.key.name): string {
    return `${text}\n${signatureLine({ ...this.key, name }, sign(null, Buffer.from(text), this.#privateKey))}`;
  }

  /** A log with the same key and the same first entries. */
  forkAt(size: number): MadeLog {
    const fork = new MadeLog({ privateKey: this.#privateKey, publicKey: this.key.key });
    fork.#add(this.entries.slice(0, size));
    return fork;
  }

  /** The log as a file, block by block. `leaveOut` says why an entry is not in it. */
  *file({
    size = this.size,
    leaveOut,
  }: {
    readonly size?: number;
    readonly leaveOut?: (seq: number) => BlockEntry | undefined;
  } = {}): Generator<string> {
    const writer = new LogWriter({ size }, { hasQuery: leaveOut !== undefined });
    yield writer.head(this.checkpoint(size), this.tileAt);
    for (let n = 0; n < writer.blocks; n++) {
      const entries = this.entries.slice(n * tileWidth, Math.min(size, (n + 1) * tileWidth));
      const chosen = entries.map((entry) => leaveOut?.(entry.seq) ?? entry);
      yield writer.block(n, chosen, this.tileAt).lines;
    }
    yield writer.end().lines;
  }

  /** The lines of the file. */
  lines(options?: Parameters<MadeLog["file"]>[0]): string[] {
    return [...this.file(options)].join("").trimEnd().split("\n");
  }
}

// A test grows logs of tens of thousands, so entries share their salts, and leaves are made of one that was hashed.
const variants = new Map<string, readonly LogEntry[]>();

function entryOf(seq: number, mark: string): LogEntry {
  const made = variants.get(mark) ?? [0, 1, 2].map((approvals) => sampleEntry(approvals, mark));
  variants.set(mark, made);
  const { leaf, openings } = made[seq % 3] ?? sampleEntry(0, mark);
  const createdAt = new Date(Date.UTC(2026, 0, 1) + seq * 60_000).toISOString();
  const members = { ...JSON.parse(leaf), created_at: createdAt, request_id: `request-${seq}`, seq };
  return { seq, leaf: JSON.stringify(members), openings };
}

function sampleEntry(approvals: number, mark: string): LogEntry {
  const openings = {
    actor: newOpening("ada@example.com"),
    address: newOpening("192.0.2.7"),
    before: newOpening({ name: "prod", required_approvals: approvals }),
    after: newOpening({ name: "prod", required_approvals: approvals + 1, mark }),
  };
  const facts = { seq: 0, orgId, createdAt: new Date(0), action: "environment.update", resource: "environment/1" };
  return { seq: 0, leaf: leafText({ ...facts, credential: "7c1f", requestId: "" }, openings), openings };
}

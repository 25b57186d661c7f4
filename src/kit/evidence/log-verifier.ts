// Verifies a log of evidence line by line (log-file.ts): the signature over the root, every tile by the hash above it,
// every entry by its tile, every opening by its commitment. So the first line that is wrong is known when it is read.
// What is held is a tile of each level, whatever the size of the log.

import { type KnownKeys, type TreeHead, verifyCheckpoint } from "./checkpoint.ts";
import { forgetAction, forgottenBefore, type KnownEntry, leafFault, leafMembers } from "./known-entry.ts";
import { commitmentOf, committedFields, leafHashText } from "./leaf.ts";
import { type LeftOut, LineError, type LogEntry, type LogLine, readLogLine } from "./log-file.ts";
import { emptyRoot, GrowingTree, hashBytes } from "./merkle.ts";
import { NoteError } from "./note.ts";
import { isSameLog, readOrigin } from "./origin.ts";
import { completeHash, lastTiles, rangeHashes, type Tile, type TileAddress, tileKey, tileWidth } from "./tile.ts";

/** The log is not what was signed. */
export class LogError extends Error {
  override readonly name = "LogError";
  /** Number of the first entry that is wrong or missing, or of the first of those among which one is. */
  readonly seq: number;

  constructor(seq: number, message: string) {
    super(message);
    this.seq = seq;
  }
}

/** What a verified log is. */
export interface VerifiedLog extends TreeHead {
  /** Entries in it. */
  readonly entries: number;
  /** Entries that it leaves out, by the reason that it gives. Their hashes are in the tree. */
  readonly leftOut: Readonly<Record<LeftOut["because"], number>>;
  /** Of those left out as past their retention, how many no entry of the log that was read says to be forgotten. */
  readonly unproved: number;
  /** Openings of its entries that were erased. */
  readonly erased: number;
  /** Times of its first and its last entry. */
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/** Who hears what was verified, right after it was, in the order of the log. */
export interface LogListener {
  entry(entry: KnownEntry): void;
  leftOut(leftOut: LeftOut): void;
}

/** Verifies a log of which the keys are known. */
export class LogVerifier {
  readonly #keys: KnownKeys;
  /** Checkpoints of earlier days, which the log has to continue; the next to meet first. */
  readonly #kept: TreeHead[];
  readonly #listener: LogListener | undefined;
  #head: TreeHead | undefined;
  #orgId: string | undefined;
  /** The last tiles of the tree that are still to come. */
  #missing: TileAddress[] = [];
  /** Tiles that are verified: the last ones, and one full tile of each level. */
  readonly #last = new Map<string, Tile>();
  readonly #full = new Map<number, Tile>();
  /** Of leaves whose tiles were all there; stops where the file left one out. */
  readonly #growing = new GrowingTree();
  #next = 0;
  readonly #counts = { entries: 0, retention: 0, query: 0, erased: 0 };
  /** What is past its retention is the beginning of the log: as far as the file says so, and as the log does. */
  #leftOutBefore = 0;
  #forgottenBefore = 0;
  #since: string | undefined;
  #until: string | undefined;

  /** `kept` are verified checkpoints that the log has to continue. */
  constructor(
    keys: KnownKeys,
    { kept = [], listener }: { readonly kept?: readonly TreeHead[]; readonly listener?: LogListener } = {},
  ) {
    this.#keys = keys;
    this.#kept = kept.toSorted((a, b) => a.size - b.size);
    this.#listener = listener;
  }

  /** Number of the entry that comes next. */
  get next(): number {
    return this.#next;
  }

  /** Takes the next line, without its newline. Throws a LogError. */
  add(text: string): void {
    try {
      const line = readLogLine(text);
      if (this.#head === undefined) this.#begin(line);
      else if (line.case === "tile") this.#addTile(line.tile, this.#head);
      else if (this.#missing[0] !== undefined)
        throw new LogError(this.#next, `tile ${tileKey(this.#missing[0])} is missing, on which the root depends`);
      else if (line.case === "entry") this.#addEntry(line.entry);
      else if (line.case === "left_out") this.#leaveOut(line.leftOut, this.#head);
      else throw new LogError(this.#next, "there is a second checkpoint");
    } catch (error) {
      if (error instanceof LineError) throw new LogError(this.#next, `${placeOf(this.#next)}: ${error.message}`);
      throw error;
    }
  }

  /** Ends the log. Throws a LogError. */
  end(): VerifiedLog {
    const head = this.#head;
    if (head === undefined) throw new LogError(0, "the log has no checkpoint");
    if (this.#missing.length > 0 || this.#next < head.size)
      throw new LogError(this.#next, `the log ends before entry ${this.#next}, and its checkpoint has ${head.size}`);
    this.#meetKept();
    const left = this.#kept[0];
    if (left !== undefined)
      throw new LogError(this.#growing.size, `the log leaves out what the kept checkpoint over ${left.size} is about`);
    const { entries, erased, ...leftOut } = this.#counts;
    const unproved = leftOut.retention - Math.min(this.#leftOutBefore, this.#forgottenBefore);
    return { ...head, entries, leftOut, unproved, erased, since: this.#since, until: this.#until };
  }

  #begin(line: LogLine): void {
    if (line.case !== "checkpoint") throw new LogError(0, "the log does not begin with a checkpoint");
    let head: TreeHead;
    try {
      head = verifyCheckpoint(line.note, this.#keys);
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      throw new LogError(0, `the checkpoint: ${error.message}`);
    }
    const beyond = this.#kept.find(({ size }) => size > head.size);
    if (beyond !== undefined)
      throw new LogError(head.size, `the log has ${head.size} entries, and a kept checkpoint is over ${beyond.size}`);
    const stranger = this.#kept.find(({ origin }) => !isSameLog(origin, head.origin));
    if (stranger !== undefined) throw new LogError(0, `a kept checkpoint is of another log, ${stranger.origin}`);
    this.#head = head;
    this.#orgId = readOrigin(head.origin)?.orgId;
    this.#missing = lastTiles(head.size);
    if (this.#missing.length === 0) this.#meetRoot(head);
  }

  #addTile(tile: Tile, head: TreeHead): void {
    const wanted = this.#missing[0];
    if (wanted !== undefined) {
      const width = Math.floor(head.size / tileWidth ** wanted.level) % tileWidth;
      if (tileKey(wanted) !== tileKey(tile) || tile.hashes.length !== width * hashBytes)
        throw new LogError(0, `tile ${tileKey(wanted)} is expected here, with ${width} hashes`);
      this.#last.set(tileKey(tile), tile);
      this.#missing.shift();
      if (this.#missing.length === 0) this.#meetRoot(head);
      return;
    }
    const { level, n, hashes } = tile;
    const span = tileWidth ** (level + 1);
    const first = n * span;
    const isDue = first <= this.#next && this.#next < first + span && this.#full.get(level)?.n !== n;
    if (!isDue || hashes.length !== tileWidth * hashBytes)
      throw new LogError(this.#next, `${placeOf(this.#next)}: tile ${tileKey(tile)} does not belong here`);
    const known = this.#hashAt({ level: level + 1, n: Math.floor(n / tileWidth) }, n % tileWidth);
    if (known === undefined || !completeHash(Buffer.from(hashes)).equals(known)) {
      throw new LogError(
        first,
        `an entry from ${first} to ${first + span - 1} is not the one that was signed: their tile differs`,
      );
    }
    this.#full.set(level, tile);
    if (level === 0) this.#grow(tile);
  }

  #meetRoot(head: TreeHead): void {
    const tileAt = (address: TileAddress) => this.#last.get(tileKey(address))?.hashes;
    const [root = emptyRoot] = head.size === 0 ? [] : rangeHashes([{ start: 0, end: head.size }], tileAt);
    if (!root.equals(head.root)) throw new LogError(0, "the last tiles do not make the root of the checkpoint");
    const leaves = lastTiles(head.size).find(({ level }) => level === 0);
    if (leaves?.n === 0) this.#growLast();
  }

  #addEntry(entry: LogEntry): void {
    const seq = this.#next;
    const refuse = (message: string) => new LogError(seq, `entry ${seq}: ${message}`);
    if (entry.seq !== seq) throw refuse(`entry ${entry.seq} stands in its place`);
    const known = this.#hashAt({ level: 0, n: Math.floor(seq / tileWidth) }, seq % tileWidth);
    if (known === undefined) throw refuse("there is no tile with its hash");
    const hash = leafHashText(entry.leaf);
    if (hash !== known.toString("hex")) throw refuse("it is not the one that was signed: its leaf was changed");
    const leaf = leafMembers(entry.leaf);
    const fault = leafFault(leaf, { seq, orgId: this.#orgId });
    if (fault !== undefined) throw refuse(fault);
    for (const field of committedFields) {
      const opening = entry.openings[field];
      if (opening === undefined) this.#counts.erased++;
      else if (commitmentOf(field, opening) !== leaf[field]) throw refuse(`its ${field} is not what was signed`);
    }
    this.#counts.entries++;
    this.#until = String(leaf.created_at);
    this.#since ??= this.#until;
    this.#next++;
    if (leaf.action === forgetAction || this.#listener !== undefined) {
      try {
        this.#tell({ ...entry, members: leaf, hash });
      } catch (error) {
        // What is no JSON, or nests without end, was signed by a log that is none of ours.
        if (error instanceof SyntaxError || error instanceof RangeError) throw refuse("it says what no entry can say");
        throw error;
      }
    }
  }

  #tell(entry: KnownEntry): void {
    this.#forgottenBefore = Math.max(this.#forgottenBefore, forgottenBefore(entry));
    this.#listener?.entry(entry);
  }

  #leaveOut(leftOut: LeftOut, { size }: TreeHead): void {
    const { from, to, because } = leftOut;
    if (from !== this.#next || to > size)
      throw new LogError(this.#next, `entry ${this.#next} is missing: entries ${from} to ${to - 1} are left out here`);
    this.#counts[because] += to - from;
    if (because === "retention" && this.#leftOutBefore === from) this.#leftOutBefore = to;
    this.#next = to;
    this.#listener?.leftOut(leftOut);
  }

  /** A verified hash. */
  #hashAt(address: TileAddress, index: number): Buffer | undefined {
    const full = this.#full.get(address.level);
    const hashes = (full?.n === address.n ? full : this.#last.get(tileKey(address)))?.hashes;
    if (hashes === undefined || hashes.length < (index + 1) * hashBytes) return undefined;
    return Buffer.from(hashes.buffer, hashes.byteOffset + index * hashBytes, hashBytes);
  }

  /** Brings a tile of leaves into the tree that kept checkpoints are compared with. */
  #grow({ n, hashes }: Tile): void {
    if (this.#kept.length === 0 || this.#growing.size !== n * tileWidth) return;
    for (let at = 0; at < hashes.length; at += hashBytes) {
      this.#meetKept();
      this.#growing.add(hashes.subarray(at, at + hashBytes));
    }
    this.#meetKept();
    this.#growLast();
  }

  /** Brings in the last tile of leaves, once all others are there. */
  #growLast(): void {
    const last = this.#head && lastTiles(this.#head.size).find(({ level }) => level === 0);
    const tile = last && this.#last.get(tileKey(last));
    if (tile !== undefined && tile.hashes.length < tileWidth * hashBytes && this.#growing.size === tile.n * tileWidth)
      this.#grow(tile);
  }

  /** Compares with what was kept of this size. */
  #meetKept(): void {
    for (let kept = this.#kept[0]; kept?.size === this.#growing.size; kept = this.#kept[0]) {
      if (!kept.root.equals(this.#growing.root())) {
        const message = `the kept checkpoint over ${kept.size} entries is of another history: entries before were changed`;
        throw new LogError(0, message);
      }
      this.#kept.shift();
    }
  }
}

/** Where the entry of this number would be, as messages say it. */
export function placeOf(seq: number): string {
  return seq === 0 ? "before the first entry" : `after entry ${seq - 1}`;
}

// A disk in memory that behaves as badly as disks may: what is not synced is lost with the power, in parts and out of
// order; names of files are lost on their own; writes and syncs fail; the disk is full after writing half.

import type { SpoolDisk, SpoolFile } from "../../../../runtime/control-plane/spool/disk.ts";
import type { Random } from "../../../../runtime/engine/authoring/seeded-random.ts";

const sectorBytes = 512;

interface Change {
  readonly position: number;
  /** Undefined cuts the file at the position. */
  readonly bytes: Uint8Array | undefined;
}

class Content {
  bytes: Buffer = Buffer.alloc(0);

  apply({ position, bytes }: Change): void {
    if (bytes === undefined) {
      this.bytes = this.bytes.subarray(0, position);
      return;
    }
    const end = Math.max(this.bytes.length, position + bytes.length);
    const grown = Buffer.alloc(end);
    this.bytes.copy(grown);
    grown.set(bytes, position);
    this.bytes = grown;
  }
}

class StoredFile {
  /** What programs see. */
  readonly seen = new Content();
  /** What is on the platter. */
  readonly kept = new Content();
  unsynced: Change[] = [];
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: as the test wants`), { code });
}

/** The disk. */
export class FaultDisk implements SpoolDisk {
  #seen = new Map<string, StoredFile>();
  #kept = new Map<string, StoredFile>();
  #isOff = false;
  /** Codes with which the next operations fail; "" for one that succeeds. */
  readonly writeFailures: string[] = [];
  readonly syncFailures: string[] = [];
  readonly readFailures: string[] = [];
  /** Bytes that fit. */
  capacityBytes = Number.POSITIVE_INFINITY;

  async list() {
    return [...this.#seen].map(([name, file]) => ({ name, sizeBytes: file.seen.bytes.length }));
  }

  open(name: string): SpoolFile {
    this.#assertOn();
    const file = this.#seen.get(name) ?? new StoredFile();
    this.#seen.set(name, file);
    return {
      write: (bytes, position) => this.#write(file, bytes, position),
      sync: () => this.#sync(file),
      read: async (buffer, position) => {
        const code = this.readFailures.shift();
        if (code) throw failure(code);
        return file.seen.bytes.copy(buffer, 0, position);
      },
      truncate: (sizeBytes) => this.#change(file, { position: sizeBytes, bytes: undefined }),
      close: () => {},
    };
  }

  remove(name: string): void {
    this.#assertOn();
    this.#seen.delete(name);
  }

  async syncFolder(): Promise<void> {
    const now = new Map(this.#seen);
    await new Promise((resolve) => setImmediate(resolve));
    this.#assertOn();
    this.#kept = now;
  }

  async load(name: string): Promise<Uint8Array | undefined> {
    return this.#seen.get(name)?.seen.bytes;
  }

  async replace(name: string, content: Uint8Array): Promise<void> {
    const file = new StoredFile();
    this.#write(file, content, 0);
    await this.#sync(file);
    // The rename reaches the platter with the folder; until then either name may be what is there after a power loss.
    this.#seen.set(name, file);
    await this.syncFolder();
  }

  /** Flips bits of a file, on the platter too. */
  damage(name: string, position: number, bits = 0xff): void {
    const file = this.#seen.get(name);
    if (file === undefined) throw new Error(`no file ${name}`);
    for (const { bytes } of [file.seen, file.kept]) {
      if (position < bytes.length) bytes[position] = (bytes[position] ?? 0) ^ bits;
    }
  }

  /** Names of all files, in order. */
  names(): string[] {
    return [...this.#seen.keys()].sort();
  }

  /** The disk after the power went and came back. The old one refuses everything from now on. */
  losePower(random: Random): FaultDisk {
    this.#isOff = true;
    const next = new FaultDisk();
    for (const name of new Set([...this.#seen.keys(), ...this.#kept.keys()])) {
      const [seen, kept] = [this.#seen.get(name), this.#kept.get(name)];
      const file = seen === kept || random() < 0.5 ? seen : kept;
      if (file === undefined) continue;
      const survivor = new StoredFile();
      survivor.kept.bytes = Buffer.from(file.kept.bytes);
      for (const change of file.unsynced) {
        for (const part of sectors(change)) if (random() < 0.5) survivor.kept.apply(part);
      }
      survivor.seen.bytes = Buffer.from(survivor.kept.bytes);
      next.#seen.set(name, survivor);
      next.#kept.set(name, survivor);
    }
    return next;
  }

  #write(file: StoredFile, bytes: Uint8Array, position: number): void {
    this.#assertOn();
    const code = this.writeFailures.shift();
    if (code) throw failure(code);
    const used = [...this.#seen.values()].reduce((sum, { seen }) => sum + seen.bytes.length, 0);
    const left = this.capacityBytes - used - Math.max(0, position - file.seen.bytes.length);
    const fits = left + Math.max(0, file.seen.bytes.length - position);
    if (bytes.length > fits) {
      if (fits > 0) this.#change(file, { position, bytes: Uint8Array.from(bytes.subarray(0, fits)) });
      throw failure("ENOSPC");
    }
    this.#change(file, { position, bytes: Uint8Array.from(bytes) });
  }

  #change(file: StoredFile, change: Change): void {
    file.seen.apply(change);
    file.unsynced.push(change);
  }

  async #sync(file: StoredFile): Promise<void> {
    this.#assertOn();
    const changes = [...file.unsynced];
    const code = this.syncFailures.shift();
    await new Promise((resolve) => setImmediate(resolve));
    this.#assertOn();
    file.unsynced = file.unsynced.slice(changes.length);
    // As Linux does: after a failed fsync the pages count as clean, and the next fsync succeeds without them.
    if (code) throw failure(code);
    for (const change of changes) file.kept.apply(change);
  }

  #assertOn(): void {
    if (this.#isOff) throw failure("EIO");
  }
}

function sectors({ position, bytes }: Change): Change[] {
  if (bytes === undefined) return [{ position, bytes }];
  const parts: Change[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + sectorBytes - ((position + at) % sectorBytes));
    parts.push({ position: position + at, bytes: bytes.subarray(at, end) });
    at = end;
  }
  return parts;
}

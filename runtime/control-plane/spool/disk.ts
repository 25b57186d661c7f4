// The operations that a spool needs of a file system. Tests replace the disk by one that loses its power.

import { closeSync, fdatasync, ftruncateSync, mkdirSync, openSync, read, unlinkSync, writeSync } from "node:fs";
import { open, readdir, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const fdatasyncOf = promisify(fdatasync);
const readOf = promisify(read);

/** One open file. */
export interface SpoolFile {
  /** Writes all the bytes at this offset, at least into the page cache. Throws when it cannot. */
  write(bytes: Uint8Array, position: number): void;
  /** Resolves when everything written so far is on the disk. */
  sync(): Promise<void>;
  /** Reads up to the buffer's length; resolves with the number of bytes, fewer only at the end of the file. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /** Cuts the file. */
  truncate(sizeBytes: number): void;
  /** Closes the file when its last read or sync is done. */
  close(): void;
}

/** One folder. */
export interface SpoolDisk {
  list(): Promise<{ readonly name: string; readonly sizeBytes: number }[]>;
  /** Opens a file for reading and writing; makes it when it is missing. */
  open(name: string): SpoolFile;
  remove(name: string): void;
  /** Resolves when files that were made or removed stay so after a power failure. */
  syncFolder(): Promise<void>;
  /** The content of a small file: undefined when it is missing, empty when it cannot be read. */
  load(name: string): Promise<Uint8Array | undefined>;
  /** Replaces a small file so that after a crash it has either the old or the new content. */
  replace(name: string, content: Uint8Array): Promise<void>;
}

/** The folder of this name on the machine's disk; made when it is missing. */
export function openDisk(folder: string): SpoolDisk {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const syncFolder = async () => {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  };
  return {
    syncFolder,
    open: (name) => new DiskFile(openFile(join(folder, name))),
    remove: (name) => unlinkSync(join(folder, name)),
    load: (name) =>
      readFile(join(folder, name)).catch((error: NodeJS.ErrnoException) =>
        error.code === "ENOENT" ? undefined : new Uint8Array(),
      ),
    async list() {
      const names = await readdir(folder);
      return Promise.all(names.map(async (name) => ({ name, sizeBytes: (await stat(join(folder, name))).size })));
    },
    async replace(name, content) {
      const temporary = join(folder, `${name}.new`);
      const handle = await open(temporary, "w", 0o600);
      await handle
        .writeFile(content)
        .then(() => handle.sync())
        .finally(() => handle.close());
      await rename(temporary, join(folder, name));
      await syncFolder();
    },
  };
}

function openFile(path: string): number {
  try {
    return openSync(path, "r+");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    return openSync(path, "wx+", 0o600);
  }
}

class DiskFile implements SpoolFile {
  readonly #descriptor: number;
  /** Reads and syncs under way. If the descriptor were closed during one, it could by then belong to another file. */
  #users = 0;
  #isClosing = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  write(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.byteLength; ) {
      done += writeSync(this.#descriptor, bytes, done, bytes.byteLength - done, position + done);
    }
  }

  sync(): Promise<void> {
    return this.#use(() => fdatasyncOf(this.#descriptor));
  }

  read(buffer: Uint8Array, position: number): Promise<number> {
    return this.#use(async () => {
      let done = 0;
      while (done < buffer.byteLength) {
        const { bytesRead } = await readOf(this.#descriptor, buffer, done, buffer.byteLength - done, position + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return done;
    });
  }

  truncate(sizeBytes: number): void {
    ftruncateSync(this.#descriptor, sizeBytes);
  }

  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    if (this.#users === 0) closeSync(this.#descriptor);
  }

  async #use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosing) throw new Error("the file is closed");
    this.#users++;
    try {
      return await work();
    } finally {
      this.#users--;
      if (this.#isClosing && this.#users === 0) closeSync(this.#descriptor);
    }
  }
}

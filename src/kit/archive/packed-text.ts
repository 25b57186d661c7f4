// A text that is written once, held in memory while other things are done, and then read: packed, so that a table of many
// similar lines takes a few bytes a line.

import { once } from "node:events";
import { Readable } from "node:stream";
import { createDeflateRaw, createInflateRaw } from "node:zlib";

/** Holds a text. */
export class PackedText {
  readonly #packer = createDeflateRaw({ level: 1 });
  readonly #packed: Buffer[] = [];

  constructor() {
    this.#packer.on("data", (bytes: Buffer) => this.#packed.push(bytes));
  }

  /** Adds to its end. */
  async add(text: string): Promise<void> {
    if (text !== "" && !this.#packer.write(text)) await once(this.#packer, "drain");
  }

  /** Ends the text and reads it. */
  async *read(): AsyncGenerator<Uint8Array, void> {
    this.#packer.end();
    if (!this.#packer.readableEnded) await once(this.#packer, "end");
    yield* Readable.from(this.#packed).pipe(createInflateRaw());
  }
}

// Frames that are written with one write.

import { encodeFrameAt, frameHeaderBytes } from "./frame.ts";

/** Max bytes of one write, except for a single record that is larger. */
const batchBytes = 256 * 1024;

/** Frames one after another, with consecutive sequence numbers. */
export class FrameBatch {
  #buffer = Buffer.allocUnsafeSlow(batchBytes);
  #sizeBytes = 0;
  #ends: number[] = [];
  /** The sequence number of the first frame. */
  firstSeq = 0;

  /** How many frames there are. */
  get count(): number {
    return this.#ends.length;
  }

  /** The bytes of all frames. Valid until the next change. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#sizeBytes);
  }

  /** The bytes of each frame, likewise. */
  frames(): Uint8Array[] {
    return this.#ends.map((end, index) => this.#buffer.subarray(this.#ends[index - 1] ?? 0, end));
  }

  /** Whether a frame of this size fits after the others, within `maxBytes` in all. */
  hasRoom(sizeBytes: number, maxBytes: number): boolean {
    return this.#sizeBytes === 0 || this.#sizeBytes + sizeBytes <= Math.min(batchBytes, maxBytes);
  }

  /** Adds the frame of a record, for which there is room. */
  add(seq: number, record: Uint8Array): void {
    const sizeBytes = frameHeaderBytes + record.byteLength;
    if (this.#sizeBytes + sizeBytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(sizeBytes);
    if (this.#sizeBytes === 0) this.firstSeq = seq;
    encodeFrameAt(this.#buffer, this.#sizeBytes, seq, record);
    this.#sizeBytes += sizeBytes;
    this.#ends.push(this.#sizeBytes);
  }

  /** Drops all frames. */
  clear(): void {
    this.#sizeBytes = 0;
    this.#ends = [];
    if (this.#buffer.length > batchBytes) this.#buffer = Buffer.allocUnsafeSlow(batchBytes);
  }
}

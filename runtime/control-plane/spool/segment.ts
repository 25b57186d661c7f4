// A segment: one file of frames, named by the sequence number that its first frame has, or would have had.

import type { SpoolDisk, SpoolFile } from "./disk.ts";
import { type Frame, findFrame, frameEnd, readFrame } from "./frame.ts";

const nameForm = /^(\d{16})\.v1\.spool$/;

/** The first sequence number of a segment's name; undefined for other files. */
export function segmentSeq(name: string): number | undefined {
  const digits = nameForm.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Limits of one read. */
export interface ReadLimits {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** The result of a read. */
export interface SegmentRun {
  /** The records from the wanted sequence number on, without a gap; empty when the wanted one is not there. */
  readonly records: readonly Uint8Array[];
  /** The sequence number to go on with. Without records, everything before it is lost. */
  readonly nextSeq: number;
}

/** One file of frames. */
export class Segment {
  readonly name: string;
  readonly firstSeq: number;
  sizeBytes: number;
  readonly #file: SpoolFile;
  /** Where the last read stopped, which is where the next one usually starts. */
  #nextRead = { seq: 0, offset: 0 };

  constructor(disk: SpoolDisk, firstSeq: number, sizeBytes: number) {
    this.name = `${String(firstSeq).padStart(16, "0")}.v1.spool`;
    this.firstSeq = firstSeq;
    this.sizeBytes = sizeBytes;
    this.#file = disk.open(this.name);
    this.#nextRead = { seq: firstSeq, offset: 0 };
  }

  /** Appends a frame. When that fails, the next frame overwrites its bytes. */
  write(frame: Uint8Array): void {
    this.#file.write(frame, this.sizeBytes);
    this.sizeBytes += frame.byteLength;
  }

  /** Resolves when everything written so far is on the disk. */
  sync(): Promise<void> {
    return this.#file.sync();
  }

  /** Closes the file. */
  close(): void {
    this.#file.close();
  }

  /**
   * Finds the end of the last whole frame and cuts off the rest: a frame that was being written at a power failure.
   * Returns the last sequence number, and how many bytes were cut.
   */
  async recover(): Promise<{ lastSeq: number; cutBytes: number }> {
    const reader = new FrameReader(this.#file, 0, this.sizeBytes);
    let lastSeq = this.firstSeq - 1;
    for (;;) {
      const frame = await reader.next(lastSeq + 1, Number.MAX_SAFE_INTEGER);
      if (frame === undefined) break;
      lastSeq = frame.seq;
    }
    const cutBytes = this.sizeBytes - reader.position;
    if (cutBytes > 0) {
      this.#file.truncate(reader.position);
      this.sizeBytes = reader.position;
      await this.#file.sync();
    }
    return { lastSeq, cutBytes };
  }

  /** Reads records from a sequence number on, up to the last one that the segment can have. */
  async read(fromSeq: number, lastSeq: number, { maxRecords, maxBytes }: ReadLimits): Promise<SegmentRun> {
    let { seq, offset } = this.#nextRead.seq <= fromSeq ? this.#nextRead : { seq: this.firstSeq, offset: 0 };
    const reader = new FrameReader(this.#file, offset, this.sizeBytes);
    const records: Uint8Array[] = [];
    let sizeBytes = 0;
    while (records.length < maxRecords) {
      const frame = await reader.next(seq, lastSeq);
      if (frame === undefined) break;
      if (frame.seq >= fromSeq) {
        const isExpected = frame.seq === fromSeq + records.length;
        if (!isExpected && records.length === 0) return { records, nextSeq: frame.seq };
        sizeBytes += frame.record.byteLength;
        if (!isExpected || (records.length > 0 && sizeBytes > maxBytes)) break;
        records.push(frame.record);
      }
      seq = frame.seq + 1;
      offset = reader.position;
    }
    this.#nextRead = { seq, offset };
    return { records, nextSeq: records.length > 0 ? fromSeq + records.length : lastSeq + 1 };
  }
}

const chunkBytes = 256 * 1024;

/** Reads the frames of a file one after another, and skips damaged bytes between them. */
class FrameReader {
  readonly #file: SpoolFile;
  readonly #endOffset: number;
  #bytes: Buffer = Buffer.alloc(0);
  /** Where the loaded bytes start in the file, and where the next frame starts in them. */
  #offset: number;
  #at = 0;

  constructor(file: SpoolFile, offset: number, endOffset: number) {
    this.#file = file;
    this.#offset = offset;
    this.#endOffset = endOffset;
  }

  /** Where in the file the next frame begins. */
  get position(): number {
    return this.#offset + this.#at;
  }

  /** The next whole frame with a sequence number in this range; undefined when there is none up to the end. */
  async next(fromSeq: number, toSeq: number): Promise<Frame | undefined> {
    if (this.position >= this.#endOffset) return undefined;
    if (frameEnd(this.#bytes, this.#at) > this.#bytes.length) await this.#load(chunkBytes);
    const end = frameEnd(this.#bytes, this.#at);
    if (end > this.#bytes.length && end <= this.#endOffset - this.#offset) await this.#load(end);
    let frame = readFrame(this.#bytes, this.#at, fromSeq, toSeq);
    if (frame === undefined) {
      await this.#load(this.#endOffset - this.position);
      frame = findFrame(this.#bytes, this.#at, fromSeq, toSeq);
    }
    if (frame !== undefined) this.#at = frame.end;
    return frame;
  }

  async #load(sizeBytes: number): Promise<void> {
    this.#offset += this.#at;
    this.#at = 0;
    const buffer = Buffer.allocUnsafe(Math.min(sizeBytes, this.#endOffset - this.#offset));
    this.#bytes = buffer.subarray(0, await this.#file.read(buffer, this.#offset));
  }
}

// A segment: one file of frames, named by the sequence number that its first frame has, or would have had.

import type { SpoolDisk, SpoolFile } from "./disk.ts";
import { findFrame, frameEnd, frameHeaderBytes, readFrame } from "./frame.ts";

const nameForm = /^(\d{16})\.v1\.spool$/;

/** The first sequence number of a segment's name; undefined for other files. */
export function segmentSeq(name: string): number | undefined {
  const digits = nameForm.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** How much a reader wants at once. */
export interface ReadLimits {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** What a reader found. */
export interface SegmentRun {
  /** The records from the wanted sequence number on, without a gap; empty when the wanted one is not there. */
  readonly records: readonly Uint8Array[];
  /** The sequence number to go on with. When there are no records: everything before it is lost. */
  readonly nextSeq: number;
}

/** One file of frames. */
export class Segment {
  readonly name: string;
  readonly firstSeq: number;
  sizeBytes: number;
  readonly #file: SpoolFile;
  /** Where the last reader stopped, which is where the next one usually begins. */
  #place = { seq: 0, offset: 0 };

  constructor(disk: SpoolDisk, firstSeq: number, sizeBytes: number) {
    this.name = `${String(firstSeq).padStart(16, "0")}.v1.spool`;
    this.firstSeq = firstSeq;
    this.sizeBytes = sizeBytes;
    this.#file = disk.open(this.name);
    this.#place = { seq: firstSeq, offset: 0 };
  }

  /** Appends a frame. When that fails, the bytes that got there will be overwritten. */
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
   * Finds the end of the last whole frame and cuts off what follows: a frame that was being written when the power went.
   * Returns the last sequence number, and how many bytes were cut.
   */
  async recover(): Promise<{ lastSeq: number; cutBytes: number }> {
    const bytes = await this.#load(0, this.sizeBytes);
    let lastSeq = this.firstSeq - 1;
    let end = 0;
    while (end < bytes.length) {
      const most = Number.MAX_SAFE_INTEGER;
      const frame = readFrame(bytes, end, lastSeq + 1, most) ?? findFrame(bytes, end, lastSeq + 1, most);
      if (frame === undefined) break;
      lastSeq = frame.seq;
      end = frame.end;
    }
    const cutBytes = this.sizeBytes - end;
    if (cutBytes > 0) {
      this.#file.truncate(end);
      this.sizeBytes = end;
      await this.#file.sync();
    }
    return { lastSeq, cutBytes };
  }

  /** Reads records from a sequence number on, up to the last one that the segment can have. */
  async read(fromSeq: number, lastSeq: number, limits: ReadLimits): Promise<SegmentRun> {
    let { seq, offset } = this.#place.seq <= fromSeq ? this.#place : { seq: this.firstSeq, offset: 0 };
    const endOffset = this.sizeBytes;
    const records: Uint8Array[] = [];
    let leftBytes = limits.maxBytes;
    let bytes = await this.#load(offset, Math.min(endOffset, offset + limits.maxBytes + frameHeaderBytes));
    let at = 0;
    while (offset + at < endOffset && records.length < limits.maxRecords) {
      const missing = offset + Math.min(frameEnd(bytes, at), endOffset - offset);
      if (missing > offset + bytes.length) {
        // The frame goes on beyond what was loaded.
        if (records.length > 0) break;
        offset += at;
        bytes = await this.#load(offset, Math.min(endOffset, Math.max(missing, offset + limits.maxBytes)));
        at = 0;
        continue;
      }
      let frame = readFrame(bytes, at, seq, lastSeq);
      if (frame === undefined) {
        if (records.length > 0) break;
        offset += at;
        at = 0;
        bytes = await this.#load(offset, endOffset);
        frame = findFrame(bytes, 0, seq, lastSeq);
        if (frame === undefined) return { records, nextSeq: lastSeq + 1 };
      }
      if (frame.seq >= fromSeq) {
        const expected = fromSeq + records.length;
        if (frame.seq > expected) return { records, nextSeq: records.length > 0 ? expected : frame.seq };
        if (records.length > 0 && frame.record.byteLength > leftBytes) break;
        records.push(frame.record);
        leftBytes -= frame.record.byteLength;
      }
      seq = frame.seq + 1;
      at = frame.end;
      this.#place = { seq, offset: offset + at };
    }
    if (records.length > 0) return { records, nextSeq: fromSeq + records.length };
    return { records, nextSeq: lastSeq + 1 };
  }

  async #load(from: number, to: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(Math.max(0, to - from));
    const done = await this.#file.read(buffer, from);
    return buffer.subarray(0, done);
  }
}

// The segments of a spool in order: appended to at the end, dropped at the front.

import type { SpoolDisk } from "./disk.ts";
import { type ReadLimits, Segment, type SegmentRun, segmentSeq } from "./segment.ts";

/** A run of sequence numbers. */
export interface SeqRange {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** The end of the log, as recovery found it. */
export interface LogTail {
  /** The last sequence number that is there, or that was there; 0 for an empty log. */
  readonly lastSeq: number;
  /** Bytes of an unfinished record that were cut off. */
  readonly cutBytes: number;
}

/** The segments of a spool. */
export class SegmentLog {
  readonly #disk: SpoolDisk;
  readonly #segmentBytes: number;
  readonly #segments: Segment[];
  /** Segments with bytes that may not be on the disk yet. */
  readonly #dirty = new Set<Segment>();
  #isFolderDirty = false;
  /** The segment that appends go to; undefined when the next append begins a new one. */
  #active: Segment | undefined;
  #sizeBytes: number;

  /** Opens the segments of these files, as the disk lists them. */
  constructor(
    disk: SpoolDisk,
    segmentBytes: number,
    files: readonly { readonly name: string; readonly sizeBytes: number }[],
  ) {
    this.#disk = disk;
    this.#segmentBytes = segmentBytes;
    const found = files.flatMap(({ name, sizeBytes }) => {
      const firstSeq = segmentSeq(name);
      return firstSeq === undefined ? [] : [new Segment(disk, firstSeq, sizeBytes)];
    });
    this.#segments = found.sort((a, b) => a.firstSeq - b.firstSeq);
    this.#active = this.#segments.at(-1);
    this.#sizeBytes = found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /** Bytes of all segments. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** The first sequence number of the log; undefined when it is empty. */
  get firstSeq(): number | undefined {
    return this.#segments[0]?.firstSeq;
  }

  /** Cuts off a record that the last process did not finish. */
  async recover(): Promise<LogTail> {
    const tail = await this.#segments.at(-1)?.recover();
    this.#sizeBytes -= tail?.cutBytes ?? 0;
    return tail ?? { lastSeq: 0, cutBytes: 0 };
  }

  /** Appends a frame. Throws what the disk throws. */
  write(seq: number, frame: Uint8Array): void {
    if (this.#active === undefined || this.#active.sizeBytes + frame.byteLength > this.#segmentBytes) {
      this.#active = new Segment(this.#disk, seq, 0);
      this.#segments.push(this.#active);
      this.#isFolderDirty = true;
    }
    this.#active.write(frame);
    this.#sizeBytes += frame.byteLength;
    this.#dirty.add(this.#active);
  }

  /**
   * Puts everything on the disk. When that fails, nothing more is written into the segments so far: their pages may
   * count as clean although they never reached the disk.
   */
  async sync(): Promise<void> {
    const segments = [...this.#dirty];
    this.#dirty.clear();
    const isFolderDirty = this.#isFolderDirty;
    this.#isFolderDirty = false;
    const syncs = segments.map((segment) =>
      segment.sync().catch((error: unknown) => {
        // A sync of a segment that was dropped meanwhile does not count as failed.
        if (this.#segments.includes(segment)) throw error;
      }),
    );
    if (isFolderDirty) syncs.push(this.#disk.syncFolder());
    const failed = (await Promise.allSettled(syncs)).find((result) => result.status === "rejected");
    if (failed === undefined) return;
    this.#isFolderDirty ||= isFolderDirty;
    this.#active = undefined;
    throw failed.reason;
  }

  /**
   * Reads from the segment that holds this sequence number, up to `lastSeq` or the end of that segment. Undefined when
   * the segment was removed meanwhile.
   */
  async read(fromSeq: number, lastSeq: number, limits: ReadLimits): Promise<SegmentRun | undefined> {
    const index = this.#segments.findLastIndex(({ firstSeq }) => firstSeq <= fromSeq);
    const [segment, next] = [this.#segments[index], this.#segments[index + 1]];
    const last = Math.min(lastSeq, (next?.firstSeq ?? Number.POSITIVE_INFINITY) - 1);
    if (segment === undefined) return { records: [], nextSeq: Math.min(last, (this.firstSeq ?? last + 1) - 1) + 1 };
    try {
      const run = await segment.read(fromSeq, last, limits);
      return this.#segments.includes(segment) ? run : undefined;
    } catch (error) {
      if (this.#segments.includes(segment)) throw error;
      return undefined;
    }
  }

  /** Drops the oldest segment, but never the last one. Returns the range that is lost; throws the error of the disk. */
  dropOldest(): SeqRange | undefined {
    const [oldest, next] = this.#segments;
    if (oldest === undefined || next === undefined) return undefined;
    this.#disk.remove(oldest.name);
    oldest.close();
    this.#segments.shift();
    this.#dirty.delete(oldest);
    this.#sizeBytes -= oldest.sizeBytes;
    return { firstSeq: oldest.firstSeq, lastSeq: next.firstSeq - 1 };
  }

  /** Removes the segments that have no record after this sequence number. */
  removeUpTo(seq: number): void {
    while ((this.#segments[1]?.firstSeq ?? Number.POSITIVE_INFINITY) <= seq + 1) this.dropOldest();
  }

  /** Closes the files. */
  close(): void {
    for (const segment of this.#segments) segment.close();
  }
}

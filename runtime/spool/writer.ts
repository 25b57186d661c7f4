// How records get into the log of a spool: several in one write where they came together, none while the disk rests after a refusal, and
// in the place of the oldest ones when there is no room.

import type { Clock } from "../../src/kit/clock.ts";
import { isDiskFull } from "../../src/kit/disk-full.ts";
import { frameHeaderBytes } from "./frame.ts";
import { FrameBatch } from "./frame-batch.ts";
import type { GapReason } from "./gap.ts";
import type { ProblemList } from "./problem.ts";
import type { SegmentLog } from "./segment-log.ts";

/** What a writer works with. */
export interface SpoolWriterOptions {
  readonly log: SegmentLog;
  readonly problems: ProblemList;
  readonly clock: Clock;
  readonly segmentBytes: number;
  /** Most bytes of all segments. */
  readonly maxBytes: number;
  /** Told which records will never be read: ones of a dropped segment, acknowledged or not, or ones that were not written. */
  readonly lose: (firstSeq: number, lastSeq: number, reason: GapReason) => void;
}

const restMs = 250;

/** Writes records into the log. Nothing here throws: what the disk does not take is lost, and said to be. */
export class SpoolWriter {
  readonly #options: SpoolWriterOptions;
  /** Frames that wait for the end of `together`. */
  readonly #batch = new FrameBatch();
  #isTogether = false;
  /** Until then the disk is not asked to take records. */
  #restsUntilMs = 0;
  #isClosed = false;

  constructor(options: SpoolWriterOptions) {
    this.#options = options;
  }

  /** Writes a record, or keeps it for the write at the end of `together`. */
  store(seq: number, record: Uint8Array): void {
    const { clock, segmentBytes, lose } = this.#options;
    const isResting = this.#restsUntilMs > 0 && clock.now().getTime() < this.#restsUntilMs;
    const sizeBytes = frameHeaderBytes + record.byteLength;
    // A record that is larger than a segment is like one that the disk refuses: no disk could take it.
    if (this.#isClosed || isResting || sizeBytes > segmentBytes) {
      this.writeOut();
      lose(seq, seq, "write_failed");
      return;
    }
    if (!this.#batch.hasRoom(sizeBytes, segmentBytes)) this.writeOut();
    this.#batch.add(seq, record);
    if (!this.#isTogether) this.writeOut();
  }

  /** Runs the work, and returns when what it stored is written, in as few writes as that takes. */
  together(work: () => void): void {
    const isWithin = this.#isTogether;
    this.#isTogether = true;
    try {
      work();
    } finally {
      this.#isTogether = isWithin;
      if (!isWithin) this.writeOut();
    }
  }

  /** Writes what waits: all frames at once, or, when the disk does not take them so, one by one. */
  writeOut(): void {
    const { count, firstSeq, bytes } = this.#batch;
    if (count === 0) return;
    if (!this.#write(firstSeq, bytes)) {
      let seq = firstSeq;
      for (const frame of this.#batch.frames()) {
        if (count === 1 || !this.#write(seq, frame)) this.#options.lose(seq, seq, "write_failed");
        seq++;
      }
    }
    this.#batch.clear();
  }

  /** Takes no more records: those that still come are lost. */
  close(): void {
    this.#isClosed = true;
  }

  #write(firstSeq: number, frames: Uint8Array): boolean {
    const { log, problems, clock, maxBytes } = this.#options;
    while (log.sizeBytes + frames.byteLength > maxBytes && this.#dropOldest());
    for (;;) {
      try {
        log.write(firstSeq, frames);
        problems.solved("write");
        this.#restsUntilMs = 0;
        return true;
      } catch (error) {
        // Others may have filled the disk: the oldest records make room for the newest, as when the spool is full.
        if (isDiskFull(error) && this.#dropOldest()) continue;
        problems.failed("write", error);
        this.#restsUntilMs = clock.now().getTime() + restMs;
        return false;
      }
    }
  }

  #dropOldest(): boolean {
    const { log, problems, lose } = this.#options;
    const gone = problems.try("remove", () => log.dropOldest());
    if (gone === undefined) return false;
    lose(gone.firstSeq, gone.lastSeq, "spool_full");
    return true;
  }
}

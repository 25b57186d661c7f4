// Writes records into the log of a spool. Records that come together share a write. After a refusal the disk gets a
// pause. When there is no room, the oldest records are dropped for new ones.

import type { Clock } from "../../../src/kit/process/clock.ts";
import { isDiskFull } from "../../../src/kit/process/disk-full.ts";
import { frameHeaderBytes } from "./frame.ts";
import { FrameBatch } from "./frame-batch.ts";
import type { GapReason } from "./gap.ts";
import type { ProblemList } from "./problem.ts";
import type { SegmentLog } from "./segment-log.ts";

/** Options of a writer. */
export interface SpoolWriterOptions {
  readonly log: SegmentLog;
  readonly problems: ProblemList;
  readonly clock: Clock;
  readonly segmentBytes: number;
  /** Max bytes of all segments. */
  readonly maxBytes: number;
  /**
   * Called with the records that will never be read: those of a dropped segment, acknowledged or not, and those that
   * were not written.
   */
  readonly lose: (firstSeq: number, lastSeq: number, reason: GapReason) => void;
}

const restMs = 250;

/** Writes records into the log. It never throws: a record that the disk does not take is reported as lost. */
export class SpoolWriter {
  readonly #options: SpoolWriterOptions;
  /** Frames that wait for the end of `together`. */
  readonly #batch = new FrameBatch();
  #isTogether = false;
  /** Until then no record is written. */
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
    // A record that is larger than a segment counts as refused: no disk could take it.
    if (this.#isClosed || isResting || sizeBytes > segmentBytes) {
      this.writeOut();
      lose(seq, seq, "write_failed");
      return;
    }
    if (!this.#batch.hasRoom(sizeBytes, segmentBytes)) this.writeOut();
    this.#batch.add(seq, record);
    if (!this.#isTogether) this.writeOut();
  }

  /** Runs the work, and returns when its records are written, in as few writes as possible. */
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

  /** Writes the waiting frames: all at once or, when the disk refuses that, one by one. */
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

  /** Takes no more records: later ones are lost. */
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
        // Other programs may have filled the disk: the oldest records make room for the newest, as when the spool is
        // full.
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

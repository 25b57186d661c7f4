// Records of evaluations that wait to be reported, on disk: an append-only log in segments, designed like a write-ahead
// log. A record is in the page cache when `append` returns, so that it survives `kill -9`. The mode decides whether it
// survives a power failure:
//
//   durable  append resolves after fdatasync, shared by the appends of 2 ms or by 256 records: nothing is lost
//   fast     append returns at once, and fdatasync starts within 200 ms or when the current one ends: records that are
//            not on the disk by then (200 ms, plus one or two syncs of a slow disk) may be lost, and are not counted
//
// Appends within `together` are in the page cache when that returns: the records of calls that came at once share one
// write, and none of these calls is answered before the write.
//
// Sequence numbers never repeat and have no holes, so that every loss is an exact range: a full spool drops its oldest
// segment, a disk that refuses a write loses that record, and a damaged frame is skipped. Nothing here throws into an
// evaluation: a failing disk makes the spool degraded, and is tried again a moment later.

import type { Clock } from "../../../src/kit/process/clock.ts";
import { type BootList, beginBoot } from "./boot.ts";
import { GroupCommit } from "./commit.ts";
import { loadCursor, saveCursor } from "./cursor.ts";
import { openDisk, type SpoolDisk } from "./disk.ts";
import { GapList, type GapReason, type SpoolGap } from "./gap.ts";
import { type DiskOperation, ProblemList } from "./problem.ts";
import type { ReadLimits, SegmentRun } from "./segment.ts";
import { type LogTail, SegmentLog } from "./segment-log.ts";
import { SpoolWriter } from "./writer.ts";

/** When a record counts as stored. */
export type SpoolMode = "durable" | "fast";

/** Options of a spool. */
export interface SpoolOptions {
  /** A folder of its own; no other process may use it. */
  readonly folder: string;
  readonly mode: SpoolMode;
  readonly maxBytes?: number;
  readonly segmentBytes?: number;
  readonly clock: Clock;
  /** The disk; the machine's own when not given. */
  readonly disk?: SpoolDisk;
}

/** A run of records without a gap. */
export interface SpoolBatch {
  readonly kind: "records";
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The boot of the process that wrote them; "" when it is not known. */
  readonly bootId: string;
  readonly records: readonly Uint8Array[];
}

/** The state of a spool. */
export interface SpoolStatus {
  /** Records that wait to be acknowledged. */
  readonly depth: number;
  readonly sizeBytes: number;
  /** The message of each operation that the disk refuses. Any entry means degraded. */
  readonly problems: Readonly<Partial<Record<DiskOperation, string>>>;
  /** Evaluations lost since the start, by reason. */
  readonly lost: Readonly<Record<GapReason, number>>;
  readonly syncFailures: number;
  /** Bytes of an unfinished record that were cut off at the start. */
  readonly cutBytes: number;
}

const gib = 2 ** 30;
const mib = 2 ** 20;
const cursorDelayMs = 100;
const commitOf = {
  durable: { delayMs: 2, maxWaiting: 256 },
  fast: { delayMs: 200, maxWaiting: Number.POSITIVE_INFINITY },
};

/** Opens the spool and recovers the records of the last process. Rejects when the folder cannot be used at all. */
export async function openSpool({ maxBytes = gib, segmentBytes = 16 * mib, ...options }: SpoolOptions): Promise<Spool> {
  if (maxBytes < 2 * segmentBytes) throw new Error("a spool needs room for at least two segments");
  const disk = options.disk ?? openDisk(options.folder);
  const log = new SegmentLog(disk, segmentBytes, await disk.list());
  const tail = await log.recover();
  // A damaged cursor may have been right before the first segment, so everything that is there is sent again.
  const ackedSeq = (await loadCursor(disk)) ?? (log.firstSeq ?? 1) - 1;
  const boots = await beginBoot(disk, { ackedSeq, nextSeq: nextSeqOf({ ackedSeq, tail }) });
  return new Spool({ ...options, maxBytes, segmentBytes, disk }, { log, ackedSeq, tail, boots });
}

function nextSeqOf({ ackedSeq, tail }: Pick<Recovered, "ackedSeq" | "tail">): number {
  return Math.max(ackedSeq, tail.lastSeq) + 1;
}

interface Recovered {
  readonly log: SegmentLog;
  readonly ackedSeq: number;
  readonly tail: LogTail;
  readonly boots: BootList;
}

/** Evaluations that wait to be reported. */
export class Spool {
  readonly #options: Required<SpoolOptions>;
  readonly #log: SegmentLog;
  readonly #boots: BootList;
  readonly #gaps = new GapList();
  readonly #commit: GroupCommit;
  readonly #writer: SpoolWriter;
  readonly #lost: Record<GapReason, number> = { spool_full: 0, write_failed: 0, corrupt: 0 };
  readonly #problems = new ProblemList();
  readonly #cutBytes: number;
  #nextSeq: number;
  #ackedSeq: number;
  #savedSeq: number;
  #syncFailures = 0;
  #cursorTimer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  /** Use openSpool. */
  constructor(options: Required<SpoolOptions>, { log, ackedSeq, tail, boots }: Recovered) {
    this.#options = options;
    this.#log = log;
    this.#boots = boots;
    this.#ackedSeq = ackedSeq;
    this.#savedSeq = ackedSeq;
    this.#nextSeq = nextSeqOf({ ackedSeq, tail });
    this.#cutBytes = tail.cutBytes;
    this.#commit = new GroupCommit({ ...commitOf[options.mode], sync: () => this.#sync() });
    this.#writer = this.#createWriter();
    const first = log.firstSeq ?? this.#nextSeq;
    if (first > ackedSeq + 1) this.#lose(ackedSeq + 1, first - 1, "spool_full");
    this.#problems.try("remove", () => log.removeUpTo(ackedSeq));
  }

  /**
   * Appends a record and returns its sequence number: in fast mode at once, in durable mode when it is on the disk.
   * Never throws and never rejects; a record that the disk does not take becomes a gap.
   */
  append(record: Uint8Array): number | Promise<number> {
    const seq = this.#nextSeq++;
    this.#writer.store(seq, record);
    if (this.#options.mode === "durable") return this.#commit.wait().then(() => seq);
    this.#commit.mark();
    return seq;
  }

  /** Runs the work, and returns when its appends are written, in as few writes as possible. */
  together(work: () => void): void {
    this.#writer.together(work);
  }

  /**
   * The next part to report: the records from this sequence number on, or the gap that starts there; undefined when
   * there is nothing more. Records that are acknowledged already are skipped. Returns at least one record, however
   * large. Rejects when the disk cannot be read at all, so that the reporter backs off and asks again: nothing is lost
   * yet.
   */
  async read(fromSeq: number, limits: ReadLimits): Promise<SpoolBatch | SpoolGap | undefined> {
    for (;;) {
      const from = Math.max(fromSeq, this.#ackedSeq + 1);
      if (from >= this.#nextSeq) return undefined;
      const gap = this.#gaps.at(from);
      if (gap !== undefined) return gap;
      const writer = this.#boots.at(from);
      const lastSeq = Math.min(this.#nextSeq - 1, this.#gaps.after(from) - 1, writer.lastSeq);
      const run = await this.#readLog(from, lastSeq, limits);
      if (run === undefined) continue;
      if (run.records.length > 0) {
        return {
          ...{ kind: "records", firstSeq: from, lastSeq: run.nextSeq - 1 },
          ...{ bootId: writer.id, records: run.records },
        };
      }
      this.#lose(from, run.nextSeq - 1, "corrupt");
    }
  }

  /** Says that the control plane has committed everything up to this sequence number. */
  acknowledge(seq: number): void {
    const acked = Math.min(seq, this.#nextSeq - 1);
    if (acked <= this.#ackedSeq) return;
    this.#ackedSeq = acked;
    this.#gaps.forget(acked);
    this.#cursorTimer ??= setTimeout(() => this.#saveCursor(), cursorDelayMs).unref();
  }

  /** The first sequence number that is not acknowledged, where reading starts. */
  get firstSeq(): number {
    return this.#ackedSeq + 1;
  }

  /** Records that wait to be acknowledged. */
  depth(): number {
    return this.#nextSeq - 1 - this.#ackedSeq - this.#gaps.count;
  }

  /** The known gaps that are not acknowledged yet. */
  gaps(): SpoolGap[] {
    return this.#gaps.list();
  }

  /** The state of the spool. */
  status(): SpoolStatus {
    return {
      depth: this.depth(),
      sizeBytes: this.#log.sizeBytes,
      problems: this.#problems.list(),
      lost: { ...this.#lost },
      syncFailures: this.#syncFailures,
      cutBytes: this.#cutBytes,
    };
  }

  /** Resolves when everything appended so far is on the disk, or known not to be. */
  flush(): Promise<void> {
    return this.#commit.flush();
  }

  /** Puts everything on the disk and closes the files. Later appends are lost. */
  async close(): Promise<void> {
    await this.flush();
    await this.#saveCursor();
    this.#writer.close();
    await this.flush();
    this.#log.close();
  }

  #createWriter(): SpoolWriter {
    const { clock, segmentBytes, maxBytes } = this.#options;
    return new SpoolWriter({
      ...{ log: this.#log, problems: this.#problems, clock, segmentBytes, maxBytes },
      // Acknowledged records are not lost.
      lose: (firstSeq, lastSeq, reason) => this.#lose(Math.max(firstSeq, this.#ackedSeq + 1), lastSeq, reason),
    });
  }

  async #sync(): Promise<void> {
    this.#writer.writeOut();
    try {
      await this.#log.sync();
      this.#problems.solved("sync");
    } catch (error) {
      this.#syncFailures++;
      this.#problems.failed("sync", error);
    }
  }

  async #readLog(from: number, lastSeq: number, limits: ReadLimits): Promise<SegmentRun | undefined> {
    try {
      const run = await this.#log.read(from, lastSeq, limits);
      this.#problems.solved("read");
      return run;
    } catch (error) {
      this.#problems.failed("read", error);
      throw error;
    }
  }

  #saveCursor(): Promise<void> {
    clearTimeout(this.#cursorTimer);
    this.#cursorTimer = undefined;
    this.#saving = this.#saving.then(async () => {
      const acked = this.#ackedSeq;
      if (acked === this.#savedSeq) return;
      try {
        await saveCursor(this.#options.disk, acked);
        this.#problems.solved("cursor");
      } catch (error) {
        this.#problems.failed("cursor", error);
        return;
      }
      this.#savedSeq = acked;
      this.#problems.try("remove", () => this.#log.removeUpTo(acked));
    });
    return this.#saving;
  }

  #lose(firstSeq: number, lastSeq: number, reason: GapReason): void {
    this.#lost[reason] += this.#gaps.add(firstSeq, lastSeq, reason);
  }
}

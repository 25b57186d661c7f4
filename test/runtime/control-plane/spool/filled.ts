// Spools for tests: their records say their own sequence numbers, and ten of them fill a segment.

import { expect } from "vitest";
import type { SpoolDisk } from "../../../../runtime/control-plane/spool/disk.ts";
import { frameHeaderBytes } from "../../../../runtime/control-plane/spool/frame.ts";
import type { SpoolGap } from "../../../../runtime/control-plane/spool/gap.ts";
import { openSpool, type Spool, type SpoolMode } from "../../../../runtime/control-plane/spool/spool.ts";

/** A clock that the test moves. */
class TestClock {
  timeMs = 0;
  now(): Date {
    return new Date(this.timeMs);
  }
}

/** The clock of all spools. */
export const clock = new TestClock();
/** Ten records of this size fill a segment. */
export const recordBytes = 84;
/** Size of a segment. */
export const segmentBytes = 10 * (recordBytes + frameHeaderBytes);

/** Opens a spool of five segments on a disk. */
export function openOn(disk: SpoolDisk, change: { mode?: SpoolMode; maxBytes?: number } = {}): Promise<Spool> {
  return openSpool({ folder: "", mode: "fast", segmentBytes, maxBytes: 5 * segmentBytes, clock, disk, ...change });
}

/** The record of a sequence number. */
export function record(seq: number): Buffer {
  return Buffer.from(`record ${seq} `.padEnd(recordBytes, "."));
}

/** Appends this many records, each saying its own sequence number. */
export function fill(spool: Spool, count: number): void {
  for (let i = 0; i < count; i++) {
    const next = spool.firstSeq + spool.depth() + spool.gaps().reduce((sum, gap) => sum + gap.count, 0);
    expect(spool.append(record(next))).toBe(next);
  }
}

/** Reads everything: sequence numbers of the records, and the gaps. Each record must be the one of its number. */
export async function drain(spool: Spool, from = 0): Promise<{ seqs: number[]; gaps: Omit<SpoolGap, "kind">[] }> {
  const seqs: number[] = [];
  const gaps: Omit<SpoolGap, "kind">[] = [];
  for (let next = from; ; ) {
    const item = await spool.read(next, { maxRecords: 7, maxBytes: 1 << 20 });
    if (item === undefined) return { seqs, gaps };
    if (item.kind === "gap") {
      const { kind: _, ...gap } = item;
      gaps.push(gap);
    } else {
      item.records.forEach((bytes, i) => {
        expect(Buffer.from(bytes).toString()).toBe(record(item.firstSeq + i).toString());
        seqs.push(item.firstSeq + i);
      });
    }
    next = item.lastSeq + 1;
  }
}

/** The whole numbers from one to another. */
export const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

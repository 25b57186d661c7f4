import { describe, expect, it } from "vitest";
import type { SpoolDisk } from "../../../../runtime/control-plane/spool/disk.ts";
import { openSpool } from "../../../../runtime/control-plane/spool/spool.ts";
import { seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { FaultDisk } from "./fault-disk.ts";
import { clock, drain, fill, openOn, range, record, segmentBytes } from "./filled.ts";

describe("records that are appended within together", () => {
  /** Counts the writes to its files. */
  class CountedDisk extends FaultDisk {
    writes = 0;
    override open(name: string) {
      const file = super.open(name);
      const write = (bytes: Uint8Array, position: number) => {
        this.writes++;
        file.write(bytes, position);
      };
      return { ...file, write };
    }
  }

  it("are one write, which has ended when together returns", async () => {
    const disk = new CountedDisk();
    const spool = await openOn(disk);
    spool.together(() => {
      fill(spool, 8);
      expect(disk.writes).toBe(0);
    });
    expect(disk.writes).toBe(1);
    fill(spool, 1);
    expect(disk.writes).toBe(2);
    expect(await drain(spool)).toEqual({ seqs: range(1, 9), gaps: [] });
  });

  it("are written when the work throws, and only once within other such work", async () => {
    const disk = new CountedDisk();
    const spool = await openOn(disk);
    const work = () =>
      spool.together(() => {
        fill(spool, 2);
        spool.together(() => fill(spool, 2));
        expect(disk.writes).toBe(0);
        throw new Error("as the test wants");
      });
    expect(work).toThrow("as the test wants");
    expect(disk.writes).toBe(1);
    expect(await drain(spool)).toEqual({ seqs: range(1, 4), gaps: [] });
  });

  it("continue in the next segment as single ones do", async () => {
    const spool = await openOn(new FaultDisk());
    spool.together(() => fill(spool, 35));
    expect(await drain(spool)).toEqual({ seqs: range(1, 35), gaps: [] });
  });

  it("are lost one by one, not all together, when the disk refuses some of them", async () => {
    const disk = new FaultDisk();
    const spool = await openOn(disk);
    // The write of all, then that of the second.
    disk.writeFailures.push("EIO", "", "EIO", "");
    spool.together(() => fill(spool, 4));
    expect(await drain(spool)).toEqual({
      seqs: [1, 3, 4],
      gaps: [{ firstSeq: 2, lastSeq: 2, count: 1, reason: "write_failed" }],
    });
  });

  it("keep their order around one that no segment has room for", async () => {
    const spool = await openOn(new FaultDisk());
    spool.together(() => {
      fill(spool, 2);
      spool.append(Buffer.alloc(segmentBytes));
      fill(spool, 2);
    });
    expect(await drain(spool)).toEqual({
      seqs: [1, 2, 4, 5],
      gaps: [{ firstSeq: 3, lastSeq: 3, count: 1, reason: "write_failed" }],
    });
  });

  it("are on the disk, in durable mode, before an append of them resolves", async () => {
    const disk = new FaultDisk();
    const spool = await openOn(disk, { mode: "durable", maxBytes: 100 * segmentBytes });
    const stored: (number | Promise<number>)[] = [];
    spool.together(() => {
      // So many begin a sync at once, before the work has ended.
      for (let seq = 1; seq <= 300; seq++) stored.push(spool.append(record(seq)));
    });
    await Promise.all(stored);
    const after = await openOn(disk.losePower(seededRandom(1)), { mode: "durable", maxBytes: 100 * segmentBytes });
    expect(await drain(after)).toEqual({ seqs: range(1, 300), gaps: [] });
  });
});

describe("durable mode", () => {
  it("shares one sync among appends that arrive together, which resolve after it", async () => {
    const disk = new FaultDisk();
    let syncs = 0;
    const counted: SpoolDisk = {
      list: () => disk.list(),
      remove: (name) => disk.remove(name),
      syncFolder: () => disk.syncFolder(),
      load: (name) => disk.load(name),
      replace: (name, content) => disk.replace(name, content),
      open: (name) => {
        const file = disk.open(name);
        return {
          write: (bytes, position) => file.write(bytes, position),
          read: (buffer, position) => file.read(buffer, position),
          truncate: (sizeBytes) => file.truncate(sizeBytes),
          close: () => file.close(),
          sync: async () => {
            await file.sync();
            syncs++;
          },
        };
      },
    };
    const spool = await openSpool({ folder: "", mode: "durable", clock, disk: counted });
    const syncsAtResolve: number[] = [];
    const appends = range(1, 1000).map(async (seq) => {
      await spool.append(record(seq));
      syncsAtResolve.push(syncs);
    });
    await Promise.all(appends);
    expect(Math.min(...syncsAtResolve)).toBeGreaterThan(0);
    expect(syncs).toBeLessThanOrEqual(3);
  });
});

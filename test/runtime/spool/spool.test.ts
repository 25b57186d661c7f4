import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDisk, type SpoolDisk } from "../../../runtime/spool/disk.ts";
import { frameHeaderBytes } from "../../../runtime/spool/frame.ts";
import type { SpoolGap } from "../../../runtime/spool/gap.ts";
import { openSpool, type Spool, type SpoolMode } from "../../../runtime/spool/spool.ts";
import { FaultDisk, seededRandom } from "./fault-disk.ts";

/** A clock that the test moves. */
class TestClock {
  timeMs = 0;
  now(): Date {
    return new Date(this.timeMs);
  }
}

const clock = new TestClock();
/** Ten records of this size fill a segment. */
const recordBytes = 84;
const segmentBytes = 10 * (recordBytes + frameHeaderBytes);

function open(disk: SpoolDisk, change: { mode?: SpoolMode; maxBytes?: number } = {}): Promise<Spool> {
  return openSpool({ folder: "", mode: "fast", segmentBytes, maxBytes: 5 * segmentBytes, clock, disk, ...change });
}

function record(seq: number): Buffer {
  return Buffer.from(`record ${seq} `.padEnd(recordBytes, "."));
}

/** Appends this many records, each saying its own sequence number. */
function fill(spool: Spool, count: number): void {
  for (let i = 0; i < count; i++) {
    const next = spool.firstSeq + spool.depth() + spool.gaps().reduce((sum, gap) => sum + gap.count, 0);
    expect(spool.append(record(next))).toBe(next);
  }
}

/** Reads everything: sequence numbers of the records, and the gaps. Each record must be the one of its number. */
async function drain(spool: Spool, from = 0): Promise<{ seqs: number[]; gaps: Omit<SpoolGap, "kind">[] }> {
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

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe("records that are appended together", () => {
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

  it("are one write, which is done when together returns", async () => {
    const disk = new CountedDisk();
    const spool = await open(disk);
    spool.together(() => {
      fill(spool, 8);
      expect(disk.writes).toBe(0);
    });
    expect(disk.writes).toBe(1);
    fill(spool, 1);
    expect(disk.writes).toBe(2);
    expect(await drain(spool)).toEqual({ seqs: range(1, 9), gaps: [] });
  });

  it("are written when the work throws, and within other work of the kind only once", async () => {
    const disk = new CountedDisk();
    const spool = await open(disk);
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

  it("go over segments as single ones do", async () => {
    const spool = await open(new FaultDisk());
    spool.together(() => fill(spool, 35));
    expect(await drain(spool)).toEqual({ seqs: range(1, 35), gaps: [] });
  });

  it("are lost one by one, not all together, when the disk refuses some of them", async () => {
    const disk = new FaultDisk();
    const spool = await open(disk);
    // The write of all, then that of the second.
    disk.writeFailures.push("EIO", "", "EIO", "");
    spool.together(() => fill(spool, 4));
    expect(await drain(spool)).toEqual({
      seqs: [1, 3, 4],
      gaps: [{ firstSeq: 2, lastSeq: 2, count: 1, reason: "write_failed" }],
    });
  });

  it("keep their order around one that no segment has room for", async () => {
    const spool = await open(new FaultDisk());
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
    const spool = await open(disk, { mode: "durable", maxBytes: 100 * segmentBytes });
    const stored: (number | Promise<number>)[] = [];
    spool.together(() => {
      // So many begin a sync at once, before the work has ended.
      for (let seq = 1; seq <= 300; seq++) stored.push(spool.append(record(seq)));
    });
    await Promise.all(stored);
    const after = await open(disk.losePower(seededRandom(1)), { mode: "durable", maxBytes: 100 * segmentBytes });
    expect(await drain(after)).toEqual({ seqs: range(1, 300), gaps: [] });
  });
});

describe("the spool", () => {
  it("gives back what was appended, in order, as often as it is asked", async () => {
    const spool = await open(new FaultDisk());
    fill(spool, 35);
    expect(await drain(spool)).toEqual({ seqs: range(1, 35), gaps: [] });
    expect(await drain(spool, 18)).toEqual({ seqs: range(18, 35), gaps: [] });
    expect(spool.depth()).toBe(35);
  });

  it("keeps to the reader's limits, but gives at least one record", async () => {
    const spool = await open(new FaultDisk());
    fill(spool, 9);
    const read = (maxRecords: number, maxBytes: number) => spool.read(1, { maxRecords, maxBytes });
    expect(await read(3, 1 << 20)).toMatchObject({ firstSeq: 1, lastSeq: 3 });
    expect(await read(100, 2 * recordBytes)).toMatchObject({ firstSeq: 1, lastSeq: 2 });
    expect(await read(100, 1)).toMatchObject({ firstSeq: 1, lastSeq: 1 });
  });

  it("goes on after a restart where it was", async () => {
    const disk = new FaultDisk();
    const first = await open(disk);
    fill(first, 25);
    first.acknowledge(12);
    await first.close();
    const second = await open(disk);
    expect(second.firstSeq).toBe(13);
    fill(second, 3);
    expect(await drain(second)).toEqual({ seqs: range(13, 28), gaps: [] });
  });

  it("removes only segments that are acknowledged as a whole", async () => {
    const disk = new FaultDisk();
    const spool = await open(disk);
    fill(spool, 35);
    const before = disk.names();
    spool.acknowledge(19);
    await spool.close();
    expect(disk.names().filter((name) => name.endsWith(".spool"))).toEqual(before.slice(1));
    const again = await open(disk);
    again.acknowledge(20);
    await again.close();
    expect(disk.names().filter((name) => name.endsWith(".spool"))).toEqual(before.slice(2));
  });

  it("takes no acknowledgement of what it never had, and none that goes back", async () => {
    const spool = await open(new FaultDisk());
    fill(spool, 5);
    spool.acknowledge(1000);
    spool.acknowledge(2);
    expect([spool.firstSeq, spool.depth()]).toEqual([6, 0]);
    fill(spool, 1);
    expect((await drain(spool)).seqs).toEqual([6]);
  });

  it("drops its oldest segment when it is full, and says exactly what is gone", async () => {
    const spool = await open(new FaultDisk());
    fill(spool, 75);
    const gap = { firstSeq: 1, lastSeq: 30, count: 30, reason: "spool_full" };
    expect(await drain(spool)).toEqual({ seqs: range(31, 75), gaps: [gap] });
    expect(spool.depth()).toBe(45);
    expect(spool.status()).toMatchObject({ lost: { spool_full: 30 }, problems: {} });
    expect(spool.status().sizeBytes).toBeLessThanOrEqual(5 * segmentBytes);
  });

  it("does not call lost what was acknowledged, and forgets a gap that is", async () => {
    const spool = await open(new FaultDisk());
    fill(spool, 15);
    spool.acknowledge(15);
    fill(spool, 60);
    expect(spool.gaps()).toMatchObject([{ firstSeq: 16, lastSeq: 30 }]);
    spool.acknowledge(20);
    expect(spool.gaps()).toMatchObject([{ firstSeq: 21, lastSeq: 30, count: 10 }]);
    spool.acknowledge(30);
    expect(spool.gaps()).toEqual([]);
  });

  it("still knows after a restart what it dropped", async () => {
    const disk = new FaultDisk();
    const spool = await open(disk);
    fill(spool, 15);
    spool.acknowledge(5);
    fill(spool, 60);
    await spool.close();
    const gap = { firstSeq: 6, lastSeq: 30, count: 25, reason: "spool_full" };
    expect(await drain(await open(disk))).toEqual({ seqs: range(31, 75), gaps: [gap] });
  });

  it("sends again, rather than loses, when its cursor is damaged", async () => {
    const disk = new FaultDisk();
    const spool = await open(disk);
    fill(spool, 8);
    spool.acknowledge(5);
    await spool.close();
    disk.damage("cursor", 6);
    expect((await drain(await open(disk))).seqs).toEqual(range(1, 8));
  });

  it("takes records of any size up to a segment's", async () => {
    const spool = await open(new FaultDisk());
    const sizes = [0, 1, segmentBytes - frameHeaderBytes, 1, segmentBytes - frameHeaderBytes + 1, 3];
    for (const sizeBytes of sizes) spool.append(Buffer.alloc(sizeBytes, 1));
    const found: number[] = [];
    for (let seq = 1; seq <= 4; seq++) {
      const item = await spool.read(seq, { maxRecords: 1, maxBytes: 10 });
      if (item?.kind === "records") found.push(...item.records.map(({ byteLength }) => byteLength));
    }
    expect(found).toEqual(sizes.slice(0, 4));
    expect(spool.gaps()).toMatchObject([{ firstSeq: 5, lastSeq: 5, reason: "write_failed" }]);
  });

  it("refuses a limit in which no segment could ever be dropped", async () => {
    await expect(open(new FaultDisk(), { maxBytes: segmentBytes })).rejects.toThrow("at least two segments");
  });
});

describe("damage on disk", () => {
  async function closedWith(count: number): Promise<FaultDisk> {
    const disk = new FaultDisk();
    const spool = await open(disk);
    fill(spool, count);
    await spool.close();
    return disk;
  }

  const frame = recordBytes + frameHeaderBytes;

  it.each([1, 4, 12, 15, 16, 17, 60, 99])(
    "at the end: a record torn after %i bytes is cut off, and the rest stays",
    async (bytes) => {
      const disk = await closedWith(5);
      disk.open(`${"1".padStart(16, "0")}.v1.spool`).truncate(4 * frame + bytes);
      const spool = await open(disk);
      expect(spool.status().cutBytes).toBe(bytes);
      fill(spool, 2);
      expect(await drain(spool)).toEqual({ seqs: range(1, 6), gaps: [] });
    },
  );

  it("at the end: blocks of zeros, as file systems leave them, are cut off", async () => {
    const disk = await closedWith(5);
    disk.open(`${"1".padStart(16, "0")}.v1.spool`).write(new Uint8Array(4096), 5 * frame);
    expect(await drain(await open(disk))).toEqual({ seqs: range(1, 5), gaps: [] });
  });

  const places: [string, number][] = [
    ["its length, a little", 0],
    ["its length, beyond the file", 3],
    ["its checksum", 5],
    ["its sequence number", 8],
    ["the high half of its sequence number", 13],
    ["its first byte", 16],
    ["its last byte", 99],
  ];

  it.each(places)(
    "in the middle of the last segment, in %s: that record is passed over and counted",
    async (_, place) => {
      const disk = await closedWith(5);
      disk.damage(`${"1".padStart(16, "0")}.v1.spool`, 2 * frame + place);
      const spool = await open(disk);
      const gap = { firstSeq: 3, lastSeq: 3, count: 1, reason: "corrupt" };
      expect(await drain(spool)).toEqual({ seqs: [1, 2, 4, 5], gaps: [gap] });
      expect(spool.status().lost.corrupt).toBe(1);
      expect(spool.depth()).toBe(4);
    },
  );

  it.each(places)("in an older segment, in %s: that record is passed over and counted", async (_, place) => {
    const disk = await closedWith(35);
    disk.damage(`${"11".padStart(16, "0")}.v1.spool`, 4 * frame + place);
    const gap = { firstSeq: 15, lastSeq: 15, count: 1, reason: "corrupt" };
    expect(await drain(await open(disk))).toEqual({ seqs: [...range(1, 14), ...range(16, 35)], gaps: [gap] });
  });

  it("at the end of an older segment counts up to the next segment", async () => {
    const disk = await closedWith(35);
    disk.open(`${"11".padStart(16, "0")}.v1.spool`).truncate(7 * frame + 3);
    const gap = { firstSeq: 18, lastSeq: 20, count: 3, reason: "corrupt" };
    expect((await drain(await open(disk))).gaps).toEqual([gap]);
  });

  it("takes a whole segment away: exactly its records are missing", async () => {
    const disk = await closedWith(35);
    disk.remove(`${"11".padStart(16, "0")}.v1.spool`);
    const gap = { firstSeq: 11, lastSeq: 20, count: 10, reason: "corrupt" };
    expect(await drain(await open(disk))).toEqual({ seqs: [...range(1, 10), ...range(21, 35)], gaps: [gap] });
  });

  it("never lets a record that holds a frame of its own be taken for two", async () => {
    const disk = new FaultDisk();
    const spool = await open(disk);
    fill(spool, 3);
    await spool.close();
    const inner = (await disk.load(`${"1".padStart(16, "0")}.v1.spool`)) ?? new Uint8Array();
    const other = new FaultDisk();
    const carrier = await open(other);
    fill(carrier, 1);
    carrier.append(inner.subarray(2 * frame));
    fill(carrier, 2);
    await carrier.close();
    other.damage(`${"1".padStart(16, "0")}.v1.spool`, frame + 20 + frame);
    other.damage(`${"1".padStart(16, "0")}.v1.spool`, frame + 5);
    expect((await drain(await open(other))).gaps).toEqual([{ firstSeq: 2, lastSeq: 2, count: 1, reason: "corrupt" }]);
  });

  it("at random places never breaks the order, never invents a record, and loses none uncounted but at the end", async () => {
    for (let seed = 0; seed < 300; seed++) {
      const random = seededRandom(seed);
      const disk = await closedWith(25);
      const names = disk.names().filter((name) => name.endsWith(".spool"));
      for (let hit = 0; hit < 1 + random() * 4; hit++) {
        const name = names[Math.floor(random() * names.length)] ?? "";
        disk.damage(name, Math.floor(random() * segmentBytes), 1 + Math.floor(random() * 255));
      }
      const spool = await open(disk);
      const { seqs, gaps } = await drain(spool);
      const all = [...seqs, ...gaps.flatMap(({ firstSeq, lastSeq }) => range(firstSeq, lastSeq))].sort((a, b) => a - b);
      expect(all, `seed ${seed}`).toEqual(range(1, all.length));
      expect(all.length).toBeGreaterThanOrEqual(20);
    }
  });
});

describe("a disk that fails", () => {
  it("does not throw into the caller: the record becomes a gap, and the next try comes a moment later", async () => {
    clock.timeMs = 0;
    const disk = new FaultDisk();
    const spool = await open(disk);
    fill(spool, 2);
    disk.writeFailures.push("EIO");
    fill(spool, 3);
    expect(spool.status()).toMatchObject({
      lost: { write_failed: 3 },
      problems: { write: expect.stringContaining("EIO") },
    });
    clock.timeMs += 1000;
    fill(spool, 2);
    expect(spool.status().problems).toEqual({});
    const gap = { firstSeq: 3, lastSeq: 5, count: 3, reason: "write_failed" };
    expect(await drain(spool)).toEqual({ seqs: [1, 2, 6, 7], gaps: [gap] });
    await spool.close();
    expect(await drain(await open(disk))).toEqual({ seqs: [1, 2, 6, 7], gaps: [{ ...gap, reason: "corrupt" }] });
  });

  it("drops the oldest records when others fill the disk, before it loses the newest", async () => {
    const disk = new FaultDisk();
    const spool = await open(disk);
    fill(spool, 25);
    disk.capacityBytes = 26 * (recordBytes + frameHeaderBytes) + 30;
    fill(spool, 10);
    const gap = { firstSeq: 1, lastSeq: 10, count: 10, reason: "spool_full" };
    expect(await drain(spool)).toEqual({ seqs: range(11, 35), gaps: [gap] });
    expect(spool.status().problems).toEqual({});
  });

  it("loses the newest when nothing is left to drop, overwrites what was written by half, and recovers", async () => {
    clock.timeMs = 0;
    const disk = new FaultDisk();
    const spool = await open(disk);
    fill(spool, 4);
    disk.capacityBytes = 4 * (recordBytes + frameHeaderBytes) + 50;
    fill(spool, 2);
    disk.capacityBytes = Number.POSITIVE_INFINITY;
    clock.timeMs += 1000;
    fill(spool, 1);
    expect(spool.status().problems).toEqual({});
    await spool.close();
    expect((await drain(await open(disk))).seqs).toEqual([1, 2, 3, 4, 7]);
  });

  it("counts a failed sync, resolves the append, and puts nothing more into that file", async () => {
    const disk = new FaultDisk();
    const spool = await open(disk, { mode: "durable" });
    await spool.append(record(1));
    disk.syncFailures.push("EIO");
    await spool.append(record(2));
    expect(spool.status()).toMatchObject({ syncFailures: 1, problems: { sync: expect.stringContaining("EIO") } });
    await spool.append(record(3));
    expect(spool.status().problems).toEqual({});
    expect(disk.names()).toHaveLength(2);
    const after = await open(disk.losePower(seededRandom(1)));
    expect((await drain(after)).gaps).toEqual([{ firstSeq: 2, lastSeq: 2, count: 1, reason: "corrupt" }]);
  });

  it("says so when it cannot be read, and does not call that a loss", async () => {
    const disk = new FaultDisk();
    const spool = await open(disk);
    fill(spool, 3);
    disk.readFailures.push("EIO");
    await expect(drain(spool)).rejects.toThrow("EIO");
    expect(spool.status().problems).toHaveProperty("read");
    expect(await drain(spool)).toEqual({ seqs: [1, 2, 3], gaps: [] });
    expect(spool.status().problems).toEqual({});
  });

  it("keeps segments until their acknowledgement is on the disk", async () => {
    const disk = new FaultDisk();
    const spool = await open(disk);
    fill(spool, 25);
    await spool.flush();
    disk.syncFailures.push("EIO");
    spool.acknowledge(25);
    await spool.close();
    expect(disk.names().filter((name) => name.endsWith(".spool"))).toHaveLength(3);
    expect(spool.status().problems).toHaveProperty("cursor");
    expect((await drain(await open(disk))).gaps).toEqual([]);
  });

  it("takes no record after it is closed, and says that it is lost", async () => {
    const spool = await open(new FaultDisk());
    await spool.close();
    expect(spool.append(record(1))).toBe(1);
    expect(spool.status().lost.write_failed).toBe(1);
  });
});

describe("durable mode", () => {
  it("shares one sync among what comes together, and none of it resolves before", async () => {
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

describe("the machine's own disk", () => {
  async function temporaryFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "policy-guard-spool-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  it("holds a spool through restarts, drops and acknowledgements", async () => {
    const folder = await temporaryFolder();
    const at = { folder: join(folder, "new"), clock, segmentBytes, maxBytes: 5 * segmentBytes, mode: "fast" } as const;
    const spool = await openSpool(at);
    fill(spool, 75);
    expect((await drain(spool)).seqs).toEqual(range(31, 75));
    spool.acknowledge(50);
    await spool.close();
    expect((await readdir(at.folder)).sort()).toEqual([
      ...[51, 61, 71].map((seq) => `${String(seq).padStart(16, "0")}.v1.spool`),
      "cursor",
    ]);
    const again = await openSpool(at);
    expect(await drain(again)).toEqual({ seqs: range(51, 75), gaps: [] });
    await again.close();
  });

  it("reads on while segments are dropped under the reader", async () => {
    const folder = await temporaryFolder();
    const spool = await openSpool({ folder, clock, segmentBytes, maxBytes: 3 * segmentBytes, mode: "fast" });
    let last = 0;
    for (let round = 0; round < 200; round++) {
      const reading = spool.read(last + 1, { maxRecords: 5, maxBytes: 1 << 20 });
      fill(spool, 9);
      const item = await reading;
      if (item === undefined) continue;
      expect(item.firstSeq).toBe(last + 1);
      last = item.lastSeq;
    }
    expect(last).toBeGreaterThan(200);
    expect(spool.status().problems).toEqual({});
    await spool.close();
  });

  it("has every record whose append had returned when its process is killed", async () => {
    const folder = await temporaryFolder();
    const module = new URL("../../../runtime/spool/spool.ts", import.meta.url).href;
    const script = `
      const { openSpool } = await import(${JSON.stringify(module)});
      const spool = await openSpool({ folder: process.argv[1], mode: "fast", clock: { now: () => new Date() }, segmentBytes: 65536, maxBytes: 1 << 26 });
      const { writeSync } = await import("node:fs");
      for (;;) {
        for (let i = 0; i < 50; i++) {
          const seq = spool.append(Buffer.alloc(300, 1));
          writeSync(1, seq + "\\n");
        }
        await new Promise((resolve) => setImmediate(resolve));
      }`;
    let last = 0;
    for (let round = 0; round < 4; round++) {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, folder], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (output.length > 5000 * (round + 1)) child.kill("SIGKILL");
      });
      await once(child, "close");
      const said = output.split("\n").slice(0, -1).map(Number);
      expect(said[0]).toBe(last + 1);
      last = said.at(-1) ?? last;
      const spool = await openSpool({ folder, mode: "fast", clock, segmentBytes: 65536, maxBytes: 1 << 26 });
      // One more may be there: appended, and killed before it was said.
      const present = spool.depth();
      expect(present - last).toBeGreaterThanOrEqual(0);
      expect(present - last).toBeLessThanOrEqual(1);
      last = present;
      expect(spool.gaps()).toEqual([]);
      await spool.close();
    }
    const disk = openDisk(folder);
    expect((await disk.list()).length).toBeGreaterThan(1);
  });
});

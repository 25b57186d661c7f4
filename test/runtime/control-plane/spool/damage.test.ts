import { describe, expect, it } from "vitest";
import { frameHeaderBytes } from "../../../../runtime/control-plane/spool/frame.ts";
import { seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { FaultDisk } from "./fault-disk.ts";
import { drain, fill, openOn, range, recordBytes, segmentBytes } from "./filled.ts";

describe("damage on disk", () => {
  async function closedWith(count: number): Promise<FaultDisk> {
    const disk = new FaultDisk();
    const spool = await openOn(disk);
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
      const spool = await openOn(disk);
      expect(spool.status().cutBytes).toBe(bytes);
      fill(spool, 2);
      expect(await drain(spool)).toEqual({ seqs: range(1, 6), gaps: [] });
    },
  );

  it("at the end: blocks of zeros, as file systems leave them, are cut off", async () => {
    const disk = await closedWith(5);
    disk.open(`${"1".padStart(16, "0")}.v1.spool`).write(new Uint8Array(4096), 5 * frame);
    expect(await drain(await openOn(disk))).toEqual({ seqs: range(1, 5), gaps: [] });
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
      const spool = await openOn(disk);
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
    expect(await drain(await openOn(disk))).toEqual({ seqs: [...range(1, 14), ...range(16, 35)], gaps: [gap] });
  });

  it("at the end of an older segment counts up to the next segment", async () => {
    const disk = await closedWith(35);
    disk.open(`${"11".padStart(16, "0")}.v1.spool`).truncate(7 * frame + 3);
    const gap = { firstSeq: 18, lastSeq: 20, count: 3, reason: "corrupt" };
    expect((await drain(await openOn(disk))).gaps).toEqual([gap]);
  });

  it("removes a whole segment: exactly its records are missing", async () => {
    const disk = await closedWith(35);
    disk.remove(`${"11".padStart(16, "0")}.v1.spool`);
    const gap = { firstSeq: 11, lastSeq: 20, count: 10, reason: "corrupt" };
    expect(await drain(await openOn(disk))).toEqual({ seqs: [...range(1, 10), ...range(21, 35)], gaps: [gap] });
  });

  it("never takes a record that contains a frame for two records", async () => {
    const disk = new FaultDisk();
    const spool = await openOn(disk);
    fill(spool, 3);
    await spool.close();
    const inner = (await disk.load(`${"1".padStart(16, "0")}.v1.spool`)) ?? new Uint8Array();
    const other = new FaultDisk();
    const carrier = await openOn(other);
    fill(carrier, 1);
    carrier.append(inner.subarray(2 * frame));
    fill(carrier, 2);
    await carrier.close();
    other.damage(`${"1".padStart(16, "0")}.v1.spool`, frame + 20 + frame);
    other.damage(`${"1".padStart(16, "0")}.v1.spool`, frame + 5);
    expect((await drain(await openOn(other))).gaps).toEqual([{ firstSeq: 2, lastSeq: 2, count: 1, reason: "corrupt" }]);
  });

  it("at random offsets never breaks the order, never invents a record, and loses a record uncounted only at the end", async () => {
    for (let seed = 0; seed < 300; seed++) {
      const random = seededRandom(seed);
      const disk = await closedWith(25);
      const names = disk.names().filter((name) => name.endsWith(".spool"));
      for (let hit = 0; hit < 1 + random() * 4; hit++) {
        const name = names[Math.floor(random() * names.length)] ?? "";
        disk.damage(name, Math.floor(random() * segmentBytes), 1 + Math.floor(random() * 255));
      }
      const spool = await openOn(disk);
      const { seqs, gaps } = await drain(spool);
      const all = [...seqs, ...gaps.flatMap(({ firstSeq, lastSeq }) => range(firstSeq, lastSeq))].sort((a, b) => a - b);
      expect(all, `seed ${seed}`).toEqual(range(1, all.length));
      expect(all.length).toBeGreaterThanOrEqual(20);
    }
  });
});

import { describe, expect, it } from "vitest";
import { frameHeaderBytes } from "../../../../runtime/control-plane/spool/frame.ts";
import { FaultDisk } from "./fault-disk.ts";
import { drain, fill, openOn, range, recordBytes, segmentBytes } from "./filled.ts";

describe("the spool", () => {
  it("returns the appended records in order, at each read", async () => {
    const spool = await openOn(new FaultDisk());
    fill(spool, 35);
    expect(await drain(spool)).toEqual({ seqs: range(1, 35), gaps: [] });
    expect(await drain(spool, 18)).toEqual({ seqs: range(18, 35), gaps: [] });
    expect(spool.depth()).toBe(35);
  });

  it("keeps to the reader's limits, but gives at least one record", async () => {
    const spool = await openOn(new FaultDisk());
    fill(spool, 9);
    const read = (maxRecords: number, maxBytes: number) => spool.read(1, { maxRecords, maxBytes });
    expect(await read(3, 1 << 20)).toMatchObject({ firstSeq: 1, lastSeq: 3 });
    expect(await read(100, 2 * recordBytes)).toMatchObject({ firstSeq: 1, lastSeq: 2 });
    expect(await read(100, 1)).toMatchObject({ firstSeq: 1, lastSeq: 1 });
  });

  it("continues after a restart where it stopped", async () => {
    const disk = new FaultDisk();
    const first = await openOn(disk);
    fill(first, 25);
    first.acknowledge(12);
    await first.close();
    const second = await openOn(disk);
    expect(second.firstSeq).toBe(13);
    fill(second, 3);
    expect(await drain(second)).toEqual({ seqs: range(13, 28), gaps: [] });
  });

  it("removes only segments that are acknowledged as a whole", async () => {
    const disk = new FaultDisk();
    const spool = await openOn(disk);
    fill(spool, 35);
    const before = disk.names().filter((name) => name.endsWith(".spool"));
    spool.acknowledge(19);
    await spool.close();
    expect(disk.names().filter((name) => name.endsWith(".spool"))).toEqual(before.slice(1));
    const again = await openOn(disk);
    again.acknowledge(20);
    await again.close();
    expect(disk.names().filter((name) => name.endsWith(".spool"))).toEqual(before.slice(2));
  });

  it("ignores acknowledgements of records that it never had, and earlier ones", async () => {
    const spool = await openOn(new FaultDisk());
    fill(spool, 5);
    spool.acknowledge(1000);
    spool.acknowledge(2);
    expect([spool.firstSeq, spool.depth()]).toEqual([6, 0]);
    fill(spool, 1);
    expect((await drain(spool)).seqs).toEqual([6]);
  });

  it("drops its oldest segment when it is full, and reports exactly the lost range", async () => {
    const spool = await openOn(new FaultDisk());
    fill(spool, 75);
    const gap = { firstSeq: 1, lastSeq: 30, count: 30, reason: "spool_full" };
    expect(await drain(spool)).toEqual({ seqs: range(31, 75), gaps: [gap] });
    expect(spool.depth()).toBe(45);
    expect(spool.status()).toMatchObject({ lost: { spool_full: 30 }, problems: {} });
    expect(spool.status().sizeBytes).toBeLessThanOrEqual(5 * segmentBytes);
  });

  it("does not count acknowledged records as lost, and forgets acknowledged gaps", async () => {
    const spool = await openOn(new FaultDisk());
    fill(spool, 15);
    spool.acknowledge(15);
    fill(spool, 60);
    expect(spool.gaps()).toMatchObject([{ firstSeq: 16, lastSeq: 30 }]);
    spool.acknowledge(20);
    expect(spool.gaps()).toMatchObject([{ firstSeq: 21, lastSeq: 30, count: 10 }]);
    spool.acknowledge(30);
    expect(spool.gaps()).toEqual([]);
  });

  it("still knows the dropped records after a restart", async () => {
    const disk = new FaultDisk();
    const spool = await openOn(disk);
    fill(spool, 15);
    spool.acknowledge(5);
    fill(spool, 60);
    await spool.close();
    const gap = { firstSeq: 6, lastSeq: 30, count: 25, reason: "spool_full" };
    expect(await drain(await openOn(disk))).toEqual({ seqs: range(31, 75), gaps: [gap] });
  });

  it("sends again, rather than loses, when its cursor is damaged", async () => {
    const disk = new FaultDisk();
    const spool = await openOn(disk);
    fill(spool, 8);
    spool.acknowledge(5);
    await spool.close();
    disk.damage("cursor", 6);
    expect((await drain(await openOn(disk))).seqs).toEqual(range(1, 8));
  });

  it("takes records of any size up to a segment's", async () => {
    const spool = await openOn(new FaultDisk());
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
    await expect(openOn(new FaultDisk(), { maxBytes: segmentBytes })).rejects.toThrow("at least two segments");
  });
});

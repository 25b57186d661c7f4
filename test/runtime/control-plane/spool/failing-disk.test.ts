import { describe, expect, it } from "vitest";
import { frameHeaderBytes } from "../../../../runtime/control-plane/spool/frame.ts";
import { seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { FaultDisk } from "./fault-disk.ts";
import { clock, drain, fill, openOn, range, record, recordBytes } from "./filled.ts";

describe("a disk that fails", () => {
  it("does not throw into the caller: the record becomes a gap, and the next try comes a moment later", async () => {
    clock.timeMs = 0;
    const disk = new FaultDisk();
    const spool = await openOn(disk);
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
    expect(await drain(await openOn(disk))).toEqual({ seqs: [1, 2, 6, 7], gaps: [{ ...gap, reason: "corrupt" }] });
  });

  it("drops the oldest records rather than the newest when other programs fill the disk", async () => {
    const disk = new FaultDisk();
    const spool = await openOn(disk);
    fill(spool, 25);
    disk.capacityBytes = 26 * (recordBytes + frameHeaderBytes) + 30;
    fill(spool, 10);
    const gap = { firstSeq: 1, lastSeq: 10, count: 10, reason: "spool_full" };
    expect(await drain(spool)).toEqual({ seqs: range(11, 35), gaps: [gap] });
    expect(spool.status().problems).toEqual({});
  });

  it("loses the newest when nothing is left to drop, overwrites half-written bytes, and recovers", async () => {
    clock.timeMs = 0;
    const disk = new FaultDisk();
    const spool = await openOn(disk);
    fill(spool, 4);
    disk.capacityBytes = 4 * (recordBytes + frameHeaderBytes) + 50;
    fill(spool, 2);
    disk.capacityBytes = Number.POSITIVE_INFINITY;
    clock.timeMs += 1000;
    fill(spool, 1);
    expect(spool.status().problems).toEqual({});
    await spool.close();
    expect((await drain(await openOn(disk))).seqs).toEqual([1, 2, 3, 4, 7]);
  });

  it("counts a failed sync, resolves the append, and puts nothing more into that file", async () => {
    const disk = new FaultDisk();
    const spool = await openOn(disk, { mode: "durable" });
    await spool.append(record(1));
    disk.syncFailures.push("EIO");
    await spool.append(record(2));
    expect(spool.status()).toMatchObject({ syncFailures: 1, problems: { sync: expect.stringContaining("EIO") } });
    await spool.append(record(3));
    expect(spool.status().problems).toEqual({});
    expect(disk.names().filter((name) => name.endsWith(".spool"))).toHaveLength(2);
    const after = await openOn(disk.losePower(seededRandom(1)));
    expect((await drain(after)).gaps).toEqual([{ firstSeq: 2, lastSeq: 2, count: 1, reason: "corrupt" }]);
  });

  it("reports that it cannot be read, and does not count that as a loss", async () => {
    const disk = new FaultDisk();
    const spool = await openOn(disk);
    fill(spool, 3);
    disk.readFailures.push("EIO");
    await expect(drain(spool)).rejects.toThrow("EIO");
    expect(spool.status().problems).toHaveProperty("read");
    expect(await drain(spool)).toEqual({ seqs: [1, 2, 3], gaps: [] });
    expect(spool.status().problems).toEqual({});
  });

  it("keeps segments until their acknowledgement is on the disk", async () => {
    const disk = new FaultDisk();
    const spool = await openOn(disk);
    fill(spool, 25);
    await spool.flush();
    disk.syncFailures.push("EIO");
    spool.acknowledge(25);
    await spool.close();
    expect(disk.names().filter((name) => name.endsWith(".spool"))).toHaveLength(3);
    expect(spool.status().problems).toHaveProperty("cursor");
    expect((await drain(await openOn(disk))).gaps).toEqual([]);
  });

  it("takes no record after it is closed, and reports it as lost", async () => {
    const spool = await openOn(new FaultDisk());
    await spool.close();
    expect(spool.append(record(1))).toBe(1);
    expect(spool.status().lost.write_failed).toBe(1);
  });
});

import { describe, expect, it } from "vitest";
import type { Spool } from "../../../../runtime/control-plane/spool/spool.ts";
import { seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { FaultDisk } from "./fault-disk.ts";
import { drain, fill, openOn, range } from "./filled.ts";

/** The boots of a spool's records: their ids, and which records each has. */
async function bootsOf(spool: Spool): Promise<[id: string, first: number, last: number][]> {
  const boots: [string, number, number][] = [];
  for (let next = spool.firstSeq; ; ) {
    const part = await spool.read(next, { maxRecords: 1_000, maxBytes: 1 << 20 });
    if (part === undefined) return boots;
    const before = boots.at(-1);
    if (part.kind === "records" && before?.[0] === part.bootId) before[2] = part.lastSeq;
    else if (part.kind === "records") boots.push([part.bootId, part.firstSeq, part.lastSeq]);
    next = part.lastSeq + 1;
  }
}

describe("the boots of a spool", () => {
  it("are told apart after a restart, and no batch has records of two", async () => {
    const disk = new FaultDisk();
    const first = await openOn(disk);
    fill(first, 5);
    const earlier = (await bootsOf(first))[0]?.[0];
    const second = await openOn(disk);
    fill(second, 3);
    const boots = await bootsOf(second);
    expect(boots.map(([, ...seqs]) => seqs)).toEqual([
      [1, 5],
      [6, 8],
    ]);
    expect(boots[0]?.[0]).toBe(earlier);
    expect(boots[1]?.[0]).not.toBe(earlier);
    expect(await drain(second)).toEqual({ seqs: range(1, 8), gaps: [] });
  });

  it("are forgotten when all of their records are acknowledged", async () => {
    const disk = new FaultDisk();
    for (const acked of [4, 8, 12]) {
      const spool = await openOn(disk);
      fill(spool, 4);
      spool.acknowledge(acked - 1);
      await spool.close();
    }
    const spool = await openOn(disk);
    expect((await bootsOf(spool)).map(([, ...seqs]) => seqs)).toEqual([[12, 12]]);
    const kept: unknown[] = JSON.parse(Buffer.from((await disk.load("boots.json")) ?? []).toString());
    expect(kept).toHaveLength(2);
  });

  it("have no sequence number twice, whatever a power failure loses", async () => {
    const random = seededRandom(4);
    let disk = new FaultDisk();
    const seen = new Set<string>();
    for (let failure = 0; failure < 30; failure++) {
      const spool = await openOn(disk);
      const lost = spool.gaps().reduce((sum, gap) => sum + gap.count, 0);
      const from = spool.firstSeq + spool.depth() + lost;
      fill(spool, 1 + Math.floor(random() * 8));
      for (const [id, first, last] of await bootsOf(spool)) {
        for (const seq of range(Math.max(first, from), last)) {
          expect(seen).not.toContain(`${id} ${seq}`);
          seen.add(`${id} ${seq}`);
        }
      }
      disk = disk.losePower(random);
    }
    expect(seen.size).toBeGreaterThan(60);
  });

  it("are unknown where the disk does not keep them, and the records are there all the same", async () => {
    const disk = new FaultDisk();
    disk.replace = () => Promise.reject(new Error("EROFS"));
    const spool = await openOn(disk);
    fill(spool, 4);
    expect(await bootsOf(spool)).toEqual([["", 1, 4]]);
  });

  it("are unknown where their file is damaged, and known from the next start on", async () => {
    const disk = new FaultDisk();
    fill(await openOn(disk), 4);
    for (const damage of ["", "{", "[1]", '[{"id": "x", "firstSeq": 1}]']) {
      await disk.replace("boots.json", Buffer.from(damage));
      const spool = await openOn(disk);
      fill(spool, 1);
      const [unknown, own] = await bootsOf(spool);
      expect(unknown?.[0]).toBe("");
      expect(own?.[0]).toHaveLength(36);
    }
  });
});

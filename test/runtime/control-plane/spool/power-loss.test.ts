import { describe, expect, it } from "vitest";
import { openSpool, type Spool, type SpoolMode } from "../../../../runtime/control-plane/spool/spool.ts";
import { type Random, seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { FaultDisk } from "./fault-disk.ts";

const { n: schedules, seed: firstSeed } = sampleOf({ n: 200, seed: 0 });

/** What a spool promised over its lives, and what must hold of it. */
class Promises {
  /** Every content that ever had a sequence number: one that the power took away may be given again. */
  readonly contents = new Map<number, string[]>();
  /** Appends that were said to be on the disk, by sequence number. */
  readonly stored = new Map<number, string>();
  acked = 0;

  async keptBy(spool: Spool): Promise<void> {
    let expected = spool.firstSeq;
    // What was acknowledged may come again, what was not must not be passed over.
    expect(expected).toBeLessThanOrEqual(this.acked + 1);
    const found = new Map<number, string>();
    for (;;) {
      const item = await spool.read(expected, { maxRecords: 7, maxBytes: 4000 });
      if (item === undefined) break;
      expect(item.firstSeq).toBe(expected);
      expected = item.lastSeq + 1;
      if (item.kind === "gap") {
        expect(item.count).toBe(item.lastSeq - item.firstSeq + 1);
      } else {
        expect(item.records).toHaveLength(item.lastSeq - item.firstSeq + 1);
        for (const [i, record] of item.records.entries()) found.set(item.firstSeq + i, Buffer.from(record).toString());
      }
    }
    for (const [seq, text] of found) expect(this.contents.get(seq)).toContain(text);
    for (const [seq, text] of this.stored) {
      if (seq > this.acked) expect(found.get(seq), `stored record ${seq}`).toBe(text);
    }
  }
}

/** Runs one schedule; returns how many records were promised to be on the disk. */
async function runSchedule(mode: SpoolMode, seed: number): Promise<number> {
  const random = seededRandom(seed);
  const promises = new Promises();
  let disk = new FaultDisk();
  for (let life = 0; life < 3; life++) {
    const open = () => openSpool({ folder: "", mode, disk, segmentBytes: 4096, maxBytes: 1 << 20, clock: systemClock });
    const spool = await open();
    await promises.keptBy(spool);
    await live(spool, mode, promises, random, `${seed}.${life}`);
    disk = disk.losePower(random);
  }
  await promises.keptBy(
    await openSpool({ folder: "", mode, disk, segmentBytes: 4096, maxBytes: 1 << 20, clock: systemClock }),
  );
  return promises.stored.size;
}

async function live(spool: Spool, mode: SpoolMode, promises: Promises, random: Random, life: string): Promise<void> {
  const steps = 5 + Math.floor(random() * 40);
  let unsynced: [number, string][] = [];
  for (let step = 0; step < steps; step++) {
    const chance = random();
    if (chance < 0.7) {
      const text = `${life}:${step}:${"x".repeat(Math.floor(random() ** 3 * 1500))}`;
      const before = spool.depth() + spool.gaps().reduce((sum, { count }) => sum + count, 0);
      const appended = spool.append(Buffer.from(text));
      const seq = spool.firstSeq + before;
      promises.contents.set(seq, [...(promises.contents.get(seq) ?? []), text]);
      if (typeof appended === "number") {
        expect(appended).toBe(seq);
        unsynced.push([seq, text]);
      } else {
        // A failed sync resolves too: the spool then says that it is degraded.
        void appended.then(() => spool.status().syncFailures === 0 && promises.stored.set(seq, text));
      }
    } else if (chance < 0.85) {
      const flushed = spool.flush();
      const taken = unsynced;
      unsynced = [];
      // Sometimes the power goes while the disk is at work.
      if (random() < 0.8) {
        await flushed;
        for (const [seq, text] of taken) promises.stored.set(seq, text);
      }
    } else {
      const item = await spool.read(spool.firstSeq, { maxRecords: 1 + Math.floor(random() * 10), maxBytes: 1 << 20 });
      if (item === undefined) continue;
      spool.acknowledge(item.lastSeq);
      promises.acked = Math.max(promises.acked, item.lastSeq);
    }
  }
  if (mode === "fast" && random() < 0.3) await spool.close();
}

describe("a spool that loses its power at any moment", () => {
  it(`has every record that it said was stored, in ${schedules} schedules of durable mode`, async () => {
    let stored = 0;
    for (let seed = 0; seed < schedules; seed++) stored += await runSchedule("durable", firstSeed + seed);
    expect(stored).toBeGreaterThan(5 * schedules);
    reportSample({ n: schedules, failures: 0 });
  });

  it(`has every record up to the last sync, in ${schedules} schedules of fast mode`, async () => {
    let stored = 0;
    for (let seed = 0; seed < schedules; seed++) stored += await runSchedule("fast", -firstSeed - seed - 1);
    expect(stored).toBeGreaterThan(5 * schedules);
    reportSample({ n: schedules, failures: 0 });
  });
});

import { randomUUID } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { Outcome, Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { EvaluationRecordSchema } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import type { Tally } from "../../../../gen/policyguard/policy/v1/tally_pb.ts";
import { CountedIds, Outgoing } from "../../../../runtime/control-plane/report/outgoing.ts";
import { Window } from "../../../../runtime/control-plane/report/window.ts";
import { openSpool, type Spool } from "../../../../runtime/control-plane/spool/spool.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { FaultDisk } from "../spool/fault-disk.ts";

/** What a stream sends while time stands still until the test moves it. */
class Sending {
  nowMs = 0;
  isSampled = true;
  isEnding = false;
  readonly spool: Spool;
  readonly counted = new CountedIds();
  window = new Window(1);
  outgoing: Outgoing;

  constructor(spool: Spool) {
    this.spool = spool;
    this.outgoing = this.stream();
  }

  /** Another stream, which sends again what is not acknowledged. */
  stream(): Outgoing {
    this.window = new Window(this.spool.firstSeq);
    this.outgoing = new Outgoing({
      ...{ spool: this.spool, window: this.window, counted: this.counted, nowMs: () => this.nowMs },
      ...{ maySample: () => this.isSampled, isEnding: () => this.isEnding },
    });
    return this.outgoing;
  }

  append(...changes: Parameters<typeof record>[0][]): void {
    for (const change of changes) void this.spool.append(toBinary(EvaluationRecordSchema, record(change)));
  }

  /** What is sent now: the ids of records, and how many evaluations are counted. */
  async next() {
    const message = await this.outgoing.next();
    if (message === undefined) return undefined;
    if (message.case !== "batch") throw new Error("the spool has no gap");
    const { firstSeq, lastSeq, records = [], bootId, tally } = message.value;
    const ids = records.map((sent) => sent.evaluationId ?? "");
    return { firstSeq, lastSeq, ids, counted: sumOf(tally as Tally | undefined), hasBoot: bootId !== "" };
  }
}

function sumOf(tally: Tally | undefined): number {
  const cells = tally?.minutes.flatMap(({ evaluations }) => evaluations) ?? [];
  return cells.reduce((sum, { evaluations }) => sum + evaluations, 0);
}

function record(change: {
  readonly id?: string;
  readonly percent?: number;
  readonly outcome?: Outcome;
  agent?: string;
}) {
  const { id = randomUUID(), percent = 0.1, outcome = Outcome.ALLOW, agent = "" } = change;
  return create(EvaluationRecordSchema, {
    ...{ evaluationId: id, samplingPercent: percent, outcome, wouldBeOutcome: outcome, agentId: agent },
    ...{ stage: Stage.INPUT, createdAt: timestampFromDate(new Date("2026-11-02T10:00:00Z")) },
  });
}

async function sending(disk = new FaultDisk()): Promise<Sending> {
  return new Sending(await openSpool({ folder: "", mode: "fast", clock: systemClock, disk }));
}

/** Ids that are in no sample of one in a thousand. */
const out = Array.from({ length: 40 }, (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`);

describe("what a stream sends of a sample", () => {
  it("waits ten seconds for further counts, and sends them together", async () => {
    const sent = await sending();
    sent.append(...out.slice(0, 5).map((id) => ({ id })));
    expect(await sent.next()).toBeUndefined();
    sent.nowMs = 9_999;
    sent.append({ id: out[5] ?? "" });
    expect(await sent.next()).toBeUndefined();
    sent.nowMs = 10_000;
    expect(await sent.next()).toEqual({ firstSeq: 1, lastSeq: 6, ids: [], counted: 6, hasBoot: true });
    expect(await sent.next()).toBeUndefined();
  });

  it("sends what was blocked within a second, with the counts so far", async () => {
    const sent = await sending();
    const id = randomUUID();
    sent.append({ id: out[0] ?? "" }, { id, outcome: Outcome.BLOCK, percent: 0 }, { id: out[1] ?? "" });
    expect(await sent.next()).toBeUndefined();
    sent.nowMs = 1_000;
    expect(await sent.next()).toEqual({ firstSeq: 1, lastSeq: 3, ids: [id], counted: 2, hasBoot: true });
  });

  it("sends records of which none is left out at once, and with their boot only if one may be", async () => {
    const sent = await sending();
    const [whole, sampled] = [randomUUID(), randomUUID()];
    sent.append({ id: whole, percent: 0 });
    expect(await sent.next()).toEqual({ firstSeq: 1, lastSeq: 1, ids: [whole], counted: 0, hasBoot: false });
    sent.window.acknowledged(1);
    sent.append({ id: sampled, percent: 99.999_999 });
    expect(await sent.next()).toEqual({ firstSeq: 2, lastSeq: 2, ids: [sampled], counted: 0, hasBoot: true });
  });

  it("chooses by the evaluation's id: the same ones on every runtime, about as many as the setting says", async () => {
    const ids = Array.from({ length: 2_000 }, () => randomUUID());
    const choose = async (spell: (id: string) => string) => {
      const sent = await sending();
      sent.isEnding = true;
      sent.append(...ids.map((id) => ({ id: spell(id), percent: 10 })));
      const chosen: string[] = [];
      let counted = 0;
      for (let part = await sent.next(); part !== undefined; part = await sent.next()) {
        chosen.push(...part.ids.map((id) => id.toLowerCase()));
        counted += part.counted;
      }
      expect(chosen.length + counted).toBe(ids.length);
      return chosen;
    };
    const chosen = await choose((id) => id);
    expect(await choose((id) => id.toUpperCase())).toEqual(chosen);
    expect(chosen.length).toBeGreaterThan(100);
    expect(chosen.length).toBeLessThan(300);
  });

  it("sends everything while records may not be left out, and what it has counted first", async () => {
    const sent = await sending();
    sent.append({ id: out[0] ?? "" });
    expect(await sent.next()).toBeUndefined();
    sent.isSampled = false;
    sent.append({ id: out[1] ?? "" });
    expect(await sent.next()).toMatchObject({ firstSeq: 1, lastSeq: 1, ids: [], counted: 1 });
    sent.window.acknowledged(1);
    expect(await sent.next()).toMatchObject({ firstSeq: 2, lastSeq: 2, ids: [out[1]], hasBoot: true });
  });

  it("counts a call that was repeated once, and everything again after a broken stream", async () => {
    const sent = await sending();
    const [a = "", b = ""] = out;
    sent.append({ id: a }, { id: b }, { id: a.toUpperCase() });
    sent.isEnding = true;
    expect(await sent.next()).toMatchObject({ lastSeq: 3, counted: 2 });
    sent.stream();
    expect(await sent.next()).toMatchObject({ lastSeq: 3, counted: 2 });
  });

  it("does not mix the records of two boots", async () => {
    const disk = new FaultDisk();
    (await sending(disk)).append({ id: out[0] ?? "" }, { id: out[1] ?? "" });
    const sent = await sending(disk);
    sent.append({ id: out[2] ?? "" });
    sent.isEnding = true;
    expect([await sent.next(), await sent.next()]).toMatchObject([
      { firstSeq: 1, lastSeq: 2, counted: 2 },
      { firstSeq: 3, lastSeq: 3, counted: 1 },
    ]);
  });

  it("sends everything where the disk does not keep the boot", async () => {
    const disk = new FaultDisk();
    disk.replace = () => Promise.reject(new Error("ENOSPC"));
    const sent = await sending(disk);
    sent.append({ id: out[0] ?? "" });
    expect(await sent.next()).toMatchObject({ ids: [out[0]], counted: 0, hasBoot: false });
  });

  it("ends a batch where its counts would become too many to take", async () => {
    const sent = await sending();
    sent.append(...Array.from({ length: 3_000 }, (_, index) => ({ percent: 0.000_001, agent: `agent-${index}` })));
    const first = await sent.next();
    // Each agent has a count of evaluations and one of latencies.
    expect(first).toMatchObject({ firstSeq: 1, ids: [] });
    expect(first).toHaveProperty("counted", first?.lastSeq);
    expect(first?.lastSeq).toBeGreaterThan(2_000);
    expect(first?.lastSeq).toBeLessThan(2_100);
  });

  it("stops after eight batches that nobody acknowledges, and the spool keeps the rest", async () => {
    const sent = await sending();
    sent.append(...Array.from({ length: 9 * 256 }, () => ({ percent: 0 })));
    for (let batch = 0; batch < 8; batch++) expect(await sent.next()).toMatchObject({ counted: 0 });
    expect(await sent.next()).toBeUndefined();
    expect(sent.spool.depth()).toBe(9 * 256);
  });
});

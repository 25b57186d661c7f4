// Evaluations that a runtime only counts: each is counted once, whatever breaks.

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { type Tally, TallySchema } from "../../../../gen/policyguard/policy/v1/tally_pb.ts";
import { BatchSchema } from "../../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { CountedIds, Outgoing } from "../../../../runtime/control-plane/report/outgoing.ts";
import { Window } from "../../../../runtime/control-plane/report/window.ts";
import { openDisk, type SpoolDisk } from "../../../../runtime/control-plane/spool/disk.ts";
import { openSpool, type Spool } from "../../../../runtime/control-plane/spool/spool.ts";
import { seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { Ingest, type IngestResult, type IngestSource } from "../../../../src/domain/fleet/ingest.ts";
import { Agents } from "../../../../src/domain/project/agent.ts";
import { StatFold } from "../../../../src/domain/telemetry/stat-fold.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { TallyBuilder } from "../../../../src/kit/tally/tally.ts";
import { type MonthUsage, readMonth } from "../../../../src/store/billing/usage.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { wasSampled } from "../../../../src/store/fleet/report-boot.ts";
import { listGaps } from "../../../../src/store/fleet/reporting-gap.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { setPlan } from "../../../harness/vector/plan.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { blockedEvaluation, evaluation } from "../telemetry/evaluation.ts";

const dayMs = 86_400_000;

/** The tally of these records. */
function tallyOf(records: readonly EvaluationRecord[], createdAt = new Date()): Tally {
  const builder = new TallyBuilder();
  for (const record of records) {
    builder.add(record, { createdAtMs: createdAt.getTime(), agent: record.agentId, isOverage: false });
  }
  return builder.toTally();
}

function evaluations(count: number, change: Parameters<typeof evaluation>[0] = {}): EvaluationRecord[] {
  return Array.from({ length: count }, () => evaluation(change));
}

describe("Ingest of counts", () => {
  let urls: TestDatabase;
  let database: Database;
  let worker: Database;
  let world: World;
  let source: IngestSource;
  let ingest: Ingest;
  const results: IngestResult[] = [];

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    worker = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
    ingest = new Ingest(database, { sealer: testSealer, onResult: (result) => results.push(result) });
  });

  beforeEach(async () => {
    results.length = 0;
    world = await createWorld(database);
    await setPlan(database, world.orgId, "enterprise");
    const { orgId, projectId, environment } = world;
    source = { orgId, projectId, environment, instanceId: randomUUID() };
  });

  afterAll(async () => {
    await Promise.all([database.close(), worker.close()]);
    await urls.drop();
  });

  const number = async (text: string): Promise<number> => {
    const [row] = await database.read(world.orgId, (tx) => tx.sql<{ n: number }>(text));
    return row?.n ?? 0;
  };
  const traces = () => number("select count(*)::int as n from trace");
  /** What every count says: the month, the days, and the evaluations of the runtime. */
  const counts = async () => {
    await new StatFold(worker).fold(world.orgId);
    const month = `${new Date().toISOString().slice(0, 7)}-01`;
    const usage: MonthUsage = await database.read(world.orgId, (tx) => readMonth(tx, month));
    return {
      month: usage.evaluations,
      overage: usage.overageEvaluations,
      days: await number("select coalesce(sum(evaluations), 0)::int as n from usage_day"),
      outcomes: await number("select coalesce(sum(evaluations), 0)::int as n from stat_outcome where period = 3"),
      versions: await number("select coalesce(sum(evaluations), 0)::int as n from stat_version where period = 3"),
    };
  };
  const all = (n: number) => ({ month: n, days: n, outcomes: n, versions: n, overage: 0 });
  const gaps = async () => {
    const rows = await database.read(world.orgId, (tx) => listGaps(tx, source));
    return rows.map(({ firstSeq, lastSeq, count, reason }) => [firstSeq, lastSeq, count, reason]);
  };

  it("counts evaluations with and without a record alike, once, however often a batch comes", async () => {
    const records = [blockedEvaluation("secrets.any", { agentId: "shop" }), evaluation({ samplingPercent: 10 })];
    const tally = tallyOf(evaluations(98, { agentId: "shop", latencyUs: 70 }));
    const batch = { firstSeq: 1, lastSeq: 100, records, bootId: randomUUID(), tally };
    for (let time = 0; time < 3; time++) await ingest.ingest(source, batch);
    expect(results.map(({ stored, counted, takenSeq }) => [stored, counted, takenSeq])).toEqual([
      [2, 98, 100],
      [0, 0, 100],
      [0, 0, 100],
    ]);
    expect([await traces(), await counts()]).toEqual([2, all(100)]);
    const [agents] = await new Agents(database).list(world.caller, world.projectId, { limit: 50, offset: 0 });
    expect(agents.map(({ key }) => key)).toEqual(["shop"]);
  });

  it("takes the rest of a batch of which a part was taken, when it comes by itself", async () => {
    const bootId = randomUUID();
    const send = (firstSeq: number, lastSeq: number) =>
      ingest.ingest(source, {
        ...{ firstSeq, lastSeq, bootId, records: [] },
        tally: tallyOf(evaluations(lastSeq - firstSeq + 1)),
      });
    expect(await send(1, 10)).toMatchObject({ takenSeq: 10, counted: 10 });
    expect(await send(1, 30)).toMatchObject({ takenSeq: 10, counted: 0 });
    expect(await send(11, 30)).toMatchObject({ takenSeq: 30, counted: 20 });
    expect(await counts()).toEqual(all(30));
  });

  it("takes records one by one and counts together, each evaluation once", async () => {
    const bootId = randomUUID();
    const records = evaluations(20, { samplingPercent: 50 });
    await ingest.ingest(source, { firstSeq: 1, lastSeq: 10, bootId, records: records.slice(0, 10) });
    // The runtime has heard nothing of that, and the environment samples meanwhile.
    const tally = tallyOf(records);
    expect(await ingest.ingest(source, { firstSeq: 1, lastSeq: 20, bootId, records: [], tally })).toMatchObject({
      takenSeq: 10,
    });
    await ingest.ingest(source, { firstSeq: 11, lastSeq: 20, bootId, records: [], tally: tallyOf(records.slice(10)) });
    // And the other way round: all are sent, of which some were only counted.
    await ingest.ingest(source, { firstSeq: 15, lastSeq: 20, bootId, records: records.slice(14) });
    expect([await traces(), await counts()]).toEqual([10, all(20)]);
    // Another boot uses the same numbers for other evaluations.
    await ingest.ingest(source, {
      firstSeq: 1,
      lastSeq: 5,
      bootId: randomUUID(),
      records: [],
      tally: tallyOf(records.slice(0, 5)),
    });
    expect(await counts()).toEqual(all(25));
  });

  it("notes as lost what it does not believe, and goes on", async () => {
    const bootId = randomUUID();
    const old = tallyOf(evaluations(3), new Date(Date.now() - 36 * dayMs));
    const early = tallyOf(evaluations(4), new Date(Date.now() + 3_600_000));
    const wrong = tallyOf(evaluations(5), new Date(Date.now() - 3_600_000));
    for (const { versions } of wrong.minutes) versions.length = 0;
    const minutes = [old, early, wrong, tallyOf(evaluations(6))].flatMap((tally) => tally.minutes);
    const sent = { firstSeq: 1, lastSeq: 18, bootId, records: [], tally: create(TallySchema, { minutes }) };
    expect(await ingest.ingest(source, sent)).toMatchObject({ counted: 6, takenSeq: 18 });
    const more = { firstSeq: 19, lastSeq: 20, bootId, records: [], tally: tallyOf(evaluations(3)) };
    expect(await ingest.ingest(source, more)).toMatchObject({ counted: 0, refused: { invalid: 2 } });
    expect(await gaps()).toEqual([
      [1, 18, 4, "in_future"],
      [1, 18, 5, "invalid"],
      [1, 18, 3, "too_old"],
      [19, 20, 2, "invalid"],
    ]);
    expect(await counts()).toEqual(all(6));
  });

  it("refuses counts that belong to no boot, since it could not tell whether it has them", async () => {
    const batch = { firstSeq: 1, lastSeq: 1, records: [], tally: tallyOf(evaluations(1)) };
    await expect(ingest.ingest(source, batch)).rejects.toThrow("boot_id");
    await expect(ingest.ingest(source, { ...batch, bootId: "mine" })).rejects.toThrow("boot_id");
  });

  it("counts as overage what a runtime counted after the plan got a limit", async () => {
    await setPlan(database, world.orgId, "free");
    const tally = tallyOf(evaluations(7));
    await ingest.ingest(source, { firstSeq: 1, lastSeq: 7, bootId: randomUUID(), records: [], tally });
    expect(await counts()).toEqual({ ...all(7), overage: 7 });
    expect(await number("select sum(overage)::int as n from usage_day")).toBe(7);
  });

  it("counts an agent by its key, whichever way the application named it", async () => {
    await ingest.ingest(source, { firstSeq: 1, lastSeq: 1, records: [evaluation({ agentId: "shop" })] });
    const [agents] = await new Agents(database).list(world.caller, world.projectId, { limit: 50, offset: 0 });
    const agentId = agents[0]?.id ?? "";
    await ingest.ingest(source, {
      ...{ firstSeq: 2, lastSeq: 4, bootId: randomUUID(), records: [] },
      tally: tallyOf([...evaluations(2, { agentId }), evaluation({ agentId: "shop" })]),
    });
    await counts();
    expect(await number("select evaluations::int as n from usage_day where agent_key = 'shop'")).toBe(4);
  });

  it("says of which project, environment and time some evaluations have no trace", async () => {
    const sampled = (scope: Parameters<typeof wasSampled>[1]) =>
      database.read(world.orgId, (tx) => wasSampled(tx, scope));
    const bootId = randomUUID();
    await ingest.ingest(source, { firstSeq: 1, lastSeq: 1, bootId, records: [evaluation({ samplingPercent: 1 })] });
    expect(await sampled({})).toBe(false);
    await ingest.ingest(source, { firstSeq: 2, lastSeq: 2, bootId, records: [], tally: tallyOf(evaluations(1)) });
    const { projectId, environment } = world;
    const hour = (n: number) => new Date(Date.now() + n * 3_600_000);
    expect(await sampled({ projectId, environment, since: hour(-1), until: hour(1) })).toBe(true);
    expect(await sampled({ until: hour(-1) })).toBe(false);
    expect(await sampled({ since: hour(1) })).toBe(false);
    expect(await sampled({ environment: "other" })).toBe(false);
    expect(await sampled({ projectId: randomUUID() })).toBe(false);
  });

  it("counts each evaluation once through fifty kills of its runtime and its streams", async () => {
    const random = seededRandom(11);
    const runtime = new KilledRuntime();
    let made = 0;
    for (let kill = 0; kill < 50; kill++) {
      made += await runtime.evaluate(1 + Math.floor(random() * 60), random);
      for (let step = 0; step < 3; step++) {
        const batch = await runtime.next();
        if (batch === undefined) break;
        if (random() < 0.2) break; // it did not arrive
        const { takenSeq } = await ingest.ingest(source, batch);
        if (random() < 0.5) break; // the acknowledgement did not arrive
        if (!runtime.acknowledge(takenSeq)) break;
      }
      await runtime.reconnect({ isKilled: random() < 0.5 });
    }
    for (let batch = await runtime.next(); batch !== undefined; batch = await runtime.next()) {
      const { takenSeq } = await ingest.ingest(source, batch);
      if (!runtime.acknowledge(takenSeq)) await runtime.reconnect({ isKilled: false });
    }
    await runtime.close();
    expect(await counts()).toEqual(all(made));
    expect(await traces()).toBeGreaterThan(made / 20);
    expect(await traces()).toBeLessThan(made / 3);
    expect(await number(`select count(*)::int as n from trace where outcome = ${Outcome.BLOCK}`)).toBe(runtime.blocked);
  });
});

/** The life of a process, as its disk sees it. */
class Life {
  isOver = false;
  #writing: Promise<unknown> = Promise.resolve();

  /** Its disk, on which it writes nothing any more once it is killed. */
  diskOf(folder: string): SpoolDisk {
    const disk = openDisk(folder);
    return {
      ...disk,
      replace: async (name, content) => {
        if (this.isOver) return;
        const written = disk.replace(name, content);
        this.#writing = Promise.allSettled([this.#writing, written]);
        await written;
      },
      remove: (name) => (this.isOver ? undefined : disk.remove(name)),
    };
  }

  /** Kills it. What it has begun to write is written before another process begins. */
  async end(): Promise<void> {
    this.isOver = true;
    await this.#writing;
  }
}

/** The spool of a runtime and what it sends, with one evaluation in ten in the sample. */
class KilledRuntime {
  blocked = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), "policy-guard-sampled-"));
  readonly #killed: Spool[] = [];
  #life = new Life();
  #spool: Spool | undefined;
  #window = new Window(1);
  #outgoing: Outgoing | undefined;

  async evaluate(count: number, random: () => number): Promise<number> {
    const spool = await this.#open();
    for (let index = 0; index < count; index++) {
      const isBlocked = random() < 0.02;
      if (isBlocked) this.blocked += 1;
      const record = isBlocked ? blockedEvaluation("secrets.any") : evaluation({ samplingPercent: 10 });
      spool.append(toBinary(EvaluationRecordSchema, record));
    }
    return count;
  }

  /** What it sends next; parts of the spool, since every batch is sent before it is full. */
  async next() {
    await this.#open();
    const message = await this.#outgoing?.next();
    return message?.case === "batch" ? create(BatchSchema, message.value) : undefined;
  }

  /** False when the stream ends with this. */
  acknowledge(seq: number): boolean {
    this.#spool?.acknowledge(seq);
    this.#window.acknowledged(seq);
    return seq >= this.#window.nextSeq - 1;
  }

  /** A new stream; of a new process, when this one is killed. */
  async reconnect({ isKilled }: { readonly isKilled: boolean }): Promise<void> {
    if (isKilled && this.#spool !== undefined) {
      this.#killed.push(this.#spool);
      await this.#life.end();
      this.#life = new Life();
      this.#spool = undefined;
    }
    this.#outgoing = undefined;
    await this.#open();
  }

  async close(): Promise<void> {
    for (const spool of [...this.#killed, ...(this.#spool ? [this.#spool] : [])]) await spool.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #open(): Promise<Spool> {
    const folder = this.#folder;
    const disk = this.#life.diskOf(folder);
    const spool = this.#spool ?? (await openSpool({ folder, mode: "fast", clock: systemClock, disk }));
    this.#spool = spool;
    if (this.#outgoing === undefined) {
      this.#window = new Window(spool.firstSeq);
      this.#outgoing = new Outgoing({
        ...{ spool, window: this.#window, counted: new CountedIds(), nowMs: () => 0 },
        ...{ maySample: () => true, isEnding: () => true },
      });
    }
    return spool;
  }
}

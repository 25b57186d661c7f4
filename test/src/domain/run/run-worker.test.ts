import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addRun } from "../../../../src/domain/run/run.ts";
import { maxTries, type RunKind, RunWorker } from "../../../../src/domain/run/run-worker.ts";
import { notFound } from "../../../../src/kit/fault/fault.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { maxQueued, maxRunning, RunRow } from "../../../../src/store/run/run.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const log = pino({ level: "silent" });

describe("RunWorker", () => {
  let urls: TestDatabase;
  let database: Database;
  let workerDatabase: Database;
  let world: World;
  const clock = createMovedClock();
  /** What a step does besides counting to its end. */
  let onStep: (done: number) => Promise<void> | void;
  let steps: number;

  const counting: RunKind = {
    async prepare({ spec, done }) {
      await onStep(done);
      return async () => {
        steps += 1;
        const next = done + 1;
        return { cursor: `${next}`, done: next, total: 3, report: { next }, isLast: next === Number(spec.steps) };
      };
    },
  };

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock });
    workerDatabase = await openDatabase({ url: urls.workerUrl, poolSize: 4, clock });
  });

  beforeEach(async () => {
    world = await createWorld(database);
    onStep = () => undefined;
    steps = 0;
  });

  afterAll(async () => {
    await Promise.all([database.close(), workerDatabase.close()]);
    await urls.drop();
  });

  const worker = () => new RunWorker(workerDatabase, { kinds: { erasure: counting }, clock, log });
  const add = async (count = 3) =>
    (
      await database.systemTransaction(world.orgId, (tx) =>
        addRun(tx, { kind: "erasure", spec: { steps: count }, createdBy: "a" }),
      )
    ).id;
  const work = (id: string, by = worker()) => by.work({ org_id: world.orgId, run_id: id });
  const read = (id: string) =>
    database.read(world.orgId, (tx) => tx.em.findOneOrFail(RunRow, { orgId: world.orgId, id }));
  const jobs = async () => {
    const witness = await urls.openWitness();
    const { rows } = await witness.query<{ run_id: string }>(
      "select payload->>'run_id' as run_id from graphile_worker._private_jobs where payload->>'org_id' = $1 order by id",
      [world.orgId],
    );
    await witness.end();
    return rows.map(({ run_id }) => run_id);
  };

  it("works to the end and keeps what came of it", async () => {
    const id = await add();
    expect(await read(id)).toMatchObject({ state: "queued", done: 0, total: null, startedAt: null });
    expect(await jobs()).toEqual([id]);
    await work(id);
    expect(await read(id)).toMatchObject({ state: "succeeded", done: 3, total: 3, report: '{"next":3}' });
    await work(id);
    expect(steps).toBe(3);
  });

  it("ends a slice after five seconds, with the job of the next one", async () => {
    const id = await add();
    onStep = () => clock.pass(3_000);
    await work(id);
    expect(await read(id)).toMatchObject({ state: "running", done: 2 });
    expect(await jobs()).toEqual([id]);
    await work(id);
    expect(await read(id)).toMatchObject({ state: "succeeded", done: 3 });
  });

  it("commits each step once, when two work on the same run", async () => {
    const id = await add();
    let other: Promise<void> | undefined;
    onStep = async (done) => {
      // The second worker takes the same step, and all that come after, while the first is about to commit it.
      if (done === 1 && other === undefined) {
        onStep = () => undefined;
        other = work(id);
        await other;
      }
    };
    await work(id);
    expect(steps).toBe(3);
    expect(await read(id)).toMatchObject({ state: "succeeded", done: 3 });
  });

  it("goes on after the step that a worker died in", async () => {
    const id = await add();
    onStep = (done) => {
      if (done === 2) throw new Error("killed");
    };
    await expect(work(id)).rejects.toThrow("killed");
    expect(await read(id)).toMatchObject({ state: "running", done: 2 });
    onStep = () => undefined;
    expect(await worker().sweep()).toBe(0);
    clock.pass(121_000);
    expect(await worker().sweep()).toBe(1);
    await work(id);
    expect(steps).toBe(3);
    expect(await read(id)).toMatchObject({ state: "succeeded", done: 3 });
  });

  it("gives up what does not advance, and says at once what callers can mend", async () => {
    const [stuck, refused] = [await add(), await add()];
    onStep = () => {
      throw new Error("always");
    };
    for (let i = 0; i < maxTries; i += 1) await expect(work(stuck)).rejects.toThrow("always");
    await work(stuck);
    expect(await read(stuck)).toMatchObject({ state: "failed", errorCode: "internal" });
    onStep = () => {
      throw notFound("policy");
    };
    await work(refused);
    expect(await read(refused)).toMatchObject({ state: "failed", errorCode: "not_found", report: null });
  });

  it("lets two runs of an organization work at once, twenty wait, and the next begin when one ends", async () => {
    const ids = [];
    for (let i = 0; i < maxQueued; i += 1) ids.push(await add());
    await expect(add()).rejects.toThrow("20 runs of the organization wait already");
    onStep = () => {
      throw new Error("stays");
    };
    for (const id of ids.slice(0, maxRunning)) await expect(work(id)).rejects.toThrow("stays");
    const [first = "", , third = ""] = ids;
    onStep = () => undefined;
    await work(third);
    expect(await read(third)).toMatchObject({ state: "queued", done: 0 });
    const before = await jobs();
    await work(first);
    expect(await read(first)).toMatchObject({ state: "succeeded" });
    // Added anew, in place of the one that waits.
    expect(await jobs()).toHaveLength(before.length);
    await work(third);
    expect(await read(third)).toMatchObject({ state: "succeeded" });
  });
});

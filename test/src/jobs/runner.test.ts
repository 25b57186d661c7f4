import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { publishEvent } from "../../../src/domain/event/event.ts";
import { enqueueJob } from "../../../src/domain/job.ts";
import { type Runner, startRunner } from "../../../src/jobs/runner.ts";
import type { RunnableTask } from "../../../src/jobs/task.ts";
import { tasks } from "../../../src/jobs/tasks.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { startWebhookSink, type WebhookSink } from "../../harness/net/webhook-sink.ts";
import { openWebhookWorld, type WebhookWorld } from "../../harness/net/webhook-world.ts";

const log = pino({ level: "silent" });

let world: WebhookWorld;
let pool: pg.Pool;
let sink: WebhookSink;
const ended: { task: string; failed: boolean }[] = [];

beforeAll(async () => {
  world = await openWebhookWorld();
  pool = new pg.Pool({ connectionString: world.urls.workerUrl, max: 12 });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  sink = await startWebhookSink();
});

afterAll(async () => {
  await sink.close();
  await pool.end();
  await world.close();
});

let runner: Runner | undefined;

afterEach(async () => {
  await runner?.stop();
  runner = undefined;
});

// Without the schedules: a minute that begins during a test would add jobs of its own.
const unscheduled: readonly RunnableTask[] = tasks.map((task) => ({ ...task, schedule: undefined }));

async function start(started = unscheduled): Promise<void> {
  const services = world.jobServices;
  const onJob = (job: { task: string; failed: boolean }) => void ended.push(job);
  runner = await startRunner({ pool, tasks: started, services, log, concurrency: 4, pollIntervalMs: 200, onJob });
}

describe("startRunner()", () => {
  it("delivers an event soon after its transaction has committed, and one that was rolled back never", async () => {
    await start();
    const caller = await world.newCaller();
    await world.subscribe(caller, sink.url);
    const failing = world.database.systemTransaction(caller.orgId, async (tx) => {
      await publishEvent(tx, "policy.updated", { policy_id: newId(), name: "lost", version: 1, change: "created" });
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    const before = sink.requests.length;
    const startedAt = performance.now();
    const id = await world.publish(caller);
    await sink.received(before + 1);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    await world.dispatcher.idle();
    expect(sink.requests.slice(before).map(({ event }) => event.id)).toEqual([id]);
  });

  it("does each job once when it reads ahead, and gives back at its end what it has read and not done", async () => {
    const orgId = newId();
    const done: string[] = [];
    const task: RunnableTask = {
      name: "deliver-webhook",
      schedule: undefined,
      async run(_, payload) {
        const { webhook_id = "" } = payload as { webhook_id?: string }; // as it is enqueued below
        done.push(webhook_id);
        if (done.length > 110) await sleep(5);
      },
    };
    const ids = Array.from({ length: 240 }, newId);
    await world.database.systemTransaction(orgId, async (tx) => {
      for (const id of ids) await enqueueJob(tx, "deliver-webhook", { org_id: orgId, webhook_id: id });
    });
    const options = { pool, tasks: [task], services: world.jobServices, log, concurrency: 4, isReadingAhead: true };
    runner = await startRunner(options);
    await expect.poll(() => done.length, { timeout: 30_000, interval: 1 }).toBeGreaterThan(120);
    await runner.stop();
    expect(done.length).toBeLessThan(240);
    const mine = "from graphile_worker._private_jobs where payload->>'org_id' = $1";
    expect((await pool.query(`select ${mine} and locked_at is not null`, [orgId])).rowCount).toBe(0);
    expect((await pool.query(`select ${mine}`, [orgId])).rowCount).toBe(240 - done.length);
    runner = await startRunner(options);
    await expect.poll(() => done.length, { timeout: 30_000 }).toBe(240);
    expect(new Set(done)).toEqual(new Set(ids));
  });

  it("adds the next attempt's wake-up for the moment at which the delivery is due", async () => {
    const caller = await world.newCaller();
    sink.answerWith(() => ({ status: 500 }));
    const { row } = await world.subscribe(caller, sink.url);
    await world.publish(caller);
    world.dispatcher.wake({ org_id: caller.orgId, webhook_id: row.id });
    await world.dispatcher.idle();
    sink.answerWith(() => ({ status: 204 }));
    const [[delivery]] = await world.deliveries.list(caller, row.id, { limit: 1, offset: 0 });
    const { rows } = await pool.query<{ run_at: Date; max_attempts: number }>(
      "select run_at, max_attempts from graphile_worker._private_jobs where payload->>'webhook_id' = $1 order by run_at desc",
      [row.id],
    );
    expect(rows[0]).toEqual({ run_at: delivery?.nextAttemptAt, max_attempts: 25 });
  });

  it("finds by its sweep what has lost its wake-up, in any organization, and adds one job for each webhook", async () => {
    const callers = await Promise.all([world.newCaller(), world.newCaller()]);
    const webhooks: string[] = [];
    for (const caller of callers) {
      webhooks.push((await world.subscribe(caller, sink.url)).row.id);
      for (let count = 0; count < 3; count += 1) await world.publish(caller);
    }
    await pool.query("delete from graphile_worker._private_jobs");
    // What has just become due is about to be woken by its own job.
    expect(await world.upkeep.sweep()).toBe(0);
    world.clock.pass(11_000);
    expect(await world.upkeep.sweep()).toBe(2);
    expect(await world.upkeep.sweep()).toBe(2);
    const { rows } = await pool.query("select payload->>'webhook_id' as id from graphile_worker._private_jobs");
    expect(rows.map(({ id }) => id).sort()).toEqual([...webhooks].sort());
    const before = sink.requests.length;
    await start();
    await sink.received(before + 6);
    await world.dispatcher.idle();
    expect(await world.upkeep.sweep()).toBe(0);
  });

  it("fails a job whose payload is not what its name promises, and goes on", async () => {
    ended.length = 0;
    await pool.query(`select graphile_worker.add_job('deliver-webhook', '{"org_id": 7}'::json)`);
    await pool.query("select graphile_worker.add_job('purge-deliveries', '{}'::json)");
    await start();
    await expect.poll(() => ended.length, { timeout: 30_000 }).toBe(2);
    expect([...ended].sort((a, b) => a.task.localeCompare(b.task))).toEqual([
      { task: "deliver-webhook", failed: true },
      { task: "purge-deliveries", failed: false },
    ]);
  });

  it("puts off by half a minute what cron asks to come later", async () => {
    await pool.query("delete from graphile_worker._private_jobs");
    await pool.query(
      `select graphile_worker.add_job('sweep-deliveries', '{"after_seconds": 30}'::json, run_at := '2026-01-01T00:00:00Z')`,
    );
    ended.length = 0;
    await start();
    await expect.poll(() => ended.length, { timeout: 30_000 }).toBe(2);
    expect(ended).toEqual([
      { task: "sweep-deliveries", failed: false },
      { task: "sweep-deliveries", failed: false },
    ]);
  });
});

describe("a runner whose pool fails", () => {
  /** The statements of graphile-worker 0.18.0 that write down what became of a job. */
  const endOfJob = /delete from \S+_private_jobs|last_error = \(/;

  // The connection breaks that is to tell what became of the next job, as when a server restarts.
  function breakNextEnd(): void {
    const watch = (client: pg.PoolClient) => {
      const query = client.query;
      Reflect.set(client, "query", (...args: readonly unknown[]) => {
        Reflect.set(client, "query", query);
        if (endOfJob.test(String(Object(args[0]).text ?? args[0]))) {
          pool.off("acquire", watch);
          // Its socket is what breaks; pg does not tell of it in its types.
          Reflect.get(Reflect.get(client, "connection"), "stream").destroy();
        }
        return Reflect.apply(query, client, args);
      });
    };
    pool.on("acquire", watch);
  }

  it.each([
    ["done", "purge-deliveries", "{}"],
    ["failed", "deliver-webhook", '{"org_id": 7}'],
  ])("starts another when it could not write down that a job is %s, and goes on", async (_, task, payload) => {
    await pool.query("delete from graphile_worker._private_jobs");
    const claims: string[] = [];
    const released: string[] = [];
    const claim = async (poolId: string) => {
      claims.push(poolId);
      return { release: async () => void released.push(poolId) };
    };
    const services = world.jobServices;
    const breaking: readonly RunnableTask[] = unscheduled.map((one) => ({
      ...one,
      run: async (given, job) => {
        if (claims.length === 1) breakNextEnd();
        await one.run(given, job);
      },
    }));
    ended.length = 0;
    const onJob = (job: { task: string; failed: boolean }) => void ended.push(job);
    runner = await startRunner({
      pool,
      tasks: breaking,
      services,
      log,
      concurrency: 1,
      pollIntervalMs: 60_000,
      onJob,
      claim,
    });
    const first = runner.poolId;
    await pool.query("select graphile_worker.add_job($1, $2::json)", [task, payload]);
    await expect.poll(() => claims.length, { timeout: 30_000 }).toBe(2);
    await expect.poll(() => ended.length, { timeout: 30_000 }).toBe(2);
    expect(ended.map((job) => job.task)).toEqual([task, task]);
    expect(released).toEqual([first]);
    expect(claims).toEqual([first, runner.poolId]);
    await runner.stop();
    runner = undefined;
    expect(released).toEqual(claims);
    const { rows } = await pool.query("select from graphile_worker._private_jobs where locked_by is not null");
    expect(rows).toHaveLength(0);
  });
});

describe("the schedule", () => {
  it("has the sweep, the fold, the search for dead pools and the upgrade of traces twice a minute, and each of the others once", async () => {
    await start(tasks);
    const identifiers = async () => {
      const { rows } = await pool.query("select identifier from graphile_worker._private_known_crontabs order by 1");
      return rows.map(({ identifier }) => identifier);
    };
    await expect
      .poll(identifiers, { timeout: 30_000 })
      .toEqual([
        "advance-subscriptions",
        "close-month",
        "create-partitions",
        "evaluate-alerts",
        "fill-queue",
        "find-usage-anomaly",
        "finish-billing-intents",
        "fold-stats",
        "fold-stats/later",
        "make-erasure-keys",
        "notify-quotas",
        "purge-accounts",
        "purge-bundles",
        "purge-deliveries",
        "purge-evidence",
        "purge-runs",
        "purge-traces",
        "reconcile-provider",
        "reconcile-usage",
        "refresh-activations",
        "sign-checkpoints",
        "sweep-deliveries",
        "sweep-deliveries/later",
        "sweep-runs",
        "unlock-dead-pools",
        "unlock-dead-pools/later",
        "upgrade-traces",
        "upgrade-traces/later",
      ]);
  });
});

describe("the purge", () => {
  it("deletes events older than five days with their deliveries, of every organization, and keeps younger ones", async () => {
    const callers = await Promise.all([world.newCaller(), world.newCaller()]);
    for (const caller of callers) {
      await world.subscribe(caller, sink.url);
      await world.publish(caller);
    }
    world.clock.pass(4 * 24 * 3_600_000);
    const young = await Promise.all(callers.map((caller) => world.publish(caller)));
    world.clock.pass(24 * 3_600_000 + 1);
    expect(await world.upkeep.purge()).toBeGreaterThanOrEqual(2);
    for (const [index, caller] of callers.entries()) {
      const left = await world.database.read(caller.orgId, (tx) =>
        tx.sql("select e.id, d.event_id from event e full join webhook_delivery d on d.event_id = e.id"),
      );
      expect(left).toEqual([{ id: young[index], event_id: young[index] }]);
    }
    expect(await world.upkeep.purge()).toBe(0);
  });

  it("is told to the log of evidence once a day, although it comes each hour", async () => {
    const hourMs = 3_600_000;
    const dayMs = 24 * hourMs;
    const caller = await world.newCaller();
    await world.subscribe(caller, sink.url);
    // Six in the morning, far from the end of a day.
    world.clock.pass(dayMs - (world.clock.now().getTime() % dayMs) + 6 * hourMs);
    await world.publish(caller);
    world.clock.pass(hourMs);
    await world.publish(caller);
    const purged: number[] = [];
    for (const passed of [5 * dayMs - hourMs / 2, hourMs]) {
      world.clock.pass(passed);
      purged.push(await world.upkeep.purge());
    }
    expect(purged.every((events) => events > 0)).toBe(true);
    await world.publish(caller);
    world.clock.pass(6 * dayMs);
    await world.upkeep.purge();
    const told = await world.database.read(caller.orgId, (tx) =>
      tx.sql<{ resource: string }>("select resource from audit_entry where action = 'retention.remove'"),
    );
    expect(told).toEqual([{ resource: "events" }, { resource: "events" }]);
  });
});

// What survives when processes die as by a power cut: whoever publishes, and whoever delivers.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { compileCacheVariables } from "../../../scripts/compile-cache.ts";
import type { Caller } from "../../../src/kit/rpc/context.ts";
import { poolLockClass } from "../../../src/store/core/worker-pool.ts";
import { eventually } from "../../harness/eventually.ts";
import { startWebhookSink } from "../../harness/net/webhook-sink.ts";
import { openWebhookWorld, type WebhookWorld } from "../../harness/net/webhook-world.ts";
import { startWorkerProcess, type WorkerProcess } from "../../harness/process/worker-process.ts";

const { n } = sampleOf({ n: 2, seed: 1 });
const patienceMs = 15_000;

let world: WebhookWorld;
let worker: pg.Client;
let living: Promise<WorkerProcess> | undefined;

beforeAll(async () => {
  world = await openWebhookWorld();
  worker = new pg.Client({ connectionString: world.urls.workerUrl });
  await worker.connect();
});

afterAll(async () => {
  await (await living)?.kill();
  await worker.end();
  await world.close();
});

function startWorker(): Promise<WorkerProcess> {
  return startWorkerProcess({
    DATABASE_WORKER_URL: world.urls.workerUrl,
    POLICY_GUARD_MASTER_KEY: world.masterKey,
    POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8",
  });
}

/** The one that is not killed: processes take long to start. */
function livingWorker(): Promise<WorkerProcess> {
  living ??= startWorker();
  return living;
}

/** Half a minute passes: claims run out that were made so long ago, the sweep comes. */
async function passTime({ orgId }: Caller, { claimedSeconds = 0 } = {}): Promise<void> {
  await worker.query("select set_config('app.org_id', $1, false)", [orgId]);
  await worker.query(
    `update webhook_delivery set claimed_until = claimed_until - interval '30 seconds',
       next_attempt_at = next_attempt_at - interval '30 seconds'
     where state = 'pending' and (claimed_until is null or claimed_until <= now() + (30 - $1) * interval '1 second')`,
    [claimedSeconds],
  );
  await worker.query("select app.wake_overdue_webhooks(now(), now(), 100)");
}

/** Processes of the server that speak with this login. */
async function backends(): Promise<Set<number>> {
  const { rows } = await worker.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and usename = current_user",
  );
  return new Set(rows.map(({ pid }) => pid));
}

async function rowsOf<Row extends object>({ orgId }: Caller, sql: string): Promise<Row[]> {
  return world.database.read(orgId, (tx) => tx.sql<Row>(sql));
}

describe("a publisher that is killed", () => {
  it("leaves for each event both its delivery and its wake-up, or nothing at all", async () => {
    const caller = await world.newCaller();
    const { row } = await world.subscribe(caller, "http://127.0.0.1:9/");
    const committed: string[] = [];
    for (let round = 0; round < n; round += 1) {
      const { lines, kill } = startPublisher(caller);
      lines.on("line", (line) => committed.push(line));
      await once(lines, "line");
      await sleep(20 + ((round * 137) % 400));
      await kill();
    }
    // A transaction of the dead may still be ending.
    await sleep(200);
    const events = await rowsOf<{ id: string }>(caller, "select id from event");
    const deliveries = await rowsOf<{ event_id: string }>(caller, "select event_id from webhook_delivery");
    const { rows: jobs } = await worker.query(
      "select from graphile_worker._private_jobs where payload->>'webhook_id' = $1",
      [row.id],
    );
    const ids = events.map(({ id }) => id).sort();
    const lost = [...new Set(committed).difference(new Set(ids))];
    const told = deliveries.map(({ event_id }) => event_id).sort();
    const isWhole = told.length === ids.length && jobs.length === ids.length && told.every((id, at) => id === ids[at]);
    reportSample({ n, failures: lost.length + Number(!isWhole), figures: { events: ids.length } });
    expect(lost).toEqual([]);
    expect(told).toEqual(ids);
    expect(jobs).toHaveLength(ids.length);
    expect(committed.length).toBeGreaterThan(n);
  });
});

/** A process that publishes for ever; `lines` has the ids of what was committed. */
function startPublisher({ orgId }: Caller) {
  const script = fileURLToPath(new URL("../../harness/process/endless-publisher.ts", import.meta.url));
  const child = spawn(process.execPath, [script, world.urls.applicationUrl, orgId], {
    env: { ...process.env, ...compileCacheVariables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return { lines: createInterface({ input: child.stdout }), kill };
}

describe("a worker that is killed", () => {
  it("loses no event; what it sends twice has the same id and the same number of attempt", async () => {
    const sink = await startWebhookSink();
    sink.answerWith(() => sleep(5, { status: 200 }));
    const caller = await world.newCaller();
    const { row } = await world.subscribe(caller, sink.url);
    const published: string[] = [];
    try {
      for (let round = 0; round < 2; round += 1) {
        const others = await backends();
        const process = await startWorker();
        const before = sink.requests.length;
        for (let count = 0; count < 12; count += 1) published.push(await world.publish(caller));
        // In the middle of sending, at a moment that differs from round to round.
        await sink.received(before + 1 + round);
        await sleep(round);
        await process.kill();
        // A transaction of the dead may still be ending, and claim what would then be held for half a minute.
        await eventually(async () => expect((await backends()).isSubsetOf(others)).toBe(true), patienceMs);
        await passTime(caller);
      }
      await livingWorker();
      await eventually(async () => {
        // Not of the claims of a worker that lives: it would make its attempts twice.
        await passTime(caller, { claimedSeconds: 5 });
        const counts = await rowsOf(caller, "select from webhook_delivery where state <> 'delivered'");
        expect(counts).toHaveLength(0);
      }, patienceMs);
      const received = sink.requests.map(({ headers }) => String(headers["x-webhook-id"]));
      expect(new Set(received)).toEqual(new Set(published));
      expect(new Set(sink.requests.map(({ headers }) => headers["x-webhook-attempt"]))).toEqual(new Set(["1"]));
      // At most what was in flight at each of the two deaths.
      expect(received.length - published.length).toBeLessThanOrEqual(2 * 4);
      const [, total] = await world.deliveries.list(caller, row.id, { limit: 1, offset: 0 }, { state: "delivered" });
      expect(total).toBe(published.length);
    } finally {
      await sink.close();
    }
  });
});

describe("a worker that lives", () => {
  it("is ready, and says so", async () => {
    const { managementPort } = await livingWorker();
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${managementPort}${path}`);
      return { status: response.status, text: await response.text() };
    };
    expect((await get("/livez")).status).toBe(200);
    expect(await get("/readyz")).toMatchObject({ status: 200, text: expect.stringContaining('"database":"ok"') });
    expect((await get("/metrics")).text).toContain("webhook_requests_in_flight 0");
    const { rows } = await worker.query("select from worker_pool where heartbeat_at > now() - interval '10 seconds'");
    expect(rows.length).toBeGreaterThan(0);
  });

  it("connects again when it loses every connection to the database, goes on, and ends in order when asked", async () => {
    const sink = await startWebhookSink();
    const caller = await world.newCaller();
    await world.subscribe(caller, sink.url);
    const process = await livingWorker();
    try {
      await world.publish(caller);
      await sink.received(1);
      await worker.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`,
      );
      const id = await world.publish(caller);
      // The wake-up may have met a connection that had just ended.
      await eventually(async () => {
        await passTime(caller);
        expect(sink.requests.map(({ event }) => event.id)).toContain(id);
      }, patienceMs);
      const held = `select from pg_locks l join pg_database d on d.oid = l.database
        where d.datname = current_database() and l.locktype = 'advisory' and l.classid = $1 and l.granted`;
      await eventually(async () => {
        // One of each pool.
        expect((await worker.query(held, [poolLockClass])).rowCount).toBe(3);
      }, patienceMs);
      expect(await process.stop()).toBe(0);
    } finally {
      await sink.close();
    }
  });
});

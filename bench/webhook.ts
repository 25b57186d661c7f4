// Webhooks: deliveries a second to a sink on this machine, signed, with the network guard on, from rows in PostgreSQL
// to rows in PostgreSQL; against the same requests by undici alone, which neither sign nor remember. How long an event
// waits for its first attempt. And the job queue as it is set up here, against the defaults of graphile-worker.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Logger as QueueLogger, run, type TaskList } from "graphile-worker";
import type pg from "pg";
import { pino } from "pino";
import { Pool } from "undici";
import { publishEvent, publishEvents } from "../src/domain/event/event.ts";
import { Organizations } from "../src/domain/tenancy/organization.ts";
import { DeliveryAttempts } from "../src/domain/webhook/delivery-attempt.ts";
import { Dispatcher } from "../src/domain/webhook/dispatcher.ts";
import { Webhooks } from "../src/domain/webhook/webhook.ts";
import { queuePreset, readAheadPreset } from "../src/jobs/runner.ts";
import { createOutbound } from "../src/kit/net/outbound/client.ts";
import { createNetworkGuard } from "../src/kit/net/outbound/guard.ts";
import { systemClock } from "../src/kit/process/clock.ts";
import { newId } from "../src/kit/process/id.ts";
import { createSealer, parseMasterKeys } from "../src/platform/seal.ts";
import { type Database, openDatabase } from "../src/store/connection/database.ts";
import { adminCaller } from "../test/harness/vector/world.ts";
import { type Bench, cpuSecondsOf, measure, median, type Round } from "./measure.ts";
import { openBarePool, startBenchDatabase } from "./server/database.ts";

const webhookCount = 32;
const eventsPerRound = 125;
const jobsPerRound = 2_000;

/** Measures webhooks. */
export const webhookBench: Bench = async () => {
  const server = await startBenchDatabase();
  const sink = await startSink();
  const application = await openDatabase({ url: server.applicationUrl, poolSize: 4 });
  const worker = await openDatabase({ url: server.workerUrl, poolSize: 12 });
  const queue = openBarePool(server.workerUrl, 12);
  try {
    const world = await openWorld(application, worker, sink.url);
    const costs = new Costs({ worker: cpuOfThis, database: server.cpuSeconds, target: () => cpuSecondsOf(sink.pid) });
    const rows = await measure([
      { name: "undici alone", run: () => bareRequests(sink.url) },
      { name: "deliveries", against: "undici alone", run: () => costs.of(() => deliveries(world)) },
      { name: "job queue, defaults", run: () => jobs(application, queue, undefined) },
      { name: "job queue", against: "job queue, defaults", run: () => jobs(application, queue, queuePreset) },
      {
        name: "job queue, read ahead",
        against: "job queue, defaults",
        run: () => jobs(application, queue, readAheadPreset),
      },
    ]);
    costs.print();
    await printLatency(world, queue, sink.url);
    await world.outbound.close();
    return rows;
  } finally {
    sink.process.kill();
    await Promise.all([application.close(), worker.close(), queue.end()]);
    await server.stop();
  }
};

type Preset = typeof queuePreset | typeof readAheadPreset;

type World = Awaited<ReturnType<typeof openWorld>>;

async function openWorld(application: Database, worker: Database, url: string) {
  const sealer = createSealer({ masterKeys: parseMasterKeys(randomBytes(32).toString("base64")) });
  const guard = createNetworkGuard({ allowNetworks: ["127.0.0.0/8"], dnsServers: [] });
  const outbound = createOutbound({ guard });
  const attempts = new DeliveryAttempts(worker, { sealer, outbound, clock: systemClock });
  const dispatcher = new Dispatcher({ attempts, log: pino({ level: "error" }) });
  const { id: orgId } = await new Organizations(application).create({ name: "Bench" });
  const webhooks = new Webhooks(application, { sealer, guard, outbound, clock: systemClock });
  const ids: string[] = [];
  for (let count = 0; count < webhookCount; count++) {
    const { row } = await webhooks.create(adminCaller(orgId), {
      url,
      events: ["evaluation.blocked"],
      generateSecret: true,
    });
    ids.push(row.id);
  }
  const lone = await webhooks.create(adminCaller(orgId), { url, events: ["policy.updated"], generateSecret: true });
  return { application, dispatcher, outbound, orgId, webhookIds: ids, loneId: lone.row.id };
}

async function deliveries({ application, dispatcher, orgId, webhookIds }: World): Promise<Round> {
  const events = Array.from({ length: eventsPerRound }, blockedData);
  await application.systemTransaction(orgId, (tx) => publishEvents(tx, "evaluation.blocked", events));
  return timedRound(eventsPerRound * webhookIds.length, async () => {
    for (const id of webhookIds) dispatcher.wake({ org_id: orgId, webhook_id: id });
    await dispatcher.idle();
  });
}

async function bareRequests(url: string): Promise<Round> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: 4 * webhookCount });
  const body = JSON.stringify({ id: newId(), data: blockedData() });
  const count = eventsPerRound * webhookCount;
  const lane = async () => {
    for (let index = 0; index < count / (4 * webhookCount); index++) {
      const answer = await pool.request({ method: "POST", path: pathname, body });
      await answer.body.dump();
    }
  };
  const round = await timedRound(count, () => Promise.all(Array.from({ length: 4 * webhookCount }, lane)));
  await pool.close();
  return round;
}

async function jobs(application: Database, pool: pg.Pool, preset: Preset | undefined): Promise<Round> {
  await pool.query("delete from graphile_worker._private_jobs");
  const orgId = newId();
  const payload = JSON.stringify({ org_id: orgId, webhook_id: orgId });
  await application.systemTransaction(orgId, (tx) =>
    tx.sql("select app.enqueue('deliver-webhook', ?::json, null, null) from generate_series(1, ?)", [
      payload,
      jobsPerRound,
    ]),
  );
  const done = Promise.withResolvers<void>();
  let left = jobsPerRound;
  const taskList: TaskList = {
    "deliver-webhook": () => {
      left -= 1;
      if (left === 0) done.resolve();
    },
  };
  return timedRound(jobsPerRound, async () => {
    const logger = new QueueLogger(() => () => {});
    const runner = await run({ pgPool: pool, taskList, noHandleSignals: true, logger, ...(preset && { preset }) });
    await done.promise;
    await runner.stop();
  });
}

// Twenty events a second, one after the other: how long each waits for its request when nothing is piled up.
async function printLatency({ application, dispatcher, orgId, loneId }: World, pool: pg.Pool, url: string) {
  const taskList: TaskList = {
    "deliver-webhook": () => dispatcher.wake({ org_id: orgId, webhook_id: loneId }),
  };
  const logger = new QueueLogger(() => () => {});
  await pool.query("delete from graphile_worker._private_jobs");
  const runner = await run({ pgPool: pool, taskList, noHandleSignals: true, logger, preset: readAheadPreset });
  await (await fetch(url)).body?.cancel();
  const committed = new Map<string, number>();
  for (let count = 0; count < 200; count++) {
    const id = await application.systemTransaction(orgId, (tx) =>
      publishEvent(tx, "policy.updated", { policy_id: orgId, name: "bench", version: count + 1, change: "updated" }),
    );
    committed.set(id, performance.timeOrigin + performance.now());
    await sleep(50);
  }
  await sleep(1_000);
  await runner.stop();
  const arrivals: [string, number][] = JSON.parse(await (await fetch(url)).text());
  const waits = arrivals.map(([id, atMs]) => Math.max(0, atMs - (committed.get(id) ?? atMs))).sort((a, b) => a - b);
  const at = (part: number) => (waits[Math.floor(part * waits.length)] ?? Number.NaN).toFixed(1);
  console.log(`from commit to first attempt, ${waits.length} events: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms\n`);
}

type CpuSeconds = () => number;

// What each process spends on a delivery: on a machine that others use, too, it says more than how many there were a
// second.
class Costs {
  readonly #parts: Readonly<Record<string, CpuSeconds>>;
  readonly #spent: number[][] = [];

  constructor(parts: Readonly<Record<string, CpuSeconds>>) {
    this.#parts = parts;
  }

  async of(work: () => Promise<Round>): Promise<Round> {
    const before = Object.values(this.#parts).map((part) => part());
    const round = await work();
    const spent = Object.values(this.#parts).map((part, index) => part() - (before[index] ?? 0));
    this.#spent.push(spent.map((seconds) => (seconds / round.operations) * 1e6));
    return round;
  }

  print(): void {
    const names = Object.keys(this.#parts);
    const each = names.map((_, index) => median(this.#spent.slice(1).map((spent) => spent[index] ?? Number.NaN)));
    const sumUs = each.reduce((sum, one) => sum + one, 0);
    const parts = names.map((name, index) => `${name} ${each[index]?.toFixed(0)} µs`).join(", ");
    console.log(`CPU time of a delivery: ${parts}; two cores make ${Math.floor(2e6 / sumUs)}/s at most`);
  }
}

function cpuOfThis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function timedRound(operations: number, work: () => Promise<unknown>): Promise<Round> {
  const cpuBefore = cpuOfThis();
  const startedAtMs = performance.now();
  await work();
  return {
    operations,
    seconds: (performance.now() - startedAtMs) / 1_000,
    cpuSeconds: cpuOfThis() - cpuBefore,
  };
}

function blockedData() {
  return {
    trace_id: newId(),
    evaluation_id: newId(),
    project_id: newId(),
    environment: "prod",
    agent_id: "support-bot",
    stage: "input",
    rule_ids: ["injection.override"],
    categories: ["injection.override"],
    bundle_version: 41,
    capture: "none",
    text: null,
  };
}

interface Sink {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly url: string;
}

async function startSink(): Promise<Sink> {
  const script = fileURLToPath(new URL("./server/sink.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(createInterface({ input: child.stdout }), "line");
  return { process: child, pid: child.pid ?? 0, url: `http://127.0.0.1:${port}/hook` };
}

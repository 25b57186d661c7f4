// A burst of evaluations that are blocked, as a runtime reports them, told to several targets: all of it arrives, and
// neither the control plane nor the worker grows with it. Both are processes of their own, so that their memory is
// theirs alone.

import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { freePort } from "../../../scripts/postgres/port.ts";
import { type Database, openDatabase } from "../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { type NodeProcess, startNodeProcess } from "../../harness/process/node-process.ts";
import { setPlan } from "../../harness/vector/plan.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";
import { blockedEvaluation } from "../../src/domain/telemetry/evaluation.ts";
import { RuntimeStream } from "../fleet/runtime.ts";

const { n } = sampleOf({ n: 300, seed: 1 });
/** As many as a runtime has in a batch, and how many it sends before the first of them is acknowledged. */
const batch = { size: 256, ahead: 4 };
const targets = 2;
/**
 * The heap that each process may have, far below what a large burst takes by itself: one that held all of it would die.
 */
const heapMiB = 192;
/** Buffers outside of the heap and what a garbage collector leaves lying about may come to as much again. */
const mostGrowthMiB = 2 * heapMiB;
/** Nothing that moves takes longer. */
const stalledMs = 30_000;

let urls: TestDatabase;
let database: Database;
let world: World;
let plane: NodeProcess;
let worker: NodeProcess;
let server: Server;
let baseUrl: string;
let arrived = 0;
const arrivals = Array.from({ length: targets }, () => new Map<string, number>());

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  world = await createWorld(database);
  await setPlan(database, world.orgId, "enterprise");
  const port = String(await freePort());
  baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    HOST: "127.0.0.1",
    POLICY_GUARD_MASTER_KEY: randomBytes(32).toString("base64"),
    POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8",
    NODE_OPTIONS: `--max-old-space-size=${heapMiB}`,
  };
  [plane, worker] = await Promise.all([
    startNodeProcess({
      script: "src/main.ts",
      env: { ...env, PORT: port, MANAGEMENT_PORT: "0", DATABASE_URL: urls.applicationUrl },
      readyMessage: "control plane is listening",
    }),
    startNodeProcess({
      script: "src/worker.ts",
      env: { ...env, WORKER_MANAGEMENT_PORT: "0", DATABASE_WORKER_URL: urls.workerUrl },
      readyMessage: "worker is running",
    }),
  ]);
  server = createServer((request, response) => {
    const [target, id] = [Number(request.url?.slice(1)), String(request.headers["x-webhook-id"])];
    const known = arrivals[target];
    known?.set(id, (known.get(id) ?? 0) + 1);
    arrived += 1;
    request.resume().once("end", () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  await Promise.all([plane.stop(), worker.stop()]);
  server.closeAllConnections();
  await Promise.all([new Promise((resolve) => server.close(resolve)), database.close()]);
  await urls.drop();
});

it("is delivered completely, each event once to each target, in bounded memory", async () => {
  await subscribe();
  const growth = [plane, worker].map(startToMeasure);
  const startedAt = performance.now();
  await report();
  const reportedAt = performance.now();
  await untilArrived(n * targets);
  const seconds = (performance.now() - startedAt) / 1_000;
  const missing = n * targets - arrivals.reduce((sum, known) => sum + known.size, 0);
  const repeated = arrivals.flatMap((known) => [...known.values()]).filter((count) => count > 1).length;
  const [controlPlane, deliverer] = growth.map((read) => read());
  const figures = {
    deliveries: n * targets,
    reported_per_second: Math.round((n * 1_000) / (reportedAt - startedAt)),
    deliveries_per_second: Math.round((n * targets) / seconds),
    control_plane_peak_mib: controlPlane?.peakMiB ?? Number.NaN,
    control_plane_growth_mib: controlPlane?.growthMiB ?? Number.NaN,
    worker_peak_mib: deliverer?.peakMiB ?? Number.NaN,
    worker_growth_mib: deliverer?.growthMiB ?? Number.NaN,
  };
  console.info("a burst:", figures);
  reportSample({ n, failures: missing + repeated, figures });
  expect({ missing, repeated }).toEqual({ missing: 0, repeated: 0 });
  expect(figures.control_plane_growth_mib).toBeLessThan(mostGrowthMiB);
  expect(figures.worker_growth_mib).toBeLessThan(mostGrowthMiB);
});

async function subscribe(): Promise<void> {
  const { port } = server.address() as AddressInfo; // listens on TCP
  for (let target = 0; target < targets; target += 1) {
    const url = `http://127.0.0.1:${port}/${target}`;
    const response = await fetch(`${baseUrl}/v1/orgs/${world.orgId}/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.tokens.admin}`, "content-type": "application/json" },
      body: JSON.stringify({ url, events: ["evaluation.blocked"], generate_secret: true }),
    });
    expect(response.status).toBe(201);
  }
}

/** Reports the evaluations as fast as the control plane acknowledges them. */
async function report(): Promise<void> {
  const stream = new RuntimeStream(baseUrl, world.tokens.runtime).hello();
  let sent = 0;
  while (sent < n) {
    const records = Array.from({ length: Math.min(batch.size, n - sent) }, () => blockedEvaluation("secrets.any"));
    sent = stream.report(records);
    await until(() => sent - stream.acked <= batch.size * batch.ahead, "the control plane acknowledges nothing more");
  }
  await until(() => stream.acked === n, "the control plane acknowledges nothing more");
  stream.finish();
  expect(await stream.ended).toBe("end");
}

async function untilArrived(count: number): Promise<void> {
  for (let before = -1; arrived < count; ) {
    if (arrived === before) throw new Error(`${arrived} of ${count} arrived, and nothing for ${stalledMs / 1_000} s`);
    before = arrived;
    await until(() => arrived > before + 1_000 || arrived >= count, "").catch(() => undefined);
  }
}

async function until(holds: () => boolean, complaint: string): Promise<void> {
  const end = performance.now() + stalledMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(complaint);
    await sleep(5);
  }
}

/** Measures the memory of a process, as the kernel counts it, from now to when it is asked. */
function startToMeasure({ pid }: NodeProcess) {
  const mib = (field: string) => {
    const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Math.round(Number(line?.[1]) / 1_024);
  };
  // Forgets the peak that it had when it started (proc(5), clear_refs).
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = mib("VmRSS");
  return () => ({ peakMiB: mib("VmHWM"), growthMiB: mib("VmHWM") - before });
}

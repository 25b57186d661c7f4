// From an activation to its enforcement: fifty connected runtimes, and the time from the call until each of them has
// the new version in force. All fifty live in one process and share the thread that builds engines: it verifies and
// builds the bundle fifty times in a row, and the process links and warms up fifty engines. Fifty machines do that at
// the same time, so the slowest of them here is an upper bound. In one kind of round a policy has changed, in the other
// the same content is published and activated anew.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BundleBuilder } from "../runtime/bundle/builder.ts";
import { runtimeSchema } from "../runtime/config.ts";
import { type ConnectTools, connect } from "../runtime/connected.ts";
import type { Source } from "../runtime/runtime.ts";
import { createLog } from "../src/kit/observability/log.ts";
import { systemClock } from "../src/kit/process/clock.ts";
import { readConfig } from "../src/kit/process/config.ts";
import { shutDown } from "../src/kit/process/shutdown.ts";
import { startServer } from "./load/http.ts";
import { type Bench, cpuSecondsOf } from "./measure.ts";
import type { BenchControlPlane } from "./server/control-plane.ts";
import { startBenchDatabase } from "./server/database.ts";

const fleet = 50;
const rounds = 5;
const roundLimitMs = 120_000;
/** Fifty first bundles are compiled one after the other. */
const startLimitMs = 300_000;

/** Measures how soon an activation is enforced. */
export const activationBench: Bench = async () => {
  const server = await startBenchDatabase();
  const plane = await startServer<BenchControlPlane>("control-plane", server.applicationUrl);
  const log = createLog({ name: "bench", level: "silent" });
  const root = mkdtempSync(join(tmpdir(), "policy-guard-bench-"));
  const sources: Source[] = [];
  const builder = new BundleBuilder();
  try {
    for (let i = 0; i < fleet; i++)
      sources.push(await startOne(plane.told, join(root, String(i)), { log, clock: systemClock, builder }));
    await enforced(sources, 1, { limitMs: startLimitMs });
    await sleep(2_000);
    const change = await startChanging(plane.told);
    const spent = {
      "a policy changed": { change, slowest: [], all: [], runtimeMs: [], planeMs: [] } as Spent,
      "the same content": { change: async () => undefined, slowest: [], all: [], runtimeMs: [], planeMs: [] } as Spent,
    };
    const planeCpuMs = () => 1_000 * (cpuSecondsOf(plane.child.pid ?? 0) + server.cpuSeconds());
    let version = 1;
    for (let round = 0; round <= rounds; round++) {
      for (const each of Object.values(spent)) {
        await each.change(round);
        const [cpuBefore, planeBefore] = [process.cpuUsage(), planeCpuMs()];
        const delays = await activateOnce(plane.told, sources, ++version);
        const { user, system } = process.cpuUsage(cpuBefore);
        // The first one also warms up.
        if (round === 0) continue;
        each.all.push(...delays);
        each.runtimeMs.push((user + system) / 1000);
        each.planeMs.push(planeCpuMs() - planeBefore);
        each.slowest.push(Math.max(...delays));
      }
    }
    return Object.entries(spent).map(([name, { all, slowest, runtimeMs, planeMs }]) => {
      print(`${name}, one runtime`, all);
      print(`${name}, all ${fleet} runtimes`, slowest);
      const each = (values: readonly number[]) => (percentile(values, 50) / fleet).toFixed(1);
      console.log(`CPU of each: runtime ${each(runtimeMs)} ms, control plane and database ${each(planeMs)} ms`);
      return {
        name: `activations enforced on ${fleet} runtimes, one after the other, ${name}; CPU of one runtime`,
        perSecond: 1000 / percentile(slowest, 50),
        cpuUs: (percentile(runtimeMs, 50) * 1000) / fleet,
      };
    });
  } finally {
    await Promise.all(sources.map(({ shutdownSteps }) => shutDown({ log, steps: shutdownSteps })));
    await builder.stop();
    plane.child.kill();
    await server.stop();
    rmSync(root, { recursive: true, force: true });
  }
};

/** What the rounds of one kind took. */
interface Spent {
  readonly change: (round: number) => Promise<void>;
  readonly slowest: number[];
  readonly all: number[];
  readonly runtimeMs: number[];
  readonly planeMs: number[];
}

/** Adds a policy; what is returned changes it. */
async function startChanging({ port, orgId, projectId, adminToken }: BenchControlPlane) {
  const save = async (method: "POST" | "PUT", path: string, phrase: string): Promise<string> => {
    const document = {
      ...{ apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "changing" } },
      detectors: { phrases: { use: "keywords", keywords: [phrase] } },
      rules: [{ id: "phrases", stages: ["input"], detect: "phrases", action: "FLAG" }],
    };
    const answer = await fetch(`http://127.0.0.1:${port}/v1/orgs/${orgId}/policies${path}`, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${adminToken}` },
      body: JSON.stringify({ document, scope: { app_id: projectId } }),
    });
    if (!answer.ok) throw new Error(`saving a policy answered ${answer.status}: ${await answer.text()}`);
    const { id }: { id: string } = JSON.parse(await answer.text());
    return id;
  };
  const id = await save("POST", "", "a phrase before the first round");
  return async (round: number): Promise<void> => {
    await save("PUT", `/${id}`, `the phrase of round ${round}`);
  };
}

function startOne(
  { port, runtimeToken: token }: BenchControlPlane,
  folder: string,
  tools: ConnectTools,
): Promise<Source> {
  const url = `http://127.0.0.1:${port}`;
  const config = readConfig(runtimeSchema, {
    POLICY_GUARD_DATA: folder,
    POLICY_GUARD_URL: url,
    POLICY_GUARD_TOKEN: token,
    POLL_INTERVAL: "10m",
  });
  return connect(config, { url, token }, tools);
}

/** Publishes and activates a version; for each runtime the milliseconds until it enforces it. */
async function activateOnce(told: BenchControlPlane, sources: readonly Source[], version: number): Promise<number[]> {
  const path = `/v1/orgs/${told.orgId}/projects/${told.projectId}/envs/prod/bundles/publish`;
  const startedAtMs = performance.now();
  const waiting = enforced(sources, version, { startedAtMs });
  const answer = await fetch(`http://127.0.0.1:${told.port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${told.adminToken}` },
    body: JSON.stringify({ activate: true }),
  });
  if (answer.status !== 201) throw new Error(`publish answered ${answer.status}: ${await answer.text()}`);
  return waiting;
}

async function enforced(
  sources: readonly Source[],
  version: number,
  { startedAtMs = performance.now(), limitMs = roundLimitMs }: { startedAtMs?: number; limitMs?: number } = {},
): Promise<number[]> {
  const delays = new Map<Source, number>();
  while (delays.size < sources.length) {
    const elapsedMs = performance.now() - startedAtMs;
    if (elapsedMs > limitMs)
      throw new Error(`${sources.length - delays.size} runtimes do not enforce version ${version}`);
    for (const source of sources) {
      if (!delays.has(source) && source.holder.loaded?.reference.version === version) delays.set(source, elapsedMs);
    }
    await sleep(2);
  }
  return [...delays.values()];
}

function print(what: string, values: readonly number[]): void {
  const [p50, p90, p99, most] = [50, 90, 99, 100].map((p) => Math.round(percentile(values, p)));
  console.log(`activate → enforced, ${what}: p50 ${p50} ms, p90 ${p90} ms, p99 ${p99} ms, most ${most} ms`);
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

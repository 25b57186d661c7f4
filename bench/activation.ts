// From an activation to its enforcement: the time from the call until connected runtimes have the new version in force,
// first of one runtime alone, with the phases of that time, then of fifty. The fifty live in one process, where each has
// its own connection, checks, files and bundle in force, and all share the builder, which builds an engine once for each
// content. Fifty machines would each build it, at the same time and like the one alone: the one alone is what a fleet
// sees, and the fifty are what serving, fetching, verifying and keeping fifty bundles costs two processors. In one kind
// of round a policy has changed, in the other the same content is published and activated anew.

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
import { type Bench, cpuSecondsOf, type Row } from "./measure.ts";
import type { BenchControlPlane } from "./server/control-plane.ts";
import { startBenchDatabase } from "./server/database.ts";

const fleet = 50;
const quickFleet = 5;
const rounds = 5;
const roundLimitMs = 120_000;
/** Fifty first bundles are compiled one after the other. */
const startLimitMs = 300_000;
/** By then, the engine of a runtime that has just become warm is ready in every part. */
const settleMs = 5_000;

/** Measures how soon an activation is enforced. */
export const activationBench: Bench = async ({ isQuick }) => {
  const server = await startBenchDatabase();
  const plane = await startServer<BenchControlPlane>("control-plane", server.applicationUrl);
  const log = createLog({ name: "bench", level: "silent" });
  const root = mkdtempSync(join(tmpdir(), "policy-guard-bench-"));
  const sources: Source[] = [];
  const builder = new TimedBuilder();
  const planeCpuMs = () => 1_000 * (cpuSecondsOf(plane.child.pid ?? 0) + server.cpuSeconds());
  const bench = { told: plane.told, sources, builder, planeCpuMs };
  try {
    const grow = async (count: number, version: number) => {
      const tools = { log, clock: systemClock, builder };
      while (sources.length < count)
        sources.push(await startOne(plane.told, join(root, String(sources.length)), tools));
      await enforced(sources, version, { limitMs: startLimitMs });
      while (!sources.every(({ holder }) => holder.isWarm)) await sleep(100);
      await sleep(settleMs);
    };
    await grow(1, 1);
    const change = await startChanging(plane.told);
    const alone = await measureFleet(bench, { version: 1, change });
    await grow(isQuick ? quickFleet : fleet, alone.version);
    const all = await measureFleet(bench, { version: alone.version, change });
    return [...alone.rows, ...all.rows];
  } finally {
    await Promise.all(sources.map(({ shutdownSteps }) => shutDown({ log, steps: shutdownSteps })));
    await builder.stop();
    plane.child.kill();
    await server.stop();
    rmSync(root, { recursive: true, force: true });
  }
};

/** A builder that notes when it was last asked, and when it was done. */
class TimedBuilder extends BundleBuilder {
  verifying = { fromMs: 0, untilMs: 0 };
  building = { fromMs: 0, untilMs: 0 };

  override async verify(check: Parameters<BundleBuilder["verify"]>[0]): ReturnType<BundleBuilder["verify"]> {
    const fromMs = performance.now();
    const verified = await super.verify(check);
    this.verifying = { fromMs, untilMs: performance.now() };
    return verified;
  }

  override async build(...content: Parameters<BundleBuilder["build"]>): ReturnType<BundleBuilder["build"]> {
    const fromMs = performance.now();
    const engine = await super.build(...content);
    this.building = { fromMs, untilMs: performance.now() };
    return engine;
  }
}

/** The running parts, of which one measurement takes as many runtimes as there are now. */
interface Running {
  readonly told: BenchControlPlane;
  readonly sources: readonly Source[];
  readonly builder: TimedBuilder;
  readonly planeCpuMs: () => number;
}

/** What the rounds of one kind took. */
interface Spent {
  readonly change: (round: number) => Promise<void>;
  readonly slowest: number[];
  readonly all: number[];
  readonly runtimeMs: number[];
  readonly planeMs: number[];
  readonly phases: Phases[];
}

type Phases = Readonly<Record<"published and fetched" | "verified" | "built" | "warmed up and kept", number>>;

async function measureFleet(
  { told, sources, builder, planeCpuMs }: Running,
  { version: first, change }: { readonly version: number; readonly change: (phrase: string) => Promise<void> },
): Promise<{ rows: Row[]; version: number }> {
  const of = sources.length === 1 ? "1 runtime alone" : `${sources.length} runtimes`;
  const kindOf = (prepare: Spent["change"]): Spent => ({
    ...{ change: prepare, slowest: [], all: [], runtimeMs: [], planeMs: [], phases: [] },
  });
  const spent = {
    "a policy changed": kindOf((round) => change(`the phrase of round ${round} for ${of}`)),
    "the same content": kindOf(async () => undefined),
  };
  let version = first;
  for (let round = 0; round <= rounds; round++) {
    for (const each of Object.values(spent)) {
      await each.change(round);
      const [cpuBefore, planeBefore] = [process.cpuUsage(), planeCpuMs()];
      const startedAtMs = performance.now();
      const delays = await activateOnce(told, sources, ++version);
      const { user, system } = process.cpuUsage(cpuBefore);
      // The first one also warms up.
      if (round === 0) continue;
      each.all.push(...delays);
      each.runtimeMs.push((user + system) / 1000);
      each.planeMs.push(planeCpuMs() - planeBefore);
      each.slowest.push(Math.max(...delays));
      each.phases.push(phasesOf(builder, startedAtMs, Math.max(...delays)));
    }
  }
  const rows = Object.entries(spent).map(([name, { all, slowest, runtimeMs, planeMs, phases }]) => {
    if (sources.length > 1) print(`${name}, each of ${of}`, all);
    print(`${name}, ${of}`, slowest);
    if (sources.length === 1) printPhases(phases);
    const each = (values: readonly number[]) => (percentile(values, 50) / sources.length).toFixed(1);
    console.log(`CPU of each: runtime ${each(runtimeMs)} ms, control plane and database ${each(planeMs)} ms`);
    return {
      name: `activations enforced on ${of}, one after the other, ${name}; CPU of one runtime`,
      perSecond: 1000 / percentile(slowest, 50),
      cpuUs: (percentile(runtimeMs, 50) * 1000) / sources.length,
    };
  });
  return { rows, version };
}

/** Of an activation that one runtime took over: how long each phase lasted. */
function phasesOf({ verifying, building }: TimedBuilder, startedAtMs: number, delayMs: number): Phases {
  const isBuilt = building.fromMs > verifying.untilMs;
  return {
    "published and fetched": verifying.fromMs - startedAtMs,
    verified: verifying.untilMs - verifying.fromMs,
    built: isBuilt ? building.untilMs - building.fromMs : 0,
    "warmed up and kept": startedAtMs + delayMs - (isBuilt ? building.untilMs : verifying.untilMs),
  };
}

function printPhases(all: readonly Phases[]): void {
  const names = Object.keys(all[0] ?? {}) as (keyof Phases)[];
  const texts = names.map((name) => {
    const middle = percentile(
      all.map((phases) => phases[name]),
      50,
    );
    return `${name} ${middle.toFixed(0)} ms`;
  });
  console.log(`of that: ${texts.join(", ")}`);
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
  return async (phrase: string): Promise<void> => {
    await save("PUT", `/${id}`, phrase);
  };
}

async function startOne(
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
  const source = await connect(config, { url, token }, tools);
  // As in a runtime that takes evaluations: it makes its first engine ready before any other.
  source.holder.listen(() => undefined);
  return source;
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

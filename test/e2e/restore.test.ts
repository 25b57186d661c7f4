// A database that was restored to an earlier moment under load: nothing is ready before the operator says how to go on,
// and then every runtime takes the next activation, although it has seen more than the database knows. `npm run
// assurance -- restore` does it ten times.

import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reportSample, sampleOf } from "../../scripts/assurance/sample.ts";
import { SigningKeys } from "../../src/domain/bundle/signing-keys.ts";
import { CheckpointSigning } from "../../src/domain/telemetry/checkpoint-signing.ts";
import { systemClock } from "../../src/kit/process/clock.ts";
import { createSealer, parseMasterKeys } from "../../src/platform/seal.ts";
import { openDatabase } from "../../src/store/connection/database.ts";
import { poolLockClass } from "../../src/store/core/worker-pool.ts";
import { eventually } from "../harness/eventually.ts";
import { type ArchivedServer, startArchivedServer } from "../harness/process/archived-server.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import type { TestRuntime } from "../harness/process/runtime.ts";
import { startWorkerProcess } from "../harness/process/worker-process.ts";

const policy = (word: string) => `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [${word}]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`;

let server: ArchivedServer;
let home: Installation;

beforeAll(async () => {
  server = await startArchivedServer();
  home = await startInstallation({ urls: server.urls });
});

afterAll(() => home.stop());

/** Runs the command as an operator does. */
async function operator(...args: string[]): Promise<string> {
  const env = {
    ...{ PATH: process.env.PATH, DATABASE_URL: server.urls.applicationUrl },
    ...{ DATABASE_WORKER_URL: server.urls.workerUrl, POLICY_GUARD_MASTER_KEY: home.masterKey },
  };
  const { stdout } = await promisify(execFile)(process.execPath, ["src/operator.ts", ...args], { env });
  return stdout;
}

/** The checkpoint that a worker signs. */
async function sign(): Promise<void> {
  const worker = await openDatabase({ url: server.urls.workerUrl, poolSize: 1 });
  const keys = new SigningKeys(worker, createSealer({ masterKeys: parseMasterKeys(home.masterKey) }));
  await new CheckpointSigning(worker, keys, systemClock).sign(home.world.orgId).finally(() => worker.close());
}

/** Takes a new signing key; the oldest goes when there are as many as there may be. */
async function rotate(): Promise<void> {
  const { signing_keys: keys } = await home.call("GET", "/signing-keys?limit=200");
  const live = keys.filter(({ state }: { readonly state: string }) => state !== "revoked");
  if (live.length > 3) await home.call("POST", `/signing-keys/${live.at(-1).kid}/revoke`, {});
  await home.call("POST", "/signing-keys/rotate", {});
}

/** Pools of workers that live. A pool that failed while the database was away leaves its row, but holds no lock. */
async function pools(): Promise<number> {
  const login = new pg.Client({ connectionString: server.urls.workerUrl });
  await login.connect();
  const { rows } = await login
    .query("select count(*)::int as count from pg_locks where locktype = 'advisory' and classid = $1", [poolLockClass])
    .finally(() => login.end());
  return rows[0].count;
}

const readiness = async () => (await fetch(`${home.plane.managementUrl}/readyz`)).json();
const seqOf = async (runtime: TestRuntime) => (await runtime.loaded()).bundle?.activation_seq ?? 0;
const isConnected = (runtime: TestRuntime) =>
  eventually(async () => expect(await runtime.metric("reporting_stream_connected")).toBe(1), 300_000);

/** Evaluates at every runtime until it is stopped. Returns how many answers there were that were none. */
function load(runtimes: readonly TestRuntime[]) {
  let isOver = false;
  const failed = Promise.all(
    runtimes.map(async (runtime) => {
      let failures = 0;
      while (!isOver) {
        const { status } = await runtime.evaluate({ text: "forbidden" }).catch(() => ({ status: 0 }));
        if (status !== 200) failures++;
        await sleep(5);
      }
      return failures;
    }),
  );
  return {
    async stop() {
      isOver = true;
      return (await failed).reduce((sum, each) => sum + each, 0);
    },
  };
}

it("a restore is noticed, and after the operator's word every runtime goes on", { timeout: 3_600_000 }, async () => {
  const { n } = sampleOf({ n: 1, seed: 1 });
  await home.createPolicy(policy("forbidden"));
  await home.publish();
  const runtimes = [await home.startRuntime(), await home.startRuntime()];
  for (const runtime of runtimes) await eventually(async () => expect(await seqOf(runtime)).toBeGreaterThan(0));
  const activated = { before: [] as number[], after: [] as number[] };
  /** Publishes, waits until every runtime has the bundle, and keeps how long that took from the answer on. */
  const publishTo = async (when: keyof typeof activated) => {
    const version = await home.publish();
    const answeredAtMs = performance.now();
    for (const runtime of runtimes)
      await eventually(async () => expect((await runtime.loaded()).bundle?.version).toBe(version));
    activated[when].push(Math.round(performance.now() - answeredAtMs));
  };
  for (let round = 0; round < n; round++) {
    await sign();
    const traffic = load(runtimes);
    const moment = await server.moment();
    // What the database is going to forget: versions and activations, a key, entries that were signed over.
    for (let i = 0; i < 2 + (round % 3); i++) await home.publish();
    await rotate();
    await publishTo("before");
    await sign();
    const seen = Math.max(...(await Promise.all(runtimes.map(seqOf))));
    await home.stopControlPlane();
    await server.restoreTo(moment);
    await home.startControlPlane();
    // The database has fewer activations than runtimes know, and nothing says so but that its history is another.
    expect(await readiness()).toMatchObject({ status: "not_ready", checks: { restore: "restored", schema: "ok" } });
    const { organizations } = JSON.parse(await operator("after-restore", "--reason", `round ${round}`, "--json"));
    const told = expect.objectContaining({
      org_id: home.world.orgId,
      epoch: expect.objectContaining({ origin: expect.stringMatching(/\/\d{8,}$/) }),
    });
    expect(organizations).toContainEqual(told);
    expect(await readiness()).toMatchObject({ status: "ready" });
    await sign();
    for (const runtime of runtimes) await isConnected(runtime);
    await publishTo("after");
    for (const runtime of runtimes) expect(await seqOf(runtime)).toBeGreaterThan(seen);
    for (const runtime of runtimes) await eventually(async () => expect(await runtime.metric("evidence_fork")).toBe(0));
    // Runtimes answered all the time.
    expect(await traffic.stop()).toBe(0);
  }
  const figures = {
    slowest_activation_ms: Math.max(...activated.after),
    slowest_activation_before_ms: Math.max(...activated.before),
  };
  reportSample({ n, failures: 0, figures });
});

it("processes that outlive a restore sign nothing and take no job before the operator's word", async () => {
  const worker = await startWorkerProcess({
    ...{ POLICY_GUARD_MASTER_KEY: home.masterKey, DATABASE_WORKER_URL: server.urls.workerUrl },
  });
  try {
    await eventually(async () => expect(await pools()).toBe(3));
    const moment = await server.moment();
    await home.publish();
    await server.restoreTo(moment);
    await eventually(async () => expect(await readiness()).toMatchObject({ checks: { restore: "restored" } }));
    await expect(home.publish()).rejects.toThrow(/503 .*nothing is signed: this is timeline/);
    // Whether the worker had signed all entries of the moment is chance; this one is new.
    await home.call("POST", "/policies", {
      document: policy("later").replace("name: words", "name: later"),
      scope: { app_id: home.world.projectId },
    });
    await expect(sign()).rejects.toThrow("nothing is signed");
    await eventually(async () => expect(worker.lastLines.join("\n")).toContain("jobs stop, since"), 300_000);
    await eventually(async () => expect(await pools()).toBe(0), 300_000);
    await operator("after-restore", "--reason", "in place");
    expect(await home.publish()).toBeGreaterThan(0);
    await sign();
    await eventually(async () => expect(await pools()).toBe(3), 300_000);
  } finally {
    await worker.stop();
  }
});

it("the same database with everything in it, elsewhere, is accepted as such", async () => {
  await home.stopControlPlane();
  await server.restoreTo(await server.moment());
  await home.startControlPlane();
  expect(await readiness()).toMatchObject({ checks: { restore: "restored" } });
  await expect(operator("after-restore", "--nothing-lost", "--reason", "moved")).rejects.toThrow("takes nothing else");
  expect(await operator("after-restore", "--nothing-lost", "--dry-run")).toContain("Nothing was changed");
  expect(await readiness()).toMatchObject({ checks: { restore: "restored" } });
  await operator("after-restore", "--nothing-lost");
  expect(await readiness()).toMatchObject({ status: "ready" });
});

// An installation of real processes that are killed under load. What callers were told is written down, and compared in
// the end with what the database and a webhook's target know.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../../../scripts/postgres/port.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { openDatabase } from "../../../src/store/connection/database.ts";
import { createTestDatabase } from "../database.ts";
import { eventually } from "../eventually.ts";
import { startWebhookSink } from "../net/webhook-sink.ts";
import { setPlan } from "../vector/plan.ts";
import { createWorld } from "../vector/world.ts";
import { createApi, createChange, createEvaluate, type Ledger, setUp, startLoad } from "./kill-load.ts";
import { passTime, settle } from "./kill-settle.ts";
import { type NodeProcess, startNodeProcess } from "./node-process.ts";

/** Who can be killed. */
export type Victim = "runtime" | "controlPlane" | "worker";

/** Everything that runs. */
export interface KillWorld {
  /** Kills one of the processes so many times under load. Resolves to what does not hold afterwards. */
  killUnderLoad(victim: Victim, kills: number, random: () => number): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts a control plane, a worker and a runtime, with one organization whose webhook listens to everything. */
export async function startKillWorld(): Promise<KillWorld> {
  const urls = await createTestDatabase();
  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  const world = await createWorld(database);
  // The load would use up any other plan.
  await setPlan(database, world.orgId, "enterprise");
  const sink = await startWebhookSink();
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-kill-"));
  const [port, runtimePort] = [await freePort(), await freePort()];
  const shared = {
    HOST: "127.0.0.1",
    POLICY_GUARD_MASTER_KEY: randomBytes(32).toString("base64"),
    POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8",
  };
  const controlPlane = await startNodeProcess({
    script: "src/main.ts",
    env: { ...shared, PORT: String(port), MANAGEMENT_PORT: "0", DATABASE_URL: urls.applicationUrl },
    readyMessage: "control plane is listening",
  });
  const call = createApi(`http://127.0.0.1:${port}`, world);
  const policyId = await setUp(call, world, sink);
  const [worker, runtime] = await Promise.all([
    startNodeProcess({
      script: "src/worker.ts",
      env: { ...shared, WORKER_MANAGEMENT_PORT: "0", DATABASE_WORKER_URL: urls.workerUrl },
      readyMessage: "worker is running",
    }),
    startNodeProcess({
      script: "runtime/main.ts",
      env: {
        ...shared,
        RUNTIME_PORT: String(runtimePort),
        RUNTIME_MANAGEMENT_PORT: "0",
        POLICY_GUARD_DATA: folder,
        POLICY_GUARD_URL: `http://127.0.0.1:${port}`,
        POLICY_GUARD_TOKEN: world.tokens.runtime ?? "",
      },
      readyMessage: "runtime is listening",
    }),
  ]);
  const processes: Readonly<Record<Victim, NodeProcess>> = { runtime, controlPlane, worker };
  const evaluate = createEvaluate(`http://127.0.0.1:${runtimePort}/v1/evaluate/input`, world.tokens.runtime ?? "");
  await eventually(async () => {
    if ((await evaluate(newId(), "forbidden")) !== true) throw new Error("the runtime does not block yet");
  });
  const workerLogin = new pg.Client({ connectionString: urls.workerUrl });
  await workerLogin.connect();
  return {
    async killUnderLoad(victim, kills, random) {
      const ledger: Ledger = { evaluations: new Map(), policyVersions: [], bundleVersions: [], wrong: [] };
      const load = startLoad(ledger, { evaluate, change: createChange(call, world, policyId) }, random);
      for (let kill = 0; kill < kills; kill++) {
        const before = ledger.evaluations.size;
        const enough = before + 5 + Math.floor(random() * 30);
        await eventually(() => {
          if (ledger.evaluations.size < enough) throw new Error("evaluations are not answered any more");
        }, 20_000);
        // Half of the kills meet a process that has not answered a change yet, if it is one that answers changes.
        const answered = ledger.policyVersions.length + Math.round(random());
        await eventually(() => {
          if (ledger.policyVersions.length < answered) throw new Error("changes are not answered any more");
        }, 20_000);
        await sleep(random() * 40);
        await processes[victim].kill();
        await processes[victim].start();
      }
      await load.stop();
      return settle(ledger, { database, world, sink, passTime: () => passTime(workerLogin, world.orgId) });
    },
    async stop() {
      await Promise.all([runtime.stop(), worker.stop()]);
      await controlPlane.stop();
      await Promise.all([workerLogin.end(), database.close(), sink.close()]);
      await urls.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

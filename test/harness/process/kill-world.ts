// An installation of real processes that are killed under load. What callers were told is written down, and compared in
// the end with what the database and a webhook's target know.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { freePort } from "../../../scripts/postgres/port.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { type Database, openDatabase } from "../../../src/store/connection/database.ts";
import { createTestDatabase } from "../database.ts";
import { eventually } from "../eventually.ts";
import { startWebhookSink, type WebhookSink } from "../net/webhook-sink.ts";
import { setPlan } from "../vector/plan.ts";
import { createWorld, type World } from "../vector/world.ts";
import { createApi, createChange, createEvaluate, type Ledger, setUp, startLoad } from "./kill-load.ts";
import { type NodeProcess, startNodeProcess } from "./node-process.ts";

/**
 * For how long nothing may move before it counts as lost: longer than the longest pause of a runtime whose control
 * plane was away.
 */
const patienceMs = 45_000;

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

interface Witnesses {
  readonly database: Database;
  readonly world: World;
  readonly sink: WebhookSink;
  readonly passTime: () => Promise<void>;
}

/** Waits as long as something still arrives; resolves to what has not, or came twice. */
async function settle(ledger: Ledger, witnesses: Witnesses): Promise<string[]> {
  let wrong: string[] = [];
  let arrived = 0;
  let movedAt = performance.now();
  do {
    await witnesses.passTime();
    await sleep(100);
    const seen = await look(ledger, witnesses);
    wrong = seen.wrong;
    // What arrives late may be of before, and what has arrived may still have to be delivered: only that it moves says
    // anything.
    if (seen.arrived > arrived) movedAt = performance.now();
    arrived = seen.arrived;
  } while (wrong.length > 0 && performance.now() - movedAt < patienceMs);
  const { evaluations, policyVersions } = ledger;
  // A load that nobody answered would prove nothing.
  if (evaluations.size === 0 || policyVersions.length === 0) wrong.push("nothing was answered");
  return [...ledger.wrong, ...wrong];
}

/** What has arrived anywhere so far, counted, and what does not hold. */
async function look(
  ledger: Ledger,
  { database, world, sink }: Witnesses,
): Promise<{ readonly arrived: number; readonly wrong: string[] }> {
  const { orgId } = world;
  const { traces, changes, events } = await database.read(orgId, async (tx) => ({
    traces: await tx.sql<{ id: string }>("select id from trace where org_id = ?", [orgId]),
    changes: await tx.sql<{ subject: string }>(committedChanges, [Outcome.BLOCK]),
    events: await tx.sql<{ id: string; name: string; body: string }>(
      "select id, name, body from event where org_id = ?",
      [orgId],
    ),
  }));
  const traced = countOf(traces.map(({ id }) => id));
  const committed = countOf(changes.map(({ subject }) => subject));
  const told = countOf(events.map(({ name, body }) => subjectOf(name, JSON.parse(body).data)));
  const delivered = new Set(sink.requests.map(({ event }) => event.id));
  const wrong: string[] = [];
  for (const [id, isBlocked] of ledger.evaluations) {
    if (traced.get(id) !== 1) wrong.push(`${id} has ${traced.get(id) ?? 0} traces`);
    if (committed.has(`evaluation.blocked ${id}`) !== isBlocked) wrong.push(`${id} is another outcome in its trace`);
  }
  for (const version of ledger.policyVersions) {
    if (!committed.has(`policy.updated ${version}`)) wrong.push(`version ${version} of the policy is gone`);
  }
  for (const version of ledger.bundleVersions) {
    if (!committed.has(`bundle.published ${version}`)) wrong.push(`bundle ${version} is gone`);
  }
  // Whether somebody was answered or not: each change that is there has its event, and each event its change.
  for (const subject of new Set([...committed.keys(), ...told.keys()])) {
    const [is, should] = [told.get(subject) ?? 0, committed.get(subject) ?? 0];
    if (is !== should) wrong.push(`${subject} was committed ${should} times and has ${is} events`);
  }
  for (const { id, name } of events) if (!delivered.has(id)) wrong.push(`${name} ${id} was not delivered`);
  return { arrived: traces.length + events.length + delivered.size, wrong };
}

/**
 * What happened, from the rows of the changes themselves, in the words of `subjectOf`. Row-level security keeps to one
 * organization.
 */
const committedChanges = `
  select 'evaluation.blocked ' || id as subject from trace where outcome = ?
  union all select 'policy.updated ' || version from policy_version
  union all select 'bundle.published ' || version from bundle
  union all select 'bundle.activated ' || version from activation`;

function subjectOf(name: string, data: { readonly evaluation_id?: string; readonly version?: number }): string {
  return `${name} ${data.evaluation_id ?? data.version}`;
}

function countOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Half a minute passes for deliveries: claims of dead workers run out, the sweep comes. */
async function passTime(worker: pg.Client, orgId: string): Promise<void> {
  await worker.query("select set_config('app.org_id', $1, false)", [orgId]);
  // Not for claims of the last five seconds: those are of a worker that lives, which would make its attempts again and
  // again.
  await worker.query(
    `update webhook_delivery set claimed_until = claimed_until - interval '30 seconds',
       next_attempt_at = next_attempt_at - interval '30 seconds'
     where state = 'pending' and (claimed_until is null or claimed_until <= now() + interval '25 seconds')`,
  );
  await worker.query("select app.wake_overdue_webhooks(now(), now(), 100)");
}

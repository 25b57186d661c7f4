// A fleet of real processes behind balancers that honour readiness, and what happens to such a fleet: processes are
// drained, replaced by another release, killed and stopped, and the database restarts. All of it under load.

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "../../../scripts/postgres/port.ts";
import type { DatabaseUrls } from "../../../scripts/postgres/urls.ts";
import { addUsage } from "../../../src/store/billing/usage.ts";
import { type Database, openDatabase } from "../../../src/store/connection/database.ts";
import { migrateDatabase } from "../../../src/store/connection/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { eventually } from "../eventually.ts";
import { type Balancer, type Probing, startBalancer } from "../net/balancer.ts";
import { startWebhookSink, type WebhookSink } from "../net/webhook-sink.ts";
import { createWorld } from "../vector/world.ts";
import { FleetCalls, send } from "./fleet-call.ts";
import { type FleetLoad, type LoadWorld, startFleetLoad } from "./fleet-load.ts";
import { type FleetMember, Member, type MemberKind } from "./fleet-member.ts";
import { createApi, setUp } from "./kill-load.ts";
import { passTime, settle } from "./kill-settle.ts";
import { LocalMember } from "./local-member.ts";
import { startOwnServer } from "./own-server.ts";
import { readCounters } from "./quota-world.ts";
import { type FleetWorld, makeWorlds, makeWorldsAs } from "./release-worlds.ts";

/** How large it is. */
export interface FleetShape extends Probing {
  readonly controlPlanes: number;
  readonly workers: number;
  /** Runtimes of the organization without a limit, and of the one that uses up its plan. */
  readonly runtimes: number;
  readonly limitedRuntimes: number;
  /** Processes of each runtime. */
  readonly processes: number;
  /** The checkout of the release that it begins with; undefined for this one. */
  readonly previous: string | undefined;
  /**
   * Whether all members are processes, on a PostgreSQL of the fleet's own. Otherwise only workers are, and nothing can be
   * killed, stopped or restarted.
   */
  readonly isReal: boolean;
  /** How long a process goes on after it said that it is not ready. */
  readonly drainDelayMs: number;
}

/** What has come of it. */
export interface FleetOutcome {
  /** What does not hold of what was answered. */
  readonly wrong: readonly string[];
  /** Evaluations that the plan of the limited organization did not allow. */
  readonly excess: number;
  readonly figures: Readonly<Record<string, number>>;
}

/** The plan `free`. */
const planLimit = 10_000;
/** What the limited organization has left. */
const leftOfPlan = 1_500;
const root = resolve(import.meta.dirname, "../../..");

/** Starts a fleet, with the load on it. */
export async function startFleet(shape: FleetShape, random: () => number): Promise<Fleet> {
  const server = shape.isReal ? await startOwnServer() : undefined;
  const testDatabase = server === undefined ? await createTestDatabase() : undefined;
  const urls = server?.urls ?? testDatabase;
  if (urls === undefined) throw new Error("a fleet has a database");
  if (shape.previous !== undefined) await migrateAs(shape.previous, urls);
  else if (server !== undefined) await migrateDatabase(urls);
  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 3 });
  const fleet = new Fleet(shape, {
    urls,
    testDatabase,
    database,
    sink: await startWebhookSink(),
    folder: mkdtempSync(join(tmpdir(), "policy-guard-fleet-")),
    restartDatabase: server?.restart,
    endDatabase: async () => {
      await database.close();
      await Promise.all([server?.stop(), testDatabase?.drop()]);
    },
  });
  await fleet.start(random);
  return fleet;
}

interface FleetGround {
  readonly urls: DatabaseUrls;
  readonly testDatabase: TestDatabase | undefined;
  readonly database: Database;
  readonly sink: WebhookSink;
  readonly folder: string;
  readonly restartDatabase: (() => Promise<void>) | undefined;
  readonly endDatabase: () => Promise<void>;
}

/** A fleet that runs. */
export class Fleet {
  readonly #shape: FleetShape;
  readonly #ground: FleetGround;
  readonly calls = new FleetCalls();
  readonly members: FleetMember[] = [];
  /** Processes that did not end in order when they were asked to, and why. */
  readonly disorders: string[] = [];
  readonly #balancers = new Map<string, Balancer>();
  #checkout: string;
  #load: FleetLoad | undefined;
  #worlds: { readonly open: FleetWorld; readonly limited: FleetWorld } | undefined;

  constructor(shape: FleetShape, ground: FleetGround) {
    this.#shape = shape;
    this.#ground = ground;
    this.#checkout = shape.previous ?? root;
  }

  /** Starts all processes and the load. */
  async start(random: () => number): Promise<void> {
    const { urls, database, sink } = this.#ground;
    const { previous } = this.#shape;
    const plans = ["enterprise", "free", "enterprise"] as const;
    const [open, limited, provisioned] =
      previous === undefined
        ? await makeWorlds(database, plans)
        : await makeWorldsAs(previous, urls.applicationUrl, plans);
    if (open === undefined || limited === undefined || provisioned === undefined) throw new Error("three were made");
    await database.systemTransaction(limited.orgId, (tx) =>
      addUsage(tx, new Map([[`${tx.now.toISOString().slice(0, 7)}-01`, planLimit - leftOfPlan]])),
    );
    this.#worlds = { open, limited };
    const port = await this.#startControl();
    const api = (world: FleetWorld) => createApi(`http://127.0.0.1:${port}`, world);
    const policyId = await setUp(api(open), open, sink);
    await setUp(api(limited), limited, sink);
    const runtimePort = await this.#startRuntimes("open", open, this.#shape.runtimes, port);
    const limitedPort = await this.#startRuntimes("limited", limited, this.#shape.limitedRuntimes, port);
    const place: LoadWorld = {
      ...{ calls: this.calls, port, open: { world: open, runtimePort }, provisioned },
      limited: this.#shape.limitedRuntimes === 0 ? undefined : { world: limited, runtimePort: limitedPort },
      newBuyer: () => createWorld(database),
      readyPorts: () => ({
        controlPlanes: this.#readyPorts("control plane"),
        openRuntimes: this.#readyPorts("open"),
      }),
    };
    this.#load = startFleetLoad(place, policyId, random);
  }

  /** Brings the database to the schema of this release while everything goes on. */
  async migrate(): Promise<void> {
    await migrateAs(root, this.#ground.urls);
  }

  /** Replaces each of these in turn: by this release, or by the one that the fleet began with. */
  async replace(members: readonly FleetMember[], release: "this" | "first", callsEach: number): Promise<void> {
    this.#checkout = release === "this" ? root : (this.#shape.previous ?? root);
    for (const member of members) {
      const disorder = await member.drain();
      if (disorder !== undefined) this.disorders.push(disorder);
      await this.#bring(member);
      await this.#untilCalled(callsEach);
    }
  }

  /** Kills each process in turn. */
  async killAll(): Promise<void> {
    for (const member of this.members) {
      await this.#unplanned(async () => {
        await member.kill();
        // As long as an orchestrator takes to notice.
        await sleep(500);
        await this.#bring(member);
      });
    }
  }

  /** Stops each process in its tracks for a while. */
  async freezeAll(forMs: number): Promise<void> {
    for (const member of this.members) {
      await this.#unplanned(async () => {
        const goOn = member.freeze();
        await sleep(forMs);
        goOn();
        await member.ready();
      });
    }
  }

  /** Restarts the database. Returns how long everything took to work again once it accepted connections. */
  async restartDatabase(): Promise<number> {
    const { restartDatabase } = this.#ground;
    if (restartDatabase === undefined) throw new Error("the database is not the fleet's own");
    let recoveryMs = 0;
    await this.#unplanned(async () => {
      await restartDatabase();
      const startedAt = performance.now();
      await Promise.all([this.#untilWritable(), ...this.members.map((member) => member.ready())]);
      recoveryMs = performance.now() - startedAt;
    });
    return recoveryMs;
  }

  /** Lets so many planned calls pass. */
  #untilCalled(count: number): Promise<void> {
    const enough = this.calls.total("planned").calls + count;
    return eventually(() => {
      if (this.calls.total("planned").calls < enough) throw new Error("calls are not made any more");
    }, 300_000);
  }

  /** Ends the load, waits for what is on its way, and compares. */
  async settle(): Promise<FleetOutcome> {
    if (this.#load === undefined || this.#worlds === undefined) throw new Error("the fleet was not started");
    const { urls, database, sink } = this.#ground;
    const { open, limited } = this.#worlds;
    await this.#load.stop();
    const { ledger } = this.#load;
    const worker = new pg.Client({ connectionString: urls.workerUrl });
    await worker.connect();
    const compare = (world: FleetWorld, told: FleetLoad["ledger"]) =>
      settle(told, { database, world, sink, passTime: () => passTime(worker, world.orgId) }, 1_000);
    const wrong = [...(await compare(open, ledger))];
    if (this.#shape.limitedRuntimes > 0) wrong.push(...(await this.#lostOf(limited.orgId, ledger.limited)));
    await worker.end();
    wrong.push(...(await this.#peopleAndBuyers()));
    const { excess, overage } = await this.#plan(limited.orgId);
    const { activationMs, revocationMs } = ledger;
    return {
      wrong,
      excess,
      figures: {
        evaluations: ledger.evaluations.size + ledger.limited.size,
        bundles: ledger.bundleVersions.length,
        deliveries: sink.requests.length,
        overage,
        ...spread("activation_ms", activationMs),
        ...spread("revocation_ms", revocationMs),
      },
    };
  }

  /** Ends all processes. */
  async stop(): Promise<void> {
    const order: readonly MemberKind[] = ["runtime", "worker", "control plane"];
    for (const kind of order) {
      await Promise.all(this.members.filter((member) => member.kind === kind).map((member) => member.stop()));
    }
    await Promise.all([...this.#balancers.values()].map((balancer) => balancer.close()));
    await this.#ground.sink.close();
    await this.#ground.endDatabase();
    rmSync(this.#ground.folder, { recursive: true, force: true });
  }

  async #startControl(): Promise<number> {
    const { urls } = this.#ground;
    const shared = {
      HOST: "127.0.0.1",
      POLICY_GUARD_MASTER_KEY: randomBytes(32).toString("base64"),
      POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8",
    };
    const ofPlanes = {
      ...{ ...shared, DATABASE_URL: urls.applicationUrl, DRAIN_DELAY: `${this.#shape.drainDelayMs}ms` },
      // Everybody who pays comes from one address.
      ...{ AUTH_LIMIT_PER_MINUTE: "10000", AUTH_LIMIT_PER_HOUR: "10000" },
    };
    const planes = await this.#add("control plane", this.#shape.controlPlanes, (port, managementPort) => ({
      ...{ ...ofPlanes, PORT: String(port), MANAGEMENT_PORT: String(managementPort) },
    }));
    await this.#add("worker", this.#shape.workers, (_, managementPort) => ({
      ...{ ...shared, DATABASE_WORKER_URL: urls.workerUrl, WORKER_MANAGEMENT_PORT: String(managementPort) },
    }));
    return this.#balance("control plane", planes);
  }

  async #startRuntimes(name: string, world: FleetWorld, count: number, controlPort: number): Promise<number> {
    if (count === 0) return 0;
    const runtimes = await this.#add("runtime", count, (port, managementPort) => ({
      ...{ HOST: "127.0.0.1", RUNTIME_PORT: String(port), RUNTIME_MANAGEMENT_PORT: String(managementPort) },
      ...{ POLICY_GUARD_URL: `http://127.0.0.1:${controlPort}`, POLICY_GUARD_TOKEN: world.tokens.runtime ?? "" },
      POLICY_GUARD_DATA: join(this.#ground.folder, `${name}-${port}`),
      ...(this.#shape.processes > 1 && { RUNTIME_PROCESSES: String(this.#shape.processes) }),
      DRAIN_DELAY: `${this.#shape.drainDelayMs}ms`,
    }));
    return this.#balance(name, runtimes);
  }

  /** Starts so many members of a kind, all at once. */
  async #add(kind: MemberKind, count: number, env: (port: number, managementPort: number) => Record<string, string>) {
    const added: FleetMember[] = [];
    for (let i = 0; i < count; i++) {
      const [port, managementPort] = [await freePort(), await freePort()];
      const number = this.members.filter((member) => member.kind === kind).length + 1;
      const options = { name: `${kind} ${number}`, kind, port, managementPort, env: env(port, managementPort) };
      const { testDatabase } = this.#ground;
      const isLocal = testDatabase !== undefined && kind !== "worker";
      const member = isLocal ? new LocalMember(options, testDatabase) : new Member(options);
      this.members.push(member);
      added.push(member);
    }
    await Promise.all(added.map((member) => this.#bring(member)));
    return added;
  }

  async #balance(name: string, members: readonly FleetMember[]): Promise<number> {
    const balancer = await startBalancer(members, this.#shape);
    this.#balancers.set(name, balancer);
    await eventually(() => {
      if (balancer.ready().length < members.length) throw new Error(`only ${balancer.ready()} are ready`);
    }, 300_000);
    return balancer.port;
  }

  /** Starts a member, and waits until it is ready and its balancer knows. */
  async #bring(member: FleetMember): Promise<void> {
    await member.start(this.#checkout);
    // A runtime is ready with its first bundle, which its organization may not have published yet.
    await member.ready();
    await sleep(2 * this.#shape.pollMs);
  }

  #readyPorts(name: string): number[] {
    const ready = new Set(this.#balancers.get(name)?.ready());
    return this.members.filter((member) => ready.has(member.name)).map(({ port }) => port);
  }

  /** Something that nobody planned: calls may fail until everything is as before. */
  async #unplanned(happening: () => Promise<void>): Promise<void> {
    this.calls.weather = "unplanned";
    await happening();
    await this.#untilWritable();
    // Streams that broke are opened again after a pause.
    await sleep(5_000);
    this.calls.weather = "planned";
  }

  /** Waits until a change goes through. */
  async #untilWritable(): Promise<void> {
    const { open } = this.#worlds ?? {};
    const port = this.#balancers.get("control plane")?.port;
    if (open === undefined || port === undefined) throw new Error("the fleet was not started");
    const path = `/v1/orgs/${open.orgId}/projects`;
    await eventually(async () => {
      const body = { name: `after ${randomBytes(6).toString("hex")}` };
      const call = { port, method: "POST", path, token: open.tokens.admin, body, isRepeatable: false };
      const reply = await send(call);
      if (reply instanceof Error || reply.status !== 201) throw new Error(`no change goes through: ${String(reply)}`);
    });
  }

  /** Evaluations of the limited organization that were answered and are not there exactly once. */
  async #lostOf(orgId: string, answered: ReadonlyMap<string, boolean>): Promise<string[]> {
    const { database } = this.#ground;
    let wrong: string[] = [];
    await eventually(async () => {
      const rows = await database.read(orgId, (tx) =>
        tx.sql<{ id: string; count: number }>("select id, count(*)::int as count from trace group by id"),
      );
      const counts = new Map(rows.map(({ id, count }) => [id, count]));
      wrong = [...answered.keys()]
        .filter((id) => counts.get(id) !== 1)
        .map((id) => `${id} has ${counts.get(id) ?? 0} traces`);
      if (wrong.length > 0) throw new Error("some are on their way");
    }).catch(() => undefined);
    return wrong;
  }

  async #peopleAndBuyers(): Promise<string[]> {
    const { database } = this.#ground;
    const { users, buyers } = this.#load?.ledger ?? { users: new Set<string>(), buyers: new Set<string>() };
    const wrong: string[] = [];
    for (const orgId of buyers) {
      const [row] = await database.read(orgId, (tx) =>
        tx.sql<{ plan: string; subscriptions: number; invoices: number }>(
          `select plan, (select count(*)::int from subscription) as subscriptions, (select count(*)::int from invoice) as invoices
           from organization`,
        ),
      );
      const { plan, subscriptions, invoices } = row ?? {};
      if (plan !== "growth" || subscriptions !== 1 || invoices !== 1) {
        wrong.push(`${orgId} paid and has ${plan}, ${subscriptions} subscriptions, ${invoices} invoices`);
      }
    }
    if (buyers.size === 0) wrong.push("nobody bought anything");
    if (users.size === 0) wrong.push("nobody was provisioned");
    return wrong;
  }

  async #plan(orgId: string): Promise<{ readonly excess: number; readonly overage: number }> {
    const [month] = await readCounters(this.#ground.database, orgId);
    if (month === undefined) throw new Error("a month was counted");
    const { evaluations, overage, outstanding } = month;
    return { excess: Math.max(0, evaluations - overage + outstanding - planLimit), overage };
  }
}

/** Migrates with the code of a checkout, as its image does. */
async function migrateAs(checkout: string, { migrationUrl }: DatabaseUrls): Promise<void> {
  await promisify(execFile)(process.execPath, [join(checkout, "src/migrate.ts")], {
    env: { PATH: process.env.PATH, DATABASE_MIGRATION_URL: migrationUrl },
  });
}

function spread(name: string, values: readonly number[]): Record<string, number> {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return {
    [`${name}_n`]: sorted.length,
    [`${name}_median`]: at(0.5),
    [`${name}_p99`]: at(0.99),
    [`${name}_max`]: at(1),
  };
}

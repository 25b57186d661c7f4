// A whole installation in this process: a database that stays, a control plane that comes and goes on one port, and
// whatever runtimes a test starts.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../scripts/postgres/port.ts";
import type { Plan } from "../../../src/domain/billing/plan.ts";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { eventually } from "../eventually.ts";
import type { MovedClock } from "../moved-clock.ts";
import { setPlan } from "../vector/plan.ts";
import { createWorld, type World } from "../vector/world.ts";
import { startTestControlPlane, type TestControlPlane } from "./control-plane.ts";
import { startTestRuntime, type TestRuntime, type TestRuntimeOptions } from "./runtime.ts";

/** The installation, with one organization in it. */
export interface Installation {
  readonly world: World;
  /** The runtime token. */
  readonly token: string;
  readonly url: string;
  /** What seals the secrets at rest. */
  readonly masterKey: string;
  readonly plane: TestControlPlane;
  /** Calls the control plane with the admin token. Throws when the call fails. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they want.
  call(method: string, path: string, body?: object): Promise<any>;
  /** Creates a policy of the project. Returns its id. */
  createPolicy(source: string): Promise<string>;
  /** Publishes the environment's policies and puts them into force. Returns the version. */
  publish(): Promise<number>;
  /** Evaluation ids of all traces, with repetitions. */
  traceIds(): Promise<string[]>;
  stopControlPlane(): Promise<void>;
  startControlPlane(): Promise<void>;
  /** A runtime on a folder of its own, or on that of an earlier one. */
  startRuntime(options?: Partial<TestRuntimeOptions>): Promise<TestRuntime>;
  newFolder(): string;
  stop(): Promise<void>;
}

/** Starts a database and a control plane, and makes an organization; by default on a plan without a limit. */
export async function startInstallation({
  clock,
  plan = "enterprise",
  urls: given,
  env: ownEnv = {},
}: {
  readonly clock?: MovedClock;
  readonly plan?: Plan;
  /** A database that is there. It goes with the installation. */
  readonly urls?: TestDatabase;
  /** Further environment variables of the control plane. */
  readonly env?: Readonly<Record<string, string>>;
} = {}): Promise<Installation> {
  const urls = given ?? (await createTestDatabase());
  const port = await freePort();
  const root = mkdtempSync(join(tmpdir(), "policy-guard-installation-"));
  const masterKey = randomBytes(32).toString("base64");
  const env = { PORT: String(port), POLICY_GUARD_MASTER_KEY: masterKey, ...ownEnv };
  const start = () => startTestControlPlane({ urls, env, clock });
  let plane = await start();
  let isUp = true;
  let folders = 0;
  const world = await createWorld(plane.database);
  await setPlan(plane.database, world.orgId, plan);
  const url = `http://127.0.0.1:${port}`;
  const token = world.tokens.runtime ?? "";
  const runtimes = new Set<TestRuntime>();
  const call: Installation["call"] = async (method, path, body) => {
    const response = await fetch(`${url}/v1/orgs/${world.orgId}${path}`, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${world.tokens.admin}` },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const newFolder = () => join(root, `runtime-${++folders}`);
  const stopControlPlane = async () => {
    if (!isUp) return;
    isUp = false;
    await plane.stop();
  };
  return {
    world,
    token,
    url,
    masterKey,
    get plane() {
      return plane;
    },
    call,
    // Under much load its analysis may be refused for the moment; then nothing was made.
    createPolicy: (document) =>
      eventually(
        async () => (await call("POST", "/policies", { document, scope: { app_id: world.projectId } })).id,
        300_000,
      ),
    async publish() {
      const path = `/projects/${world.projectId}/envs/${world.environment}/bundles/publish`;
      return (await call("POST", path, { activate: true })).version;
    },
    traceIds: () =>
      plane.database.read(world.orgId, async (tx) =>
        (await tx.sql<{ id: string }>("select id from trace where org_id = ?", [world.orgId])).map(({ id }) => id),
      ),
    stopControlPlane,
    async startControlPlane() {
      plane = await start();
      isUp = true;
    },
    newFolder,
    async startRuntime(options = {}) {
      const runtime = await startTestRuntime({ url, token, folder: newFolder(), ...options });
      runtimes.add(runtime);
      return {
        ...runtime,
        async stop() {
          if (runtimes.delete(runtime)) await runtime.stop();
        },
      };
    },
    async stop() {
      for (const runtime of runtimes) await runtime.stop();
      await stopControlPlane();
      await urls.drop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

// A control plane behind a pooler in transaction mode, and processes whose pooler is in the wrong place.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../../scripts/postgres/port.ts";
import { openDatabase } from "../../../../src/store/connection/database.ts";
import { assertDelivery } from "../../../../src/store/connection/delivery-proof.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { eventually } from "../../../harness/eventually.ts";
import { patientFetch } from "../../../harness/net/patient-fetch.ts";
import { startTestControlPlane } from "../../../harness/process/control-plane.ts";
import { startNodeProcess } from "../../../harness/process/node-process.ts";
import { testMasterKey } from "../../../harness/sealer.ts";
import { createWorld } from "../../../harness/vector/world.ts";

let urls: TestDatabase;

beforeAll(async () => {
  urls = await createTestDatabase();
});

afterAll(() => urls.drop());

const variable = "DATABASE_LISTEN_URL";

describe("the proof that notifications arrive", () => {
  it("takes a server", async () => {
    await assertDelivery({ listenUrl: urls.applicationUrl, notifyUrl: urls.applicationUrl, variable });
  });

  it("says which variable to set when they do not, as between two databases", async () => {
    const other = await createTestDatabase();
    const proof = { listenUrl: other.applicationUrl, notifyUrl: urls.applicationUrl, variable, limitMs: 500 };
    await expect(assertDelivery(proof)).rejects.toThrow(/do not arrive: DATABASE_LISTEN_URL leads through a pooler/);
    await other.drop();
  });

  it("fails as the connection does when nobody answers", async () => {
    const url = new URL(urls.applicationUrl);
    url.port = String(await freePort());
    await expect(assertDelivery({ listenUrl: url.href, notifyUrl: url.href, variable })).rejects.toThrow(
      "ECONNREFUSED",
    );
  });
});

function hasPgbouncer(): boolean {
  try {
    execFileSync("pgbouncer", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe.runIf(hasPgbouncer())("behind pgbouncer in transaction mode", () => {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-pgbouncer-"));
  let stop: () => Promise<void>;
  const pooled = { application: "", worker: "", owner: "" };

  beforeAll(async () => {
    const port = await freePort();
    const { hostname, port: server } = new URL(urls.applicationUrl);
    const throughPool = (from: string) => {
      const url = new URL(from);
      const line = `"${url.username}" "${url.password}"`;
      url.port = String(port);
      return { line, href: url.href };
    };
    const [application, worker] = [throughPool(urls.applicationUrl), throughPool(urls.workerUrl)];
    const owner = throughPool(urls.migrationUrl);
    Object.assign(pooled, { application: application.href, worker: worker.href, owner: owner.href });
    const users = join(folder, "users.txt");
    writeFileSync(users, `${application.line}\n${worker.line}\n${owner.line}\n`);
    const settings = join(folder, "pgbouncer.ini");
    writeFileSync(
      settings,
      [
        "[databases]",
        `* = host=${hostname} port=${server}`,
        "[pgbouncer]",
        `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
        `auth_type = scram-sha-256\nauth_file = ${users}`,
        "pool_mode = transaction\nmax_client_conn = 200\ndefault_pool_size = 8",
      ].join("\n"),
    );
    const isRoot = process.getuid?.() === 0;
    if (isRoot) for (const path of [folder, users, settings]) chownSync(path, 65_534, 65_534);
    const child = spawn("pgbouncer", [settings], { stdio: "ignore", ...(isRoot && { uid: 65_534, gid: 65_534 }) });
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
    const exited = once(child, "exit");
    stop = async () => {
      process.off("exit", kill);
      kill();
      await exited;
    };
    await eventually(async () => {
      const database = await openDatabase({ url: pooled.application, poolSize: 1 });
      await database.close();
    });
  });

  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });

  it("a control plane that listens at the server itself works, and hears what another one changes", async () => {
    const env = { DATABASE_URL: pooled.application, DATABASE_LISTEN_URL: urls.applicationUrl };
    const [one, other] = await Promise.all([
      startTestControlPlane({ urls, env }),
      startTestControlPlane({ urls, env }),
    ]);
    try {
      const { orgId, projectId, environment, tokens } = await createWorld(one.database);
      const call = async (base: string, method: string, path: string, token?: string, body?: object) => {
        const response = await patientFetch(`${base}/v1${path}`, {
          method,
          headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
          ...(body && { body: JSON.stringify(body) }),
        });
        await response.arrayBuffer();
        return { status: response.status, etag: response.headers.get("etag") ?? "" };
      };
      // Forty transactions at once on the pooler's eight connections: each sees the rows of its organization only.
      const names = Array.from({ length: 40 }, (_, i) => `project ${i}`);
      const made = await Promise.all(
        names.map((name) => call(one.baseUrl, "POST", `/orgs/${orgId}/projects`, tokens.admin, { name })),
      );
      expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
      const publish = `/orgs/${orgId}/projects/${projectId}/envs/${environment}/bundles/publish`;
      const version = async () =>
        Number(/-(\d+)"$/.exec((await call(other.baseUrl, "GET", "/bundles/latest", tokens.runtime)).etag)?.[1] ?? 0);
      for (const wanted of [1, 2]) {
        expect((await call(one.baseUrl, "POST", publish, tokens.admin, { activate: true })).status).toBe(201);
        await eventually(async () => expect(await version()).toBe(wanted));
      }
    } finally {
      await Promise.all([one.stop(), other.stop()]);
    }
  });

  it("a control plane that listens through it says what to set, and a worker too", async () => {
    await expect(
      assertDelivery({ listenUrl: pooled.worker, notifyUrl: pooled.worker, variable, limitMs: 1_000 }),
    ).rejects.toThrow("do not arrive");
    const start = (script: string, env: Record<string, string>) =>
      startNodeProcess({
        script,
        env: { POLICY_GUARD_MASTER_KEY: testMasterKey, PORT: "0", MANAGEMENT_PORT: "0", ...env },
        readyMessage: "control plane is listening",
      });
    const plane = expect(start("src/main.ts", { DATABASE_URL: pooled.application })).rejects.toThrow(
      /does not start: PostgreSQL's notifications do not arrive: DATABASE_LISTEN_URL \(or, without it, DATABASE_URL\) leads/,
    );
    const worker = expect(
      start("src/worker.ts", { DATABASE_WORKER_URL: pooled.worker, WORKER_MANAGEMENT_PORT: "0" }),
    ).rejects.toThrow(/does not start: PostgreSQL's notifications do not arrive: DATABASE_WORKER_URL leads/);
    await Promise.all([plane, worker]);
  });

  it("a migration through it says what to set", async () => {
    const env = { DATABASE_MIGRATION_URL: pooled.owner };
    await expect(startNodeProcess({ script: "src/migrate.ts", env, readyMessage: "never" })).rejects.toThrow(
      "DATABASE_MIGRATION_URL leads through a pooler; set it to the server itself",
    );
  });
});

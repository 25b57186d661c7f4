// Processes whose database is not yet, or no longer, the one of their version.

import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { freePort } from "../../scripts/postgres/port.ts";
import { databaseUrls } from "../../scripts/postgres/urls.ts";
import { productVersion } from "../../src/kit/process/product-folder.ts";
import { prepareDatabaseSql } from "../../src/store/core/roles.ts";
import { migrations } from "../../src/store/schema/migrations/index.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startTestControlPlane } from "../harness/process/control-plane.ts";
import { type NodeProcess, startNodeProcess } from "../harness/process/node-process.ts";
import { testMasterKey } from "../harness/sealer.ts";

async function readiness(url: string): Promise<{ status: number; schema: string | undefined }> {
  const response = await fetch(`${url}/readyz`);
  const { checks } = (await response.json()) as { checks: Record<string, string> };
  return { status: response.status, schema: checks.schema };
}

async function asSuperuser(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject("postgres").superuserUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Pools of workers that take jobs. */
async function queuedPools(urls: TestDatabase): Promise<number> {
  const worker = new pg.Client({ connectionString: urls.workerUrl });
  await worker.connect();
  const { rows } = await worker.query<{ count: number }>("select count(*)::int as count from worker_pool");
  await worker.end();
  return rows[0]?.count ?? 0;
}

describe("on an empty database", () => {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const { port, passwords } = inject("postgres");
  const urls = { ...databaseUrls(port, name, passwords), openWitness: () => Promise.reject(), drop: async () => {} };

  beforeAll(() => asSuperuser(`create database ${name} template template0 encoding 'UTF8'`, prepareDatabaseSql(name)));

  afterAll(() => asSuperuser(`drop database ${name} with (force)`));

  it("a control plane lives without being ready", async () => {
    const plane = await startTestControlPlane({ urls });
    try {
      expect((await fetch(`${plane.managementUrl}/livez`)).status).toBe(200);
      expect(await readiness(plane.managementUrl)).toEqual({ status: 503, schema: "older" });
    } finally {
      await plane.stop();
    }
  });
});

describe("on a database of another version", () => {
  let urls: TestDatabase;
  let owner: pg.Client;

  beforeAll(async () => {
    urls = await createTestDatabase();
    owner = new pg.Client({ connectionString: urls.migrationUrl });
    await owner.connect();
  });

  afterEach(async () => {
    await owner.query("delete from schema_migration where name like '9999-%'");
    await owner.query("delete from schema_contract");
  });

  afterAll(async () => {
    await owner.end();
    await urls.drop();
  });

  it("control plane and worker wait for a migration that is missing, as after a restore, and go on with it", async () => {
    const plane = await startTestControlPlane({ urls });
    const workerPort = await freePort();
    let worker: NodeProcess | undefined;
    try {
      expect(await readiness(plane.managementUrl)).toEqual({ status: 200, schema: "ok" });
      const last = "(select max(id) from schema_migration)";
      const { rows } = await owner.query(`delete from schema_migration where id = ${last} returning name`);
      expect(await readiness(plane.managementUrl)).toEqual({ status: 503, schema: "older" });
      worker = await startNodeProcess({
        script: "src/worker.ts",
        env: {
          POLICY_GUARD_MASTER_KEY: testMasterKey,
          DATABASE_WORKER_URL: urls.workerUrl,
          WORKER_MANAGEMENT_PORT: String(workerPort),
        },
        readyMessage: "waiting for the database",
      });
      const workerUrl = `http://127.0.0.1:${workerPort}`;
      expect(await readiness(workerUrl)).toEqual({ status: 503, schema: "older" });
      expect(await queuedPools(urls)).toBe(0);
      await owner.query("insert into schema_migration (name, executed_at) values ($1, now())", [rows[0].name]);
      expect(await readiness(plane.managementUrl)).toEqual({ status: 200, schema: "ok" });
      expect(await readiness(workerUrl)).toEqual({ status: 200, schema: "ok" });
      await eventually(async () => expect(await queuedPools(urls)).toBe(3));
      await eventually(async () => expect(await living()).toEqual(["control-plane", "worker"]));
    } finally {
      await worker?.stop();
      await plane.stop();
    }
    expect(await living()).toEqual([]);
  });

  /** The processes that say that they live and that they are of this version. */
  async function living(): Promise<string[]> {
    const { rows } = await owner.query<{ process: string }>(
      "select process from process_heartbeat where version = $1 and schema = $2 order by process",
      [productVersion(), migrations.at(-1)?.name],
    );
    return rows.map(({ process }) => process);
  }

  it("a control plane is not ready on one from which a newer version has taken what it needs", async () => {
    await owner.query("insert into schema_migration (name, executed_at) values ('9999-later', now())");
    await owner.query("insert into schema_contract (name, oldest_version) values ('9999-later', '99.0.0')");
    const plane = await startTestControlPlane({ urls });
    try {
      expect((await fetch(`${plane.managementUrl}/livez`)).status).toBe(200);
      expect(await readiness(plane.managementUrl)).toEqual({ status: 503, schema: "newer" });
    } finally {
      await plane.stop();
    }
  });

  it("a control plane works on one that a newer version has migrated", async () => {
    await owner.query("insert into schema_migration (name, executed_at) values ('9999-later', now())");
    const plane = await startTestControlPlane({ urls });
    try {
      expect(await readiness(plane.managementUrl)).toEqual({ status: 200, schema: "ok" });
    } finally {
      await plane.stop();
    }
  });
});

// The control plane over REST: "has the bundle changed?", which every runtime asks, against a bare JSON echo; and a
// read of one row against the same query by bare `pg` in the same kind of transaction, with and without row-level
// security.

import pg from "pg";
import { applicationRole } from "../src/store/core/roles.ts";
import { type BenchServer, startServer, underLoad } from "./load/http.ts";
import { type Bench, type Case, measure, type Round } from "./measure.ts";
import type { BenchControlPlane } from "./server/control-plane.ts";
import { type BenchDatabase, openBarePool, startBenchDatabase } from "./server/database.ts";

const querySeconds = 3;
const concurrency = 32;
const poolSize = 16;

/** Measures calls to the control plane. */
export const controlPlaneBench: Bench = async () => {
  const server = await startBenchDatabase();
  const plane = await startServer<BenchControlPlane>("control-plane", server.applicationUrl);
  const echo = await startServer<number>("echo");
  const login = openBarePool(server.applicationUrl, poolSize);
  const owner = await copyWithoutPolicies(server, plane.told);
  try {
    return await measure([
      echoCase(echo),
      await unchangedCase(plane),
      queryCase("bare query with row-level security", login, plane.told, "project"),
      callCase(plane),
      queryCase("bare query without row-level security", login, plane.told, "bench_project"),
    ]);
  } finally {
    await Promise.all([login.end(), owner.end()]);
    plane.child.kill();
    echo.child.kill();
    await server.stop();
  }
};

async function copyWithoutPolicies({ migrationUrl }: BenchDatabase, { orgId }: BenchControlPlane): Promise<pg.Client> {
  const owner = new pg.Client({ connectionString: migrationUrl });
  await owner.connect();
  // The policies are for the owner too.
  await owner.query("select set_config('app.org_id', $1, false)", [orgId]);
  await owner.query("create table bench_project (like project including all); insert into bench_project table project");
  await owner.query(`grant select on bench_project to ${applicationRole}`);
  return owner;
}

function echoCase({ child, told: port }: BenchServer<number>): Case {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ text: "unchanged?" });
  const load = {
    url: `http://127.0.0.1:${port}/`,
    requests: [{ method: "POST" as const, headers, body }],
    status: 200,
  };
  return { name: "echo", run: () => underLoad(child, load) };
}

async function unchangedCase({ child, told }: BenchServer<BenchControlPlane>): Promise<Case> {
  const url = `http://127.0.0.1:${told.port}/v1/bundles/latest`;
  const authorization = `Bearer ${told.runtimeToken}`;
  const first = await fetch(url, { headers: { authorization } });
  const headers = { authorization, "if-none-match": first.headers.get("etag") ?? "" };
  await first.arrayBuffer();
  const load = { url, requests: [{ method: "GET" as const, headers }], status: 304 };
  return { name: "bundles/latest, 304", against: "echo", run: () => underLoad(child, load) };
}

function callCase({ child, told }: BenchServer<BenchControlPlane>): Case {
  const url = `http://127.0.0.1:${told.port}/v1/orgs/${told.orgId}/projects/${told.projectId}`;
  const headers = { authorization: `Bearer ${told.adminToken}` };
  const load = { url, requests: [{ method: "GET" as const, headers }], status: 200 };
  return {
    name: "GET of a project",
    against: "bare query with row-level security",
    run: () => underLoad(child, load),
  };
}

/** The same query in the same kind of transaction; the CPU time is that of this process. */
function queryCase(name: string, pool: pg.Pool, { orgId, projectId }: BenchControlPlane, table: string): Case {
  const text = `select * from ${table} where org_id = $1 and id = $2`;
  const once = async () => {
    const client = await pool.connect();
    await client.query("begin read only");
    await client.query("select set_config('app.org_id', $1, true)", [orgId]);
    const { rowCount } = await client.query(text, [orgId, projectId]);
    await client.query("commit");
    client.release();
    if (rowCount !== 1) throw new Error(`the query of ${table} found ${rowCount} rows`);
  };
  const against = table === "project" ? {} : { against: "bare query with row-level security" };
  return { name, ...against, run: () => repeated(once) };
}

async function repeated(once: () => Promise<void>): Promise<Round> {
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  let operations = 0;
  const run = async () => {
    while (performance.now() - startedAtMs < querySeconds * 1000) {
      await once();
      operations++;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, run));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { operations, seconds: (performance.now() - startedAtMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}

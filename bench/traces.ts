// Traces: pages of lists by each indexed filter alone and by several, of an organization with 1 M traces and of one
// with 10 M; an export as JSONL over REST, against the same rows by a bare cursor, with the memory of the control
// plane; an erasure of a person with 10,000 traces. The rows are made in the server; 4 projects × 3 environments,
// something found in every ninth, in 30 days. `--quick` takes a hundredth of everything.

import { readFileSync } from "node:fs";
import pg from "pg";
import { pino } from "pino";
import { Outcome } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { ownAnalysis } from "../src/domain/analysis/own-analysis.ts";
import { eraseSamplesAbout } from "../src/domain/measure/dataset/dataset-erasure.ts";
import { RunWorker } from "../src/domain/run/run-worker.ts";
import { Erasures } from "../src/domain/telemetry/erasure.ts";
import { ErasureRun } from "../src/domain/telemetry/erasure-run.ts";
import { Traces } from "../src/domain/telemetry/trace.ts";
import { Organizations } from "../src/domain/tenancy/organization.ts";
import { systemClock } from "../src/kit/process/clock.ts";
import type { Caller } from "../src/kit/rpc/context.ts";
import { createSealer, parseMasterKeys, type Sealer } from "../src/platform/seal.ts";
import { type Database, openDatabase } from "../src/store/connection/database.ts";
import type { TraceFilter } from "../src/store/telemetry/trace-query.ts";
import { adminCaller } from "../test/harness/vector/world.ts";
import { startServer } from "./load/http.ts";
import { makeTraces, projectOf, wantedPerson } from "./load/traces.ts";
import { type Bench, type Case, cpuSecondsOf, measure, type Round, type Row } from "./measure.ts";
import type { BenchControlPlane } from "./server/control-plane.ts";
import { startBenchDatabase } from "./server/database.ts";

/** Pages of one round. */
const pages = 5;
const dayMs = 86_400_000;

/** How many traces there are. */
interface Sizes {
  readonly small: number;
  readonly large: number;
  /** Traces of the person who is erased. */
  readonly erased: number;
}

/** Measures lists, exports and erasures. */
export const tracesBench: Bench = async ({ isQuick }) => {
  const sizes: Sizes = isQuick
    ? { small: 10_000, large: 100_000, erased: 100 }
    : { small: 1_000_000, large: 10_000_000, erased: 10_000 };
  const server = await startBenchDatabase({ max_wal_size: "8GB" });
  const plane = await startServer<BenchControlPlane>("control-plane", server.applicationUrl);
  const database = await openDatabase({ url: server.applicationUrl, poolSize: 2 });
  const worker = await openDatabase({ url: server.workerUrl, poolSize: 2 });
  const owner = new pg.Client({ connectionString: server.migrationUrl });
  await owner.connect();
  try {
    const sealer = createSealer({ masterKeys: parseMasterKeys(plane.told.masterKey) });
    const { id: smallOrg } = await new Organizations(database).create({ name: "Small" });
    const small = adminCaller(smallOrg);
    const large = adminCaller(plane.told.orgId);
    await makeTraces(owner, [
      { orgId: small.orgId, traces: sizes.small, ofOnePerson: sizes.erased },
      { orgId: large.orgId, traces: sizes.large, ofOnePerson: sizes.erased },
    ]);
    const traces = new Traces({ database, sealer, analysis: ownAnalysis() });
    const lists = await measure(listCases(traces, { small, large }, sizes));
    const exported = await exportRows(owner, plane, sizes.large);
    const erased = await erasureRows({ database, worker, sealer }, { small, large }, sizes);
    return [...lists, ...exported, ...erased];
  } finally {
    plane.child.kill();
    await Promise.all([owner.end(), database.close(), worker.close()]);
    await server.stop();
  }
};

const filters: Readonly<Record<string, TraceFilter>> = {
  "no filter": {},
  session: { sessionId: "session-7" },
  person: { userId: "user-7" },
  agent: { agentKey: "agent-3" },
  outcome: { outcome: Outcome.BLOCK },
  "project and environment": { projectId: projectOf(2), environment: "prod" },
  "a common rule": { ruleId: "common" },
  "a rare rule": { ruleId: "rare" },
  policy: { policy: "guard" },
  detector: { detector: "pii" },
  category: { category: "pii.email" },
  unjudged: { unjudged: "timeout" },
  "rule, project and time": {
    ...{ ruleId: "common", projectId: projectOf(2) },
    ...{ since: new Date(Date.now() - 20 * dayMs), until: new Date(Date.now() - 5 * dayMs) },
  },
};

function listCases(
  traces: Traces,
  { small, large }: { readonly small: Caller; readonly large: Caller },
  sizes: Sizes,
): Case[] {
  return Object.entries(filters).flatMap(([name, filter]) => {
    const of = (caller: Caller) => async () => {
      const cpuBefore = process.cpuUsage();
      const startedAtMs = performance.now();
      for (let i = 0; i < pages; i++) {
        const { traces: found } = await traces.list(caller, filter, { limit: 50, offset: 0 });
        if (found.length === 0) throw new Error(`the filter "${name}" finds nothing`);
      }
      return roundOf(pages, startedAtMs, process.cpuUsage(cpuBefore));
    };
    const base = `list by ${name}, ${told(sizes.small)} traces`;
    return [
      { name: base, run: of(small) },
      { name: `list by ${name}, ${told(sizes.large)}`, against: base, run: of(large) },
    ];
  });
}

function told(traces: number): string {
  return traces >= 1_000_000 ? `${traces / 1_000_000} M` : `${traces / 1_000} k`;
}

function roundOf(operations: number, startedAtMs: number, { user, system }: NodeJS.CpuUsage): Round {
  return { operations, seconds: (performance.now() - startedAtMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}

/** An operation is a megabyte. */
async function exportRows(
  owner: pg.Client,
  { child, told: { port, orgId, adminToken } }: Awaited<ReturnType<typeof startServer<BenchControlPlane>>>,
  traces: number,
): Promise<Row[]> {
  const pid = child.pid ?? 0;
  const before = residentMegabytes(pid);
  let [most, bytes, lines] = [before, 0, 0];
  const cpuBefore = cpuSecondsOf(pid);
  const startedAtMs = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/v1/orgs/${orgId}/traces/export?format=jsonl`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  if (!response.ok || response.body === null) throw new Error(`the export was answered ${response.status}`);
  for await (const part of response.body) {
    bytes += part.byteLength;
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines += 1;
    most = Math.max(most, residentMegabytes(pid));
  }
  const seconds = (performance.now() - startedAtMs) / 1000;
  if (lines !== traces) throw new Error(`the export has ${lines} lines of ${traces}`);
  const bare = await bareExport(owner, orgId);
  const megabytes = bytes / 1e6;
  const base = "the same rows by a bare cursor, a megabyte of records";
  return [
    { name: base, perSecond: bare.bytes / 1e6 / bare.seconds, cpuUs: (bare.cpuSeconds / (bare.bytes / 1e6)) * 1e6 },
    {
      name: `export as JSONL, a megabyte; ${Math.round(before)} MB resident before, ${Math.round(most)} at most`,
      against: base,
      perSecond: megabytes / seconds,
      cpuUs: ((cpuSecondsOf(pid) - cpuBefore) / megabytes) * 1e6,
    },
  ];
}

async function bareExport(owner: pg.Client, orgId: string) {
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  let bytes = 0;
  await owner.query("begin");
  await owner.query("select set_config('app.org_id', $1, true)", [orgId]);
  await owner.query("declare bare no scroll cursor for select * from trace order by org_id, created_at desc, id");
  for (let rows = 500; rows === 500; ) {
    const found = await owner.query<{ record: Buffer }>("fetch 500 from bare");
    rows = found.rows.length;
    for (const { record } of found.rows) bytes += record.length;
  }
  await owner.query("commit");
  return { bytes, ...roundOf(1, startedAtMs, process.cpuUsage(cpuBefore)) };
}

/** An operation is a trace that was erased. */
async function erasureRows(
  { database, worker, sealer }: { readonly database: Database; readonly worker: Database; readonly sealer: Sealer },
  callers: { readonly small: Caller; readonly large: Caller },
  sizes: Sizes,
): Promise<Row[]> {
  const rows: Row[] = [];
  const kinds = { erasure: new ErasureRun(sealer, eraseSamplesAbout) };
  for (const size of ["small", "large"] as const) {
    const caller = { ...callers[size], audit: { action: "erasure.create", requestId: "", address: "" } };
    const erasures = new Erasures(database, sealer);
    const runs = new RunWorker(worker, { kinds, clock: systemClock, log: pino({ level: "silent" }) });
    const cpuBefore = process.cpuUsage();
    const startedAtMs = performance.now();
    const { run } = await erasures.create(caller, { userId: wantedPerson, traceIds: [] }, "bench");
    for (;;) {
      await runs.work({ org_id: caller.orgId, run_id: run.id });
      const { run: now, erased } = await erasures.get(caller, run.id);
      if (now.state === "failed") throw new Error(`the erasure failed: ${now.errorMessage}`);
      if (now.finishedAt == null) continue;
      if (erased.traces !== sizes.erased) throw new Error(`${erased.traces} traces were erased of ${sizes.erased}`);
      break;
    }
    const round = roundOf(sizes.erased, startedAtMs, process.cpuUsage(cpuBefore));
    rows.push({
      name: `erasure of ${told(sizes.erased)} traces of ${told(sizes[size])}, in ${round.seconds.toFixed(1)} s`,
      perSecond: round.operations / round.seconds,
      cpuUs: (round.cpuSeconds / round.operations) * 1e6,
      ...(rows[0] === undefined ? {} : { against: rows[0].name }),
    });
  }
  return rows;
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

// Traces: pages of lists by each indexed filter alone and by several, of an organization with 1 M traces and of one
// with 10 M; an export as JSONL over REST, against the same rows by a bare cursor, with the memory of the control
// plane; an erasure of a person with 10,000 traces. The rows are made in the server; 4 projects × 3 environments,
// something found in every ninth, in 30 days. `--quick` takes a hundredth of everything.

import { readFileSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import pg from "pg";
import { pino } from "pino";
import { FindingSchema } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, Outcome, Severity, Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { CaptureMode, EvaluationRecordSchema } from "../gen/policyguard/policy/v1/record_pb.ts";
import { ownAnalysis } from "../src/domain/analysis/own-analysis.ts";
import { eraseSamplesAbout } from "../src/domain/measure/dataset/dataset-erasure.ts";
import { RunWorker } from "../src/domain/run/run-worker.ts";
import { Erasures } from "../src/domain/telemetry/erasure.ts";
import { ErasureRun } from "../src/domain/telemetry/erasure-run.ts";
import { Traces } from "../src/domain/telemetry/trace.ts";
import { writeRecord } from "../src/domain/telemetry/trace-text.ts";
import { Organizations } from "../src/domain/tenancy/organization.ts";
import { systemClock } from "../src/kit/process/clock.ts";
import type { Caller } from "../src/kit/rpc/context.ts";
import { createSealer, parseMasterKeys, type Sealer } from "../src/platform/seal.ts";
import { type Database, openDatabase } from "../src/store/connection/database.ts";
import type { TraceFilter } from "../src/store/telemetry/trace-query.ts";
import { adminCaller } from "../test/harness/vector/world.ts";
import { startServer } from "./load/http.ts";
import { type Bench, type Case, cpuSecondsOf, measure, type Round, type Row } from "./measure.ts";
import type { BenchControlPlane } from "./server/control-plane.ts";
import { startBenchDatabase } from "./server/database.ts";

/** Pages of one round. */
const pages = 5;
const days = 30;
const dayMs = 86_400_000;
const rowsAtOnce = 500_000;

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
  const server = await startBenchDatabase();
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
    await seed(owner, small, sizes.small, sizes.erased);
    await seed(owner, large, sizes.large, sizes.erased);
    await owner.query("vacuum (analyze) trace, trace_facet, trace_rollup");
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

function projectOf(n: number): string {
  return `00000000-0000-4000-8000-00000000000${n}`;
}

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
    const { run } = await erasures.create(caller, { userId: "wanted", traceIds: [] }, "bench");
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

/** Makes the traces of an organization, newest first, evenly over the days. */
async function seed(owner: pg.Client, { orgId }: Caller, traces: number, erased: number): Promise<void> {
  const [allowed, found] = [recordOf({ isFound: false }), recordOf({ isFound: true })];
  const wanted = recordOf({ isFound: false, userId: "wanted" });
  const stepMs = Math.floor((days * dayMs) / traces);
  const times = `date_trunc('milliseconds', now()) - n * ${stepMs}::float8 * interval '1 millisecond'`;
  for (let first = 1; first <= traces; first += rowsAtOnce) {
    await owner.query("begin");
    await owner.query("select set_config('app.org_id', $1, true)", [orgId]);
    await owner.query(
      `with made as (
         insert into trace (org_id, id, created_at, project_id, environment, agent_key, session_id, user_id, stage,
           outcome, would_be_outcome, bundle_version, latency_us, language, capture, received_at, record, form)
         select $1, gen_random_uuid(), ${times}, ('00000000-0000-4000-8000-00000000000' || 1 + n % 4)::uuid,
           (array['dev', 'staging', 'prod'])[1 + n / 4 % 3], 'agent-' || n % 5, 'session-' || n / 100,
           case when n % $4 = 1 then 'wanted' else 'user-' || n % 5000 end, 1 + n % 3,
           case when n % 9 = 0 then ${Outcome.BLOCK} else ${Outcome.ALLOW} end,
           case when n % 9 = 0 then ${Outcome.BLOCK} else ${Outcome.ALLOW} end, 1, 180, 'en', ${CaptureMode.NONE},
           ${times}, case when n % $4 = 1 then $7::bytea when n % 9 = 0 then $6 else $5 end, 1
         from generate_series($2::int, $3::int) n returning id, created_at, outcome)
       insert into trace_facet (org_id, id, created_at, kind, value)
       select $1, id, created_at, kind, value from made cross join lateral (
         values (1, 'common'), (2, 'guard'), (3, 'pii'), (4, 'pii.email'),
           (case when id::text like '00%' then 1 end, 'rare'), (case when id::text like '0%' then 5 end, 'timeout')) f (kind, value)
       where outcome > 1 and kind is not null`,
      [orgId, first, Math.min(first + rowsAtOnce - 1, traces), Math.floor(traces / erased), allowed, found, wanted],
    );
    await owner.query("commit");
  }
  await owner.query("begin");
  await owner.query("select set_config('app.org_id', $1, true)", [orgId]);
  await owner.query(
    `insert into trace_rollup (org_id, day, project_id, environment, agent_key, outcome, count)
     select org_id, (created_at at time zone 'UTC')::date, project_id, environment, agent_key, outcome, count(*)
     from trace where org_id = $1 group by 1, 2, 3, 4, 5, 6`,
    [orgId],
  );
  await owner.query("commit");
}

function recordOf({ isFound, userId = "" }: { readonly isFound: boolean; readonly userId?: string }): Buffer {
  const outcome = isFound ? Outcome.BLOCK : Outcome.ALLOW;
  const findings = Array.from({ length: isFound ? 2 : 0 }, (_, i) =>
    create(FindingSchema, {
      ...{ ruleId: "common", policy: "guard", detector: "pii", category: "pii.email", severity: Severity.LOW },
      ...{ action: outcome, mode: Mode.ENFORCE, segment: "s1", start: 10 * i, end: 10 * i + 8, score: 0.9 },
      ...{ threshold: 0.5, layer: "plain", fingerprint: `f${i}` },
    }),
  );
  const record = create(EvaluationRecordSchema, {
    ...{ evaluationId: projectOf(9), createdAt: timestampFromDate(new Date()), stage: Stage.INPUT, outcome },
    ...{ wouldBeOutcome: outcome, findings, userId, agentId: "agent-1", sessionId: "session-1", language: "en" },
    ...{ latencyUs: 180, capture: CaptureMode.NONE, metadata: { tenant: "acme", ticket: 7, region: "eu" } },
    ...{ bundle: { version: 1, digest: `sha256:${"0".repeat(64)}`, activationSeq: 1 } },
    ...(isFound ? { decidedByRule: "common", decidedByPolicy: "guard" } : {}),
  });
  return Buffer.from(writeRecord(record));
}

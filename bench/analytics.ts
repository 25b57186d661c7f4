// Analytics of 30 days against an empty read in the same kind of transaction, for an organization with 1 M traces and
// for one with 10 M: 4 projects × 3 environments, 5 agents, 3 stages, 3 languages, 40 rules. What is read are counts,
// so they alone are made, in the server; there are as many rows of them for 10 M traces as for 1 M.

import pg from "pg";
import { AnalyticsBucket, AnalyticsComparison } from "../gen/policyguard/control/v1/trace_analytics_pb.ts";
import { TraceAnalytics } from "../src/domain/telemetry/analytics.ts";
import { Organizations } from "../src/domain/tenancy/organization.ts";
import type { Caller } from "../src/kit/rpc/context.ts";
import { LatencyHistogram } from "../src/kit/tally/latency-histogram.ts";
import { type Database, openDatabase } from "../src/store/connection/database.ts";
import { adminCaller } from "../test/harness/vector/world.ts";
import { type Bench, measure, type Round } from "./measure.ts";
import { startBenchDatabase } from "./server/database.ts";

const answers = 10;
const days = 30;

/** Measures analytics. */
export const analyticsBench: Bench = async () => {
  const server = await startBenchDatabase();
  const database = await openDatabase({ url: server.applicationUrl, poolSize: 2 });
  const owner = new pg.Client({ connectionString: server.migrationUrl });
  await owner.connect();
  try {
    const small = await seeded(database, owner, 1_000_000);
    const large = await seeded(database, owner, 10_000_000);
    const analytics = new TraceAnalytics(database);
    const since = new Date(Date.now() - days * 86_400_000);
    const ask = (caller: Caller) => {
      const request = { bucket: AnalyticsBucket.DAY, compare: AnalyticsComparison.NONE, filter: {}, top: undefined };
      return analytics.get(caller, { ...request, since, until: undefined });
    };
    return await measure([
      { name: "empty read", run: () => timed(() => database.read(small.orgId, (tx) => tx.sql("select 1"))) },
      { name: "analytics of 30 days, 1 M traces", against: "empty read", run: () => timed(() => ask(small)) },
      {
        name: "analytics of 30 days, 10 M traces",
        against: "analytics of 30 days, 1 M traces",
        run: () => timed(() => ask(large)),
      },
    ]);
  } finally {
    await owner.end();
    await database.close();
    await server.stop();
  }
};

async function timed(work: () => Promise<unknown>): Promise<Round> {
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  for (let i = 0; i < answers; i++) await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    operations: answers,
    seconds: (performance.now() - startedAtMs) / 1000,
    cpuSeconds: (user + system) / 1e6,
  };
}

/** An organization with the counts of so many traces. */
async function seeded(database: Database, owner: pg.Client, traces: number): Promise<Caller> {
  const { id: orgId } = await new Organizations(database).create({ name: "Bench" });
  const places = `cross join generate_series(1, 4) p cross join unnest(array['dev', 'staging', 'prod']) environment
    cross join lateral (select ('00000000-0000-4000-8000-00000000000' || p)::uuid as project_id) project`;
  const time = `generate_series(date_trunc('day', now() at time zone 'UTC') - interval '${days} days',
    date_trunc('day', now() at time zone 'UTC'), interval '1 day') day`;
  const each = Math.ceil(traces / ((days + 1) * 12 * 5 * 3 * 3 * 2));
  await owner.query("begin");
  await owner.query("select set_config('app.org_id', $1, true)", [orgId]);
  await owner.query(
    `insert into stat_outcome select $1, 3, day at time zone 'UTC', project_id, environment, 'agent-' || agent, stage,
       language, outcome, outcome, $2, 0, 0, 0, 0
     from ${time} ${places} cross join generate_series(1, 5) agent cross join generate_series(1, 3) stage
       cross join unnest(array['en', 'de', '']) language cross join unnest(array[1, 4]) outcome`,
    [orgId, each],
  );
  await owner.query(
    `insert into stat_rule select $1, 3, day at time zone 'UTC', project_id, environment, 'policy', 'rule-' || rule,
       'detector-' || rule % 7, stage, 1, 4, $2, $2, $2, $2
     from ${time} ${places} cross join generate_series(1, 40) rule cross join generate_series(1, 3) stage`,
    [orgId, each],
  );
  const latencies = new LatencyHistogram();
  for (let i = 0; i < 20_000; i++) latencies.add(80 + Math.random() ** 4 * 20_000);
  await owner.query(
    `insert into stat_latency select $1, 3, day at time zone 'UTC', project_id, environment, '~all', stage, $2
     from ${time} ${places} cross join generate_series(1, 3) stage`,
    [orgId, Buffer.from(latencies.toBytes())],
  );
  await owner.query(
    `insert into stat_version select $1, 3, day at time zone 'UTC', project_id, environment, 1, 1, $2 from ${time} ${places}`,
    [orgId, each],
  );
  await owner.query("commit");
  await owner.query("analyze stat_outcome, stat_rule, stat_latency, stat_version");
  return adminCaller(orgId);
}

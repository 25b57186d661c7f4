import { randomUUID } from "node:crypto";
import { it } from "vitest";
import pg from "pg";
import { Traces } from "../../../src/domain/trace.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { createTestDatabase } from "../../harness/database.ts";
import { createWorld } from "../../harness/world.ts";
import { evaluation } from "./evaluation.ts";
import { toBinary } from "@bufbuild/protobuf";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
it("list", async () => {
  const urls = await createTestDatabase();
  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  const o = new pg.Client({ connectionString: urls.migrationUrl }); await o.connect();
  for (const t of ["trace", "trace_rule", "trace_rollup"]) await o.query(`alter table ${t} no force row level security`);
  const world = await createWorld(database);
  const rec = Buffer.from(toBinary(EvaluationRecordSchema, evaluation()));
  let have = 0;
  for (const n of [100_000, 1_000_000]) {
    await o.query(`insert into trace (org_id, id, created_at, project_id, environment, agent_key, session_id, stage, outcome, would_be_outcome, bundle_version, latency_us, capture, received_at, record)
      select $1, gen_random_uuid(), now() - random() * interval '30 days', $2, (array['dev','prod'])[1 + n % 2], 'agent-' || n % 20, 's' || n % 10000, 1, 1 + (n % 50 = 0)::int * 3, 1, 1, 1, 1, now(), $3 from generate_series($4::int, $5::int) n`, [world.orgId, world.projectId, rec, have + 1, n]);
    await o.query(`insert into trace_rule (org_id, id, created_at, rule_id) select org_id, id, created_at, 'rule.' || (random() * 5)::int from trace where outcome = 4 on conflict do nothing`);
    await o.query(`insert into trace_rollup select org_id, created_at::date, project_id, environment, agent_key, outcome, count(*) from trace group by 1,2,3,4,5,6 on conflict do nothing`);
    await o.query("vacuum analyze trace"); await o.query("vacuum analyze trace_rule"); await o.query("analyze trace_rollup");
    have = n;
    const traces = new Traces(database);
    for (const [name, filter] of Object.entries({ none: {}, "project+env": { projectId: world.projectId, environment: "prod" }, rule: { ruleId: "rule.3" }, "rule+project": { ruleId: "rule.3", projectId: world.projectId, environment: "prod" }, session: { sessionId: "s77" }, outcome: { outcome: 4 }, agent: { agentKey: "agent-7" }, since: { since: new Date(Date.now() - 86400000 * 3.3) } })) {
      for (const offset of [0, 1000]) {
        const ms: number[] = []; let total;
        for (let i = 0; i < 15; i++) { const t = performance.now(); ({ total } = await traces.list(world.caller, filter, { limit: 50, offset })); ms.push(performance.now() - t); }
        ms.sort((a, b) => a - b);
        console.log(`rows ${n} ${name} offset ${offset}: median ${ms[7]!.toFixed(1)} ms, total ${total}`);
      }
    }
  }
  await o.end(); await database.close(); await urls.drop();
}, 300000);

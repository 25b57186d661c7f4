// Many rules of many organizations: all are compared in one go. `npm run assurance -- alert-rules` says how long 10,000
// take.

import { afterAll, beforeAll, expect, it } from "vitest";
import { isAssurance, reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { AlertEvaluation } from "../../../../src/domain/alert/evaluation.ts";
import { AlertRules } from "../../../../src/domain/alert/rule.ts";
import { planUsagePercent } from "../../../../src/domain/billing/plan-usage.ts";
import { StatFold } from "../../../../src/domain/telemetry/stat-fold.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { setPlan } from "../../../harness/vector/plan.ts";
import { createWorld } from "../../../harness/vector/world.ts";

const { n } = sampleOf({ n: 40, seed: 1 });
const rulesOfOne = isAssurance() ? 200 : 20;
/** What an evaluation of all may take, where time is measured. */
const mostMs = 20_000;
const minuteMs = 60_000;
const clock = createMovedClock();

let urls: TestDatabase;
let database: Database;
let worker: Database;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock });
  worker = await openDatabase({ url: urls.workerUrl, poolSize: 4, clock });
});

afterAll(async () => {
  await Promise.all([database.close(), worker.close()]);
  await urls.drop();
});

it("evaluates the rules of all organizations, half of which fire", async () => {
  const rules = new AlertRules(database, { readPlanUsage: planUsagePercent, mailer: undefined, fold: async () => 0 });
  const witness = await urls.openWitness();
  for (let made = 0; made < n; made += rulesOfOne) {
    const { orgId, projectId, caller } = await createWorld(database);
    await setPlan(database, orgId, "enterprise");
    // Somebody listens: each episode has an event with its samples.
    await witness.query(
      `insert into webhook (org_id, id, url, events, is_active, created_at, updated_at)
       select $1, gen_random_uuid(), 'https://hook.example/x', '{alert.triggered}', true, now(), now()`,
      [orgId],
    );
    const { row } = await rules.create(caller, {
      ...{ name: "Rule", metric: "block_rate", threshold: 0.5, groupBy: "agent", cleared: [] },
    });
    // The others differ in window and threshold.
    await witness.query(
      `insert into alert_rule select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(),
         'window_minutes', (array[1, 5, 10, 15, 30, 60, 360, 1440])[1 + i % 8], 'threshold', i % 2, 'operator', 'gte',
         'group_by', (array[null, 'agent', 'environment'])[1 + i % 3]))).*
       from alert_rule r, generate_series(2, $2::int) i where r.org_id = $1 and r.id = $3`,
      [orgId, rulesOfOne, row.id],
    );
    await witness.query(
      `insert into stat_outcome (org_id, period, start, project_id, environment, agent_key, stage, language, outcome,
         would_be_outcome, evaluations, unjudged, fail_open, exempted, overage)
       select $1, 1, date_trunc('minute', now()) - m * interval '1 minute', $2, 'dev', 'agent' || a, 1, '', 1 + 3 * o, 1,
         50, 0, 0, 0, 0 from generate_series(0, $3::int) m, generate_series(1, 20) a, generate_series(0, 1) o`,
      [orgId, projectId, isAssurance() ? 300 : 10],
    );
  }
  await witness.query("analyze stat_outcome, alert_rule");
  clock.pass(minuteMs);
  const log = createLog({ name: "test", level: "silent" });
  const evaluation = new AlertEvaluation(worker, {
    statFold: new StatFold(worker),
    readPlanUsage: planUsagePercent,
    mailer: undefined,
    log,
  });
  const first = await evaluation.evaluateAll(clock.now());
  expect(first).toMatchObject({ rules: n, failed: 0 });
  expect(first.lagMs).toBeGreaterThanOrEqual(minuteMs);
  clock.pass(minuteMs);
  const second = await evaluation.evaluateAll(clock.now());
  const episodes = await witness.query("select count(*)::int as n from alert");
  const { rows } = await witness.query("select state, count(*)::int as n from alert_rule group by state");
  const states = new Map(rows.map((row: { state: string; n: number }) => [row.state, row.n]));
  expect(states.get("firing")).toBeGreaterThan(n / 3);
  await witness.end();
  const figures = {
    episodes: episodes.rows[0].n,
    first_ms: Math.round(first.durationMs),
    next_ms: Math.round(second.durationMs),
  };
  reportSample({ n, failures: [first, second].filter(({ durationMs }) => durationMs > mostMs).length, figures });
});

// Rules against real counts: who is told, and how often, whatever clocks and processes do.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { compileCacheVariables } from "../../../../scripts/compile-cache.ts";
import { AlertEvaluation } from "../../../../src/domain/alert/evaluation.ts";
import { type AlertRuleInput, AlertRules } from "../../../../src/domain/alert/rule.ts";
import { planUsagePercent } from "../../../../src/domain/billing/plan-usage.ts";
import type { MailMessage, TransactionalMailer } from "../../../../src/domain/mail/mail.ts";
import { StatFold } from "../../../../src/domain/telemetry/stat-fold.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { certainRate } from "../../../../src/kit/statistics/mixture-test.ts";
import { LatencyHistogram } from "../../../../src/kit/tally/latency-histogram.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { eventually } from "../../../harness/eventually.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { createPerson } from "../../../harness/vector/person.ts";
import { setPlan } from "../../../harness/vector/plan.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const minuteMs = 60_000;
const clock = createMovedClock();
const sent: MailMessage[] = [];
const mailer: TransactionalMailer = { sendWithin: async (_tx, message) => void sent.push(message) };
const publicUrl = "https://guard.example/";
const log = createLog({ name: "test", level: "silent" });

let urls: TestDatabase;
let database: Database;
let worker: Database;
let witness: pg.Client;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock });
  worker = await openDatabase({ url: urls.workerUrl, poolSize: 4, clock });
  witness = await urls.openWitness();
});

afterAll(async () => {
  await Promise.all([database.close(), worker.close(), witness.end()]);
  await urls.drop();
});

const rules = () =>
  new AlertRules(database, { readPlanUsage: planUsagePercent, mailer, fold: (id) => new StatFold(database).fold(id) });
const evaluation = (on = worker) =>
  new AlertEvaluation(on, { statFold: new StatFold(on), readPlanUsage: planUsagePercent, mailer, log, publicUrl });

/** An organization with a rule that fires above ten blocked evaluations a minute. */
async function home(change: Partial<AlertRuleInput> = {}) {
  const world = await createWorld(database);
  await setPlan(database, world.orgId, "growth");
  await subscribe(world);
  const row = (
    await rules().create(world.caller, {
      ...{ name: "Blocked", metric: "blocked_evaluations", threshold: 10, windowMinutes: 1, cleared: [], ...change },
    })
  ).row;
  return { world, id: row.id };
}

/** Events are only written for webhooks that subscribe to them. */
async function subscribe({ orgId }: World): Promise<void> {
  await witness.query(
    `insert into webhook (org_id, id, url, events, is_active, created_at, updated_at)
     select $1, gen_random_uuid(), 'https://hook.example/x', '{alert.triggered}', true, now(), now()`,
    [orgId],
  );
}

/** Counts evaluations of the minute that the next evaluation compares with, once the clock has moved on by a minute. */
async function count({ orgId, projectId }: World, blocked: number, { agent = "", all = 0 } = {}): Promise<void> {
  const start = new Date((Math.floor(clock.now().getTime() / minuteMs) - 1) * minuteMs);
  for (const [outcome, evaluations] of [
    [4, blocked],
    [1, all],
  ]) {
    if (evaluations === 0) continue;
    await witness.query(
      `insert into stat_outcome (org_id, period, start, project_id, environment, agent_key, stage, language, outcome,
         would_be_outcome, evaluations, unjudged, fail_open, exempted, overage)
       values ($1, 1, $2, $3, 'dev', $4, 1, '', $5, 1, $6, 0, 0, 0, 0) on conflict do nothing`,
      [orgId, start, projectId, agent, outcome, evaluations],
    );
  }
}

/** Counts, and lets a minute pass and be compared. */
async function minute(world: World, blocked: number, more: { agent?: string; all?: number } = {}): Promise<void> {
  await count(world, blocked, more);
  clock.pass(minuteMs);
  await evaluation().evaluate(world.orgId, clock.now());
}

interface Told {
  readonly state: string;
  readonly reason: string;
  readonly value: number;
  readonly agent_id: string | null;
  readonly alert_id: string;
  readonly alert_rule_id: string;
  readonly url: string;
}

// In the order in which they were written: the clock stands still between two minutes that are made up for.
async function told({ orgId }: World): Promise<Told[]> {
  const { rows } = await witness.query(
    "select body::json->'data' as data from event where org_id = $1 and name = 'alert.triggered' order by ctid",
    [orgId],
  );
  return rows.map(({ data }) => data);
}

it("an episode is told once when it begins and once when it ends, to webhooks and to the members of the rule", async () => {
  const { world, id } = await home();
  const member = await createPerson(database, { orgId: world.orgId, role: "viewer" });
  await rules().update(world.caller, id, { notifyMemberIds: [member.member_id], cleared: [] });
  sent.length = 0;
  for (const blocked of [3, 12, 15, 11, 2, 1]) await minute(world, blocked);
  expect(await told(world)).toMatchObject([
    { state: "triggered", reason: "threshold", value: 12 },
    { state: "resolved", reason: "resolved", value: 2 },
  ]);
  // The end comes within a quarter of an hour of the beginning, so it has no mail of its own.
  expect(sent.map(({ to, subject }) => [to, subject])).toEqual([[member.email, "Alert: Blocked (Test)"]]);
  const [alerts] = await rules().alerts(world.caller, {}, { limit: 10, offset: 0 });
  expect(alerts).toMatchObject([{ ruleId: id, peakValue: 15, notifications: 2 }]);
  expect((await rules().get(world.caller, id)).row).toMatchObject({ state: "ok", lastValue: 1 });
});

it("an open alert is told again as the rule says", async () => {
  const { world } = await home({ renotifyMinutes: 15 });
  for (let n = 0; n < 32; n++) await minute(world, 20);
  expect((await told(world)).map(({ reason }) => reason)).toEqual(["threshold", "renotify", "renotify"]);
});

it("silence keeps everybody asleep and states going; whoever was not told is told when it ends", async () => {
  const { world, id } = await home();
  await rules().silence(world.caller, id, new Date(clock.now().getTime() + 3 * minuteMs));
  for (const blocked of [20, 20]) await minute(world, blocked);
  expect(await told(world)).toEqual([]);
  expect((await rules().get(world.caller, id)).row.state).toBe("firing");
  for (const blocked of [20, 20, 20]) await minute(world, blocked);
  expect((await told(world)).map(({ reason }) => reason)).toEqual(["threshold"]);
  // An episode that began and ended in silence is told to nobody.
  await minute(world, 0);
  await rules().silence(world.caller, id, new Date(clock.now().getTime() + 10 * minuteMs));
  for (const blocked of [20, 0, 0]) await minute(world, blocked);
  expect((await told(world)).map(({ reason }) => reason)).toEqual(["threshold", "resolved"]);
});

it("groups are each by themselves, and one that has no evaluations any more recovers", async () => {
  const { world, id } = await home({ groupBy: "agent" });
  await count(world, 20, { agent: "a" });
  await minute(world, 5, { agent: "b" });
  await minute(world, 30, { agent: "b" });
  // Events of one evaluation have no order among themselves.
  const said = (await told(world)).map(({ state, agent_id }) => `${agent_id} ${state}`);
  expect(said.toSorted()).toEqual(["a resolved", "a triggered", "b triggered"]);
  expect((await rules().get(world.caller, id)).row.state).toBe("firing");
});

it("a share of too few evaluations is none", async () => {
  const { world, id } = await home({ metric: "block_rate", threshold: 0.5 });
  await minute(world, 19);
  expect((await rules().get(world.caller, id)).row).toMatchObject({ state: "no_data", lastValue: null });
  await minute(world, 19, { all: 1 });
  expect((await rules().get(world.caller, id)).row).toMatchObject({ state: "firing", lastValue: 0.95 });
});

it("minutes that were missed are made up for, and clocks that jump neither repeat nor lose an episode", async () => {
  const { world, id } = await home({ forMinutes: 2 });
  const alerts = evaluation();
  for (const blocked of [20, 20, 20, 20]) {
    await count(world, blocked);
    clock.pass(minuteMs);
  }
  await alerts.evaluate(world.orgId, clock.now());
  expect((await told(world)).length).toBe(1);
  // A clock that is ahead by a day, and then right again.
  await alerts.evaluate(world.orgId, new Date(clock.now().getTime() + 86_400_000));
  for (const blocked of [20, 20]) await minute(world, blocked);
  expect((await rules().get(world.caller, id)).row.evaluatedUntil.getTime()).toBeLessThan(clock.now().getTime());
  const open = (await rules().alerts(world.caller, { isOpen: true }, { limit: 10, offset: 0 }))[1];
  expect(open).toBeLessThanOrEqual(1);
  const events = await told(world);
  expect(events.map(({ state }) => state)).toEqual(events.map((_, i) => (i % 2 === 0 ? "triggered" : "resolved")));
});

it("a clock that was ahead makes nobody wait until that moment comes", async () => {
  const { world, id } = await home({ metric: "block_rate", threshold: 0.5, noData: "fire", renotifyMinutes: 15 });
  const member = await createPerson(database, { orgId: world.orgId, role: "viewer" });
  await rules().update(world.caller, id, { notifyMemberIds: [member.member_id], cleared: [] });
  sent.length = 0;
  // Ahead by a day there are no evaluations, so the rule fires, and everybody is told.
  clock.pass(86_400_000);
  await evaluation().evaluate(world.orgId, clock.now());
  expect([(await told(world)).length, sent.length]).toEqual([1, 1]);
  clock.pass(-86_400_000);
  for (let n = 0; n < 17; n++) await minute(world, 20);
  expect((await told(world)).map(({ reason }) => reason)).toEqual(["no_data", "renotify"]);
  expect(sent.length).toBe(2);
  const [[alert]] = await rules().alerts(world.caller, {}, { limit: 10, offset: 0 });
  expect(alert?.firedAt.getTime()).toBeLessThanOrEqual(clock.now().getTime());
});

it("what began while a clock was ahead lasts from the moment when it was right again", async () => {
  const { world, id } = await home({ metric: "block_rate", threshold: 0.5, noData: "fire", forMinutes: 20 });
  clock.pass(86_400_000);
  await evaluation().evaluate(world.orgId, clock.now());
  expect((await rules().get(world.caller, id)).row.state).toBe("pending");
  clock.pass(-86_400_000);
  for (let n = 0; n < 10; n++) await minute(world, 20);
  expect((await rules().get(world.caller, id)).row.state).toBe("pending");
  for (let n = 0; n < 12; n++) await minute(world, 20);
  expect((await rules().get(world.caller, id)).row.state).toBe("firing");
});

it("a rule rests while the plan has none, and a change of its threshold ends what is open", async () => {
  const { world, id } = await home();
  await minute(world, 20);
  await rules().update(world.caller, id, { threshold: 50, cleared: [] });
  expect((await told(world)).map(({ state }) => state)).toEqual(["triggered", "resolved"]);
  await setPlan(database, world.orgId, "free");
  expect((await rules().get(world.caller, id)).isPaused).toBe(true);
  const before = (await rules().get(world.caller, id)).row.evaluatedUntil;
  clock.pass(minuteMs);
  await evaluation().evaluateAll(clock.now());
  expect((await rules().get(world.caller, id)).row.evaluatedUntil).toEqual(before);
});

it("a preview shows the states of the last 24 hours, as if the rule had existed", async () => {
  const { world } = await home();
  for (const blocked of [20, 20, 1]) {
    await count(world, blocked);
    clock.pass(minuteMs);
  }
  const input = { name: "Tried", metric: "blocked_evaluations" as const, threshold: 10, windowMinutes: 1, cleared: [] };
  const { groups, hasHistory } = await rules().preview(world.caller, input);
  expect(hasHistory).toBe(true);
  expect(groups[0]?.states.map(({ state }) => state)).toEqual(["ok", "firing", "ok"]);
  expect(groups[0]).toMatchObject({ value: 1 });
  expect((await told(world)).length).toBe(0);
});

/** Rows of other tables, for metrics that are read from them. */
async function insert(table: string, row: Record<string, unknown>): Promise<void> {
  const names = Object.keys(row);
  const values = names.map((_, index) => `$${index + 1}`);
  await witness.query(`insert into ${table} (${names.join(", ")}) values (${values.join(", ")})`, Object.values(row));
}

/** The value of a metric at the next minute. */
async function measure(
  { world, id }: Awaited<ReturnType<typeof home>>,
  change: Partial<AlertRuleInput>,
): Promise<number | null | undefined> {
  // Within reach of counts and shares alike.
  await rules().update(world.caller, id, { cleared: [], minSamples: 1, threshold: 0.9, ...change });
  clock.pass(minuteMs);
  await evaluation().evaluate(world.orgId, clock.now());
  return (await rules().get(world.caller, id)).row.lastValue;
}

it("rules of policies are told apart, and their shares are of all evaluations", async () => {
  const { world, id } = await home({ metric: "block_rate", threshold: 0.1, groupBy: "rule" });
  const start = new Date((Math.floor(clock.now().getTime() / minuteMs) - 1) * minuteMs);
  const place = { org_id: world.orgId, period: 1, start, project_id: world.projectId, environment: "dev", stage: 1 };
  for (const [rule_id, decided] of [
    ["loud", 30],
    ["calm", 2],
  ])
    await insert("stat_rule", {
      ...{ ...place, policy: "guard", rule_id, detector: "secrets", mode: 1, action: 4 },
      ...{ traces: 40, detector_traces: 40, findings: 40, decided },
    });
  await minute(world, 30, { all: 70 });
  const [event] = await told(world);
  expect(event).toMatchObject({ rule_id: "loud", policy: "guard", value: 0.3, samples: 40 });
  const of = (ruleId: string, metric: AlertRuleInput["metric"], policy?: string) =>
    rules().preview(world.caller, {
      name: "Tried",
      metric,
      threshold: 1,
      minSamples: 1,
      filter: { ruleId, policy },
      windowMinutes: 5,
      cleared: [],
    });
  await insert("stat_rule", {
    ...{ ...place, policy: "other", rule_id: "calm", detector: "secrets", mode: 1, action: 4 },
    ...{ traces: 5, detector_traces: 5, findings: 5, decided: 5 },
  });
  const ofBoth = await of("calm", "blocked_evaluations");
  expect(ofBoth.groups).toMatchObject([{ value: 7, samples: 45 }]);
  expect((await of("calm", "blocked_evaluations", "guard")).groups).toMatchObject([{ value: 2, samples: 40 }]);
  expect((await of("calm", "evaluations", "guard")).groups).toMatchObject([{ value: 40 }]);
  await expect(rules().update(world.caller, id, { metric: "unjudged_rate", cleared: [] })).rejects.toMatchObject({
    message: expect.stringContaining("group_by"),
  });
});

/** What a rule of a policy decided in the minute that the next evaluation compares with. */
async function decide({ orgId, projectId }: World, rule_id: string, decided: number): Promise<void> {
  const start = new Date((Math.floor(clock.now().getTime() / minuteMs) - 1) * minuteMs);
  await insert("stat_rule", {
    ...{
      org_id: orgId,
      period: 1,
      start,
      project_id: projectId,
      environment: "dev",
      stage: 1,
      policy: "guard",
      rule_id,
    },
    ...{
      detector: "secrets",
      mode: 1,
      action: 4,
      traces: decided,
      detector_traces: decided,
      findings: decided,
      decided,
    },
  });
}

it("a rule of a policy that finds nothing any more has a share of 0, and its alert ends", async () => {
  const { world } = await home({ metric: "block_rate", threshold: 0.1, groupBy: "rule" });
  await decide(world, "loud", 30);
  await minute(world, 30, { all: 70 });
  await minute(world, 0, { all: 100 });
  expect(await told(world)).toMatchObject([
    { state: "triggered", value: 0.3 },
    { state: "resolved", value: 0 },
  ]);
});

it("the share of a rule in an environment is of the evaluations there", async () => {
  const { world } = await home({
    metric: "block_rate",
    threshold: 0.2,
    groupBy: "environment",
    filter: { ruleId: "loud" },
  });
  const start = new Date((Math.floor(clock.now().getTime() / minuteMs) - 1) * minuteMs);
  await insert("stat_outcome", {
    ...{
      org_id: world.orgId,
      period: 1,
      start,
      project_id: world.projectId,
      environment: "prod",
      agent_key: "",
      stage: 1,
    },
    ...{ language: "", outcome: 1, would_be_outcome: 1, evaluations: 900 },
    ...{ unjudged: 0, fail_open: 0, exempted: 0, overage: 0 },
  });
  await decide(world, "loud", 30);
  await minute(world, 30, { all: 70 });
  expect(await told(world)).toMatchObject([{ state: "triggered", environment: "dev", value: 0.3 }]);
  const [rows] = await rules().list(world.caller, { limit: 1, offset: 0 });
  const { groups } = await rules().test(world.caller, rows[0]?.row.id ?? "");
  expect(groups.map(({ group, value }) => [group.environment, value]).toSorted()).toEqual([
    ["dev", 0.3],
    ["prod", 0],
  ]);
});

it("an open alert goes on although fifty other groups have more evaluations", async () => {
  const { world } = await home({ groupBy: "agent" });
  await minute(world, 20, { agent: "small" });
  for (let n = 0; n < 50; n++) await count(world, 5, { agent: `large ${n}`, all: 50 });
  await minute(world, 20, { agent: "small" });
  expect(await told(world)).toMatchObject([{ state: "triggered", agent_id: "small" }]);
});

it("a preview compares a group while it has evaluations, as the rule would", async () => {
  const { world, id } = await home({ metric: "evaluations", operator: "lt", threshold: 1, groupBy: "agent" });
  await minute(world, 5, { agent: "a" });
  await minute(world, 0);
  expect((await rules().get(world.caller, id)).row.state).toBe("ok");
  const { groups } = await rules().test(world.caller, id);
  expect(groups.map(({ states }) => states.map(({ state }) => state))).toEqual([["ok"]]);
});

it("a preview shows the past of latencies, by group", async () => {
  const { world } = await home();
  const { orgId, projectId } = world;
  const usual = Array.from({ length: 40 }, () => 20_000);
  const minutes = [usual, [...usual.slice(3), 900_000, 900_000, 900_000], [], usual, usual.slice(0, 10)];
  for (const latencies of minutes) {
    const start = new Date((Math.floor(clock.now().getTime() / minuteMs) - 1) * minuteMs);
    const histogram = new LatencyHistogram();
    for (const microseconds of latencies) histogram.add(microseconds);
    for (const agent of ["slow", "other"]) {
      const place = { org_id: orgId, period: 1, start, project_id: projectId, environment: "dev", agent_key: agent };
      const buckets = Buffer.from((agent === "slow" ? histogram : new LatencyHistogram()).toBytes());
      if (latencies.length === 0) continue;
      await count(world, 0, { agent, all: latencies.length });
      await insert("stat_latency", { ...place, stage: 1, buckets });
    }
    clock.pass(minuteMs);
  }
  const input = { name: "Slow", metric: "latency_p95_ms" as const, threshold: 500, cleared: [] };
  const past = async (change: Partial<AlertRuleInput>) => {
    const { groups, hasHistory } = await rules().preview(world.caller, { ...input, ...change });
    expect(hasHistory).toBe(true);
    return groups.map(({ group, value, samples, states }) => [
      ...[group.agentKey, value, samples],
      ...states.map(({ state, value: seen }) => `${state} ${seen === undefined ? "-" : Math.round(seen / 10) * 10}`),
    ]);
  };
  // Windows of a minute: the last one has too few evaluations for a value.
  expect(await past({ windowMinutes: 1, filter: { agentKey: "slow" } })).toEqual([
    [undefined, undefined, 10, "no_data -", "ok 20", "firing 900", "ok 20", "no_data -"],
  ]);
  // Windows of two minutes: the slow ones of the second minute are too few among 80, and enough among their own 40.
  const byAgent = await past({ windowMinutes: 2, groupBy: "agent" });
  expect(byAgent.toSorted()).toEqual([
    ["other", undefined, 50, "ok -", "no_data -"],
    ["slow", expect.closeTo(20, 0), 50, "ok -", "firing 900", "ok 20"],
  ]);
});

it("a rule can be changed although the environment that it names was deleted", async () => {
  const { world, id } = await home({ filter: { environment: "dev" } });
  const elsewhere = { cleared: [], filter: { environment: "elsewhere" } };
  await expect(rules().update(world.caller, id, elsewhere)).rejects.toThrow("no such environment");
  await witness.query("delete from environment where org_id = $1 and name = 'dev'", [world.orgId]);
  const { row } = await rules().update(world.caller, id, { cleared: [], isEnabled: false });
  expect(row).toMatchObject({ isEnabled: false, filter: { environment: "dev" } });
});

it("a preview shows the past of rules, backends and annotations as well", async () => {
  const { world } = await home();
  const { orgId, projectId } = world;
  const rule = { policy: "guard", detector: "secrets", stage: 1, mode: 1, action: 4, detector_traces: 0, findings: 0 };
  for (const failed of [0, 30, 0]) {
    const start = new Date((Math.floor(clock.now().getTime() / minuteMs) - 1) * minuteMs);
    const place = { org_id: orgId, period: 1, start, project_id: projectId, environment: "dev" };
    await count(world, 40, { all: 60 });
    if (failed > 0) {
      await insert("stat_rule", { ...place, ...rule, rule_id: "loud", traces: 35, decided: failed });
      await insert("stat_unjudged", { ...place, detector: "moderation", reason: "error", on_error: 1, traces: failed });
      for (const mark of [1, 3])
        await insert("annotation", {
          ...{ org_id: orgId, id: crypto.randomUUID(), revision: 1, is_current: true, trace_id: crypto.randomUUID() },
          ...{ trace_created_at: start, project_id: projectId, environment: "dev", policy: "guard", rule_id: "loud" },
          ...{
            expected_labels: [],
            spans: "[]",
            annotator_kind: 1,
            annotator_id: "a",
            annotator_label: "a",
            source: 1,
          },
          ...{ is_final: true, created_at: start, mark },
        });
    }
    clock.pass(minuteMs);
  }
  const past = async (change: Partial<AlertRuleInput>) => {
    const tried = { name: "Tried", threshold: 0.2, windowMinutes: 1, minSamples: 1, cleared: [] };
    const { groups, hasHistory } = await rules().preview(world.caller, { ...tried, metric: "block_rate", ...change });
    expect(hasHistory).toBe(true);
    return groups.map(({ group, states }) => [
      group.ruleId,
      ...states.map(({ state, value }) => `${state} ${value ?? "-"}`),
    ]);
  };
  // In the minutes beside, the rule found nothing in 100 evaluations: a share of 0, and not the lack of one. Before it
  // found anything it was no group.
  expect(await past({ groupBy: "rule" })).toEqual([["loud", "ok -", "firing 0.3", "ok 0"]]);
  expect(await past({ filter: { ruleId: "loud" } })).toEqual([[undefined, "no_data -", "ok 0", "firing 0.3", "ok 0"]]);
  expect(await past({ filter: { ruleId: "calm" } })).toEqual([[undefined, "no_data -", "ok 0"]]);
  expect(await past({ filter: { ruleId: "loud" }, metric: "evaluations", threshold: 30 })).toEqual([
    [undefined, "ok 0", "firing 35", "ok 0"],
  ]);
  expect(await past({ metric: "backend_error_rate" })).toEqual([
    [undefined, "no_data -", "ok 0", "firing 0.3", "ok 0"],
  ]);
  expect(await past({ metric: "annotated_false_positive_rate", groupBy: "rule" })).toEqual([
    ["loud", "ok -", "firing 0.5"],
  ]);
});

it("an event names the newest traces that it is about, and where the alert can be read", async () => {
  const { world } = await home();
  const at = new Date((Math.floor(clock.now().getTime() / minuteMs) - 1) * minuteMs + 1_000);
  const ids = Array.from({ length: 7 }, () => crypto.randomUUID());
  for (const [index, id] of ids.entries())
    await insert("trace", {
      ...{ org_id: world.orgId, id, created_at: new Date(at.getTime() + index), project_id: world.projectId },
      ...{ environment: "dev", stage: 1, outcome: index === 6 ? 1 : 4, would_be_outcome: 1, bundle_version: 1 },
      ...{ latency_us: 1, capture: 1, received_at: at, record: Buffer.of(), form: 1 },
    });
  await minute(world, 20);
  const [event] = await told(world);
  expect(event).toMatchObject({ samples: 20, sample_trace_ids: ids.slice(1, 6).toReversed() });
  expect(event?.url).toBe(`https://guard.example/o/${world.orgId}/alerts/${event?.alert_rule_id}`);
});

it("metrics of runtimes and bundles are of the present", async () => {
  const made = await home({ metric: "runtimes_behind", threshold: 0 });
  const { orgId, projectId } = made.world;
  const [row] = (await witness.query("select * from environment where org_id = $1 and name = 'dev'", [orgId])).rows;
  await witness.query("update environment set activation_seq = 3, active_version = 1 where org_id = $1 and id = $2", [
    orgId,
    row.id,
  ]);
  const runtime = (seq: number, agoMs: number, rejection = "") =>
    insert("runtime_instance", {
      ...{ org_id: orgId, project_id: projectId, environment: "dev", id: crypto.randomUUID(), software_version: "1" },
      ...{
        activation_seq: seq,
        rejection,
        first_seen_at: clock.now(),
        last_seen_at: new Date(clock.now().getTime() - agoMs),
      },
    });
  // A minute passes until the value is read, and the window ended a minute before.
  const soon = -minuteMs;
  await runtime(3, soon);
  await runtime(2, soon);
  await runtime(0, soon);
  await runtime(2, soon, "bad signature");
  await runtime(2, 10 * minuteMs);
  await runtime(2, 2 * 86_400_000);
  expect(await measure(made, {})).toBe(2);
  expect(await measure(made, { metric: "bundles_rejected" })).toBe(1);
  clock.pass(10 * minuteMs);
  expect(await measure(made, { metric: "runtimes_disconnected" })).toBe(5);
  expect(await measure(made, { metric: "runtimes_disconnected", filter: { environment: "prod" } })).toBe(0);
});

it("metrics of backends, candidates, annotations, webhooks and the plan are read from their own counts", async () => {
  const made = await home();
  const { world } = made;
  const { orgId, projectId } = world;
  const [environment] = (await witness.query("select * from environment where org_id = $1 and name = 'dev'", [orgId]))
    .rows;
  await count(world, 10, { all: 30 });
  const start = new Date((Math.floor(clock.now().getTime() / minuteMs) - 1) * minuteMs);
  const place = { org_id: orgId, period: 1, start, project_id: projectId, environment: "dev" };
  for (const [reason, traces] of [
    ["circuit_open", 4],
    ["condition_too_expensive", 9],
  ])
    await insert("stat_unjudged", { ...place, detector: "moderation", reason, on_error: 1, traces });
  expect(await measure(made, { metric: "backend_error_rate", windowMinutes: 30 })).toBe(0.1);
  const candidate = { org_id: orgId, environment_id: environment.id };
  const now = clock.now();
  await insert("candidate", {
    ...{ ...candidate, version: 2, digest: "d", active_version: 1, percent: 10, started_by: "x", started_at: now },
    expires_at: new Date(now.getTime() + 86_400_000),
  });
  for (const [active, other, evaluations] of [
    [1, 1, 30],
    [1, 4, 10],
  ])
    await insert("candidate_count", { ...candidate, active_outcome: active, candidate_outcome: other, evaluations });
  expect(await measure(made, { metric: "candidate_disagreement_rate" })).toBe(0.25);
  for (const mark of [1, 3, 3, 3, 2])
    await insert("annotation", {
      ...{ org_id: orgId, id: crypto.randomUUID(), revision: 1, is_current: true, trace_id: crypto.randomUUID() },
      ...{ trace_created_at: now, project_id: projectId, environment: "dev", policy: "guard", rule_id: "r", mark },
      ...{ expected_labels: [], spans: "[]", annotator_kind: 1, annotator_id: "a", annotator_label: "a", source: 1 },
      ...{ is_final: true, created_at: now },
    });
  expect(await measure(made, { metric: "annotated_false_positive_rate", windowMinutes: 30 })).toBe(0.25);
  const { rows } = await witness.query("select id from webhook where org_id = $1", [orgId]);
  await rules().update(world.caller, made.id, { metric: "blocked_evaluations", windowMinutes: 1, cleared: [] });
  await minute(world, 20);
  const events = await witness.query("select id from event where org_id = $1 limit 1", [orgId]);
  for (const state of ["dropped", "delivered"])
    await insert("webhook_delivery", {
      ...{
        org_id: orgId,
        id: crypto.randomUUID(),
        webhook_id: rows[0].id,
        event_id: events.rows[0].id,
        event: "x",
        state,
      },
      ...{ attempts: 9, created_at: now, finished_at: now },
    });
  expect(await measure(made, { metric: "webhook_dropped", windowMinutes: 30, filter: {} })).toBe(1);
  await insert("usage_month", {
    org_id: orgId,
    month: `${now.toISOString().slice(0, 7)}-01`,
    evaluations: 125_000,
    playground_evaluations: 0,
    overage: 0,
  });
  expect(await measure(made, { metric: "plan_usage_percent" })).toBe(50);
  await expect(
    rules().update(world.caller, made.id, { metric: "plan_usage_percent", groupBy: "project", cleared: [] }),
  ).rejects.toMatchObject({ message: expect.stringContaining("group_by") });
});

/** What was said of a trace's rule. */
interface Said {
  readonly mark: 1 | 3 | 4;
  /** Null for a trace that somebody picked. */
  readonly probability?: number | null;
  readonly session?: string;
  /** 4 where something was enforced, 1 where rules were in shadow. */
  readonly outcome?: 1 | 4;
  readonly rule?: string;
  readonly policy?: string;
}

async function say(
  { orgId, projectId }: World,
  { mark, probability = 0.1, session, outcome = 4, rule = "r", policy = "guard" }: Said,
) {
  const now = clock.now();
  const [trace, at] = [{ org_id: orgId, trace_id: crypto.randomUUID() }, { created_at: now }];
  const place = { project_id: projectId, environment: "dev" };
  const target = { policy, rule_id: rule, trace_created_at: now };
  await insert("trace", {
    ...{ org_id: orgId, id: trace.trace_id, ...at, ...place, session_id: session ?? null, stage: 1, outcome },
    ...{ would_be_outcome: 4, bundle_version: 1, latency_us: 1, capture: 1, received_at: now, record: Buffer.of() },
    form: 1,
  });
  await insert("annotation", {
    ...{ ...trace, ...target, ...place, ...at, id: crypto.randomUUID(), revision: 1, is_current: true, mark },
    ...{ expected_labels: [], spans: "[]", annotator_kind: 1, annotator_id: "a", annotator_label: "a", source: 2 },
    is_final: true,
  });
  await insert("annotation_verdict", {
    ...{ ...trace, ...target, ...place, has_finding: true, marks: 1, resolved_mark: mark, is_disputed: false },
    probability,
  });
  clock.pass(1_000);
}

it("a burned budget is told once, by marks of the random lane alone, and counts anew in its next window", async () => {
  const metric = "certain_false_positive_rate" as const;
  const { world, id } = await home({
    ...{ metric, threshold: 0.05, filter: { ruleId: "r" }, windowMinutes: undefined, minSamples: 10 },
  });
  const { windowMinutes } = (await rules().get(world.caller, id)).row;
  expect(windowMinutes).toBe(40_320);
  const windowMs = windowMinutes * minuteMs;
  clock.pass(windowMs - (clock.now().getTime() % windowMs) + minuteMs);
  const compare = async () => {
    clock.pass(2 * minuteMs);
    await evaluation().evaluate(world.orgId, clock.now());
    return (await rules().get(world.caller, id)).row;
  };
  // Picked, of another rule, in shadow, or of one conversation: all of them mistakes, and no evidence.
  for (let at = 0; at < 12; at++) {
    await say(world, { mark: 1, probability: null });
    await say(world, { mark: 1, rule: "other" });
    await say(world, { mark: 1, outcome: 1 });
    await say(world, { mark: at === 0 ? 3 : 1, session: "one" });
  }
  for (let at = 0; at < 9; at++) await say(world, { mark: at === 8 ? 4 : 3 });
  expect(await compare()).toMatchObject({ state: "ok", lastValue: 0 });
  for (let at = 0; at < 10; at++) await say(world, { mark: 1 });
  const burned = await compare();
  expect(burned.state).toBe("firing");
  expect(burned.lastValue).toBeCloseTo(certainRate({ observations: 20, events: 10 }, 0.05), 9);
  for (let at = 0; at < 3; at++) await compare();
  expect(await told(world)).toMatchObject([{ state: "triggered", reason: "threshold", value: burned.lastValue }]);

  clock.pass(windowMs);
  expect((await compare()).state).toBe("firing");
  for (let at = 0; at < 10; at++) await say(world, { mark: 3 });
  expect(await compare()).toMatchObject({ state: "ok", lastValue: 0 });
  expect((await told(world)).map(({ state }) => state)).toEqual(["triggered", "resolved"]);
});

it("a budget is about the rule of one policy: one of the same id in another policy burns its own", async () => {
  const metric = "certain_false_positive_rate" as const;
  const asked = { metric, threshold: 0.2, windowMinutes: undefined, minSamples: 10 };
  const { world, id } = await home({ ...asked, filter: {}, groupBy: "rule" });
  const { windowMinutes } = (await rules().get(world.caller, id)).row;
  const windowMs = windowMinutes * minuteMs;
  clock.pass(windowMs - (clock.now().getTime() % windowMs) + minuteMs);
  // Together they would be wrong in half of the cases, and burn.
  for (let at = 0; at < 20; at++) {
    await say(world, { mark: 1, policy: "strict" });
    await say(world, { mark: 3 });
  }
  clock.pass(2 * minuteMs);
  await evaluation().evaluate(world.orgId, clock.now());
  const worst = certainRate({ observations: 20, events: 20 }, 0.05);
  expect(await told(world)).toMatchObject([{ policy: "strict", rule_id: "r", value: worst, samples: 20 }]);
  const { rows: open } = await witness.query("select group_key from alert_group where org_id = $1", [world.orgId]);
  expect(open.map(({ group_key }) => JSON.parse(group_key))).toEqual([[null, null, null, "r", "strict"]]);

  const previewed = async (filter: AlertRuleInput["filter"]) => {
    const tried = { name: "Tried", ...asked, windowMinutes, filter, cleared: [] };
    return (await rules().preview(world.caller, tried)).groups.map(({ value, samples }) => ({ value, samples }));
  };
  expect(await previewed({ ruleId: "r", policy: "guard" })).toEqual([{ value: 0, samples: 20 }]);
  expect(await previewed({ ruleId: "r", policy: "strict" })).toEqual([{ value: worst, samples: 20 }]);
  // Without a policy each is tested by itself, and the worst counts.
  expect(await previewed({ ruleId: "r" })).toEqual([{ value: worst, samples: 20 }]);

  // A group that was stored without its policy, by an earlier release, ends.
  await witness.query("update alert_group set group_key = $2 where org_id = $1", [
    world.orgId,
    JSON.stringify([null, null, null, "r"]),
  ]);
  clock.pass(minuteMs);
  await evaluation().evaluate(world.orgId, clock.now());
  const { rows } = await witness.query("select group_key from alert_group where org_id = $1", [world.orgId]);
  expect(rows.map(({ group_key }) => JSON.parse(group_key))).toEqual([[null, null, null, "r", "strict"]]);
});

it("rules that cannot be evaluated three times are in error, and owners are told once", async () => {
  const { world, id } = await home();
  const owner = await createPerson(database, { orgId: world.orgId, role: "owner" });
  sent.length = 0;
  const broken = new AlertEvaluation(worker, {
    statFold: { fold: () => Promise.reject(new Error("the fold is broken")) },
    readPlanUsage: planUsagePercent,
    ...{ mailer, log },
  });
  const stateOf = async () => (await rules().get(world.caller, id)).row.state;
  for (const state of ["ok", "ok", "error", "error"]) {
    clock.pass(minuteMs);
    expect(await broken.evaluateThese([world.orgId], clock.now())).toMatchObject({ rules: 0, failed: 1 });
    expect(await stateOf()).toBe(state);
  }
  expect(sent.filter(({ to }) => to === owner.email).map(({ subject }) => subject)).toEqual([
    "Alert rules of Test cannot be evaluated",
  ]);
  await minute(world, 20);
  expect(await stateOf()).toBe("firing");
  expect((await told(world)).length).toBe(1);
});

it("organizations beyond the first are evaluated by jobs of their own", async () => {
  await home();
  await home();
  const few = new AlertEvaluation(worker, {
    statFold: new StatFold(worker),
    readPlanUsage: planUsagePercent,
    mailer,
    log,
    organizationsAtOnce: 1,
  });
  const all = await witness.query("select org_id from app.organizations_with_alert_rules()");
  const { rules: compared } = await few.evaluateAll(clock.now());
  const jobs = await witness.query(
    "select payload->'org_ids' as ids from graphile_worker._private_jobs where key like 'evaluate-alerts/%'",
  );
  expect(compared).toBe(1);
  const later = jobs.rows.flatMap(({ ids }) => ids);
  expect(later.toSorted()).toEqual(
    all.rows
      .slice(1)
      .map(({ org_id }) => org_id)
      .toSorted(),
  );
  // Whoever runs one of them compares those rules.
  expect(await few.evaluateThese(later, clock.now())).toMatchObject({ rules: later.length, failed: 0 });
});

const kills = sampleOf({ n: 1, seed: 1 }).n;

/** A worker as a process of its own that evaluates when it is told to. */
async function startAlertWorker({ orgId }: World) {
  const script = fileURLToPath(new URL("../../../harness/process/alert-worker.ts", import.meta.url));
  const child = spawn(process.execPath, [script, urls.workerUrl, orgId], {
    env: { ...process.env, ...compileCacheVariables },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  await Promise.race([once(output, "line"), exited]);
  return {
    evaluate: (at: Date) => child.stdin.write(`${at.toISOString()}\n`),
    isDone: () => lines.includes("done"),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

it("an episode is told once, however often workers are killed while they evaluate", async () => {
  const { world } = await home();
  let unfinished = 0;
  for (let n = 0; n < kills; n++) {
    for (const [phase, blocked] of [20, 0].entries()) {
      const doomed = phase === n % 2 ? await startAlertWorker(world) : undefined;
      await count(world, blocked);
      clock.pass(minuteMs);
      const evaluate = () => evaluation().evaluate(world.orgId, clock.now());
      doomed?.evaluate(clock.now());
      // Every other one that is killed has a rival meanwhile.
      const rival = n % 4 < 2 ? evaluate() : undefined;
      await new Promise((resolve) => setTimeout(resolve, (n * 7) % 60));
      await doomed?.kill();
      unfinished += Number(doomed?.isDone() === false);
      await rival;
      // What the dead had begun may still be ending, with its lock.
      await eventually(async () => {
        await evaluate();
        expect(await told(world)).toHaveLength(2 * n + phase + 1);
      });
    }
  }
  const events = await told(world);
  expect(events.map(({ state }) => state)).toEqual(
    Array.from({ length: 2 * kills }, (_, i) => (i % 2 === 0 ? "triggered" : "resolved")),
  );
  reportSample({ n: kills, failures: 0, figures: { killed_before_their_end: unfinished } });
});

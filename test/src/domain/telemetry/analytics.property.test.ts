// Analytics against a scan of everything that was stored: after random ingests, late records, repeated ones, folds,
// folds that are killed before their commit, and folds at the same time. The scan knows no tally and no cube.

import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnalyticsBucket, AnalyticsComparison } from "../../../../gen/policyguard/control/v1/trace_analytics_pb.ts";
import {
  BundleReferenceSchema,
  FindingSchema,
  UnjudgedSchema,
} from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { FailMode, Mode, Outcome, Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationRecord } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { reportProgress, reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { Ingest } from "../../../../src/domain/fleet/ingest.ts";
import { type Analytics, type AnalyticsRequest, TraceAnalytics } from "../../../../src/domain/telemetry/analytics.ts";
import { StatFold } from "../../../../src/domain/telemetry/stat-fold.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import type { StatFilter } from "../../../../src/store/telemetry/analytics-query.ts";
import { takeDeltas } from "../../../../src/store/telemetry/stat-delta.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { generator } from "../../../harness/generator.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, evaluation } from "./evaluation.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const { n, seed } = sampleOf({ n: 60, seed: 17 });
const answersPerWorld = 12;

const random = generator(seed);
const below = (limit: number) => Math.floor(random() * limit);
function pick<Value>(values: readonly Value[]): Value {
  const value = values[below(values.length)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

const outcomes = [Outcome.ALLOW, Outcome.FLAG, Outcome.REDACT, Outcome.BLOCK] as const;
const stages = [Stage.INPUT, Stage.OUTPUT, Stage.TOOL_CALL] as const;
const rules = [
  ["guard", "secrets", "secrets"],
  ["guard", "mail", "pii"],
  ["guard", "mail", "own"],
  ["other", "mail", "pii"],
] as const;

function randomRecord(now: number): EvaluationRecord {
  const findings = Array.from({ length: pick([0, 0, 1, 2, 4]) }, () => {
    const [policy, ruleId, detector] = pick(rules);
    const exemptedBy = random() < 0.2 ? "e1" : undefined;
    const mode = pick([Mode.ENFORCE, Mode.SHADOW]);
    return create(FindingSchema, { policy, ruleId, detector, mode, action: pick(outcomes), exemptedBy });
  });
  const unjudged = Array.from({ length: pick([0, 0, 0, 1, 2]) }, () =>
    create(UnjudgedSchema, {
      detector: pick(["injection", "pii"]),
      reason: pick(["timeout", "no_value"]),
      onError: pick([FailMode.FAIL_OPEN, FailMode.FAIL_CLOSED]),
    }),
  );
  const [policy, rule] = pick(rules);
  const isDecided = random() < 0.4;
  const ageMs = pick([below(50 * 60_000), below(3 * dayMs), below(34 * dayMs)]);
  return evaluation(
    {
      ...{ findings, unjudged, stage: pick(stages), outcome: pick(outcomes), wouldBeOutcome: pick(outcomes) },
      agentId: pick(["", "a", "b", "c"]),
      language: pick(["", "en", "de"]),
      latencyUs: pick([below(3), below(500), below(50_000), below(2_000_000_000)]),
      decidedByRule: isDecided ? rule : "",
      decidedByPolicy: isDecided ? policy : "",
      bundle: create(BundleReferenceSchema, { version: below(3) }),
    },
    new Date(now - ageMs),
  );
}

/** An evaluation that counts. */
interface Stored {
  readonly environment: string;
  readonly atMs: number;
  readonly record: EvaluationRecord;
}

/** Losses that became known. */
interface Lost {
  readonly environment: string;
  readonly atMs: number;
  readonly count: number;
}

interface Everything {
  readonly stored: readonly Stored[];
  readonly lost: readonly Lost[];
}

function stepStart(bucket: AnalyticsBucket, atMs: number): number {
  const at = new Date(atMs);
  if (bucket === AnalyticsBucket.HOUR) return at.setUTCMinutes(0, 0, 0);
  at.setUTCHours(0, 0, 0, 0);
  if (bucket === AnalyticsBucket.WEEK) at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7));
  if (bucket === AnalyticsBucket.MONTH) at.setUTCDate(1);
  return at.getTime();
}

function matches({ record, environment }: Stored, filter: StatFilter): boolean {
  const { findings } = record;
  return (
    (filter.environment === undefined || filter.environment === environment) &&
    (filter.agentKey === undefined || filter.agentKey === record.agentId) &&
    (filter.stage === undefined || filter.stage === record.stage) &&
    (filter.language === undefined || filter.language === record.language) &&
    (filter.ruleId === undefined ||
      findings.some(({ policy, ruleId }) => policy === filter.policy && ruleId === filter.ruleId)) &&
    (filter.detector === undefined || findings.some(({ detector }) => detector === filter.detector))
  );
}

const countOf = <Value>(values: readonly Value[], test: (value: Value) => boolean) => values.filter(test).length;

/** What totals and points should say of these evaluations. */
function expectedSums(matching: readonly Stored[], lost: readonly Lost[], filter: StatFilter) {
  const records = matching.map(({ record }) => record);
  const evaluations = records.length;
  const isOf = (policy: string, rule: string) => policy === filter.policy && rule === filter.ruleId;
  if (filter.ruleId !== undefined) {
    const findings = records.flatMap((record) => record.findings).filter((one) => isOf(one.policy, one.ruleId)).length;
    return { evaluations, findings };
  }
  if (filter.detector !== undefined) {
    const findings = records.flatMap((record) => record.findings);
    return { evaluations, findings: countOf(findings, ({ detector }) => detector === filter.detector) };
  }
  const by = (outcome: Outcome) => countOf(records, (record) => record.outcome === outcome);
  const isWhole = filter.agentKey === undefined && filter.language === undefined && filter.stage === undefined;
  const losses = lost.filter(
    ({ environment }) => filter.environment === undefined || environment === filter.environment,
  );
  return {
    evaluations,
    outcomes: {
      allow: by(Outcome.ALLOW),
      flag: by(Outcome.FLAG),
      redact: by(Outcome.REDACT),
      block: by(Outcome.BLOCK),
    },
    wouldBlock: countOf(records, (one) => one.wouldBeOutcome === Outcome.BLOCK && one.outcome !== Outcome.BLOCK),
    unjudged: countOf(records, ({ unjudged }) => unjudged.length > 0),
    failOpen: countOf(records, ({ unjudged }) => unjudged.some(({ onError }) => onError === FailMode.FAIL_OPEN)),
    exempted: countOf(records, ({ findings }) => findings.some(({ exemptedBy }) => exemptedBy !== undefined)),
    unleased: evaluations,
    ...(isWhole ? { lost: losses.reduce((sum, { count }) => sum + count, 0) } : {}),
  };
}

/** Counts by a name, from the most to the least; evaluations in which a name occurs several times count once. */
function tallied(matching: readonly Stored[], namesOf: (record: EvaluationRecord) => readonly string[]) {
  const counts = new Map<string, number>();
  for (const { record } of matching) {
    for (const name of new Set(namesOf(record))) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function named<Item extends { readonly evaluations?: number }>(
  items: readonly Item[] | undefined,
  name: (item: Item) => string,
): [string, number][] {
  const pairs = (items ?? []).map((item): [string, number] => [name(item), item.evaluations ?? 0]);
  return pairs.sort(([a], [b]) => (a < b ? -1 : 1));
}

function checkLatency(answer: Analytics, matching: readonly Stored[]): void {
  const sorted = matching.map(({ record }) => Math.max(record.latencyUs, 1)).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  const { p50 = 0, p90 = 0, p95 = 0, p99 = 0 } = answer.totals.latencyUs ?? {};
  for (const [found, share] of [
    [p50, 0.5],
    [p90, 0.9],
    [p95, 0.95],
    [p99, 0.99],
  ] as const) {
    expect(Math.abs(found - at(share)), `p${share * 100}`).toBeLessThanOrEqual(at(share) * 0.01 + 0.5);
  }
}

function checkBreakdowns({ breakdowns }: Analytics, matching: readonly Stored[], filter: StatFilter): void {
  const stageName = (stage: number) => String(stage);
  expect(named(breakdowns.stages, ({ stage = 0 }) => stageName(stage))).toEqual(
    tallied(matching, ({ stage }) => [stageName(stage)]),
  );
  if (filter.ruleId !== undefined || filter.detector !== undefined) return;
  expect(named(breakdowns.agents, ({ agentId = "" }) => agentId)).toEqual(tallied(matching, (one) => [one.agentId]));
  expect(named(breakdowns.languages, ({ language = "" }) => language)).toEqual(
    tallied(matching, (one) => [one.language]),
  );
  if (filter.agentKey !== undefined || filter.language !== undefined) return;
  expect(named(breakdowns.rules, ({ policy, ruleId }) => `${policy}/${ruleId}`)).toEqual(
    tallied(matching, ({ findings }) => findings.map(({ policy, ruleId }) => `${policy}/${ruleId}`)),
  );
  const decided = (breakdowns.rules ?? []).reduce((sum, rule) => sum + (rule.decided ?? 0), 0);
  const decidedWithFinding = countOf(matching, ({ record }) =>
    record.findings.some((one) => one.policy === record.decidedByPolicy && one.ruleId === record.decidedByRule),
  );
  expect(decided).toBeGreaterThanOrEqual(decidedWithFinding);
  expect(named(breakdowns.detectors, ({ detector = "" }) => detector)).toEqual(
    tallied(matching, ({ findings }) => findings.map(({ detector }) => detector)),
  );
  if (filter.stage !== undefined) return;
  expect(named(breakdowns.bundleVersions, ({ bundleVersion }) => String(bundleVersion))).toEqual(
    tallied(matching, ({ bundle }) => [String(bundle?.version)]),
  );
  expect(
    named(breakdowns.unjudgedReasons, ({ reason, detector, onError }) => `${reason} ${detector} ${onError}`),
  ).toEqual(
    tallied(matching, ({ unjudged }) =>
      unjudged.map(({ reason, detector, onError }) => `${reason} ${detector} ${onError}`),
    ),
  );
}

/** Compares an answer with the scan. */
function check(answer: Analytics, { filter, compare }: AnalyticsRequest, { stored, lost }: Everything): void {
  const timeOf = (moment: Parameters<typeof timestampMs>[0] | undefined) =>
    moment === undefined ? 0 : timestampMs(moment);
  const sinceMs = timeOf(answer.window.since as Parameters<typeof timestampMs>[0]);
  const untilMs = timeOf(answer.window.until as Parameters<typeof timestampMs>[0]);
  const bucket = answer.window.bucket ?? AnalyticsBucket.UNSPECIFIED;
  const matching = stored.filter((one) => matches(one, filter));
  const between = <Item extends { readonly atMs: number }>(items: readonly Item[], from: number, to: number) =>
    items.filter(({ atMs }) => atMs >= from && atMs < to);
  const inWindow = between(matching, sinceMs, untilMs);
  expect(answer.totals).toMatchObject(expectedSums(inWindow, between(lost, sinceMs, untilMs), filter));
  expect(answer.series.length).toBeLessThanOrEqual(400);
  for (const point of answer.series) {
    const from = timeOf(point.start as Parameters<typeof timestampMs>[0]);
    expect(stepStart(bucket, from)).toBe(from);
    const isHere = ({ atMs }: { readonly atMs: number }) => stepStart(bucket, atMs) === from;
    expect(point).toMatchObject(
      expectedSums(inWindow.filter(isHere), between(lost, sinceMs, untilMs).filter(isHere), filter),
    );
  }
  const plain = filter.ruleId === undefined && filter.detector === undefined;
  if (plain && filter.agentKey === undefined && filter.language === undefined && inWindow.length > 0) {
    checkLatency(answer, inWindow);
  }
  checkBreakdowns(answer, inWindow, filter);
  if (compare !== AnalyticsComparison.PREVIOUS || bucket === AnalyticsBucket.MONTH) return;
  const from = 2 * sinceMs - untilMs;
  expect(answer.previous).toMatchObject(
    expectedSums(between(matching, from, sinceMs), between(lost, from, sinceMs), filter),
  );
}

function randomRequest(now: number): AnalyticsRequest {
  const [policy, ruleId, detector] = pick(rules);
  const stage = random() < 0.4 ? pick(stages) : undefined;
  const filter: StatFilter = pick([
    () => ({}),
    () => ({ stage }),
    () => ({ stage, agentKey: pick(["a", "b"]), language: random() < 0.5 ? "en" : undefined }),
    () => ({ stage, language: "de" }),
    () => ({ stage, policy, ruleId }),
    () => ({ stage, detector }),
  ])();
  const environment = random() < 0.5 ? pick(["dev", "prod"]) : undefined;
  const bucket = pick([
    AnalyticsBucket.UNSPECIFIED,
    AnalyticsBucket.HOUR,
    AnalyticsBucket.DAY,
    AnalyticsBucket.WEEK,
    AnalyticsBucket.MONTH,
  ]);
  const compare = pick([AnalyticsComparison.NONE, AnalyticsComparison.PREVIOUS]);
  // With hours, the window before has to be within 35 days too.
  const lengthMs = below(bucket === AnalyticsBucket.HOUR ? 10 * dayMs : 34 * dayMs);
  const untilMs = now + hourMs - below(bucket === AnalyticsBucket.HOUR ? 10 * dayMs : 20 * dayMs);
  const until = new Date(untilMs);
  return { filter: { ...filter, environment }, bucket, compare, top: 50, since: new Date(untilMs - lengthMs), until };
}

describe("analytics", () => {
  let urls: TestDatabase;
  let database: Database;
  let worker: Database;
  let ingest: Ingest;
  let fold: StatFold;
  let analytics: TraceAnalytics;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    worker = await openDatabase({ url: urls.workerUrl, poolSize: 4 });
    ingest = new Ingest(database, { sealer: testSealer, onResult: () => undefined });
    fold = new StatFold(worker);
    analytics = new TraceAnalytics(database);
  });

  afterAll(async () => {
    await Promise.all([database.close(), worker.close()]);
    await urls.drop();
  });

  /** A fold whose process dies before its commit. */
  const killedFold = async ({ orgId }: World) => {
    const killed = worker.systemTransaction(orgId, async (tx) => {
      await takeDeltas(tx, 500);
      throw new Error("killed");
    });
    await expect(killed).rejects.toThrow("killed");
  };

  /** Stores random evaluations, some of them again, and folds at random. */
  const fill = async (world: World): Promise<Everything> => {
    const stored: Stored[] = [];
    const lost: Lost[] = [];
    for (let batch = 0; batch < 6; batch++) {
      const environment = pick(["dev", "prod"]);
      const source = { orgId: world.orgId, projectId: world.projectId, environment, instanceId: randomUUID() };
      const now = Date.now();
      const fresh = Array.from({ length: 1 + below(30) }, () => randomRecord(now));
      const again = stored.filter((one) => one.environment === environment && random() < 0.3);
      // A repeated record counts once, with what it said the first time.
      const repeated = again.map(({ record }) => ({ ...record, outcome: pick(outcomes), agentId: "c" }));
      await ingest.ingest(source, batchOf([...repeated, ...fresh, ...fresh.slice(0, 2)]));
      for (const record of fresh) {
        const atMs = record.createdAt === undefined ? 0 : timestampMs(record.createdAt);
        stored.push({ environment, atMs, record });
      }
      if (random() < 0.3) {
        const count = 1 + below(9);
        await ingest.noteGap(source, { firstSeq: 1_000, lastSeq: 999 + count, count, reason: "spool_full" });
        lost.push({ environment, atMs: Date.now(), count });
      }
      const steps = [
        () => fold.fold(world.orgId),
        () => killedFold(world),
        () => Promise.all([fold.fold(world.orgId), fold.fold(world.orgId), killedFold(world)]),
        () => undefined,
      ];
      await pick(steps)();
    }
    return { stored, lost };
  };

  it("equals a scan of everything that was stored, whatever was folded, repeated, late or killed", async () => {
    let compared = 0;
    let failures = 0;
    while (compared < n) {
      const world = await createWorld(database);
      const everything = await fill(world);
      for (let i = 0; i < answersPerWorld && compared < n; i++) {
        const request = randomRequest(Date.now());
        const answer = await analytics.get(world.caller, request);
        compared += 1;
        reportProgress(compared);
        try {
          check(answer, request, everything);
        } catch (error) {
          failures += 1;
          reportSample({ n: compared, failures });
          throw new Error(`answer ${compared} of seed ${seed}: ${JSON.stringify(request)}`, { cause: error });
        }
      }
    }
    reportSample({ n: compared, failures });
  });
});

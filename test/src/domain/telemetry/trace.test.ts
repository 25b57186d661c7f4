import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CredentialKind } from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { BundleReferenceSchema, UnjudgedSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome, Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationRecord } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { Ingest } from "../../../../src/domain/fleet/ingest.ts";
import { Projects } from "../../../../src/domain/project/project.ts";
import { Traces } from "../../../../src/domain/telemetry/trace.ts";
import { totalLimit } from "../../../../src/domain/telemetry/trace-page.ts";
import type { Caller } from "../../../../src/kit/rpc/context.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { runBound } from "../../../../src/store/core/bulk.ts";
import {
  readTraces,
  type SearchResult,
  type TraceFilter,
  TraceSearch,
} from "../../../../src/store/telemetry/trace-query.ts";
import { sharedAnalysis } from "../../../harness/analysis.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, blockedEvaluation, evaluation } from "./evaluation.ts";

const dayMs = 86_400_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const firstPage = { limit: 50, offset: 0 };

interface Known {
  readonly id: string;
  readonly at: Date;
  readonly projectId: string;
  readonly environment: string;
  readonly agentKey: string;
  readonly outcome: Outcome;
  readonly rules: readonly string[];
  readonly sessionId: string;
  readonly record: EvaluationRecord;
}

describe("Traces", () => {
  let urls: TestDatabase;
  let database: Database;
  let world: World;
  let traces: Traces;
  let ingest: Ingest;
  let otherProject: string;
  const known: Known[] = [];

  const source = (projectId: string, environment: string) => ({
    orgId: world.orgId,
    projectId,
    environment,
    instanceId: randomUUID(),
  });

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    world = await createWorld(database);
    traces = new Traces({ database, sealer: testSealer, analysis: sharedAnalysis() });
    ingest = new Ingest(database, { sealer: testSealer, onResult: () => undefined });
    otherProject = (await new Projects(database).create(world.caller, { name: "Other" })).id;
    // Few different values and times, so that filters meet ties and empty sets. The first days are in other partitions.
    const batches = new Map<string, EvaluationRecord[]>();
    for (let i = 0; i < 400; i += 1) {
      const at = new Date(today - (i % 34) * dayMs + (i % 3) * 1000);
      const projectId = i % 4 === 0 ? otherProject : world.projectId;
      const environment = i % 5 === 0 ? "prod" : "dev";
      const agentKey = ["", "bot", "agent.2"][i % 3] ?? "";
      const rules = i % 7 === 0 ? ["secrets.any", "pii.email"] : i % 7 === 1 ? ["pii.email"] : [];
      const sessionId = i % 11 === 0 ? "s1" : "";
      const record = rules.length > 0 ? blockedEvaluation(rules[0] ?? "") : evaluation();
      Object.assign(record, { createdAt: evaluation({}, at).createdAt, agentId: agentKey, sessionId });
      if (rules.length > 1) record.findings = rules.flatMap((rule) => blockedEvaluation(rule).findings);
      if (i % 13 === 0) record.outcome = Outcome.FLAG;
      if (i % 3 === 0) record.stage = Stage.OUTPUT;
      if (i % 17 === 0) record.userId = "u1";
      if (i % 5 === 0) record.language = i % 2 === 0 ? "de" : "de-AT";
      if (i % 6 === 0) record.wouldBeOutcome = Outcome.REDACT;
      record.latencyUs = 100 * (i % 8);
      if (i % 4 === 0) record.bundle = create(BundleReferenceSchema, { version: 7 });
      if (i % 9 === 0) record.unjudged = [create(UnjudgedSchema, { detector: "injection", reason: "timeout" })];
      for (const finding of record.findings) if (i % 2 === 0) finding.detector = "pii";
      const place = `${projectId} ${environment}`;
      batches.set(place, [...(batches.get(place) ?? []), record]);
      known.push({
        id: record.evaluationId,
        at,
        projectId,
        environment,
        agentKey,
        outcome: record.outcome,
        rules,
        sessionId,
        record,
      });
    }
    for (const [place, records] of batches) {
      const [projectId = "", environment = ""] = place.split(" ");
      await ingest.ingest(source(projectId, environment), batchOf(records));
    }
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  const matching = (filter: TraceFilter) =>
    known
      .filter(
        (trace) =>
          (filter.projectId === undefined || trace.projectId === filter.projectId) &&
          (filter.environment === undefined || trace.environment === filter.environment) &&
          (filter.agentKey === undefined || trace.agentKey === filter.agentKey) &&
          (filter.outcome === undefined || trace.outcome === filter.outcome) &&
          (filter.ruleId === undefined || trace.rules.includes(filter.ruleId)) &&
          (filter.sessionId === undefined || trace.sessionId === filter.sessionId) &&
          (filter.stage === undefined || trace.record.stage === filter.stage) &&
          (filter.userId === undefined || trace.record.userId === filter.userId) &&
          (filter.bundleVersion === undefined || trace.record.bundle?.version === filter.bundleVersion) &&
          (filter.policy === undefined || trace.record.findings.some(({ policy }) => policy === filter.policy)) &&
          (filter.detector === undefined ||
            trace.record.findings.some(({ detector }) => detector === filter.detector)) &&
          (filter.category === undefined ||
            trace.record.findings.some(({ category }) => category === filter.category)) &&
          (filter.unjudged === undefined || trace.record.unjudged.some(({ reason }) => reason === filter.unjudged)) &&
          (filter.language === undefined || trace.record.language === filter.language) &&
          (filter.wouldBeOutcome === undefined || trace.record.wouldBeOutcome === filter.wouldBeOutcome) &&
          trace.record.latencyUs >= (filter.minLatencyUs ?? 0) &&
          trace.record.latencyUs <= (filter.maxLatencyUs ?? Number.POSITIVE_INFINITY) &&
          (filter.since === undefined || trace.at >= filter.since) &&
          (filter.until === undefined || trace.at < filter.until),
      )
      .sort((a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id);

  const moment = fc.oneof(
    fc.integer({ min: -35, max: 2 }).map((days) => new Date(today + days * dayMs)),
    fc.integer({ min: -35 * 86_400, max: 86_400 }).map((seconds) => new Date(today + seconds * 1000)),
  );
  const filters = () =>
    fc
      .record(
        {
          projectId: fc.constantFrom(world.projectId, otherProject, randomUUID()),
          environment: fc.constantFrom("dev", "prod", "nowhere"),
          agentKey: fc.constantFrom("bot", "agent.2", "nobody"),
          outcome: fc.constantFrom(Outcome.ALLOW, Outcome.FLAG, Outcome.BLOCK, Outcome.REDACT),
          ruleId: fc.constantFrom("secrets.any", "pii.email", "none"),
          sessionId: fc.constantFrom("s1", "s2"),
          stage: fc.constantFrom(Stage.INPUT, Stage.OUTPUT),
          userId: fc.constantFrom("u1", "u2"),
          bundleVersion: fc.constantFrom(3, 7, 8),
          policy: fc.constantFrom("support-bot", "none"),
          detector: fc.constantFrom("pii", "secrets"),
          category: fc.constantFrom("secrets.token", "none"),
          unjudged: fc.constantFrom("timeout", "none"),
          language: fc.constantFrom("de", "de-AT", "fr"),
          wouldBeOutcome: fc.constantFrom(Outcome.ALLOW, Outcome.REDACT, Outcome.BLOCK),
          minLatencyUs: fc.constantFrom(0, 300, 301),
          maxLatencyUs: fc.constantFrom(0, 500, 699),
          since: moment,
          until: moment,
        },
        { requiredKeys: [] },
      )
      // Reversed windows and latencies are refused.
      .filter(({ since, until }) => since === undefined || until === undefined || since <= until)
      .filter(({ minLatencyUs = 0, maxLatencyUs = minLatencyUs }) => minLatencyUs <= maxLatencyUs);

  it("finds for any filter and page exactly what a search in memory finds, with an exact total", async () => {
    const pages = fc.record({ limit: fc.integer({ min: 1, max: 60 }), offset: fc.integer({ min: 0, max: 90 }) });
    await fc.assert(
      fc.asyncProperty(filters(), pages, async (filter, page) => {
        const want = matching(filter);
        const got = await traces.list(world.caller, filter, page);
        expect(got.traces.map(({ id }) => id)).toEqual(want.slice(page.offset, page.offset + page.limit));
        expect([got.total, got.totalIsExact]).toEqual([want.length, true]);
      }),
      { numRuns: 250, seed: 11 },
    );
  });

  it("walks by positions through exactly what it finds, whatever the filter, with one total", async () => {
    await fc.assert(
      fc.asyncProperty(filters(), fc.integer({ min: 20, max: 200 }), async (filter, limit) => {
        const want = matching(filter);
        const ids: string[] = [];
        let after: string | undefined;
        do {
          const page = await traces.list(world.caller, filter, { limit, offset: 0, after });
          ids.push(...page.traces.map(({ id }) => id));
          expect([page.total, page.totalIsExact, page.examinedUntil]).toEqual([want.length, true, null]);
          after = page.nextAfter ?? undefined;
        } while (after !== undefined);
        expect(ids).toEqual(want);
      }),
      { numRuns: 25, seed: 13 },
    );
  });

  it("says where a search stopped, and misses nothing when it is repeated from there", async () => {
    const filter = { stage: Stage.OUTPUT, bundleVersion: 7 };
    const ids: string[] = [];
    let searches = 0;
    for (let until: Date | undefined = new Date(today + dayMs); until !== undefined; searches += 1) {
      const part: TraceFilter = { ...filter, until };
      const found: SearchResult = await database.read(world.orgId, async (tx) =>
        (await TraceSearch.of(tx, part)).page(tx, { limit: 200, offset: 0, after: undefined, maxRows: 60 }),
      );
      ids.push(...found.positions.map(({ id }) => id));
      until = found.examinedUntil;
    }
    expect(ids).toEqual(matching(filter));
    expect(searches).toBeGreaterThan(5);
  });

  it("reads the partitions of the asked time only", async () => {
    const since = new Date(today - 2 * dayMs);
    const until = new Date(today + dayMs);
    const filters: TraceFilter[] = [
      {},
      { ruleId: "pii.email" },
      { ruleId: "pii.email", projectId: otherProject },
      { stage: Stage.OUTPUT },
    ];
    for (const filter of filters) {
      const plans = await database.read(world.orgId, async (tx) => {
        const statements: { sql: string; parameters: readonly unknown[] }[] = [];
        const kysely = tx.em.getKysely<unknown>();
        const executeQuery = ((statement: { sql: string; parameters: readonly unknown[] }) => {
          statements.push(statement);
          return kysely.executeQuery(statement as never);
        }) as never; // only the statement is looked at
        const em = new Proxy(tx.em, {
          get: (target, name) => (name === "getKysely" ? () => ({ executeQuery }) : Reflect.get(target, name)),
        });
        const watched = { ...tx, em };
        const search = await TraceSearch.of(watched, { ...filter, since, until });
        const { positions } = await search.page(watched, { limit: 10, offset: 0, after: undefined });
        await search.count(watched, 100);
        await readTraces(watched, positions);
        const texts: string[] = [];
        for (const { sql, parameters } of statements) {
          const rows = await runBound<{ "QUERY PLAN": string }>(tx, `explain ${sql}`, parameters);
          texts.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
        }
        return texts;
      });
      expect(plans.length).toBeGreaterThanOrEqual(3);
      const months = new Set([since, until].map((moment) => moment.toISOString().slice(0, 7).replace("-", "_")));
      for (const plan of plans) {
        const read = new Set([...plan.matchAll(/ on trace(?:_facet)?_p(\w+)/g)].map(([, name]) => name));
        for (const name of read) expect([...months, "default"]).toContain(name);
        expect(read.size).toBeGreaterThan(0);
      }
    }
  });

  it("refuses positions that no page has told, and one beside an offset", async () => {
    const page = await traces.list(world.caller, {}, { limit: 10, offset: 0 });
    const after = page.nextAfter ?? "";
    expect(after).not.toBe("");
    for (const broken of ["", "x", after.slice(1), Buffer.from("[1]").toString("base64url")]) {
      await expect(traces.list(world.caller, {}, { ...firstPage, after: broken })).rejects.toThrow(/next_after/);
    }
    await expect(traces.list(world.caller, {}, { limit: 10, offset: 1, after })).rejects.toThrow(/offset/);
  });

  it("exports for any filter exactly what a search in memory finds, in its order", async () => {
    await fc.assert(
      fc.asyncProperty(filters(), async (filter) => {
        const ids: string[] = [];
        for await (const page of traces.export(world.caller, { filter, format: "csv", includesText: false }))
          ids.push(...page.map(({ id }) => id));
        expect(ids).toEqual(matching(filter));
      }),
      { numRuns: 40, seed: 12 },
    );
  });

  it("stops counting at its limit and says so, except where days, projects, agents and outcomes are counted already", async () => {
    const many = await createWorld(database);
    // Rows of one session, more than the limit; written as one statement, since ingesting them would take seconds.
    await database.systemTransaction(many.orgId, (tx) =>
      tx.sql(
        `insert into trace (org_id, id, created_at, project_id, environment, session_id, stage, outcome, would_be_outcome,
           bundle_version, latency_us, capture, received_at, record)
         select ?, gen_random_uuid(), now() - n * interval '1 second', ?, 'dev', 'long', 1, 1, 1, 1, 1, 1, now(), ''
         from generate_series(1, ?) as n`,
        [many.orgId, many.projectId, totalLimit + 1],
      ),
    );
    const list = await traces.list(many.caller, { sessionId: "long" }, firstPage);
    expect([list.total, list.totalIsExact]).toEqual([totalLimit, false]);
    await database.systemTransaction(many.orgId, (tx) =>
      tx.sql("delete from trace where id = (select id from trace limit 1)"),
    );
    const fewer = await traces.list(many.caller, { sessionId: "long" }, { limit: 1, offset: 0 });
    expect([fewer.total, fewer.totalIsExact]).toEqual([totalLimit, true]);
    await database.systemTransaction(many.orgId, (tx) =>
      tx.sql(
        `insert into trace_rollup (org_id, day, project_id, environment, agent_key, outcome, count)
         values (?, current_date, ?, 'dev', '', 1, 12345)`,
        [many.orgId, many.projectId],
      ),
    );
    const counted = await traces.list(
      many.caller,
      { outcome: Outcome.ALLOW, since: new Date(today) },
      { limit: 1, offset: 0 },
    );
    expect([counted.total, counted.totalIsExact]).toEqual([12345, true]);
  });

  it("shows a ci token its own project's traces and nothing of others", async () => {
    const credential = { ...world.caller.credential, kind: CredentialKind.CI, projectId: otherProject };
    const ci: Caller = { ...world.caller, credential };
    const list = await traces.list(ci, {}, { limit: 200, offset: 0 });
    expect(list.traces.map(({ id }) => id)).toEqual(matching({ projectId: otherProject }));
    expect(await traces.list(ci, { projectId: world.projectId }, firstPage)).toMatchObject({ traces: [], total: 0 });
    const foreign = known.find((trace) => trace.projectId === world.projectId)?.id ?? "";
    await expect(traces.get(ci, foreign)).rejects.toThrow("no such trace");
    expect((await traces.get(ci, list.traces[0]?.id ?? "")).projectId).toBe(otherProject);
  });

  it("knows no trace of another organization, and none for what no trace can hold", async () => {
    const foreign = await createWorld(database);
    const [first] = known;
    await expect(traces.get(foreign.caller, first?.id ?? "")).rejects.toThrow("no such trace");
    expect(await traces.list(foreign.caller, { projectId: world.projectId }, firstPage)).toMatchObject({ total: 0 });
    expect(await traces.list(world.caller, { sessionId: "\0" }, firstPage)).toMatchObject({ traces: [], total: 0 });
  });
});

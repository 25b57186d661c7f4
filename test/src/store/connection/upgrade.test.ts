// A database of a former schema, with rows in it, brought to the present one: real migrations from the first on, and
// the jobs that finish what a migration leaves to them.

import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { MikroORM } from "@mikro-orm/postgresql";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CaptureMode, RecordedSegmentSchema } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { Traces } from "../../../../src/domain/telemetry/trace.ts";
import { writeRecord } from "../../../../src/domain/telemetry/trace-text.ts";
import { TraceUpgrade } from "../../../../src/domain/telemetry/trace-upgrade.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { migrateDatabase } from "../../../../src/store/connection/migrate.ts";
import { ormOptions } from "../../../../src/store/connection/orm.ts";
import { sharedAnalysis } from "../../../harness/analysis.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { adminCaller } from "../../../harness/vector/world.ts";
import { blockedEvaluation, evaluation } from "../../domain/telemetry/evaluation.ts";

const page = { limit: 200, offset: 0 };
const dayMs = 86_400_000;

describe("a database of the schema before facets and sealed text", () => {
  let urls: TestDatabase;
  let owner: pg.Client;
  let database: Database;
  let worker: Database;
  const organizations = [randomUUID(), randomUUID()];
  const projectId = randomUUID();
  // Two of each organization, one in another month, and one in which nothing was found.
  const stored = organizations.flatMap((orgId) =>
    [0, 33].flatMap((age) => [
      { orgId, record: blockedEvaluation("pii.email", textOf(orgId)), age },
      { orgId, record: evaluation(), age },
    ]),
  );

  beforeAll(async () => {
    urls = await createTestDatabase();
    owner = new pg.Client({ connectionString: urls.migrationUrl });
    await owner.connect();
    // As a new database is, before its first migration; the queue's schema is not ours to drop.
    const { rows } = await owner.query<{ name: string }>(
      "select format('%I', c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition",
    );
    await owner.query(`drop table ${rows.map(({ name }) => name).join(", ")} cascade`);
    const orm = await MikroORM.init(ormOptions({ url: urls.migrationUrl, poolSize: 2 }));
    await orm.migrator.up({ to: "0008-know-who-invited" });
    await orm.close(true);
    for (const orgId of organizations) await fill(orgId);
    await migrateDatabase(urls);
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    worker = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
  });

  afterAll(async () => {
    await Promise.all([database?.close(), worker?.close(), owner.end()]);
    await urls.drop();
  });

  async function fill(orgId: string): Promise<void> {
    await owner.query("select set_config('app.org_id', $1, false)", [orgId]);
    await owner.query(
      "insert into organization (id, name, plan, billing_blocked, created_at, updated_at) values ($1, 'A', 'free', false, now(), now())",
      [orgId],
    );
    for (const { record, age } of stored.filter((one) => one.orgId === orgId)) {
      const at = new Date(Date.now() - age * dayMs);
      await owner.query(
        `insert into trace (org_id, id, created_at, project_id, environment, stage, outcome, would_be_outcome,
           bundle_version, latency_us, capture, received_at, record)
         values ($1, $2, $3, $4, 'dev', $5, $6, $6, 3, 180, $7, $3, $8)`,
        [orgId, record.evaluationId, at, projectId, record.stage, record.outcome, record.capture, writeRecord(record)],
      );
      await owner.query(
        "insert into evaluation_key (org_id, evaluation_id, created_at, payload_hash) values ($1, $2, $3, '')",
        [orgId, record.evaluationId, at],
      );
      await owner.query(
        `insert into trace_rollup (org_id, day, project_id, environment, agent_key, outcome, count)
         values ($1, ($2::timestamptz at time zone 'UTC')::date, $3, 'dev', '', $4, 1)`,
        [orgId, at, projectId, record.outcome],
      );
      for (const { ruleId } of record.findings) {
        await owner.query("insert into trace_rule (org_id, id, created_at, rule_id) values ($1, $2, $3, $4)", [
          ...[orgId, record.evaluationId, at, ruleId],
        ]);
      }
    }
  }

  const idsOf = (orgId: string, isBlocked: boolean) =>
    stored
      .filter((one) => one.orgId === orgId && (!isBlocked || one.record.findings.length > 0))
      .map(({ record }) => record.evaluationId)
      .sort();
  const found = async (orgId: string, filter: Parameters<Traces["list"]>[1]) => {
    const traces = new Traces({ database, sealer: testSealer, analysis: sharedAnalysis() });
    const list = await traces.list(adminCaller(orgId), filter, { ...page, withText: true });
    return list.traces.map(({ id, record }) => [id, record.segments.map(({ text }) => text).join()]);
  };

  it("has the rules of every organization as facets, and its traces with their text, before and after the job", async () => {
    for (const isUpgraded of [false, true]) {
      if (isUpgraded) expect(await new TraceUpgrade(worker, testSealer).run(() => true)).toBe(stored.length);
      for (const orgId of organizations) {
        const byRule = await found(orgId, { ruleId: "pii.email" });
        expect(byRule.map(([id]) => id).sort()).toEqual(idsOf(orgId, true));
        for (const [, text] of byRule) expect(text).toBe(`mail of ${orgId}`);
        expect((await found(orgId, {})).map(([id]) => id).sort()).toEqual(idsOf(orgId, false));
        expect((await found(orgId, { text: "MAIL OF" })).map(([id]) => id).sort()).toEqual(idsOf(orgId, true));
        // Further facets than rules come with the job.
        const byDetector = await found(orgId, { detector: "secrets" });
        expect(byDetector.length).toBe(isUpgraded ? 2 : 0);
      }
    }
    await owner.query("select set_config('app.org_id', '', false)");
    expect((await owner.query("select 1 from pg_class where relname like 'trace_rule%'")).rows).toEqual([]);
  });
});

function textOf(orgId: string) {
  const segments = [create(RecordedSegmentSchema, { id: "s1", role: "user", text: `mail of ${orgId}` })];
  return { capture: CaptureMode.FULL, segments };
}

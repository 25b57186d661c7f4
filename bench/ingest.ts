// Ingest: batches of evaluations into PostgreSQL, each acknowledged after its commit, against the same rows by a bare
// multi-row insert in a transaction of its own.

import { randomBytes, randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import pg from "pg";
import { Mode, Outcome, Severity, Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { CaptureMode, type EvaluationRecord, EvaluationRecordSchema } from "../gen/policyguard/policy/v1/record_pb.ts";
import { Ingest } from "../src/domain/ingest.ts";
import { Organizations } from "../src/domain/organization.ts";
import { Projects } from "../src/domain/project.ts";
import { openDatabase } from "../src/store/database.ts";
import { adminCaller } from "../test/harness/world.ts";
import { type Bench, measure, type Round } from "./measure.ts";
import { startBenchDatabase } from "./server/database.ts";

const batchSize = 256;
const batches = 40;
const streams = 4;

/** Measures ingest. */
export const ingestBench: Bench = async () => {
  const server = await startBenchDatabase();
  const database = await openDatabase({ url: server.applicationUrl, poolSize: 8 });
  const bare = new pg.Pool({ connectionString: server.migrationUrl, max: streams });
  try {
    const { id: orgId } = await new Organizations(database).create({ name: "Bench" });
    const project = await new Projects(database).create(adminCaller(orgId), { name: "Bench" });
    const ingest = new Ingest(database, { onResult: () => undefined });
    const source = { orgId, projectId: project.id, environment: "prod", instanceId: randomUUID() };
    await bare.query("create table bench_row (id uuid primary key, org_id uuid, created_at timestamptz, record jsonb)");
    return await measure([
      { name: "bare multi-row insert", run: () => inStreams((batch) => insertBare(bare, orgId, batch)) },
      {
        name: "ingest",
        against: "bare multi-row insert",
        run: () =>
          inStreams(async (records, firstSeq) => {
            await ingest.ingest(source, { firstSeq, lastSeq: firstSeq + records.length - 1, records });
          }),
      },
    ]);
  } finally {
    await bare.end();
    await database.close();
    await server.stop();
  }
};

async function inStreams(store: (batch: EvaluationRecord[], firstSeq: number) => Promise<void>): Promise<Round> {
  const made = Array.from({ length: batches }, () => Array.from({ length: batchSize }, record));
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  const run = async (stream: number) => {
    for (let index = stream; index < batches; index += streams) {
      await store(made[index] ?? [], index * batchSize + 1);
    }
  };
  await Promise.all(Array.from({ length: streams }, (_, stream) => run(stream)));
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    operations: batches * batchSize,
    seconds: (performance.now() - startedAtMs) / 1000,
    cpuSeconds: (user + system) / 1e6,
  };
}

async function insertBare(pool: pg.Pool, orgId: string, records: readonly EvaluationRecord[]): Promise<void> {
  const values = records.map(
    (_, index) => `($${index * 4 + 1}, $${index * 4 + 2}, $${index * 4 + 3}, $${index * 4 + 4})`,
  );
  const parameters = records.flatMap(({ evaluationId, findings }) => [
    evaluationId,
    orgId,
    new Date(),
    JSON.stringify({ evaluationId, findings, padding: padding }),
  ]);
  await pool.query(`insert into bench_row values ${values.join(", ")}`, parameters);
}

const padding = randomBytes(300).toString("base64");

// Nine of ten evaluations find nothing, as in ordinary traffic.
function record(_: unknown, index: number): EvaluationRecord {
  const isHit = index % 10 === 0;
  return create(EvaluationRecordSchema, {
    evaluationId: randomUUID(),
    createdAt: timestampFromDate(new Date()),
    stage: Stage.INPUT,
    agentId: `agent-${index % 5}`,
    sessionId: `session-${index % 50}`,
    outcome: isHit ? Outcome.REDACT : Outcome.ALLOW,
    wouldBeOutcome: isHit ? Outcome.REDACT : Outcome.ALLOW,
    findings: isHit
      ? [
          {
            ruleId: "pii.email",
            policy: "starter",
            detector: "pii",
            category: "pii.email",
            severity: Severity.LOW,
            action: Outcome.REDACT,
            mode: Mode.ENFORCE,
            segment: "s1",
            start: 10,
            end: 30,
            score: 0.99,
            threshold: 0.5,
            layer: "plain",
          },
        ]
      : [],
    bundle: { version: 1, digest: "sha256:0", activationSeq: 1 },
    latencyUs: 100,
    capture: CaptureMode.REDACTED,
    segments: [{ id: "s1", role: "user", text: padding }],
    decidedByRule: isHit ? "pii.email" : "",
    decidedByPolicy: isHit ? "starter" : "",
  });
}

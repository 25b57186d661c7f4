// Ingest: batches of evaluations into PostgreSQL, each acknowledged after its commit, against the same rows by a bare
// multi-row insert in a transaction of its own. Over the stream they come from runtimes whose spools are full, to a
// control plane that is a process of its own: with one runtime this is how fast it catches up, with four how much a
// control plane takes in. The runtimes, the control plane and the database share the machine.

import { randomBytes, randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type pg from "pg";
import { Mode, Outcome, Severity, Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { CaptureMode, type EvaluationRecord, EvaluationRecordSchema } from "../gen/policyguard/policy/v1/record_pb.ts";
import { Ingest } from "../src/domain/fleet/ingest.ts";
import { createSealer, parseMasterKeys } from "../src/platform/seal.ts";
import { openDatabase } from "../src/store/connection/database.ts";
import { catchUp } from "./load/catch-up.ts";
import { startServer } from "./load/http.ts";
import { type Bench, measure, type Round } from "./measure.ts";
import type { BenchControlPlane } from "./server/control-plane.ts";
import { openBarePool, startBenchDatabase } from "./server/database.ts";

const batchSize = 256;
const batches = 40;
const streams = 4;

/** Measures ingest. */
export const ingestBench: Bench = async () => {
  const server = await startBenchDatabase();
  const plane = await startServer<BenchControlPlane>("control-plane", server.applicationUrl);
  const database = await openDatabase({ url: server.applicationUrl, poolSize: 8 });
  const bare = openBarePool(server.migrationUrl, streams);
  try {
    const { orgId, projectId, masterKey } = plane.told;
    const sealer = createSealer({ masterKeys: parseMasterKeys(masterKey) });
    const ingest = new Ingest(database, { sealer, onResult: () => undefined });
    const source = { orgId, projectId, environment: "prod", instanceId: randomUUID() };
    await bare.query("create table bench_row (id uuid primary key, org_id uuid, created_at timestamptz, record jsonb)");
    return await measure([
      { name: "bare multi-row insert", run: () => inStreams((batch) => insertBare(bare, orgId, batch)) },
      {
        name: "ingest without the stream",
        against: "bare multi-row insert",
        run: () =>
          inStreams(async (records, firstSeq) => {
            await ingest.ingest(source, { firstSeq, lastSeq: firstSeq + records.length - 1, records });
          }),
      },
      {
        name: `ingest over the streams of ${streams} runtimes`,
        against: "bare multi-row insert",
        run: () =>
          catchUp(
            plane,
            Array.from({ length: streams }, () => recordsOf(batches / streams)),
          ),
      },
      {
        name: "catch-up of 1 runtime over its stream",
        against: "bare multi-row insert",
        run: () => catchUp(plane, [recordsOf(batches)]),
      },
    ]);
  } finally {
    plane.child.kill();
    await bare.end();
    await database.close();
    await server.stop();
  }
};

function recordsOf(count: number): EvaluationRecord[] {
  return Array.from({ length: count * batchSize }, record);
}

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

function record(_: unknown, index: number): EvaluationRecord {
  return ingestedRecord(index);
}

/** A record as runtimes report it. Nine of ten evaluations find nothing, as in ordinary traffic. */
export function ingestedRecord(index: number): EvaluationRecord {
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

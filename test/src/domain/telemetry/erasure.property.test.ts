// Erasures in random worlds: persons, conversations and matched texts that overlap, with texts, notes, samples, events
// for webhooks and evidence about them, and records that arrive late. What an erasure reaches is told by the records
// alone, as they were reported; the test then reads every table, and asks for everything that is not about its
// subjects.

import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AnnotationMark } from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import {
  CaptureMode,
  type EvaluationRecord,
  RecordedPieceSchema,
  RecordedSegmentSchema,
} from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { reportProgress, reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { Ingest } from "../../../../src/domain/fleet/ingest.ts";
import { Annotations } from "../../../../src/domain/measure/annotation/annotation.ts";
import { AnnotationExports } from "../../../../src/domain/measure/annotation/annotation-export.ts";
import { eraseSamplesAbout } from "../../../../src/domain/measure/dataset/dataset-erasure.ts";
import { Samples, sampleSeals } from "../../../../src/domain/measure/dataset/dataset-sample.ts";
import { shippedTrainingTexts } from "../../../../src/domain/measure/dataset/training-text.ts";
import { RunWorker } from "../../../../src/domain/run/run-worker.ts";
import { Erasures, type SubjectInput } from "../../../../src/domain/telemetry/erasure.ts";
import { ErasureRun } from "../../../../src/domain/telemetry/erasure-run.ts";
import { Traces } from "../../../../src/domain/telemetry/trace.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { WebhookRow } from "../../../../src/store/webhook/webhook.ts";
import { sharedAnalysis } from "../../../harness/analysis.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { dumpOf, formsOf } from "../../../harness/dump.ts";
import { generator } from "../../../harness/generator.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { stillClock } from "../../../harness/still-clock.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, blockedEvaluation, evaluation } from "./evaluation.ts";

const { n, seed } = sampleOf({ n: 2, seed: 13 });
const random = generator(seed);
const below = (limit: number) => Math.floor(random() * limit);
function pick<Value>(values: readonly Value[]): Value {
  const value = values[below(values.length)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

let urls: TestDatabase;
let database: Database;
let workerDatabase: Database;
let traces: Traces;
let erasures: Erasures;
let annotations: Annotations;
let exports: AnnotationExports;
let samples: Samples;
let worker: RunWorker;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
  workerDatabase = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
  traces = new Traces({ database, sealer: testSealer, analysis: sharedAnalysis() });
  erasures = new Erasures(database, testSealer);
  annotations = new Annotations(database, testSealer);
  const parts = { seals: sampleSeals(testSealer), trainingTexts: shippedTrainingTexts() };
  exports = new AnnotationExports({ database, sealer: testSealer, ...parts });
  samples = new Samples(database, parts);
  const kinds = { erasure: new ErasureRun(testSealer, eraseSamplesAbout) };
  worker = new RunWorker(workerDatabase, { kinds, clock: stillClock, log: pino({ level: "silent" }) });
});

afterAll(async () => {
  await Promise.all([database.close(), workerDatabase.close()]);
  await urls.drop();
});

/** A record, and a word that is in no other one: in its text, its metadata and what is written about it. */
interface Told {
  readonly record: EvaluationRecord;
  readonly own: string;
}

/** Who and what records may be about. */
interface Cast {
  readonly users: readonly string[];
  readonly sessions: readonly string[];
  readonly fingerprints: readonly string[];
}

const named = (kind: string, count: number) => Array.from({ length: count }, () => `${kind}-${randomUUID()}`);
const newCast = (): Cast => ({
  users: named("user", 4),
  sessions: named("session", 4),
  fingerprints: named("print", 3),
});

function tell({ users, sessions, fingerprints }: Cast): Told {
  const own = `own-${randomUUID()}`;
  const text = `I am ${own}`;
  const change = {
    userId: pick(["", ...users]),
    sessionId: pick(["", ...sessions]),
    metadata: { ticket: own },
    capture: CaptureMode.FULL,
    engine: "000000000000",
    segments: [create(RecordedSegmentSchema, { id: "s1", role: "user", text })],
    pieces: [create(RecordedPieceSchema, { id: "s1", role: "user", length: text.length })],
  };
  if (random() < 0.5) return { record: evaluation(change), own };
  const record = blockedEvaluation("secrets", change);
  for (const finding of record.findings) finding.fingerprint = pick(["", ...fingerprints]);
  return { record, own };
}

function subjectsFrom({ users, sessions, fingerprints }: Cast, told: readonly Told[]): SubjectInput[] {
  const single = pick(told).record.evaluationId;
  const all: SubjectInput[] = [
    { userId: pick(users), traceIds: [] },
    { sessionId: pick(sessions), traceIds: [] },
    { fingerprint: pick(fingerprints), traceIds: [] },
    { traceIds: [single] },
  ];
  return all.filter(() => random() < 0.6);
}

/** Whether the record is about the subject. It knows nothing of how the product tells that. */
function isAbout({ record }: Told, { userId, sessionId, fingerprint, traceIds }: SubjectInput): boolean {
  return (
    (userId !== undefined && record.userId === userId) ||
    (sessionId !== undefined && record.sessionId === sessionId) ||
    (fingerprint !== undefined && record.findings.some((finding) => finding.fingerprint === fingerprint)) ||
    traceIds.includes(record.evaluationId)
  );
}

const store = ({ orgId, projectId }: World, told: readonly Told[]) =>
  new Ingest(database, { sealer: testSealer, onResult: () => undefined }).ingest(
    { orgId, projectId, environment: "dev", instanceId: randomUUID() },
    batchOf(told.map(({ record }) => record)),
  );

/** What people wrote about some of the records, and the dataset that they were copied into. */
async function annotate({ caller }: World, told: readonly Told[]): Promise<string> {
  for (const { record, own } of told)
    await annotations.create(caller, record.evaluationId, {
      ...{ mark: AnnotationMark.CORRECT, rule: undefined, annotator: undefined, expectedOutcome: null },
      ...{ expectedLabels: [], spans: [{ segment: "s1", start: 0, end: 4, label: own }], note: own, isFinal: false },
    });
  const { datasetId } = await exports.export(caller, {
    ...{ datasetId: undefined, dataset: { name: `d-${randomUUID()}`, projectId: undefined } },
    ...{ missingText: "skip", redacted: "include", filter: { marks: [AnnotationMark.CORRECT] } },
  });
  return datasetId;
}

/** Everything that can be read about a record. */
async function readable({ orgId, caller }: World, { record, own }: Told, datasetId: string) {
  const id = record.evaluationId;
  const { record: shown } = await traces.get(caller, id);
  const [notes] = await annotations.listOfTrace(caller, id, { limit: 50, offset: 0, withHistory: true });
  const all = await samples.list(caller, datasetId, {}, { limit: 200, offset: 0 });
  const events = await database.read(orgId, (tx) =>
    tx.sql<{ body: string }>("select body from event where org_id = ? and body::jsonb->'data'->>'trace_id' = ?", [
      orgId,
      id,
    ]),
  );
  const copies = all.samples.filter(({ content }) => content.text?.includes(own));
  return JSON.stringify({
    ...{ text: shown.segments.map(({ text }) => text), metadata: shown.metadata },
    ...{ user: shown.userId, session: shown.sessionId, pieces: shown.pieces.length },
    notes: notes.map(({ note, spans }) => [note, spans]),
    samples: copies.map(({ content }) => content.text),
    events: events.map(({ body }) => body),
  });
}

async function subscribe({ orgId }: World): Promise<void> {
  await database.systemTransaction(orgId, async (tx) => {
    tx.em.create(WebhookRow, {
      ...{ orgId, id: randomUUID(), url: "https://hooks.example.com/", events: ["evaluation.blocked"] },
      ...{ isActive: true, secret: null, previousSecret: null, previousExpiresAt: null, failingSince: null },
      ...{ createdAt: tx.now, updatedAt: tx.now },
    });
  });
}

async function tryWorld(): Promise<string[]> {
  const world = await createWorld(database);
  const cast = newCast();
  const told = Array.from({ length: 12 + below(12) }, () => tell(cast));
  await subscribe(world);
  await store(world, told);
  const datasetId = await annotate(
    world,
    told.filter(() => random() < 0.4),
  );
  for (const user of cast.users) {
    const caller = { ...world.caller, audit: { action: "trace.export", requestId: "", address: "" } };
    await database.transaction(caller, async (tx) =>
      tx.changed({ resource: "trace", before: null, after: { user_id: user } }),
    );
  }
  const before = new Map<string, string>();
  for (const each of told) before.set(each.own, await readable(world, each, datasetId));

  const subjects = subjectsFrom(cast, told);
  const late: Told[] = [];
  for (const subject of subjects) {
    const { run } = await erasures.create(world.caller, subject, "asked for");
    const arriving = Array.from({ length: 1 + below(3) }, () => tell(cast));
    await store(world, arriving);
    late.push(...arriving);
    await worker.work({ org_id: world.orgId, run_id: run.id });
  }
  const last = Array.from({ length: 4 }, () => tell(cast));
  await store(world, last);
  return differences(world, { told, late: [...late, ...last], subjects, before, datasetId });
}

interface Outcome {
  readonly told: readonly Told[];
  readonly late: readonly Told[];
  readonly subjects: readonly SubjectInput[];
  readonly before: ReadonlyMap<string, string>;
  readonly datasetId: string;
}

async function differences(world: World, { told, late, subjects, before, datasetId }: Outcome): Promise<string[]> {
  const wrong: string[] = [];
  const isErased = (each: Told) => subjects.some((subject) => isAbout(each, subject));
  const dump = await dumpOf(urls);
  const isLeft = (text: string) => formsOf(text).some((form) => dump.includes(form));
  const gone = [...told, ...late].filter(isErased);
  const values = subjects.flatMap(({ userId, sessionId, fingerprint }) => userId ?? sessionId ?? fingerprint ?? []);
  for (const text of [...gone.map(({ own }) => own), ...values]) if (isLeft(text)) wrong.push(`${text} is left`);
  const ids = gone.map(({ record }) => record.evaluationId);
  const sealed = await database.read(world.orgId, (tx) =>
    tx.sql<{ id: string }>(
      `select id from trace_text where org_id = ? and id = any(?::uuid[])
       union all select source_trace_id from dataset_sample where org_id = ? and source_trace_id = any(?::uuid[])`,
      [world.orgId, `{${ids.join(",")}}`, world.orgId, `{${ids.join(",")}}`],
    ),
  );
  for (const { id } of sealed) wrong.push(`sealed text of ${id} is left`);
  for (const each of gone) {
    const { record, erasedAt } = await traces.get(world.caller, each.record.evaluationId);
    const isKept = record.outcome === each.record.outcome && record.decidedByRule === each.record.decidedByRule;
    if (!isKept || erasedAt === null) wrong.push(`${record.evaluationId} is not kept as erased`);
  }
  for (const each of [...told, ...late].filter((one) => !isErased(one))) {
    const now = await readable(world, each, datasetId);
    const then = before.get(each.own);
    if (!now.includes(each.own)) wrong.push(`${each.own} of somebody else is gone`);
    if (then !== undefined && then !== now) wrong.push(`${each.own} of somebody else was ${then} and is ${now}`);
  }
  return wrong;
}

it("leaves nothing of its subjects in any table, and everything of others", {
  timeout: 60_000 + n * 60_000,
}, async () => {
  const wrong: string[] = [];
  for (let tried = 1; tried <= n; tried += 1) {
    wrong.push(...(await tryWorld()));
    reportProgress(tried);
  }
  reportSample({ n, failures: wrong.length });
  expect(wrong).toEqual([]);
});

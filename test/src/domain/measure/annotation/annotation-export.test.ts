import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnnotationMark } from "../../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { Outcome } from "../../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  CaptureMode,
  type EvaluationRecord,
  RecordedPieceSchema,
  RecordedSegmentSchema,
} from "../../../../../gen/policyguard/policy/v1/record_pb.ts";
import { Ingest } from "../../../../../src/domain/fleet/ingest.ts";
import { type AnnotationInput, Annotations } from "../../../../../src/domain/measure/annotation/annotation.ts";
import {
  type AnnotationExportInput,
  AnnotationExports,
} from "../../../../../src/domain/measure/annotation/annotation-export.ts";
import { type ResolvedTarget, sampleOfTrace } from "../../../../../src/domain/measure/annotation/annotation-sample.ts";
import { Datasets } from "../../../../../src/domain/measure/dataset/dataset.ts";
import { eraseSamplesAbout } from "../../../../../src/domain/measure/dataset/dataset-erasure.ts";
import { Samples, sampleSeals } from "../../../../../src/domain/measure/dataset/dataset-sample.ts";
import { shippedTrainingTexts } from "../../../../../src/domain/measure/dataset/training-text.ts";
import { addRun } from "../../../../../src/domain/run/run.ts";
import { RunWorker } from "../../../../../src/domain/run/run-worker.ts";
import { Erasures } from "../../../../../src/domain/telemetry/erasure.ts";
import { ErasureRun } from "../../../../../src/domain/telemetry/erasure-run.ts";
import { type Database, openDatabase } from "../../../../../src/store/connection/database.ts";
import { addBenchmarkResults, readFacts } from "../../../../../src/store/measure/benchmark/benchmark-result.ts";
import { createTestDatabase, type TestDatabase } from "../../../../harness/database.ts";
import { dumpOf } from "../../../../harness/dump.ts";
import { testSealer } from "../../../../harness/sealer.ts";
import { stillClock } from "../../../../harness/still-clock.ts";
import { createWorld, type World } from "../../../../harness/vector/world.ts";
import { batchOf, blockedEvaluation, type Change, evaluation } from "../../telemetry/evaluation.ts";

const { CORRECT, FALSE_POSITIVE, FALSE_NEGATIVE, ACCEPTABLE } = AnnotationMark;
const page = { limit: 50, offset: 0 };

/** What was captured of one text. */
function captured(text: string, length = text.length): Change {
  return {
    capture: CaptureMode.FULL,
    engine: "000000000000",
    segments: [create(RecordedSegmentSchema, { id: "s1", role: "user", text })],
    pieces: [create(RecordedPieceSchema, { id: "s1", role: "user", length })],
  };
}

describe("an export of annotations", () => {
  let urls: TestDatabase;
  let database: Database;
  let workerDatabase: Database;
  let world: World;
  let annotations: Annotations;
  let exports: AnnotationExports;
  let samples: Samples;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    workerDatabase = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
    world = await createWorld(database);
    annotations = new Annotations(database, testSealer);
    const parts = { seals: sampleSeals(testSealer), trainingTexts: shippedTrainingTexts() };
    exports = new AnnotationExports({ database, sealer: testSealer, ...parts });
    samples = new Samples(database, parts);
  });

  afterAll(async () => {
    await Promise.all([database.close(), workerDatabase.close()]);
    await urls.drop();
  });

  const store = async (record: EvaluationRecord, mark: AnnotationMark, change: Partial<AnnotationInput> = {}) => {
    await new Ingest(database, { sealer: testSealer, onResult: () => undefined }).ingest(
      { orgId: world.orgId, projectId: world.projectId, environment: "dev", instanceId: randomUUID() },
      batchOf([record]),
    );
    await annotations.create(world.caller, record.evaluationId, {
      ...{ mark, rule: undefined, annotator: undefined, expectedOutcome: null, expectedLabels: [], spans: [] },
      ...{ note: null, isFinal: false, ...change },
    });
    return record.evaluationId;
  };
  const run = (change: Partial<AnnotationExportInput> = {}, since = new Date(0)) =>
    exports.export(world.caller, {
      ...{ datasetId: undefined, dataset: { name: `d-${randomUUID()}`, projectId: undefined } },
      ...{ missingText: "skip", redacted: "include", ...change },
      filter: { marks: [FALSE_POSITIVE, FALSE_NEGATIVE, CORRECT, ACCEPTABLE], since },
    });
  const samplesOf = async (datasetId: string) => (await samples.list(world.caller, datasetId, {}, page)).samples;
  const worker = () =>
    new RunWorker(workerDatabase, {
      kinds: { erasure: new ErasureRun(testSealer, eraseSamplesAbout) },
      clock: stillClock,
      log: pino({ level: "silent" }),
    });

  it("makes a sample of a trace, which goes with the person whom it is about, from benchmarks too", async () => {
    const [marker, userId] = [`marker ${randomUUID()}`, `user-${randomUUID()}`];
    const since = new Date();
    const record = blockedEvaluation("secrets", { ...captured(marker), userId, sessionId: "s-1" });
    const traceId = await store(record, FALSE_POSITIVE, {
      rule: { policy: "support-bot", ruleId: "secrets" },
      expectedLabels: ["benign"],
      spans: [{ segment: "s1", start: 0, end: 6, label: "word" }],
    });
    const done = await run({}, since);
    expect(done).toMatchObject({ version: 1, exported: 1, withoutText: 0, errors: [] });
    const [sample, ...others] = await samplesOf(done.datasetId);
    expect(others).toEqual([]);
    expect(sample?.content).toMatchObject({
      ...{ text: marker, labels: ["benign"], expectedOutcome: "ALLOW", mustNotMatch: ["support-bot/secrets"] },
      ...{
        stage: "input",
        language: "en",
        source: { traceId },
        group: expect.stringMatching(/^session:[0-9a-f]{16}$/),
      },
      spans: [{ segment: 0, start: 0, end: 6, label: "word" }],
    });
    const sampleId = sample?.row.sampleId ?? "";
    const runId = await database.transaction(world.caller, async (tx) => {
      const { id } = await addRun(tx, { kind: "benchmark", spec: {}, createdBy: "" });
      await addBenchmarkResults(tx, id, [{ sampleId, verdict: "tn", fact: "{}", hasWrongSpans: false }]);
      return id;
    });
    const { run: erasure } = await new Erasures(database, testSealer).create(
      world.caller,
      { traceIds: [], userId },
      "asked",
    );
    // Another export finds nothing of the person from the moment on at which the erasure was asked for.
    expect(await run({}, since)).toMatchObject({ exported: 0, rejected: 1, errors: [{ traceId, code: "erased" }] });
    await worker().work({ org_id: world.orgId, run_id: erasure.id });
    expect(await samplesOf(done.datasetId)).toEqual([]);
    const [[version]] = await new Datasets(database).versions(world.caller, done.datasetId, page);
    expect(version).toMatchObject({ sampleCount: 0, erasedSamples: 1, erasureRevision: 1, digest: null });
    const facts = await database.read(world.orgId, (tx) => readFacts(tx, runId, { after: undefined, limit: 10 }));
    expect(facts).toEqual([]);
    expect(await dumpOf(urls)).not.toContain(marker);
  });

  it("makes samples of what was recorded when no text was kept, without the person", async () => {
    const since = new Date();
    const record = blockedEvaluation("secrets", { userId: "somebody", sessionId: "s-2" });
    await store(record, CORRECT);
    expect(await run({}, since)).toMatchObject({ exported: 0, withoutText: 1, version: 0 });
    const done = await run({ missingText: "signals_only" }, since);
    expect(done).toMatchObject({ exported: 1, withoutText: 1 });
    const [sample] = await samplesOf(done.datasetId);
    expect(sample?.content).toMatchObject({ text: null, expectedOutcome: "BLOCK" });
    expect(sample?.content.facts).toMatchObject({ decided_by_rule: "secrets", outcome: "OUTCOME_BLOCK" });
    expect(JSON.stringify(sample?.content)).not.toContain("somebody");
    const again = await run({ missingText: "signals_only", datasetId: done.datasetId, dataset: undefined }, since);
    expect(again).toMatchObject({ exported: 0, duplicates: 1, version: 1 });
    await expect(run({ missingText: "fail" }, since)).rejects.toThrow("no whole text");
  });

  it("says what a sample of redacted text has lost, and leaves it out when asked to", async () => {
    const since = new Date();
    const text = "key [TOKEN_1] and [WORD_1]";
    const record = blockedEvaluation("secrets", { ...captured(text, 40), capture: CaptureMode.REDACTED });
    await store(record, CORRECT);
    const done = await run({}, since);
    expect(done).toMatchObject({ exported: 1, redacted: 1 });
    expect((await samplesOf(done.datasetId))[0]?.content).toMatchObject({
      ...{ text, isRedacted: true, spans: [{ segment: 0, start: 4, end: 13, label: "secrets.token" }] },
    });
    expect(await run({ redacted: "skip" }, since)).toMatchObject({ exported: 0, redacted: 1 });
  });
});

describe("the sample of a trace", () => {
  const target = (mark: AnnotationMark, ruleId = "", expectedOutcome: Outcome | null = null): ResolvedTarget => ({
    ...{ mark, ruleId, policy: ruleId === "" ? "" : "support-bot" },
    annotations: [{ id: "a", expectedOutcome, expectedLabels: [], spans: [] }],
  });
  const blocked = blockedEvaluation("secrets", captured("a text"));
  const allowed = evaluation(captured("a text"));
  const said = (record: EvaluationRecord, ...targets: ResolvedTarget[]) => {
    const { expectedOutcome, mustMatch, mustNotMatch, isGray } = sampleOfTrace(record, targets, null).content;
    return [expectedOutcome, mustMatch, mustNotMatch, isGray];
  };

  it("expects what annotators say, of the whole before its rules", () => {
    expect(said(blocked, target(FALSE_POSITIVE))).toEqual(["ALLOW", [], [], false]);
    expect(said(blocked, target(FALSE_POSITIVE, "", Outcome.FLAG))).toEqual(["FLAG", [], [], false]);
    expect(said(blocked, target(CORRECT))).toEqual(["BLOCK", [], [], false]);
    expect(said(allowed, target(FALSE_NEGATIVE, "", Outcome.REDACT))).toEqual(["REDACT", [], [], false]);
    expect(said(blocked, target(ACCEPTABLE))).toEqual([null, [], [], true]);
    expect(said(blocked, target(CORRECT), target(FALSE_POSITIVE, "secrets"))).toEqual([
      ...["BLOCK", [], ["support-bot/secrets"], false],
    ]);
  });

  it("expects what follows from marks of rules, and nothing where they do not tell", () => {
    expect(said(blocked, target(CORRECT, "secrets"))).toEqual(["BLOCK", ["support-bot/secrets"], [], false]);
    expect(said(allowed, target(CORRECT, "secrets"))).toEqual(["ALLOW", [], ["support-bot/secrets"], false]);
    expect(said(allowed, target(FALSE_NEGATIVE, "secrets", Outcome.BLOCK))).toEqual([
      ...["BLOCK", ["support-bot/secrets"], [], false],
    ]);
    // Nobody has said whether the rule that blocked was right.
    expect(said(blocked, target(FALSE_POSITIVE, "pii"))).toEqual([null, [], ["support-bot/pii"], false]);
  });

  it("has no text when a part of it was not kept", () => {
    const pieces = [...blocked.pieces, create(RecordedPieceSchema, { id: "s2", role: "user", length: 3 })];
    expect(sampleOfTrace({ ...blocked, pieces }, [target(CORRECT)], null).text).toBe("none");
    expect(sampleOfTrace({ ...blocked, textTruncated: true }, [target(CORRECT)], null).text).toBe("none");
    expect(sampleOfTrace(blocked, [target(CORRECT)], null).text).toBe("whole");
  });

  it("has the pieces of a conversation with their roles", () => {
    const segments = ["system", "user"].map((role, at) =>
      create(RecordedSegmentSchema, { id: `s${at + 1}`, role, text: "a text" }),
    );
    const pieces = segments.map(({ id, role }) => create(RecordedPieceSchema, { id, role, length: 6 }));
    const found = { ...allowed, segments, pieces };
    expect(sampleOfTrace(found, [target(CORRECT)], null).content).toMatchObject({
      text: null,
      segments: [
        { role: "system", text: "a text" },
        { role: "user", text: "a text" },
      ],
    });
  });
});

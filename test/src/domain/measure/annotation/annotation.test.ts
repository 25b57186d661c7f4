import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnnotationMark } from "../../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { CredentialKind, Role } from "../../../../../gen/policyguard/options/v1/options_pb.ts";
import type { EvaluationRecord } from "../../../../../gen/policyguard/policy/v1/record_pb.ts";
import { Ingest } from "../../../../../src/domain/fleet/ingest.ts";
import { type AnnotationInput, Annotations } from "../../../../../src/domain/measure/annotation/annotation.ts";
import { AnnotationSettings } from "../../../../../src/domain/measure/annotation/annotation-setting.ts";
import { eraseSamplesAbout } from "../../../../../src/domain/measure/dataset/dataset-erasure.ts";
import { RunWorker } from "../../../../../src/domain/run/run-worker.ts";
import { Erasures } from "../../../../../src/domain/telemetry/erasure.ts";
import { ErasureRun } from "../../../../../src/domain/telemetry/erasure-run.ts";
import { Traces } from "../../../../../src/domain/telemetry/trace.ts";
import { TraceRetention } from "../../../../../src/domain/telemetry/trace-retention.ts";
import { systemClock } from "../../../../../src/kit/process/clock.ts";
import type { Caller } from "../../../../../src/kit/rpc/context.ts";
import { type Database, openDatabase } from "../../../../../src/store/connection/database.ts";
import { sharedAnalysis } from "../../../../harness/analysis.ts";
import { createTestDatabase, type TestDatabase } from "../../../../harness/database.ts";
import { dumpOf } from "../../../../harness/dump.ts";
import { testSealer } from "../../../../harness/sealer.ts";
import { stillClock } from "../../../../harness/still-clock.ts";
import { createWorld, type World } from "../../../../harness/vector/world.ts";
import { batchOf, blockedEvaluation } from "../../telemetry/evaluation.ts";

const { CORRECT, FALSE_POSITIVE, ACCEPTABLE } = AnnotationMark;
const page = { limit: 50, offset: 0 };
const whole = { ...page, withHistory: false };

describe("annotations", () => {
  let urls: TestDatabase;
  let database: Database;
  let workerDatabase: Database;
  let world: World;
  let annotations: Annotations;
  let settings: AnnotationSettings;
  let traces: Traces;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 8 });
    workerDatabase = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
    world = await createWorld(database);
    annotations = new Annotations(database, testSealer);
    settings = new AnnotationSettings(database);
    traces = new Traces({ database, sealer: testSealer, analysis: sharedAnalysis() });
  });

  afterAll(async () => {
    await Promise.all([database.close(), workerDatabase.close()]);
    await urls.drop();
  });

  const store = async (record: EvaluationRecord = blockedEvaluation("secrets")) => {
    await new Ingest(database, { sealer: testSealer, onResult: () => undefined }).ingest(
      { orgId: world.orgId, projectId: world.projectId, environment: "dev", instanceId: randomUUID() },
      batchOf([record]),
    );
    return record.evaluationId;
  };
  const input = (mark: AnnotationMark, change: Partial<AnnotationInput> = {}): AnnotationInput => ({
    ...{ mark, rule: undefined, annotator: undefined, expectedOutcome: null, expectedLabels: [], spans: [] },
    ...{ note: null, isFinal: false, ...change },
  });
  const person = (email: string, role: Role = Role.EDITOR): Caller => ({
    ...world.caller,
    role,
    credential: { ...world.caller.credential, kind: CredentialKind.MEMBER, id: randomUUID(), label: email },
  });
  const summaryOf = async (id: string) => (await traces.get(world.caller, id)).annotations;
  const totalOf = async (annotation: string) => (await traces.list(world.caller, { annotation }, page)).total;

  it("come to one verdict, however many annotate at the same time", async () => {
    const id = await store();
    await Promise.all(
      Array.from({ length: 9 }, (_, i) =>
        annotations.create(person(`p${i}@example.com`), id, input(i < 5 ? CORRECT : ACCEPTABLE)),
      ),
    );
    expect(await summaryOf(id)).toEqual({ marks: 9, resolvedMark: CORRECT, isDisputed: false });
    const [rows] = await annotations.listOfTrace(world.caller, id, whole);
    expect(rows.map(({ revision }) => revision)).toEqual(Array(9).fill(1));
  });

  it("are revisions of one, however often the same person annotates at the same time", async () => {
    const id = await store();
    const ada = person("ada@example.com");
    await Promise.all(Array.from({ length: 6 }, () => annotations.create(ada, id, input(CORRECT))));
    const [rows, total] = await annotations.listOfTrace(world.caller, id, { ...page, withHistory: true });
    expect(rows.map(({ revision }) => revision).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(new Set(rows.map((row) => row.id)).size).toBe(1);
    expect(total).toBe(6);
    expect((await summaryOf(id))?.marks).toBe(1);
  });

  it("follow another quorum at once, in lists too", async () => {
    const [lonely, shared] = [await store(), await store()];
    const [ada, bob] = [person("ada@example.com"), person("bob@example.com")];
    for (const [who, id] of [
      [ada, lonely],
      [ada, shared],
      [bob, shared],
    ] as const) {
      await annotations.create(who, id, input(FALSE_POSITIVE));
    }
    const before = await totalOf("false-positive");
    await settings.update(world.caller, world.projectId, { quorum: 2 });
    expect(await summaryOf(lonely)).toEqual({ marks: 1, resolvedMark: null, isDisputed: false });
    expect(await summaryOf(shared)).toEqual({ marks: 2, resolvedMark: FALSE_POSITIVE, isDisputed: false });
    expect(await totalOf("false-positive")).toBe(before - 1);
    await settings.update(world.caller, world.projectId, {});
    expect(await totalOf("false-positive")).toBe(before);
  });

  it("count no longer once they are withdrawn, and begin anew after that", async () => {
    const id = await store();
    const { id: annotation } = await annotations.create(world.caller, id, input(ACCEPTABLE));
    const [any, none] = [await totalOf("any"), await totalOf("none")];
    await annotations.withdraw(world.caller, id, annotation);
    expect(await summaryOf(id)).toBeUndefined();
    expect([await totalOf("any"), await totalOf("none")]).toEqual([any - 1, none + 1]);
    expect((await annotations.create(world.caller, id, input(CORRECT))).revision).toBe(2);
    expect(await totalOf("any")).toBe(any);
  });

  it("are withdrawn by admins, whosever they are", async () => {
    const id = await store();
    const { id: annotation } = await annotations.create(person("ada@example.com"), id, input(CORRECT));
    await expect(annotations.withdraw(person("bob@example.com"), id, annotation)).rejects.toThrow("who made");
    await annotations.withdraw(person("eve@example.com", Role.ADMIN), id, annotation);
    expect(await summaryOf(id)).toBeUndefined();
  });

  it("lose what was written as soon as their trace is erased, and keep the mark", async () => {
    const marker = `note-${randomUUID()}`;
    const user = `user-${randomUUID()}`;
    const id = await store(blockedEvaluation("secrets", { userId: user }));
    await annotations.create(world.caller, id, input(FALSE_POSITIVE, { note: marker }));
    await annotations.create(world.caller, id, input(CORRECT, { note: `${marker} again` }));
    expect(await dumpOf(urls)).toContain(marker);
    const { run } = await new Erasures(database, testSealer).create(world.caller, { traceIds: [], userId: user }, "");
    for (const [rows] of [
      await annotations.listOfTrace(world.caller, id, { ...page, withHistory: true }),
      await annotations.list(world.caller, {}, page),
    ]) {
      expect(rows.filter(({ note }) => note?.includes(marker))).toEqual([]);
    }
    await worker().work({ org_id: world.orgId, run_id: run.id });
    expect(await dumpOf(urls)).not.toContain(marker);
    expect(await summaryOf(id)).toEqual({ marks: 1, resolvedMark: CORRECT, isDisputed: false });
  });

  it("lose the address of a member who is erased", async () => {
    const email = `${randomUUID()}@example.com`;
    const memberId = randomUUID();
    const id = await store();
    await annotations.create(person(email), id, input(CORRECT));
    const before = { ...world.caller, audit: { action: "member.remove", requestId: "", address: "" } };
    await database.transaction(before, async (tx) =>
      tx.changed({ resource: `member/${memberId}`, before: { email }, after: null }),
    );
    const { run } = await new Erasures(database, testSealer).create(world.caller, { traceIds: [], memberId }, "");
    await worker().work({ org_id: world.orgId, run_id: run.id });
    const [[row]] = await annotations.listOfTrace(world.caller, id, whole);
    expect(row).toMatchObject({ mark: CORRECT, annotatorLabel: "" });
  });

  it("outlive their trace without what was written", async () => {
    const marker = `note-${randomUUID()}`;
    const id = await store();
    await annotations.create(world.caller, id, input(CORRECT, { note: marker }));
    const later = { ...systemClock, now: () => new Date(Date.now() + 40 * 86_400_000) };
    await new TraceRetention(workerDatabase, later, { partition: "month" }).purge();
    await expect(traces.get(world.caller, id)).rejects.toThrow("no such trace");
    expect(await dumpOf(urls)).not.toContain(marker);
    const [rows] = await annotations.list(world.caller, { mark: CORRECT }, { limit: 200, offset: 0 });
    expect(rows.filter(({ traceId }) => traceId === id)).toMatchObject([{ note: null, mark: CORRECT }]);
    const much = { ...systemClock, now: () => new Date(Date.now() + 402 * 86_400_000) };
    await new TraceRetention(workerDatabase, much, { partition: "month" }).purge();
    expect((await annotations.list(world.caller, {}, page))[1]).toBe(0);
  });

  const worker = () => {
    const kinds = { erasure: new ErasureRun(testSealer, eraseSamplesAbout) };
    return new RunWorker(workerDatabase, { kinds, clock: stillClock, log: pino({ level: "silent" }) });
  };
});

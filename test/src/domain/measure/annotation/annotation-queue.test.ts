import { createHash, randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnnotationMark, AnnotationSource } from "../../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { CredentialKind, Role } from "../../../../../gen/policyguard/options/v1/options_pb.ts";
import { FindingSchema, UnjudgedSchema } from "../../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome } from "../../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationRecord } from "../../../../../gen/policyguard/policy/v1/record_pb.ts";
import { Ingest } from "../../../../../src/domain/fleet/ingest.ts";
import { Annotations } from "../../../../../src/domain/measure/annotation/annotation.ts";
import { AnnotationQueue, leaseMs } from "../../../../../src/domain/measure/annotation/annotation-queue.ts";
import { AnnotationSettings } from "../../../../../src/domain/measure/annotation/annotation-setting.ts";
import { QueueFill } from "../../../../../src/domain/measure/annotation/queue-fill.ts";
import { organizationKey } from "../../../../../src/domain/organization-key.ts";
import { Projects } from "../../../../../src/domain/project/project.ts";
import type { Caller } from "../../../../../src/kit/rpc/context.ts";
import { type Database, openDatabase } from "../../../../../src/store/connection/database.ts";
import { Lane, type QueueFilter, trimQueue } from "../../../../../src/store/measure/annotation/annotation-queue.ts";
import { createTestDatabase, type TestDatabase } from "../../../../harness/database.ts";
import { createRunningClock } from "../../../../harness/moved-clock.ts";
import { testSealer } from "../../../../harness/sealer.ts";
import { createWorld, type World } from "../../../../harness/vector/world.ts";
import { batchOf, blockedEvaluation, evaluation } from "../../telemetry/evaluation.ts";

const everything = {};
const page = { limit: 200, offset: 0 };

describe("the queue of traces to annotate", () => {
  const clock = createRunningClock();
  let urls: TestDatabase;
  let database: Database;
  let workerDatabase: Database;
  let world: World;
  let queue: AnnotationQueue;
  let fill: QueueFill;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 6, clock });
    workerDatabase = await openDatabase({ url: urls.workerUrl, poolSize: 2, clock });
    world = await createWorld(database);
    queue = new AnnotationQueue(database);
    fill = new QueueFill(workerDatabase, clock, testSealer);
  });

  afterAll(async () => {
    await Promise.all([database.close(), workerDatabase.close()]);
    await urls.drop();
  });

  const person = (): Caller => ({
    ...world.caller,
    role: Role.EDITOR,
    credential: { ...world.caller.credential, kind: CredentialKind.MEMBER, id: randomUUID(), label: "a@example.com" },
  });
  /** A project with these traces, sampled so that a day gives about `target`. */
  const project = async (records: readonly EvaluationRecord[], targetPerDay: number, informativePerDay = 0) => {
    const { id } = await new Projects(database).create(world.caller, { name: randomUUID() });
    await new AnnotationSettings(database).update(world.caller, id, { targetPerDay, informativePerDay });
    await new Ingest(database, { sealer: testSealer, onResult: () => undefined }).ingest(
      { orgId: world.orgId, projectId: id, environment: "dev", instanceId: randomUUID() },
      batchOf(records),
    );
    await fill.fillOrganization(world.orgId);
    return id;
  };
  const placesOf = (projectId: string) =>
    database.read(world.orgId, (tx) =>
      tx.sql<{ trace_id: string; seat: number; probability: number; rank: number }>(
        "select trace_id, seat, probability, rank from annotation_queue where project_id = ? order by rank, seat",
        [projectId],
      ),
    );
  /** What is waiting in the informative lane: ids of traces with the reason, in the order in which they are given out. */
  const informative = async (projectId: string) => {
    const filter = { projectId, lane: Lane.INFORMATIVE };
    const [rows] = await queue.list(person(), undefined, filter, page);
    return rows.map(({ traceId, reason }) => [traceId, reason]);
  };
  const mark = (caller: Caller, traceId: string, said: AnnotationMark) =>
    new Annotations(database, testSealer).create(caller, traceId, {
      ...{ mark: said, expectedOutcome: null, expectedLabels: [], spans: [], note: null, isFinal: false },
      ...{ rule: undefined, annotator: undefined },
    });
  const found = (fingerprint: string, score: number) =>
    create(FindingSchema, { fingerprint, score, threshold: 0.5, policy: "support-bot", ruleId: "secrets" });
  const blocked = (count: number) => Array.from({ length: count }, () => blockedEvaluation("secrets"));

  it("samples by the keyed hash of the id, at the rate of the stratum, once however often it is filled", async () => {
    const records = [...blocked(200), ...Array.from({ length: 100 }, () => evaluation())];
    const id = await project(records, 800);
    await fill.fillOrganization(world.orgId);
    const key = await database.systemTransaction(world.orgId, (tx) =>
      organizationKey(tx, testSealer, "annotation_queue_key"),
    );
    const digestOf = (uuid: string) =>
      createHash("sha256")
        .update(key)
        .update(Buffer.from(uuid.replaceAll("-", ""), "hex"))
        .digest();
    // 800 a day, of 1,000 that are assumed of each stratum: half of it for what was enforced, a quarter for the rest.
    const expected = records.flatMap(({ evaluationId, outcome }) => {
      const digest = digestOf(evaluationId);
      if (digest.readUIntBE(0, 6) / 2 ** 48 >= (outcome > 1 ? 0.4 : 0.2)) return [];
      return digest.readUIntBE(6, 6) / 2 ** 48 < 0.1
        ? [`${evaluationId}/1`, `${evaluationId}/2`]
        : [`${evaluationId}/1`];
    });
    const places = await placesOf(id);
    expect(places.map(({ trace_id, seat }) => `${trace_id}/${seat}`).sort()).toEqual(expected.sort());
    expect(expected.length).toBeGreaterThan(40);
  });

  it("gives every place to one annotator, and a second place to another person", async () => {
    const id = await project(blocked(40), 10_000);
    const people = [person(), person(), person()];
    const filter = { projectId: id };
    const leased = await Promise.all(people.map((caller) => queue.lease(caller, undefined, filter, 50)));
    for (const rows of leased) expect(new Set(rows.map(({ traceId }) => traceId)).size).toBe(rows.length);
    const places = leased.flat().map(({ traceId, seat }) => `${traceId}/${seat}`);
    expect(new Set(places).size).toBe(places.length);
    // Whatever others locked while it looked was left out: asked again, they get the rest.
    for (const caller of people) await queue.lease(caller, undefined, filter, 50);
    const held = await database.read(world.orgId, (tx) =>
      tx.sql<{ open: number }>(
        "select count(*)::int as open from annotation_queue where project_id = ? and leased_by is null",
        [id],
      ),
    );
    expect(held).toEqual([{ open: 0 }]);
  });

  it("gives a trace to others when its lease has ended, and not to who has skipped it", async () => {
    const id = await project(blocked(1), 10_000);
    const filter = { projectId: id };
    const [ada, bob] = [person(), person()];
    const [held] = await queue.lease(ada, undefined, filter, 1);
    expect(held?.leasedUntil?.getTime()).toBeGreaterThan(clock.now().getTime());
    const seats = (await placesOf(id)).length;
    expect((await queue.list(bob, undefined, filter, page))[1]).toBe(seats - 1);
    clock.pass(leaseMs + 1);
    expect((await queue.lease(bob, undefined, filter, 1)).map(({ traceId }) => traceId)).toEqual([held?.traceId]);
    await queue.skip(bob, undefined, held?.traceId ?? "");
    expect(await queue.list(bob, undefined, filter, page)).toEqual([[], 0]);
    expect((await queue.list(ada, undefined, filter, page))[1]).toBeGreaterThan(0);
  });

  it("is narrowed by the filter of the list of traces", async () => {
    const id = await project([...blocked(3), evaluation({ agentId: "other" }), evaluation()], 10_000);
    const ada = person();
    const found = async (filter: Omit<QueueFilter, "projectId">) => {
      const [rows, total] = await queue.list(ada, undefined, { projectId: id, ...filter }, page);
      expect(rows.length).toBe(total);
      return new Set(rows.map(({ traceId }) => traceId)).size;
    };
    const hour = 3_600_000;
    expect(await found({})).toBe(5);
    expect(await found({ ruleId: "secrets" })).toBe(3);
    expect(await found({ agentKey: "other", outcome: Outcome.ALLOW })).toBe(1);
    expect(await found({ since: new Date(Date.now() - hour), minLatencyUs: 1 })).toBe(5);
    expect(await found({ until: new Date(Date.now() - hour) })).toBe(0);
    expect(await found({ environment: "prod", ruleId: "secrets" })).toBe(0);
    expect(await found({ ruleId: "\0" })).toBe(0);
    const leased = await queue.lease(ada, undefined, { projectId: id, policy: "support-bot" }, 50);
    expect(leased).toHaveLength(3);
    await expect(async () => found({ minLatencyUs: 2, maxLatencyUs: 1 })).rejects.toThrow();
  });

  it("is done with a trace that its annotator has annotated, and knows the annotation for a sampled one", async () => {
    const [record] = blocked(1);
    const id = await project([record ?? evaluation()], 10_000);
    const ada = person();
    const [held] = await queue.lease(ada, undefined, { projectId: id }, 1);
    const row = await mark(ada, held?.traceId ?? "", AnnotationMark.CORRECT);
    expect(row.source).toBe(AnnotationSource.RANDOM);
    expect(await queue.lease(ada, undefined, { projectId: id }, 1)).toEqual([]);
    const verdicts = await database.read(world.orgId, (tx) =>
      tx.sql("select probability from annotation_verdict where trace_id = ?", [held?.traceId]),
    );
    expect(verdicts).toEqual([{ probability: 1 }]);
  });

  it("asks about a sampled trace that was annotated after a complaint, so that the sample does not lack it", async () => {
    const [record] = blocked(1);
    const id = await project([record ?? evaluation()], 10_000);
    const ada = person();
    const complaint = await mark(ada, record?.evaluationId ?? "", AnnotationMark.FALSE_POSITIVE);
    expect(complaint.source).toBe(AnnotationSource.MANUAL);
    const [held] = await queue.lease(ada, undefined, { projectId: id }, 1);
    expect(held?.traceId).toBe(record?.evaluationId);
    const again = await mark(ada, held?.traceId ?? "", AnnotationMark.FALSE_POSITIVE);
    expect(again).toMatchObject({ source: AnnotationSource.RANDOM, revision: 2 });
    expect(await queue.lease(ada, undefined, { projectId: id }, 1)).toEqual([]);
    const verdicts = await database.read(world.orgId, (tx) =>
      tx.sql("select probability from annotation_verdict where trace_id = ?", [held?.traceId]),
    );
    expect(verdicts).toEqual([{ probability: 1 }]);
  });

  it("counts a trace for the evaluations that it stands for, where its runtime sends a sample", async () => {
    const [record] = [blockedEvaluation("secrets", { samplingPercent: 10 })];
    const id = await project([record], 10_000);
    const ada = person();
    await queue.lease(ada, undefined, { projectId: id }, 1);
    await mark(ada, record.evaluationId, AnnotationMark.CORRECT);
    const verdicts = await database.read(world.orgId, (tx) =>
      tx.sql("select probability from annotation_verdict where trace_id = ?", [record.evaluationId]),
    );
    expect(verdicts).toEqual([{ probability: 0.1 }]);
  });

  it("has in its informative lane what is near a threshold, unjudged or rare, and little of the same", async () => {
    const close = [0.52, 0.51, 0.54, 0.53].map((score) =>
      blockedEvaluation("secrets", { findings: [found("a", score)] }),
    );
    const unjudged = evaluation({ unjudged: [create(UnjudgedSchema, { reason: "timeout" })] });
    const rare = blockedEvaluation("secrets", { findings: [found("b", 0.9)] });
    const usual = ["c", "c", "", ""].map((text) => blockedEvaluation("secrets", { findings: [found(text, 0.9)] }));
    const id = await project([...close, unjudged, rare, ...usual, evaluation()], 0, 1_000);
    const idOf = (at: number) => close[at]?.evaluationId;
    expect(await informative(id)).toEqual([
      ...[1, 0, 3].map((at) => [idOf(at), "near_threshold"]),
      [unjudged.evaluationId, "unjudged"],
      [rare.evaluationId, "rare"],
    ]);
  });

  it("asks a third person about what two disagree about, days later too", async () => {
    const [old] = [
      evaluation({ outcome: Outcome.FLAG, findings: [found("d", 0.9)] }, new Date(Date.now() - 3 * 86_400_000)),
    ];
    const id = await project([old], 0, 1_000);
    const [ada, bob, cyd] = [person(), person(), person()];
    await mark(ada, old.evaluationId, AnnotationMark.FALSE_POSITIVE);
    expect(await informative(id)).toEqual([]);
    await mark(bob, old.evaluationId, AnnotationMark.CORRECT);
    for (const _ of ["once", "again"]) await fill.fillOrganization(world.orgId);
    expect(await informative(id)).toEqual([[old.evaluationId, "annotators_disagree"]]);
    for (const caller of [ada, bob]) expect(await queue.lease(caller, undefined, { projectId: id }, 1)).toEqual([]);
    expect(await queue.lease(cyd, undefined, { projectId: id }, 1)).toMatchObject([{ traceId: old.evaluationId }]);
    expect((await mark(cyd, old.evaluationId, AnnotationMark.CORRECT)).source).toBe(AnnotationSource.INFORMATIVE);
  });

  it("has nothing in its informative lane that waits in the random one, which would lose its hardest traces", async () => {
    const close = blockedEvaluation("secrets", { findings: [found("e", 0.51)] });
    const id = await project([close], 10_000, 1_000);
    expect(await informative(id)).toEqual([]);
    expect((await placesOf(id)).map(({ trace_id }) => trace_id)).toContain(close.evaluationId);
  });

  it("keeps what would be given out first when it is full", async () => {
    const id = await project(blocked(30), 10_000);
    const before = await placesOf(id);
    await workerDatabase.systemTransaction(world.orgId, (tx) => trimQueue(tx, id, 10));
    const kept = await placesOf(id);
    expect(kept).toHaveLength(10);
    expect(Math.max(...kept.map(({ rank }) => rank))).toBeLessThanOrEqual(before[10]?.rank ?? 0);
  });

  it("belongs to its organization", async () => {
    const other = await createWorld(database);
    expect(await queue.list(other.caller, undefined, everything, page)).toEqual([[], 0]);
  });
});

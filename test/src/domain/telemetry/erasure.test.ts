import { randomUUID } from "node:crypto";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Trust } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  CaptureMode,
  type EvaluationRecord,
  RecordedSegmentSchema,
} from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { Ingest } from "../../../../src/domain/fleet/ingest.ts";
import { eraseSamplesAbout } from "../../../../src/domain/measure/dataset/dataset-erasure.ts";
import { ErasureRepeat, readLedgers } from "../../../../src/domain/operator/erasure-repeat.ts";
import { addRun } from "../../../../src/domain/run/run.ts";
import { RunWorker } from "../../../../src/domain/run/run-worker.ts";
import { CheckpointSigning } from "../../../../src/domain/telemetry/checkpoint-signing.ts";
import { digestKeyId } from "../../../../src/domain/telemetry/erased-subject.ts";
import { Erasures, type SubjectInput } from "../../../../src/domain/telemetry/erasure.ts";
import { ErasureKeys } from "../../../../src/domain/telemetry/erasure-keys.ts";
import { ErasureRun } from "../../../../src/domain/telemetry/erasure-run.ts";
import { Evidence } from "../../../../src/domain/telemetry/evidence.ts";
import { EvidenceExports } from "../../../../src/domain/telemetry/evidence-export.ts";
import { EvidenceLog } from "../../../../src/domain/telemetry/evidence-log.ts";
import { Traces } from "../../../../src/domain/telemetry/trace.ts";
import { readTlogProof, verifyCheckpoint, verifyTlogProof } from "../../../../src/kit/evidence/checkpoint.ts";
import { leafHash } from "../../../../src/kit/evidence/leaf.ts";
import { LogVerifier } from "../../../../src/kit/evidence/log-verifier.ts";
import { isConsistent } from "../../../../src/kit/evidence/merkle.ts";
import { readVerifierKey } from "../../../../src/kit/evidence/note.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { addBenchmarkResults, readFacts } from "../../../../src/store/measure/benchmark/benchmark-result.ts";
import {
  type ErasureBounds,
  type ErasureScope,
  type ErasureStretch,
  findTracesToErase,
} from "../../../../src/store/telemetry/trace-erasure.ts";
import { WebhookRow } from "../../../../src/store/webhook/webhook.ts";
import { sharedAnalysis } from "../../../harness/analysis.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { dumpOf, formsOf } from "../../../harness/dump.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { stillClock } from "../../../harness/still-clock.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, blockedEvaluation, evaluation } from "./evaluation.ts";

const page = { limit: 200, offset: 0 };

describe("an erasure", () => {
  let urls: TestDatabase;
  let database: Database;
  let workerDatabase: Database;
  let world: World;
  let traces: Traces;
  let erasures: Erasures;
  let worker: RunWorker;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    workerDatabase = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
    world = await createWorld(database);
    traces = new Traces({ database, sealer: testSealer, analysis: sharedAnalysis() });
    erasures = new Erasures(database, testSealer);
    const kinds = { erasure: new ErasureRun(testSealer, eraseSamplesAbout) };
    worker = new RunWorker(workerDatabase, { kinds, clock: stillClock, log: pino({ level: "silent" }) });
  });

  afterAll(async () => {
    await Promise.all([database.close(), workerDatabase.close()]);
    await urls.drop();
  });

  const store = (records: readonly EvaluationRecord[]) =>
    new Ingest(database, { sealer: testSealer, onResult: () => undefined }).ingest(
      { orgId: world.orgId, projectId: world.projectId, environment: "dev", instanceId: randomUUID() },
      batchOf(records),
    );
  const personal = (marker: string) => ({
    userId: marker,
    sessionId: `session of ${marker}`,
    metadata: { ticket: marker },
    capture: CaptureMode.FULL,
    segments: [
      create(RecordedSegmentSchema, { id: "s1", role: "user", trust: Trust.UNTRUSTED, text: `I am ${marker}` }),
    ],
  });
  const erase = async (subject: Partial<SubjectInput>) => {
    const { run } = await erasures.create(world.caller, { traceIds: [], ...subject }, "asked for");
    return run.id;
  };
  const subscribe = () =>
    database.systemTransaction(world.orgId, async (tx) => {
      tx.em.create(WebhookRow, {
        ...{ orgId: world.orgId, id: randomUUID(), url: "https://hooks.example.com/", events: ["evaluation.blocked"] },
        ...{ isActive: true, secret: null, previousSecret: null, previousExpiresAt: null, failingSince: null },
        ...{ createdAt: tx.now, updatedAt: tx.now },
      });
    });
  const work = (runId: string) => worker.work({ org_id: world.orgId, run_id: runId });
  const leftOf = async (marker: string) => {
    const dump = await dumpOf(urls);
    return formsOf(marker).filter((form) => dump.includes(form));
  };

  it("hides its subject at once, and leaves it in no dump and no export", async () => {
    const marker = `person-${randomUUID()}`;
    const blocked = blockedEvaluation("pii.email", personal(marker));
    await subscribe();
    const others = Array.from({ length: 450 }, () => evaluation({ userId: "somebody else" }));
    const mine = Array.from({ length: 250 }, () => evaluation(personal(marker)));
    await store([blocked, ...mine, ...others]);
    await database.transaction(
      { ...world.caller, audit: { action: "trace.export", requestId: "", address: "" } },
      async (tx) => tx.changed({ resource: "trace", before: null, after: { user_id: marker } }),
    );
    expect((await leftOf(marker)).length).toBeGreaterThan(0);

    const id = await erase({ userId: marker });
    const hidden = await traces.get(world.caller, blocked.evaluationId);
    expect(hidden.record).toMatchObject({ userId: "", sessionId: "", segments: [], decidedByRule: "pii.email" });
    expect(hidden.erasedAt).not.toBeNull();
    expect((await traces.list(world.caller, { userId: marker }, page)).traces).toEqual([]);

    await work(id);
    const { run, erased, spec } = await erasures.get(world.caller, id);
    expect(run).toMatchObject({ state: "succeeded", errorCode: null });
    expect(erased).toEqual({ traces: 251, samples: 0, events: 1, evidence: 1 });
    expect(run.done).toBe(run.total);
    expect(spec.digests).toHaveLength(1);
    expect(await leftOf(marker)).toEqual([]);

    const kept = await traces.get(world.caller, blocked.evaluationId);
    expect(kept.record).toMatchObject({ outcome: blocked.outcome, decidedByRule: "pii.email", userId: "" });
    expect(kept.record.findings.map(({ ruleId }) => ruleId)).toEqual(["pii.email"]);
    let exported = "";
    for await (const found of traces.export(world.caller, { filter: {}, format: "jsonl", includesText: true }))
      exported += found.map(({ record }) => record.userId);
    expect(exported).not.toContain(marker);
    expect((await traces.list(world.caller, { userId: "somebody else" }, page)).total).toBe(450);
  });

  it("keeps late records without the person, and later ones of somebody who came back with it", async () => {
    const marker = `late-${randomUUID()}`;
    await work(await erase({ userId: marker }));
    const late = evaluation(personal(marker), new Date(Date.now() - 3_600_000));
    const back = evaluation({ userId: marker }, new Date(Date.now() + 400_000));
    await store([late]);
    expect(await leftOf(marker)).toEqual([]);
    const found = await traces.get(world.caller, late.evaluationId);
    expect(found.record).toMatchObject({ userId: "", segments: [], outcome: late.outcome });
    expect(found.erasedAt).not.toBeNull();
    expect(back.userId).toBe(marker);
  });

  it("finds conversations, single traces and matched texts", async () => {
    const [session, single, text] = [randomUUID(), randomUUID(), randomUUID()].map((id) => `of-${id}`);
    const one = evaluation({ metadata: { ticket: single ?? "" } });
    const withText = blockedEvaluation("pii.email", { metadata: { ticket: text ?? "" } });
    for (const finding of withText.findings) finding.fingerprint = text ?? "";
    await store([evaluation({ sessionId: session }), one, withText]);
    await work(await erase({ sessionId: session }));
    await work(await erase({ traceIds: [one.evaluationId.toUpperCase()] }));
    await work(await erase({ fingerprint: text }));
    for (const marker of [session, single, text]) expect(await leftOf(marker ?? "")).toEqual([]);
    const [newest] = (await erasures.list(world.caller, page))[0];
    expect(newest).toMatchObject({ erased: { traces: 1 }, spec: { kind: "fingerprint" } });
  });

  it("takes out what calibrations have found out about the traces, and nothing else of them", async () => {
    const session = `of-${randomUUID()}`;
    const [mine, other] = [evaluation({ sessionId: session }), evaluation({ sessionId: "somebody else's" })];
    await store([mine, other]);
    const runId = await database.systemTransaction(world.orgId, async (tx) => {
      const { id } = await addRun(tx, { kind: "calibration", spec: {}, createdBy: "a test" });
      const results = [mine, other].map(({ evaluationId: sampleId }) => ({ sampleId, fact: "{}" }));
      await addBenchmarkResults(
        tx,
        id,
        results.map((result) => ({ ...result, verdict: "", hasWrongSpans: false })),
      );
      return id;
    });
    await work(await erase({ sessionId: session }));
    const left = await database.read(world.orgId, (tx) => readFacts(tx, runId, { after: undefined, limit: 10 }));
    expect(left.map(({ sampleId }) => sampleId)).toEqual([other.evaluationId]);
  });

  it("takes a member's name out of the log of evidence, and every entry still proves the rest", async () => {
    const { email } = await world.person("editor");
    const memberId = randomUUID();
    const caller = { ...world.caller, audit: { action: "member.remove", requestId: "", address: "" } };
    await database.transaction(caller, async (tx) =>
      tx.changed({ resource: `member/${memberId}`, before: { email }, after: null }),
    );
    await work(await erase({ memberId }));
    const [entries] = await new Evidence(database).list(
      world.caller,
      { action: "member.remove", actor: undefined, resource: undefined, since: undefined, until: undefined },
      page,
    );
    expect(entries[0]).toMatchObject({ values: { before: undefined, after: null }, salts: { before: undefined } });
    expect(entries[0]?.values.actor).toBeDefined();
    await expect(erase({ memberId: randomUUID() })).rejects.toThrow("no such member");
  });

  it("takes out an administrator who has acted, and every proof and every export stays valid", async () => {
    const own = await createWorld(database);
    const email = `admin-${randomUUID()}@example.com`;
    const memberId = randomUUID();
    const change = (
      label: string,
      action: string,
      [resource, before, after]: readonly [string, object | null, object],
    ) => {
      const author = { ...own.caller, credential: { ...own.caller.credential, label } };
      const audit = { action, requestId: "", address: "192.0.2.99" };
      return database.transaction({ ...author, audit }, async (tx) =>
        tx.changed({ resource, before: before as JsonObject | null, after: after as JsonObject }),
      );
    };
    // They acted, were named by what others did, and are removed at last.
    await change(email, "environment.update", ["environment/1", { name: "prod" }, { name: "production" }]);
    await change(email, "bundle.approve", ["bundle/1", null, { version: 3, approved_by: email }]);
    await change("grace@example.com", "team.update_role", [`member/${memberId}`, { email, role: "admin" }, { email }]);
    await change("grace@example.com", "policy.update", ["policy/1", null, { name: "kept" }]);
    await change("grace@example.com", "team.remove", [`member/${memberId}`, { email }, { removed: true }]);
    const keys = new SigningKeys(workerDatabase, testSealer);
    const signing = new CheckpointSigning(workerDatabase, keys, systemClock);
    await signing.sign(own.orgId);
    const log = new EvidenceLog(database, new SigningKeys(database, testSealer));
    const { verifierKeys, checkpoints } = await log.checkpoints(own.caller, page);
    const trusted = verifierKeys.map(readVerifierKey);
    const before = verifyCheckpoint(checkpoints[0]?.note ?? "", trusted);
    const proofs = await Promise.all(
      Array.from({ length: before.size }, (_, seq) => log.proof(own.caller, seq, undefined)),
    );
    const hashes = (await entriesOf(own)).map(({ leaf }) => leafHash(leaf));
    const exports = new EvidenceExports(database, new SigningKeys(database, testSealer));
    const verified = async () => {
      const verifier = new LogVerifier(trusted, { kept: [before] });
      const chunks: Uint8Array[] = [];
      const query = { action: undefined, actor: undefined, resource: undefined, since: undefined, until: undefined };
      for await (const chunk of await exports.open(own.caller, { query, format: "jsonl", treeSize: undefined }))
        chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      for (const line of text.trimEnd().split("\n")) verifier.add(line);
      return { ...verifier.end(), text };
    };
    expect(await verified()).toMatchObject({ erased: 0, text: expect.stringContaining(email) });
    const { run } = await erasures.create(own.caller, { traceIds: [], memberId }, "has left");
    await worker.work({ org_id: own.orgId, run_id: run.id });
    expect(await leftOf(email)).toEqual([]);
    await signing.sign(own.orgId);
    // Actor, address, before or after of the four that name them: 2 + 3 + 2 + 1.
    const after = await verified();
    expect(after).toMatchObject({ erased: 8 });
    expect(after.text).not.toContain(email);
    expect(after.text).toContain("kept");
    for (const [seq, { text }] of proofs.entries())
      expect(verifyTlogProof(readTlogProof(text), hashes[seq] ?? Buffer.alloc(0), trusted).size).toBe(before.size);
    const { path, to } = await log.consistency(own.caller, before.size, undefined);
    const end = verifyCheckpoint((await log.checkpoint(own.caller)).note, trusted);
    const claim = { from: before.size, fromRoot: before.root, to, toRoot: end.root };
    expect(isConsistent({ ...claim, path: path.map((hash) => Buffer.from(hash, "hex")) })).toBe(true);
  });

  it("finds a member by every address that they had, however it was spelt", async () => {
    const own = await createWorld(database);
    const memberId = randomUUID();
    const one = `Ada.${randomUUID()}@Example.com`;
    const other = `ada.${randomUUID()}@example.org`;
    const change = (label: string, [resource, before, after]: readonly [string, JsonObject | null, JsonObject]) => {
      const author = { ...own.caller, credential: { ...own.caller.credential, label } };
      const audit = { action: "team.update", requestId: "", address: "192.0.2.99" };
      return database.transaction({ ...author, audit }, async (tx) => tx.changed({ resource, before, after }));
    };
    await change("grace@example.com", [`member/${memberId}`, { email: one }, { email: other }]);
    await change(one.toUpperCase(), ["environment/1", null, { name: "kept" }]);
    await change(one.toLowerCase(), ["environment/2", null, { roles: { [other.toUpperCase()]: "editor" } }]);
    await change(`not-${one}`, ["environment/3", null, { name: "of another" }]);
    await change(`operator:${one}`, ["environment/4", null, { name: "kept" }]);
    await change("grace@example.com", ["override/1", { to: `mailto:not-${one}` }, { reason: `As <${other}>. asked` }]);
    const { run } = await erasures.create(own.caller, { traceIds: [], memberId }, "has left");
    await worker.work({ org_id: own.orgId, run_id: run.id });
    const left = (await entriesOf(own)).filter(({ action }) => action === "team.update");
    expect(left.map(({ values: { actor, before, after } }) => [actor, before, after])).toEqual([
      ["grace@example.com", undefined, undefined],
      [undefined, null, { name: "kept" }],
      [undefined, null, undefined],
      [`not-${one}`, null, { name: "of another" }],
      [undefined, null, { name: "kept" }],
      ["grace@example.com", { to: `mailto:not-${one}` }, undefined],
    ]);
  });

  /** The entries of a log, oldest first. */
  const entriesOf = async ({ caller }: World) => {
    const query = { action: undefined, actor: undefined, resource: undefined, since: undefined, until: undefined };
    return (await new Evidence(database).list(caller, query, page))[0].toSorted((a, b) => a.seq - b.seq);
  };

  it("is repeated from an exported ledger, which does not say whom it is about", async () => {
    const marker = `restored-${randomUUID()}`;
    const record = evaluation(personal(marker));
    await store([record]);
    const table = "trace where org_id = ? and id = ?";
    const key = [world.orgId, record.evaluationId];
    const [former] = await database.read(world.orgId, (tx) =>
      tx.sql<{ user_id: string; record: Buffer }>(`select user_id, record from ${table}`, key),
    );
    const id = await erase({ userId: marker });
    await work(id);
    const { run, spec } = await erasures.get(world.caller, id);
    const entry = { id, org_id: world.orgId, created_at: run.createdAt.toISOString(), reason: spec.reason };
    const ledger = { erasures: [{ ...entry, subject_kind: spec.kind, subject_digests: spec.digests }] };
    expect(JSON.stringify(ledger)).not.toContain(marker);
    // As a backup has it: the trace as it was, and no erasure.
    await database.systemTransaction(world.orgId, async (tx) => {
      await tx.sql("delete from run where org_id = ? and id = ?", [world.orgId, id]);
      await tx.sql("update trace set user_id = ?, record = ?, erased_at = null where org_id = ? and id = ?", [
        ...[former?.user_id, former?.record],
        ...key,
      ]);
    });
    expect((await leftOf(marker)).length).toBeGreaterThan(0);
    const repeat = new ErasureRepeat(workerDatabase, worker, testSealer);
    const { orgId } = world;
    // One that cannot be repeated does not stop the others.
    const odd = { ...entry, id: randomUUID(), subject_kind: "weather", subject_digests: spec.digests };
    const done = await Array.fromAsync(repeat.repeat([odd, ...readLedgers([ledger])]));
    expect(done).toEqual([
      { id: odd.id, orgId, failure: expect.objectContaining({ message: expect.stringContaining("weather") }) },
      { id, orgId, erased: 1 },
    ]);
    expect(await leftOf(marker)).toEqual([]);
    expect(() => readLedgers([{ erasures: [{ id }] }])).toThrow(/erasures answers/);
  });

  it("is not repeated in a backup without the key of the ledger's hashes, which would recognize nobody", async () => {
    const { orgId } = await createWorld(database);
    const keys = new ErasureKeys(workerDatabase, testSealer);
    const repeat = new ErasureRepeat(workerDatabase, worker, testSealer);
    const entry = {
      ...{ id: randomUUID(), org_id: orgId, created_at: new Date().toISOString(), reason: "asked for" },
      ...{ subject_kind: "user", subject_digests: ["ab".repeat(32)] },
    };
    const done = (ledger: readonly object[]) => Array.fromAsync(repeat.repeat(readLedgers([ledger])));
    const keyOf = () => database.systemTransaction(orgId, (tx) => digestKeyId(tx, testSealer));
    const isRefused = async (ledger: readonly object[]) => {
      const [answer] = await done(ledger);
      expect(String(answer !== undefined && "failure" in answer ? answer.failure : answer)).toMatch(
        /again by its name/,
      );
    };
    await isRefused([entry]);
    await isRefused([{ ...entry, digest_key: "0123456789abcdef" }]);
    expect(await keys.makeAll()).toBeGreaterThan(0);
    expect(await keys.makeAll()).toBe(0);
    await isRefused([{ ...entry, digest_key: "0123456789abcdef" }]);
    expect(await done([{ ...entry, digest_key: await keyOf() }])).toEqual([{ id: entry.id, orgId, erased: 0 }]);
    expect(await done([{ ...entry, id: randomUUID() }])).toMatchObject([{ erased: 0 }]);
  });

  it("takes a ledger page by page, of several organizations, and none of which a page is missing", () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const made = (orgId: string, count: number) =>
      Array.from({ length: count }, () => ({
        ...{ id: randomUUID(), org_id: orgId, created_at: new Date().toISOString(), subject_kind: "user" },
        ...{ subject_digests: ["ab".repeat(32)], reason: "asked for" },
      }));
    const ledger = made(one, 5);
    const pageFrom = (offset: number) => ({ total: 5, limit: 2, offset, erasures: ledger.slice(offset, offset + 2) });
    const pages = [0, 2, 4].map(pageFrom);
    const whole = { total: 3, limit: 50, offset: 0, erasures: made(other, 3) };
    expect(readLedgers([...pages, whole, pageFrom(2), { total: 0, limit: 50, offset: 0, erasures: [] }])).toHaveLength(
      8,
    );
    expect(() => readLedgers([pages[0], pages[2], whole])).toThrow(`${one} has 5 erasures, and 3 of them were given`);
    expect(() => readLedgers([{ ...whole, erasures: [] }])).toThrow("has 3 erasures, and 0 of them");
  });

  it("finds the subject of a ledger among thousands, whatever it is, and reads no other trace", async () => {
    const kinds = ["userId", "sessionId", "traceIds", "fingerprint"] as const;
    const markers = kinds.map((kind) => `again-${kind}-${randomUUID()}`);
    const [user, session, single, text] = markers as [string, string, string, string]; // one for each kind
    const withText = blockedEvaluation("pii.email", { metadata: { ticket: text } });
    for (const finding of withText.findings) finding.fingerprint = text;
    const one = evaluation({ metadata: { ticket: single } });
    await store([evaluation({ userId: user }), evaluation({ sessionId: session }), one, withText]);
    const crowd = Array.from({ length: 1_200 }, (_, i) => evaluation({ userId: `u-${i % 700}`, sessionId: `s-${i}` }));
    for (let i = 0; i < crowd.length; i += 300) await store(crowd.slice(i, i + 300));
    const subjects = [
      { userId: user },
      { sessionId: session },
      { traceIds: [one.evaluationId] },
      { fingerprint: text },
    ];
    for (const [at, subject] of subjects.entries()) {
      // Noted, and not worked on: as after a restore, where the ledger alone knows.
      const { run, spec } = await erasures.create(world.caller, { traceIds: [], ...subject }, "asked for");
      await database.systemTransaction(world.orgId, (tx) => tx.sql("delete from run where id = ?", [run.id]));
      const entry = { id: run.id, org_id: world.orgId, created_at: run.createdAt.toISOString(), reason: "asked for" };
      const ledger = { erasures: [{ ...entry, subject_kind: spec.kind, subject_digests: spec.digests }] };
      const repeat = new ErasureRepeat(workerDatabase, worker, testSealer);
      const [done] = await Array.fromAsync(repeat.repeat(readLedgers([ledger])));
      expect(done, kinds[at]).toEqual({ id: run.id, orgId: world.orgId, erased: 1 });
      expect(await leftOf(markers[at] ?? ""), kinds[at]).toEqual([]);
    }
  });

  it("looks at bounded rows, traces and bytes in a step, and leaves out none", async () => {
    const { orgId } = world;
    const many = Array.from({ length: 40 }, (_, i) =>
      i % 4 === 0 ? blockedEvaluation("pii.email") : evaluation({ userId: "bounded" }),
    );
    await store(many);
    const walk = async (scope: ErasureScope, bounds: ErasureBounds) => {
      const stretches: ErasureStretch[] = [];
      const until = new Date(Date.now() + 60_000);
      for (let after: ErasureStretch["end"], isOver = false; !isOver; isOver = after === undefined) {
        const from = after;
        const found = await database.read(orgId, (tx) => findTracesToErase(tx, scope, { after: from, until }, bounds));
        stretches.push(found);
        after = found.end;
      }
      return stretches;
    };
    const all = { maxRows: 10_000, maxTraces: 10_000, maxBytes: 1 << 30 };
    const idsOf = (stretches: readonly ErasureStretch[]) =>
      stretches.flatMap(({ positions }) => positions.map(({ id }) => id));
    for (const scope of [{ userIds: ["bounded"] }, "found"] as const) {
      const [whole] = await walk(scope, all);
      const ids = idsOf(whole === undefined ? [] : [whole]);
      expect(ids.length).toBeGreaterThanOrEqual(10);
      for (const bounds of [{ maxRows: 7 }, { maxTraces: 3 }, { maxBytes: 1 }, { maxBytes: 400 }]) {
        const stretches = await walk(scope, { ...all, ...bounds });
        expect(idsOf(stretches)).toEqual(ids);
        expect(stretches.length).toBeGreaterThan(2);
        const { maxTraces, maxRows } = { ...all, ...bounds };
        const most = Math.min(maxTraces, maxRows);
        for (const { positions } of stretches) expect(positions.length).toBeLessThanOrEqual(most);
      }
    }
  });

  it("refuses a subject that is none or several", async () => {
    const message = /exactly one of/;
    await expect(erase({})).rejects.toThrow(message);
    await expect(erase({ userId: "a", sessionId: "b" })).rejects.toThrow(message);
  });
});

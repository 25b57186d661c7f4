import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { clone, create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CredentialKind, Role } from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { Trust } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  CaptureMode,
  EvaluationRecordSchema,
  RecordedSegmentSchema,
} from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { Ingest, type IngestResult, type IngestSource } from "../../../../src/domain/fleet/ingest.ts";
import { StatFold } from "../../../../src/domain/telemetry/stat-fold.ts";
import { Traces } from "../../../../src/domain/telemetry/trace.ts";
import { TraceSeals } from "../../../../src/domain/telemetry/trace-text.ts";
import { TraceUpgrade } from "../../../../src/domain/telemetry/trace-upgrade.ts";
import type { Caller } from "../../../../src/kit/rpc/context.ts";
import { createHmacSha256 } from "../../../../src/platform/hmac.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { lockFormerTraces } from "../../../../src/store/telemetry/former-trace.ts";
import { sharedAnalysis } from "../../../harness/analysis.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, blockedEvaluation, evaluation } from "./evaluation.ts";

const segment = (text: string, id = "s1") =>
  create(RecordedSegmentSchema, { id, role: "user", trust: Trust.UNTRUSTED, text });
const captured = (...texts: string[]) =>
  evaluation({ capture: CaptureMode.FULL, segments: texts.map((text, i) => segment(text, `s${i + 1}`)) });

describe("createHmacSha256()", () => {
  it("gives what createHmac gives", () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), bytes, bytes, (key, first, second) => {
        const expected = createHmac("sha256", key).update(first).update(second).digest("hex");
        expect(createHmacSha256(key)([first, second]).toString("hex")).toBe(expected);
      }),
      { seed: 94, numRuns: 1_000 },
    );
  });
});

describe("captured text", () => {
  let urls: TestDatabase;
  let database: Database;
  let worker: Database;
  let world: World;
  let source: IngestSource;
  let ingest: Ingest;
  let traces: Traces;
  const results: IngestResult[] = [];

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    worker = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
    ingest = new Ingest(database, { sealer: testSealer, onResult: (result) => results.push(result) });
    traces = new Traces({ database, sealer: testSealer, analysis: sharedAnalysis() });
  });

  beforeEach(async () => {
    results.length = 0;
    world = await createWorld(database);
    const { orgId, projectId, environment } = world;
    source = { orgId, projectId, environment, instanceId: randomUUID() };
  });

  afterAll(async () => {
    await Promise.all([database.close(), worker.close()]);
    await urls.drop();
  });

  const textsOf = async (id: string, caller = world.caller) =>
    (await traces.get(caller, id)).record.segments.map(({ text }) => text);
  const member = (role: Role): Caller => ({
    ...world.caller,
    role,
    credential: { ...world.caller.credential, kind: CredentialKind.MEMBER },
  });
  const ci = (): Caller => ({
    ...world.caller,
    credential: { ...world.caller.credential, kind: CredentialKind.CI, projectId: world.projectId },
  });
  const stored = (table: string, column: string) =>
    database.read(world.orgId, async (tx) => {
      const rows = await tx.sql<{ bytes: Buffer }>(`select ${column} as bytes from ${table}`);
      return rows.map(({ bytes }) => bytes);
    });

  it("comes back as it was, short or long, for editors and above and for admin tokens", async () => {
    const long = "Where is my parcel? ".repeat(500);
    const record = captured("short", long, "");
    await ingest.ingest(source, batchOf([record]));
    for (const caller of [world.caller, member(Role.EDITOR), member(Role.ADMIN), member(Role.OWNER)]) {
      expect(await textsOf(record.evaluationId, caller)).toEqual(["short", long, ""]);
    }
    const { traces: listed } = await traces.list(world.caller, {}, { limit: 50, offset: 0, withText: true });
    expect(listed[0]?.record.segments[1]?.text).toBe(long);
    const [sealed] = await stored("trace_text", "sealed");
    expect(sealed?.length).toBeLessThan(1_000);
  });

  it("is left out for viewers and ci tokens, who see that there are segments", async () => {
    const record = captured("only for editors");
    await ingest.ingest(source, batchOf([record]));
    for (const caller of [member(Role.VIEWER), ci()]) {
      const { record: seen } = await traces.get(caller, record.evaluationId);
      expect(seen.segments.map(({ id, text }) => [id, text])).toEqual([["s1", ""]]);
      const { traces: listed } = await traces.list(caller, {}, { limit: 50, offset: 0, withText: true });
      expect(JSON.stringify(listed[0]?.record.segments)).not.toContain("editors");
      for await (const page of traces.export(caller, { filter: {}, format: "jsonl", includesText: true })) {
        expect(JSON.stringify(page[0]?.record.segments)).not.toContain("editors");
      }
    }
  });

  it("stands readable in no table, and opens in no other trace or organization", async () => {
    const marker = `marker-${randomBytes(8).toString("hex")}`;
    const [one, other] = [captured(marker), captured(marker)];
    await ingest.ingest(source, batchOf([one, other]));
    const bytes = [
      ...(await stored("trace", "record")),
      ...(await stored("trace_text", "sealed")),
      ...(await stored("evaluation_key", "payload_hash")),
      ...(await stored("stat_delta", "tally")),
    ];
    expect(bytes.length).toBe(7);
    for (const found of bytes) expect(found.includes(marker)).toBe(false);
    await database.systemTransaction(world.orgId, (tx) =>
      tx.sql("update trace_text x set sealed = (select sealed from trace_text y where y.id <> x.id)"),
    );
    await expect(textsOf(one.evaluationId)).rejects.toThrow("belongs to something else");
  });

  it("goes with its row", async () => {
    const record = captured("erase me");
    await ingest.ingest(source, batchOf([record]));
    await database.systemTransaction(world.orgId, (tx) => tx.sql("delete from trace_text"));
    expect(await textsOf(record.evaluationId)).toEqual([""]);
  });

  it("makes a repeated record with another text a conflict, whatever the text of the first was", async () => {
    const record = captured("first");
    const changed = clone(EvaluationRecordSchema, record);
    for (const one of changed.segments) one.text = "second";
    await ingest.ingest(source, batchOf([record]));
    await ingest.ingest(source, batchOf([record]));
    await ingest.ingest(source, batchOf([changed]));
    expect(results.map(({ stored: n, duplicates, conflicts }) => [n, duplicates, conflicts])).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 1, 1],
    ]);
    expect(await textsOf(record.evaluationId)).toEqual(["first"]);
  });

  it("has one key, however many first batches come at the same time", async () => {
    const ingests = Array.from({ length: 4 }, () => new Ingest(database, { sealer: testSealer, onResult: () => {} }));
    const records = ingests.map((_, i) => captured(`text ${i}`));
    await Promise.all(ingests.map((one, i) => one.ingest(source, batchOf(records.slice(i, i + 1)))));
    for (const [i, { evaluationId }] of records.entries()) expect(await textsOf(evaluationId)).toEqual([`text ${i}`]);
  });

  it("keeps no key of a transaction that was rolled back", async () => {
    const seals = new TraceSeals(testSealer);
    const failing = database.systemTransaction(world.orgId, async (tx) => {
      await seals.forWriting(tx);
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    expect(await database.read(world.orgId, (tx) => seals.forReading(tx))).toBeUndefined();
  });

  describe("of traces that an earlier version stored", () => {
    // As that version did: the whole record in its row, a plain digest, no counts.
    const makeFormer = async (records: readonly ReturnType<typeof evaluation>[]) => {
      await ingest.ingest(source, batchOf(records));
      await database.systemTransaction(world.orgId, async (tx) => {
        for (const record of records) {
          const bytes = Buffer.from(toBinary(EvaluationRecordSchema, record));
          await tx.sql("update trace set record = ?, form = 0 where id = ?", [bytes, record.evaluationId]);
        }
        await tx.sql("delete from trace_text");
        await tx.sql("delete from stat_delta");
        await tx.sql("delete from trace_facet where kind <> 1");
        await tx.sql("update evaluation_key set payload_hash = decode('00', 'hex')");
      });
    };

    it("is sealed, counted and indexed by a job, once, and readable all the time", async () => {
      const blocked = blockedEvaluation("secrets.any", { capture: CaptureMode.FULL, segments: [segment("old text")] });
      const records = [blocked, ...Array.from({ length: 450 }, () => evaluation())];
      await makeFormer(records);
      expect(await textsOf(blocked.evaluationId)).toEqual(["old text"]);
      expect(await textsOf(blocked.evaluationId, member(Role.VIEWER))).toEqual([""]);
      let slices = 0;
      const upgrade = new TraceUpgrade(worker, testSealer);
      // The first run is ended after a slice, and others go on.
      const first = await upgrade.run(() => slices++ < 1);
      const rest = (await upgrade.run(() => true)) + (await upgrade.run(() => true));
      expect(first + rest).toBeGreaterThanOrEqual(451);
      expect(await textsOf(blocked.evaluationId)).toEqual(["old text"]);
      for (const bytes of await stored("trace", "record")) expect(bytes.includes("old text")).toBe(false);
      await new StatFold(worker).fold(world.orgId);
      const [counts] = await database.read(world.orgId, (tx) =>
        tx.sql(
          `select (select sum(evaluations)::int from stat_outcome where period = 3) as evaluations,
             (select sum(evaluations)::int from usage_day) as usage, (select count(*)::int from trace_facet) as facets,
             (select count(*)::int from trace where form = 0) as former`,
        ),
      );
      expect(counts).toEqual({ evaluations: 451, usage: 451, facets: 4, former: 0 });
      // The digest is the one that ingest would have made.
      await ingest.ingest(source, batchOf(records));
      expect(results.at(-1)).toMatchObject({ stored: 0, duplicates: 451, conflicts: 0 });
    });

    it("is read a few megabytes at a time", async () => {
      const large = "a".repeat(3 << 20);
      await makeFormer(Array.from({ length: 4 }, () => captured(large)));
      const locked = await worker.systemTransaction(world.orgId, (tx) =>
        lockFormerTraces(tx, { traces: 200, bytes: 8 << 20 }),
      );
      // The third one begins below 8 MiB.
      expect(locked.length).toBe(3);
      expect(await new TraceUpgrade(worker, testSealer).run(() => true)).toBe(4);
    });
  });
});

import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CredentialKind, Role } from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { Stage, Trust } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  CaptureMode,
  type EvaluationRecord,
  EvaluationRecordSchema,
  RecordedSegmentSchema,
} from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { packText } from "../../../../src/domain/analysis/packed-text.ts";
import { searchTexts } from "../../../../src/domain/analysis/search-texts.ts";
import { Ingest } from "../../../../src/domain/fleet/ingest.ts";
import { Erasures } from "../../../../src/domain/telemetry/erasure.ts";
import { maxTexts } from "../../../../src/domain/telemetry/text-search.ts";
import { type TraceQuery, Traces } from "../../../../src/domain/telemetry/trace.ts";
import { writeRecord } from "../../../../src/domain/telemetry/trace-text.ts";
import type { Caller } from "../../../../src/kit/rpc/context.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { readFirstTexts } from "../../../../src/store/telemetry/trace-text.ts";
import { sharedAnalysis } from "../../../harness/analysis.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, type Change, evaluation } from "./evaluation.ts";

const segment = (text: string) =>
  create(RecordedSegmentSchema, { id: "s1", role: "user", trust: Trust.UNTRUSTED, text });
const captured = (text: string, change: Change = {}, at = new Date()) =>
  evaluation({ capture: CaptureMode.FULL, segments: [segment(text)], ...change }, at);
const whole = { limit: 200, offset: 0 };

describe("a search for text", () => {
  let urls: TestDatabase;
  let database: Database;
  let world: World;
  let traces: Traces;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    traces = new Traces({ database, sealer: testSealer, analysis: sharedAnalysis() });
  });

  beforeEach(async () => {
    world = await createWorld(database);
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  const store = (records: readonly EvaluationRecord[]) =>
    new Ingest(database, { sealer: testSealer, onResult: () => undefined }).ingest(
      { orgId: world.orgId, projectId: world.projectId, environment: "dev", instanceId: randomUUID() },
      batchOf(records),
    );
  const found = async (filter: TraceQuery) =>
    (await traces.list(world.caller, filter, whole)).traces.map(({ id }) => id);

  it("finds what contains it, in upper or lower case, composed or not, beside other filters", async () => {
    const one = captured("Buy me a GIFT card, said Ren\u00e9.");
    const long = captured(`${"Where is my parcel? ".repeat(400)} gift CARD`, { stage: Stage.OUTPUT });
    await store([one, long, captured("Where is my parcel?"), evaluation()]);
    expect((await found({ text: "gift card" })).sort()).toEqual([one.evaluationId, long.evaluationId].sort());
    expect(await found({ text: "gift card", stage: Stage.OUTPUT })).toEqual([long.evaluationId]);
    expect(await found({ text: "REN\u0045\u0301." })).toEqual([one.evaluationId]);
    expect(await found({ text: "no such thing" })).toEqual([]);
    expect(await found({ text: "\0" })).toEqual([]);
  });

  it("finds text that is still in the record of a trace of form 0", async () => {
    const record = captured("Buy me a gift card.");
    await store([record]);
    await database.systemTransaction(world.orgId, async (tx) => {
      const bytes = Buffer.from(writeRecord(record)).toString("hex");
      await tx.sql("update trace set form = 0, record = decode(?, 'hex')", [bytes]);
      await tx.sql("delete from trace_text");
    });
    expect(await found({ text: "gift" })).toEqual([record.evaluationId]);
  });

  it("goes from page to page by positions, and counts what was found so far", async () => {
    const now = Date.now();
    const records = Array.from({ length: 9 }, (_, i) =>
      captured(i % 3 === 0 ? "wanted" : "other", {}, new Date(now - i)),
    );
    await store(records);
    const wanted = records.filter((_, i) => i % 3 === 0).map(({ evaluationId }) => evaluationId);
    const first = await traces.list(world.caller, { text: "wanted" }, { limit: 2, offset: 0 });
    expect([first.traces.map(({ id }) => id), first.total, first.totalIsExact]).toEqual([wanted.slice(0, 2), 2, false]);
    const after = first.nextAfter ?? "";
    const second = await traces.list(world.caller, { text: "wanted" }, { limit: 2, offset: 0, after });
    expect([second.traces.map(({ id }) => id), second.total]).toEqual([wanted.slice(2), 3]);
    expect([second.examinedUntil, second.nextAfter]).toEqual([null, null]);
    const skipped = await traces.list(world.caller, { text: "wanted" }, { limit: 2, offset: 1 });
    expect([skipped.traces.map(({ id }) => id), skipped.total]).toEqual([wanted.slice(1), 3]);
  });

  it("looks at a bounded number of texts, says where it stopped, and goes on from there; an export has them all", async () => {
    const now = Date.now();
    const at = (i: number) => new Date(now - 2 * i);
    const records = Array.from({ length: maxTexts + 100 }, (_, i) =>
      captured(i === 5 || i === maxTexts + 50 ? "wanted" : "other", {}, at(i)),
    );
    for (let i = 0; i < records.length; i += 300) await store(records.slice(i, i + 300));
    const page = await traces.list(world.caller, { text: "wanted" }, whole);
    expect(page.traces.map(({ id }) => id)).toEqual([records[5]?.evaluationId]);
    expect([page.total, page.totalIsExact]).toEqual([1, false]);
    expect(page.examinedUntil).toEqual(new Date(at(maxTexts - 1).getTime() + 1));
    const next = await traces.list(world.caller, { text: "wanted", until: page.examinedUntil ?? new Date(0) }, whole);
    expect([next.traces.map(({ id }) => id), next.examinedUntil]).toEqual([[records.at(-50)?.evaluationId], null]);

    const exported: string[] = [];
    const order = { filter: { text: "wanted" }, format: "jsonl", includesText: false } as const;
    for await (const some of traces.export(audited(world.caller), order)) exported.push(...some.map(({ id }) => id));
    expect(exported).toEqual([records[5]?.evaluationId, records.at(-50)?.evaluationId]);
    const [entry] = await database.read(world.orgId, (tx) =>
      tx.sql<{ after: string }>("select after from audit_opening order by seq desc limit 1"),
    );
    expect(JSON.parse(entry?.after ?? "")).toMatchObject({ filter: { searches_text: true } });
    expect(entry?.after).not.toContain("wanted");
  });

  it("looks at a bounded number of bytes, as they are stored and as they are unpacked", async () => {
    const records = ["a", "b", "c"].map((text, i) => captured(text.repeat(400), {}, new Date(Date.now() - i)));
    await store(records);
    const positions = records.map(({ evaluationId }, i) => ({
      id: evaluationId,
      createdAt: new Date(Number(records[i]?.createdAt?.seconds) * 1000 + (records[i]?.createdAt?.nanos ?? 0) / 1e6),
    }));
    const first = await database.read(world.orgId, (tx) => readFirstTexts(tx, positions, 1_000));
    expect(first.map(({ id }) => id)).toEqual(positions.slice(0, 2).map(({ id }) => id));

    const packed = (text: string) =>
      packText(writeRecord(create(EvaluationRecordSchema, { segments: [segment(text)] })));
    // Deflated to some hundred bytes, and a hundred thousand unpacked.
    const texts = ["x", "y", "z"].map((text) => packed(text.repeat(100_000)));
    const search = (maxBytes: number, maxMatches = 9) =>
      searchTexts({ wanted: "Z", texts, maxMatches, maxBytes }, { enter: () => undefined });
    expect(search(10)).toEqual({ matches: [], searched: 1 });
    expect(search(250_000)).toEqual({ matches: [], searched: 2 });
    expect(search(1 << 20)).toEqual({ matches: [2], searched: 3 });
  });

  it("is for those who may see text", async () => {
    const member = (role: Role): Caller => {
      const credential = { ...world.caller.credential, kind: CredentialKind.MEMBER };
      return { ...world.caller, role, credential };
    };
    const credential = { ...world.caller.credential, kind: CredentialKind.CI, projectId: world.projectId };
    await store([captured("wanted")]);
    for (const caller of [member(Role.VIEWER), { ...world.caller, credential }]) {
      await expect(traces.list(caller, { text: "wanted" }, whole)).rejects.toThrow("editors");
      const order = { filter: { text: "wanted" }, format: "csv", includesText: false } as const;
      await expect(traces.export(audited(caller), order).next()).rejects.toThrow("editors");
    }
    expect((await traces.list(member(Role.EDITOR), { text: "wanted" }, whole)).total).toBe(1);
  });

  it("finds nothing of somebody whose erasure has begun", async () => {
    const [mine, other] = [captured("wanted", { userId: "u-1" }), captured("wanted", { userId: "u-2" })];
    await store([mine, other]);
    await new Erasures(database, testSealer).create(world.caller, { userId: "u-1", traceIds: [] }, "asked for");
    const page = await traces.list(world.caller, { text: "wanted" }, whole);
    expect([page.traces.map(({ id }) => id), page.total]).toEqual([[other.evaluationId], 1]);
  });
});

function audited(caller: Caller): Caller {
  return { ...caller, audit: { action: "trace.export", requestId: "", address: "" } };
}

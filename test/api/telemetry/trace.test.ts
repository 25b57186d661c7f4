import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { Trust } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { CaptureMode, RecordedSegmentSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { Ingest } from "../../../src/domain/fleet/ingest.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { testSealer } from "../../harness/sealer.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";
import { batchOf, blockedEvaluation, evaluation } from "../../src/domain/telemetry/evaluation.ts";

describe("traces over REST", () => {
  let plane: TestControlPlane;
  let world: World;
  const blocked = blockedEvaluation("secrets.any", {
    agentId: "bot",
    sessionId: "=cmd()",
    metadata: { ticket: 42 },
    capture: CaptureMode.REDACTED,
    segments: [
      create(RecordedSegmentSchema, { id: "s1", role: "user", trust: Trust.UNTRUSTED, text: "my key is [SECRET_1]" }),
    ],
  });

  beforeAll(async () => {
    plane = await startTestControlPlane();
    world = await createWorld(plane.database);
    const older = Array.from({ length: 1200 }, (_, i) => evaluation({}, new Date(Date.now() - 60_000 - 1000 * i)));
    await new Ingest(plane.database, { sealer: testSealer, onResult: () => undefined }).ingest(
      { orgId: world.orgId, projectId: world.projectId, environment: "dev", instanceId: randomUUID() },
      batchOf([blocked, ...older]),
    );
  });

  afterAll(() => plane.stop());

  const get = (path: string, token = world.tokens.admin) =>
    fetch(`${plane.baseUrl}/v1/orgs/${world.orgId}/traces${path}`, { headers: { authorization: `Bearer ${token}` } });

  it("shows a trace with every field, unset ones as null", async () => {
    const response = await get(`/${blocked.evaluationId}`);
    expect(response.status).toBe(200);
    const trace = await response.json();
    expect(trace).toMatchObject({
      id: blocked.evaluationId,
      org_id: world.orgId,
      project_id: world.projectId,
      environment: "dev",
      agent_id: "bot",
      session_id: "=cmd()",
      user_id: null,
      stage: "input",
      outcome: "BLOCK",
      would_be_outcome: "BLOCK",
      decided_by_rule: "secrets.any",
      decided_by_policy: "support-bot",
      findings: [{ rule_id: "secrets.any", action: "BLOCK", mode: "enforce", start: 4, end: 24, exempted_by: null }],
      unjudged: [],
      signals: [],
      bundle: { version: 3, activation_seq: 4, stale: false },
      language: "en",
      latency_us: 180,
      model: null,
      metadata: { ticket: 42 },
      capture: "redacted",
      segments: [{ id: "s1", role: "user", trust: "untrusted", text: "my key is [SECRET_1]" }],
    });
    expect(Date.parse(trace.received_at)).toBeGreaterThanOrEqual(Date.parse(trace.created_at) - 1);
  });

  it("lists with filters, page and total", async () => {
    const filtered = await (await get("?rule_id=secrets.any&outcome=BLOCK&agent_id=bot")).json();
    expect(filtered).toMatchObject({ total: 1, total_is_exact: true, limit: 50, offset: 0 });
    expect(filtered.traces.map(({ id }: { id: string }) => id)).toEqual([blocked.evaluationId]);
    const page = await (await get("?limit=2&offset=1")).json();
    expect(page).toMatchObject({ total: 1201, total_is_exact: true, limit: 2, offset: 1 });
    expect(page.traces).toHaveLength(2);
    expect(Date.parse(page.traces[0].created_at)).toBeGreaterThan(Date.parse(page.traces[1].created_at));
    const since = new Date(Date.now() - 60_500).toISOString();
    const recent = await (await get(`?since=${since}&limit=200`)).json();
    expect(recent.total).toBe(recent.traces.length);
  });

  it.each(["outcome=block", "outcome=NONE", "since=yesterday", "project_id=1"])("answers 400 to ?%s", async (query) => {
    expect((await get(`?${query}`)).status).toBe(400);
  });

  it("refuses a window that ends before it begins, of a list and of an export", async () => {
    const window = "?since=2026-11-20T10:00:00Z&until=2026-11-20T09:00:00Z";
    expect((await get(window)).status).toBe(400);
    expect((await get(`/export${window}`)).status).toBe(400);
  });

  it("answers 404 for a trace that the organization does not have", async () => {
    expect((await get(`/${randomUUID()}`)).status).toBe(404);
    const foreign = await createWorld(plane.database);
    const url = `${plane.baseUrl}/v1/orgs/${foreign.orgId}/traces/${blocked.evaluationId}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${foreign.tokens.admin}` } });
    expect(response.status).toBe(404);
  });

  it("exports what matches as a CSV file without formulas", async () => {
    const response = await get("/export");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="traces.csv"');
    const lines = (await response.text()).split("\r\n");
    expect(lines).toHaveLength(1 + 1201 + 1);
    expect(lines[0]).toMatch(/^"id","created_at",/);
    const line = lines.find((text) => text.startsWith(`"${blocked.evaluationId}"`));
    expect(line).toContain(`"'=cmd()"`);
    expect(lines.at(-1)).toBe("");
    const none = await get("/export?rule_id=none");
    expect((await none.text()).split("\r\n")).toHaveLength(2);
  });

  it("exports what matches as JSONL, one trace with all of its fields a line", async () => {
    const response = await get("/export?format=jsonl&include_text=true");
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="traces.jsonl"');
    const lines = (await response.text()).split("\n");
    expect(lines).toHaveLength(1201 + 1);
    const traces = lines.slice(0, -1).map((line) => JSON.parse(line));
    const exported = traces.find(({ id }) => id === blocked.evaluationId);
    expect(exported).toEqual(await (await get(`/${blocked.evaluationId}`)).json());
    const withoutText = await (await get("/export?format=jsonl")).text();
    expect(withoutText).toContain(blocked.evaluationId);
    expect(withoutText).not.toContain("[SECRET_1]");
    expect(await (await get("/export?format=jsonl&rule_id=none")).text()).toBe("");
  });

  it("gives an export to no ci token, and over gRPC the same bytes", async () => {
    expect((await get("/export", world.tokens.ci)).status).toBe(403);
    const client = createClient(TraceService, createGrpcTransport({ baseUrl: plane.baseUrl }));
    const headers = { authorization: `Bearer ${world.tokens.admin}` };
    const chunks: Uint8Array[] = [];
    for await (const { data } of client.exportTraces({ orgId: world.orgId }, { headers })) chunks.push(data);
    expect(chunks.length).toBeGreaterThan(2);
    expect(Buffer.concat(chunks).toString()).toBe(await (await get("/export")).text());
  });

  it("stops an export whose reader is gone", async () => {
    const abort = new AbortController();
    const client = createClient(TraceService, createGrpcTransport({ baseUrl: plane.baseUrl }));
    const options = { headers: { authorization: `Bearer ${world.tokens.admin}` }, signal: abort.signal };
    const read = async () => {
      for await (const _ of client.exportTraces({ orgId: world.orgId }, options)) abort.abort();
    };
    await expect(read()).rejects.toThrow("canceled");
    expect((await get("?limit=1")).status).toBe(200);
  });
});

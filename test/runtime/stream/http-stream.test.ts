// Streams of text on a live runtime: over RPC both ways at once, as NDJSON and server-sent events, and by one call for
// each part.

import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  EvaluateStreamRequestSchema,
  type EvaluateStreamResponse,
  EvaluationService,
} from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../../harness/vector/evaluate-stage.ts";
import { compareWithExample } from "../../harness/vector/recorded-example.ts";

const yaml = [
  "detectors:",
  "  words: {use: keywords, keywords: [project bluebird]}",
  "  mail: {use: pii, entities: [EMAIL]}",
  "rules:",
  "  - {id: secret, stages: [output, tool_call], detect: words, action: BLOCK}",
  "  - {id: mail, stages: [output], detect: mail, action: REDACT}",
];
const clean = ["Write to ann@exa", "mple.com about", " the weather."];
const blocked = ["All is well. ", "Now on project blue", "bird: no."];

let stage: EvaluateStage;

beforeAll(async () => {
  stage = await startEvaluateStage();
  await stage.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: [{ yaml }] })));
});
afterAll(() => stage.stop());

describe("a stream over gRPC", () => {
  it("releases redacted text while it comes, and ends with the verdict", async () => {
    const events = await rpc(clean);
    expect(events.filter((name) => name === "finding")).toEqual(["finding"]);
    expect(releases(events)).toBe("Write to [EMAIL_1] about the weather.");
    expect(events.at(-1)).toEqual({ outcome: 3, blocked: false, text: "Write to [EMAIL_1] about the weather." });
  });

  it("releases nothing of a text that a rule blocks", async () => {
    const events = await rpc(blocked);
    expect(releases(events)).toBe("All is well. Now on ");
    expect(events.at(-1)).toMatchObject({ blocked: true });
  });

  it("refuses a delta before the opening", async () => {
    await expect(collect([{ case: "delta", value: "x" }])).rejects.toThrow(/open/);
  });

  it("refuses a caller without a token", async () => {
    await expect(collect([], "nobody")).rejects.toThrow(/unauthenticated/);
  });
});

describe("POST /v1/evaluate/stream", () => {
  const lines = (deltas: readonly string[]) =>
    [{ open: { stage: "output", request: {} } }, ...deltas.map((delta) => ({ delta })), { finish: true }]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");

  it("answers NDJSON: the same text and verdict as over RPC", async () => {
    const response = await post("/stream", lines(clean), { "content-type": "application/x-ndjson" });
    expect(response.status).toBe(200);
    const events = (await response.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ release }) => release ?? "").join("")).toBe("Write to [EMAIL_1] about the weather.");
    expect(events.at(-1).verdict).toMatchObject({ outcome: "REDACT", blocked: false });
    // The documentation shows the first line of the request and the last one of the answer.
    checkExample("EvaluateStream", { open: { stage: "output", request: {} } }, events.at(-1));
  });

  it("answers server-sent events to a caller that accepts them", async () => {
    const headers = { "content-type": "application/x-ndjson", accept: "text/event-stream" };
    const response = await post("/stream", lines(blocked), headers);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const text = await response.text();
    expect(text).not.toContain("bluebird");
    expect(text).toMatch(/event: verdict\ndata: \{.*"outcome":"BLOCK"/);
  });

  it("judges tool calls that come in parts by the verdict only", async () => {
    const parts = ['{"note": "about pro', "ject blue", 'bird"}'].map((piece, index) => ({
      tool_call: { id: "c1", name: index === 0 ? "save" : "", arguments: piece },
    }));
    const body = [{ open: {} }, { delta: "Saving. " }, ...parts, { finish: true }]
      .map((l) => JSON.stringify(l))
      .join("\n");
    const response = await post("/stream", body, { "content-type": "application/x-ndjson" });
    const events = (await response.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.at(-1).verdict.tool_calls).toMatchObject([{ id: "c1" }]);
  });

  it.each([
    ["no opening", '{"delta": "x"}', 422],
    ["two parts on one line", '{"open": {}, "finish": true}', 422],
    ["an unknown field", '{"open": {"request": {"txt": "x"}}}', 422],
    ["no JSON", "{", 400],
  ])("refuses %s", async (_, body, status) => {
    const response = await post("/stream", body, { "content-type": "application/x-ndjson" });
    expect(response.status).toBe(status);
  });

  it("refuses a caller without a token", async () => {
    const response = await fetch(`${stage.url}/v1/evaluate/stream`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: lines(clean),
    });
    expect(response.status).toBe(401);
  });
});

describe("a stream by unary calls", () => {
  it("releases the same text", async () => {
    const opening = { stage: "output" };
    const answer = await post("/streams", JSON.stringify(opening));
    expect(answer.status).toBe(201);
    const opened = await answer.json();
    const { stream_id: id, until_verdict: waits } = opened;
    expect(waits).toEqual([]);
    checkExample("OpenStream", { opening }, opened);
    let released = "";
    for (const delta of clean) {
      const step = await (await post(`/streams/${id}/chunks`, JSON.stringify({ delta }))).json();
      released += step.released;
      if (delta === clean[0]) checkExample("PushStreamChunk", { stream_id: id, delta }, step);
    }
    const end = await (await post(`/streams/${id}/finish`, "")).json();
    checkExample("FinishStream", { stream_id: id }, end);
    expect(released + end.released).toBe("Write to [EMAIL_1] about the weather.");
    expect(end.verdict.outcome).toBe("REDACT");
    expect((await post(`/streams/${id}/finish`, "")).status).toBe(404);
  });

  it("is not known to other callers", async () => {
    expect((await post("/streams/nothing/chunks", JSON.stringify({ delta: "x" }))).status).toBe(404);
  });
});

/** Holds the documentation's example of a method to what was answered, or records it. */
function checkExample(method: string, request: JsonObject, answer: JsonValue): void {
  const call = { method: `EvaluationService/${method}`, vector: "runtime/stream/http-stream.test.ts", request, answer };
  expect(compareWithExample(call, new Date())).toBeUndefined();
}

function post(path: string, body: string, headers: Record<string, string> = { "content-type": "application/json" }) {
  const authorization = `Bearer ${stage.tokenOf("runtime")}`;
  return fetch(`${stage.url}/v1/evaluate${path}`, {
    method: "POST",
    headers: body === "" ? { authorization } : { authorization, ...headers },
    ...(body === "" ? {} : { body }),
  });
}

type Part = { readonly case: "delta"; readonly value: string };

async function collect(parts: readonly Part[], persona = "runtime"): Promise<EvaluateStreamResponse[]> {
  const client = createClient(EvaluationService, createGrpcTransport({ baseUrl: stage.url }));
  async function* requests() {
    for (const part of parts) yield create(EvaluateStreamRequestSchema, { part });
    yield create(EvaluateStreamRequestSchema, { part: { case: "finish", value: true } });
  }
  const token = persona === "nobody" ? "not-a-token" : stage.tokenOf(persona);
  const events: EvaluateStreamResponse[] = [];
  for await (const event of client.evaluateStream(requests(), { headers: { authorization: `Bearer ${token}` } }))
    events.push(event);
  return events;
}

async function rpc(deltas: readonly string[]): Promise<unknown[]> {
  const client = createClient(EvaluationService, createGrpcTransport({ baseUrl: stage.url }));
  async function* requests() {
    yield create(EvaluateStreamRequestSchema, { part: { case: "open", value: { stage: Stage.OUTPUT } } });
    for (const value of deltas) yield create(EvaluateStreamRequestSchema, { part: { case: "delta", value } });
    yield create(EvaluateStreamRequestSchema, { part: { case: "finish", value: true } });
  }
  const headers = { authorization: `Bearer ${stage.tokenOf("runtime")}` };
  const events: unknown[] = [];
  for await (const { event } of client.evaluateStream(requests(), { headers })) {
    if (event.case === "verdict") {
      const { outcome, blocked, text } = event.value;
      events.push({ outcome, blocked, text });
    } else events.push(event.case === "release" ? { release: event.value } : event.case);
  }
  return events;
}

function releases(events: readonly unknown[]): string {
  return events
    .map((event) => (typeof event === "object" && event !== null && "release" in event ? String(event.release) : ""))
    .join("");
}

// Runs every vector of streams on the engine alone and on a live runtime over NDJSON, server-sent events, gRPC, Connect
// and single calls, in several chunkings. Whatever the form and the chunks: what goes on is what the unary call lets
// through, and the verdict is its answer.

import { join } from "node:path";
import { create, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messageTextEncoder } from "../gateway/json/encode-text.ts";
import {
  BundleReferenceSchema,
  EvaluateRequestSchema,
  EvaluateResponseSchema,
} from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../gen/policyguard/policy/v1/outcome_pb.ts";
import { StreamOpeningSchema, ToolCallPartSchema } from "../gen/policyguard/policy/v1/stream_pb.ts";
import {
  type EvaluateStreamRequest,
  EvaluateStreamRequestSchema,
  EvaluationService,
} from "../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { EvaluateVectorSchema } from "../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { type StreamVector, StreamVectorSchema } from "../gen/policyguard/testing/v1/stream_vector_pb.ts";
import { compileBundle } from "../runtime/bundle/compile.ts";
import { stages } from "../runtime/engine/policy/enum-names.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "./harness/vector/evaluate-stage.ts";
import { mismatches } from "./harness/vector/match.ts";
import { readVectorsOf } from "./harness/vector/vector.ts";

const vectors = readVectorsOf(StreamVectorSchema, join(import.meta.dirname, "vectors", "stream"));
const chunkings: Readonly<Record<string, (text: string) => string[]>> = {
  "in one piece": (text) => (text === "" ? [] : [text]),
  "unit by unit": (text) => text.split(""),
  "in fives": (text) => text.match(/[\s\S]{1,5}/g) ?? [],
};

interface Answer {
  /** What went on before the verdict, and all of it. */
  readonly early: string;
  readonly released: string;
  readonly verdict: JsonObject;
}

type Form = (vector: StreamVector, chunks: readonly string[]) => Promise<Answer>;

const printVerdict = messageTextEncoder(EvaluateResponseSchema);
let live: EvaluateStage;
let connections: Http2SessionManager;

beforeAll(async () => {
  live = await startEvaluateStage();
  connections = new Http2SessionManager(live.url);
});
afterAll(async () => {
  connections.abort();
  await live.stop();
});

function stageOf({ stage }: StreamVector): Stage {
  const found = Object.entries(stages).find(([name]) => name === (stage || "output"));
  return found?.[1] ?? Stage.UNSPECIFIED;
}

function openingOf(vector: StreamVector): JsonObject {
  return { stage: vector.stage || "output", request: vector.request ?? {} };
}

function openingMessage(vector: StreamVector) {
  return create(StreamOpeningSchema, { stage: stageOf(vector), request: requestMessage(vector) });
}

/** The request in its JSON form, with the names of RPC for the few members that vectors use. */
function requestMessage({ request = {} }: StreamVector) {
  const { options, segments, ...others } = request as { options?: { offsets: string }; segments?: JsonObject[] };
  const trusts: Readonly<Record<string, string>> = { untrusted: "TRUST_UNTRUSTED", trusted: "TRUST_TRUSTED" };
  return fromJson(EvaluateRequestSchema, {
    ...others,
    ...(options && { options: { offsets: `OFFSET_UNIT_${options.offsets.toUpperCase()}` } }),
    ...(segments && { segments: segments.map((each) => ({ ...each, trust: trusts[String(each.trust)] ?? "" })) }),
  });
}

function linesOf(vector: StreamVector, chunks: readonly string[]): string {
  const calls = vector.toolCalls.map((part) => ({ tool_call: toJson(ToolCallPartSchema, part) }));
  const lines = [{ open: openingOf(vector) }, ...chunks.map((delta) => ({ delta })), ...calls, { finish: true }];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function post(path: string, body: string, headers: Readonly<Record<string, string>>) {
  const authorization = `Bearer ${live.tokenOf("runtime")}`;
  return fetch(`${live.url}/v1/evaluate/${path}`, { method: "POST", headers: { authorization, ...headers }, body });
}

function answerOf(events: readonly { readonly name: string; readonly value: unknown }[]): Answer {
  const verdictAt = events.findIndex(({ name }) => name === "verdict");
  expect(verdictAt, JSON.stringify(events)).toBe(events.length - 1);
  const releases = events.flatMap(({ name, value }) => (name === "release" ? [String(value)] : []));
  // The verdict is asked for when all chunks are there; what goes on with it comes right before it.
  const isLast = events.at(-2)?.name === "release";
  return {
    early: (isLast ? releases.slice(0, -1) : releases).join(""),
    released: releases.join(""),
    verdict: events[verdictAt]?.value as JsonObject, // the printed answer
  };
}

const ndjson: Form = async (vector, chunks) => {
  const response = await post("stream", linesOf(vector, chunks), { "content-type": "application/x-ndjson" });
  const lines = (await response.text()).trim().split("\n");
  return answerOf(lines.flatMap((line) => Object.entries(JSON.parse(line)).map(([name, value]) => ({ name, value }))));
};

const serverSentEvents: Form = async (vector, chunks) => {
  const headers = { "content-type": "application/x-ndjson", accept: "text/event-stream" };
  const response = await post("stream", linesOf(vector, chunks), headers);
  const events = (await response.text()).trim().split("\n\n");
  return answerOf(
    events.map((event) => {
      const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      return { name, value: JSON.parse(data) };
    }),
  );
};

function rpc(kind: "grpc" | "connect"): Form {
  return async (vector, chunks) => {
    const options = { baseUrl: live.url, sessionManager: connections };
    const transport =
      kind === "grpc" ? createGrpcTransport(options) : createConnectTransport({ ...options, httpVersion: "2" });
    const part = (value: EvaluateStreamRequest["part"]) => create(EvaluateStreamRequestSchema, { part: value });
    async function* requests() {
      yield part({ case: "open", value: openingMessage(vector) });
      for (const value of chunks) yield part({ case: "delta", value });
      for (const value of vector.toolCalls) yield part({ case: "toolCall", value });
    }
    const headers = { authorization: `Bearer ${live.tokenOf("runtime")}` };
    const events: { name: string; value: unknown }[] = [];
    for await (const { event } of createClient(EvaluationService, transport).evaluateStream(requests(), { headers })) {
      const value = event.case === "verdict" ? JSON.parse(printVerdict(event.value)) : event.value;
      events.push({ name: event.case ?? "", value });
    }
    return answerOf(events);
  };
}

const singleCalls: Form = async (vector, chunks) => {
  const json = { "content-type": "application/json" };
  const opened = await (await post("streams", JSON.stringify(openingOf(vector)), json)).json();
  expect(opened.until_verdict.length > 0).toBe(vector.waits);
  const push = async (body: object) =>
    (await (await post(`streams/${opened.stream_id}/chunks`, JSON.stringify(body), json)).json()).released;
  let early = "";
  for (const delta of chunks) early += await push({ delta });
  for (const part of vector.toolCalls) early += await push({ tool_calls: [toJson(ToolCallPartSchema, part)] });
  const { released, verdict } = await (await post(`streams/${opened.stream_id}/finish`, "{}", json)).json();
  return { early, released: early + released, verdict };
};

const forms: Readonly<Record<string, Form>> = {
  NDJSON: ndjson,
  "server-sent events": serverSentEvents,
  gRPC: rpc("grpc"),
  Connect: rpc("connect"),
  "single calls": singleCalls,
};

/** What the engine lets through of the whole text in one unary call. */
async function unary(vector: StreamVector): Promise<string> {
  const engine = compileBundle(await bundleOf(create(EvaluateVectorSchema, { policies: vector.policies })));
  const request = requestMessage(vector);
  const [segment] = request.segments;
  if (segment === undefined) request.text = vector.text;
  else segment.text = vector.text;
  const evaluation = engine.evaluate(request, {
    stage: stageOf(vector),
    now: new Date("2026-11-20T12:00:00Z"),
    evaluationId: "00000000-0000-4000-8000-000000000000",
    fingerprintKey: new Uint8Array(32).fill(7),
    bundle: create(BundleReferenceSchema),
    elapsedUs: () => 1,
  });
  return evaluation.released();
}

describe("on a live runtime", () => {
  it.each(vectors)("$name: $vector.description", async ({ vector }) => {
    await live.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: vector.policies })));
    const { want } = vector;
    const whole = vector.toolCalls.length === 0 ? await unary(vector) : undefined;
    for (const [form, run] of Object.entries(forms)) {
      for (const [chunking, cut] of Object.entries(chunkings)) {
        // A text that JSON cannot carry in halves of a pair goes over RPC only; there a half has no UTF-8 either.
        const chunks = chunking === "in one piece" ? cut(vector.text) : cut(vector.text).reduce(joinPairs, []);
        const { early, released, verdict } = await run(vector, chunks);
        const about = `${form}, ${chunking}`;
        if (want?.released !== undefined) expect(released, about).toBe(want.released);
        if (whole !== undefined) expect(released, about).toBe(whole);
        if (vector.waits) expect(early, about).toBe("");
        if (want?.verdict !== undefined)
          expect(mismatches(toJson(ValueSchema, want.verdict), verdict), about).toEqual([]);
        const rules = (verdict.findings as { readonly rule_id: string }[]).map(({ rule_id }) => rule_id);
        if (want !== undefined && want.findings.length > 0) expect(rules, about).toEqual(want.findings);
      }
    }
  });
});

/** No chunk ends within a surrogate pair: halves have no UTF-8. */
function joinPairs(chunks: string[], chunk: string): string[] {
  const last = chunks.at(-1);
  if (last !== undefined && /[\ud800-\udbff]$/.test(last)) return [...chunks.slice(0, -1), last + chunk];
  return [...chunks, chunk];
}

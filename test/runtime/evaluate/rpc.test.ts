// The fast path over gRPC and Connect against Connect's own adapter, on the same live runtime: a query, which methods
// ignore, makes a call take the ordinary way.

import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { create, fromBinary, fromJsonString, toBinary, toJson, toJsonString } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLarge } from "../../../gateway/large/message.ts";
import {
  type EvaluateRequest,
  EvaluateRequestSchema,
  type EvaluateResponse,
  EvaluateResponseSchema,
} from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { EvaluationService } from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { reportSample } from "../../../scripts/assurance/sample.ts";
import { eventually } from "../../harness/eventually.ts";
import { callHttp2, type Http2Answer, Http2Sessions } from "../../harness/net/http2-call.ts";
import { framed } from "../../harness/vector/envelope.ts";
import type { EvaluateStage } from "../../harness/vector/evaluate-stage.ts";
import { type EvaluateStages, startEvaluateStages } from "../../harness/vector/evaluate-stages.ts";
import { redactingVector, requestMessageOf, sampledVectors } from "../../harness/vector/evaluate-vector.ts";

const methods: Readonly<Record<string, { readonly name: string } | undefined>> = {
  "": EvaluationService.method.evaluateInput,
  input: EvaluationService.method.evaluateInput,
  output: EvaluationService.method.evaluateOutput,
  "tool-call": EvaluationService.method.evaluateToolCall,
  "tool-result": EvaluationService.method.evaluateToolResult,
  retrieval: EvaluationService.method.evaluateRetrieval,
  conversation: EvaluationService.method.evaluateConversation,
};

const vectors = sampledVectors.filter(
  ({ vector }) => methods[vector.stage] !== undefined && requestMessageOf(vector) !== undefined,
);

const dialects = ["grpc", "connect proto", "connect json"] as const;
type Dialect = (typeof dialects)[number];
const contentTypes: Readonly<Record<Dialect, string>> = {
  grpc: "application/grpc",
  "connect proto": "application/proto",
  "connect json": "application/json",
};

function bodyOf(dialect: Dialect, message: EvaluateRequest): Buffer {
  if (dialect === "connect json") return Buffer.from(toJsonString(EvaluateRequestSchema, message));
  const bytes = toBinary(EvaluateRequestSchema, message);
  return dialect === "grpc" ? framed(bytes) : Buffer.from(bytes);
}

/** An answer without what differs from call to call. */
function comparable(dialect: Dialect, { headers, trailers, body }: Http2Answer, isGiven: boolean): object {
  const { date: _, "content-length": length, ...others } = headers;
  if (length !== undefined) expect(Number(length)).toBe(body.byteLength);
  const isAnswer = dialect === "grpc" ? trailers["grpc-status"] === "0" : Number(headers[":status"]) === 200;
  if (!isAnswer) return { others, trailers, body: body.toString("latin1").replace(/[0-9a-f-]{36}/g, "") };
  const flags = dialect === "grpc" ? body[0] : undefined;
  if (dialect === "grpc") expect(body.readUInt32BE(1)).toBe(body.byteLength - 5);
  const coding = headers[dialect === "grpc" ? "grpc-encoding" : "content-encoding"];
  const packed = dialect === "grpc" ? body.subarray(5) : body;
  const content = flags === 0 ? packed : unpacked(packed, String(coding));
  const message =
    dialect === "connect json"
      ? fromJsonString(EvaluateResponseSchema, content.toString("utf8"))
      : fromBinary(EvaluateResponseSchema, content);
  if (dialect !== "connect json") expectBytesOf(message, content);
  message.latencyUs = 0;
  if (!isGiven) message.evaluationId = "";
  return { others, trailers, flags, message: toJson(EvaluateResponseSchema, message) };
}

/**
 * Time and id differ from call to call, so bytes are held against what the library writes of the same message. A large
 * message is written in slices, with its large fields last.
 */
function expectBytesOf(message: EvaluateResponse, content: Buffer): void {
  const written = Buffer.from(toBinary(EvaluateResponseSchema, message));
  if (isLarge(message)) expect(content.byteLength).toBe(written.byteLength);
  else expect(content.equals(written)).toBe(true);
}

function unpacked(bytes: Buffer, coding: string): Buffer {
  if (coding === "gzip") return gunzipSync(bytes);
  return coding === "br" ? brotliDecompressSync(bytes) : bytes;
}

describe("the fast path over gRPC and Connect answers like the ordinary one", () => {
  let stages: EvaluateStages;
  const sessions = new Http2Sessions();

  beforeAll(async () => {
    stages = await startEvaluateStages();
  });

  afterAll(async () => {
    sessions.close();
    await stages.stop();
    reportSample({ n: vectors.length, failures: 0 });
  });

  function send(url: string, path: string, headers: Record<string, string>, body: Buffer): Promise<Http2Answer> {
    return callHttp2(sessions.to(url), { path, headers }, (stream) => void stream.end(body));
  }

  function headersOf(stage: EvaluateStage, dialect: Dialect, persona: string, more: Record<string, string> = {}) {
    const token = stage.tokenOf(persona);
    const headers: Record<string, string> = { "content-type": contentTypes[dialect], "x-request-id": "the-same" };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    return { ...headers, ...more };
  }

  async function bothWays(
    stage: EvaluateStage,
    about: { dialect: Dialect; path: string; headers: Record<string, string>; body: Buffer; isGiven?: boolean },
  ): Promise<Http2Answer> {
    const { dialect, path, headers, body, isGiven = false } = about;
    // A slow machine may let a policy run out of its time in one of them only.
    const { fast, ordinary } = await eventually(async () => {
      const fast = await send(stage.url, path, headers, body);
      const ordinary = await send(stage.url, `${path}?ordinary`, headers, body);
      expect(fast.body.includes("unjudged")).toBe(ordinary.body.includes("unjudged"));
      return { fast, ordinary };
    });
    expect(comparable(dialect, fast, isGiven)).toEqual(comparable(dialect, ordinary, isGiven));
    return fast;
  }

  it.each(vectors)("$name", async ({ vector }) => {
    const stage = await stages.play(vector);
    const message = requestMessageOf(vector);
    if (message === undefined) throw new Error("left out above");
    for (const step of vector.before) {
      const before = requestMessageOf(step);
      if (before === undefined) throw new Error("what comes before is good");
      const headers = headersOf(stage, "grpc", vector.as);
      await send(stage.url, pathOf(step.stage), headers, bodyOf("grpc", before));
    }
    for (const dialect of dialects) {
      const headers = headersOf(stage, dialect, vector.as);
      const path = pathOf(vector.stage);
      const isGiven = message.evaluationId !== undefined;
      await bothWays(stage, { dialect, path, headers, body: bodyOf(dialect, message), isGiven });
    }
  });

  const path = pathOf("input");
  const hello = create(EvaluateRequestSchema, { text: "write to ada@lovelace.dev" });
  const many = create(EvaluateRequestSchema, { text: "write to ada@lovelace.dev, ".repeat(60) });
  const large = create(EvaluateRequestSchema, { text: "a ".repeat(200_000) });

  it.each<[string, Record<string, string>, EvaluateRequest]>([
    ["that accepts gzip", { "grpc-accept-encoding": "identity,deflate,gzip", "accept-encoding": "gzip, br" }, hello],
    ["that accepts brotli", { "grpc-accept-encoding": "br", "accept-encoding": "br" }, many],
    ["with a long answer in gzip", { "grpc-accept-encoding": "gzip", "accept-encoding": "gzip" }, many],
    ["with a long answer", {}, many],
    ["with a deadline", { "grpc-timeout": "5S", "connect-timeout-ms": "5000" }, hello],
    ["with a deadline that is none", { "grpc-timeout": "soon", "connect-timeout-ms": "soon" }, hello],
    ["in an unknown compression", { "grpc-encoding": "zip", "content-encoding": "zip" }, hello],
    ["beyond the limit of the fast path", {}, large],
    ["without a token", { authorization: "" }, hello],
    ["with an odd request id", { "x-request-id": "the same" }, hello],
  ])("to a call %s", async (_, more, message) => {
    const live = await stages.play(redactingVector);
    for (const dialect of dialects) {
      const headers = headersOf(live, dialect, "", more);
      if (more["x-request-id"] !== undefined) headers["x-request-id"] = "a".repeat(128);
      await bothWays(live, { dialect, path, headers, body: bodyOf(dialect, message) });
    }
  });

  it.each<[string, Dialect, Buffer]>([
    ["no envelope", "grpc", Buffer.from([0, 0])],
    ["an empty body", "grpc", Buffer.alloc(0)],
    ["an envelope that is cut off", "grpc", framed(Buffer.from("abc")).subarray(0, 7)],
    ["two messages", "grpc", Buffer.concat([bodyOf("grpc", hello), bodyOf("grpc", hello)])],
    ["a message that says that it is compressed", "grpc", framed(toBinary(EvaluateRequestSchema, hello), 1)],
    ["bytes that are no message", "grpc", framed(Buffer.from([0xff, 0xff]))],
    ["bytes that are no message over Connect", "connect proto", Buffer.from([0xff, 0xff])],
    ["no JSON", "connect json", Buffer.from("{")],
    ["an unknown field", "connect json", Buffer.from('{"text":"a","unknown":1}')],
    ["an empty message", "grpc", framed(Buffer.alloc(0))],
  ])("to %s", async (_, dialect, body) => {
    const headers = headersOf(stages.live, dialect, "");
    await bothWays(stages.live, { dialect, path, headers, body });
  });
});

function pathOf(stage: string): string {
  return `/${EvaluationService.typeName}/${methods[stage]?.name ?? ""}`;
}

// RPCs that Connect refuses before any interceptor sees them, over real sockets.

import { connect as connectHttp2 } from "node:http2";
import { ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ErrorDetailSchema } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { EvaluationService } from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { type EvaluateStage, startEvaluateStage } from "../../harness/vector/evaluate-stage.ts";

const path = "/policyguard.runtime.v1.EvaluationService/EvaluateInput";
const tooLarge = "a".repeat(8 * 1024 * 1024 + 1);
let stage: EvaluateStage;

beforeAll(async () => {
  stage = await startEvaluateStage();
});

afterAll(() => stage.stop());

function post(headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(stage.url + path, { method: "POST", headers, body });
}

describe("a Connect call", () => {
  it.each([
    ["malformed JSON", 400, "malformed_request", {}, "{"],
    ["an unknown field", 400, "malformed_request", {}, '{"text": "a", "txet": "b"}'],
    ["unreadable binary", 400, "malformed_request", { "content-type": "application/proto" }, "\u0007\u0007"],
    ["an unknown compression", 400, "malformed_request", { "content-encoding": "zst" }, "{}"],
    ["an unreadable timeout", 400, "malformed_request", { "connect-timeout-ms": "soon" }, "{}"],
    ["more than the limit", 429, "too_large", {}, JSON.stringify({ text: tooLarge })],
  ])("with %s fails with an error detail and a request id", async (_, status, error, headers, body) => {
    const response = await post({ "content-type": "application/json", "x-request-id": "mine", ...headers }, body);
    expect(response.status).toBe(status);
    expect(response.headers.get("x-request-id")).toBe("mine");
    const { details } = await response.json();
    expect(details).toMatchObject([{ type: "policyguard.common.v1.ErrorDetail", debug: { error } }]);
  });

  it("of no known content type gets the envelope of REST", async () => {
    const response = await post({ "content-type": "text/plain" }, "a");
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ detail: { error: "unsupported_media_type" } });
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("by another method gets the envelope of REST and learns which method is right", async () => {
    const response = await fetch(stage.url + path, { method: "DELETE" });
    expect(response.status).toBe(405);
    expect(await response.json()).toMatchObject({ detail: { error: "method_not_allowed" } });
    expect(response.headers.get("allow")).toBe("POST");
  });

  it("that an interceptor refuses is left as it is", async () => {
    const response = await post({ "content-type": "application/json", "x-request-id": "mine" }, "{}");
    expect(response.status).toBe(401);
    expect(response.headers.get("x-request-id")).toBe("mine");
    expect(response.headers.get("www-authenticate")).toContain("Bearer");
  });
});

describe("a typed client", () => {
  it.each<[string, (sessionManager: Http2SessionManager) => Transport]>([
    ["Connect", (sessionManager) => createConnectTransport({ baseUrl: stage.url, httpVersion: "2", sessionManager })],
    ["gRPC", (sessionManager) => createGrpcTransport({ baseUrl: stage.url, sessionManager })],
    ["gRPC-Web", (sessionManager) => createGrpcWebTransport({ baseUrl: stage.url, httpVersion: "2", sessionManager })],
  ])("of %s learns that its request is too large, as often as it likes on one connection", async (_, create) => {
    const sessions = new Http2SessionManager(stage.url);
    const transport = create(sessions);
    for (const [text, reason] of [tooLarge, "a", tooLarge, tooLarge, "a"].map(
      (each) => [each, reasonOf(each)] as const,
    )) {
      const call = transport.unary(EvaluationService.method.evaluateInput, undefined, undefined, undefined, { text });
      const error = ConnectError.from(await call.catch((thrown: unknown) => thrown));
      expect(error.findDetails(ErrorDetailSchema)).toMatchObject([{ error: reason }]);
      expect(error.metadata.get("x-request-id")).not.toBeNull();
    }
    sessions.abort();
  });

  function reasonOf(text: string): string {
    return text === tooLarge ? "too_large" : "unauthenticated";
  }
});

describe("a gRPC call", () => {
  it("with unreadable binary fails with an error detail and a request id in its trailers", async () => {
    const trailers = await grpcCall(Buffer.from([0, 0, 0, 0, 2, 7, 7]));
    expect(trailers).toMatchObject({ "grpc-status": "3", "x-request-id": "mine" });
    expect(Buffer.from(String(trailers["grpc-status-details-bin"]), "base64").toString("latin1")).toContain(
      "malformed_request",
    );
  });

  it("without a message fails likewise", async () => {
    expect(await grpcCall(Buffer.alloc(0))).toMatchObject({
      "x-request-id": "mine",
      "grpc-status-details-bin": expect.any(String),
    });
  });

  function grpcCall(body: Buffer): Promise<Record<string, unknown>> {
    const session = connectHttp2(stage.url);
    return new Promise<Record<string, unknown>>((resolve, reject) => {
      const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc", "x-request-id": "mine" };
      const stream = session.request(headers);
      stream.once("trailers", resolve).once("error", reject).resume();
      stream.end(body);
    }).finally(() => session.close());
  }
});

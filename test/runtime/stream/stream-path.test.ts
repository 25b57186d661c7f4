// `/v1/evaluate/stream` is a path like others: its methods, its encoding, its query, its media type, and how it
// refuses.

import { request as h1 } from "node:http";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { streamLimits } from "../../../runtime/stream/stream-limits.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../../harness/vector/evaluate-stage.ts";

const yaml = ["rules:", "  - {id: mail, stages: [output], detect: {ref: pii, entities: [EMAIL]}, action: REDACT}"];
const ndjson = { "content-type": "application/x-ndjson" };
const whole = '{"open": {}}\n{"delta": "Hello."}\n{"finish": true}\n';
let stage: EvaluateStage;

beforeAll(async () => {
  stage = await startEvaluateStage({ streamLimits: { ...streamLimits, streams: 1 } });
  await stage.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: [{ yaml }] })));
});
afterAll(() => stage.stop());

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

// As it is written: fetch would put paths and methods right.
function send(path: string, { method = "POST", headers = ndjson, body = whole }: Sent = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: object; text: string }>();
  const authorization = `Bearer ${stage.tokenOf("runtime")}`;
  const options = { method, path, headers: { ...headers, authorization }, port: new URL(stage.url).port };
  const call = h1(options, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part) => (text += part));
    response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
  });
  call.on("error", reject).end(method === "POST" ? body : undefined);
  return promise;
}

describe("the path of streams", () => {
  it.each(["/v1/evaluate/stream?x=1", "/v1/evaluate/%73tream", "http://other/v1/evaluate/stream"])(
    "is found as %s",
    async (path) => {
      const { status, text } = await send(path);
      expect(status).toBe(200);
      expect(text).toContain('{"verdict":');
    },
  );

  it.each(["GET", "HEAD", "PUT", "DELETE"])("has no method %s: 405, with those that it has", async (method) => {
    expect(await send("/v1/evaluate/stream", { method })).toMatchObject({
      status: 405,
      headers: { allow: "POST, OPTIONS" },
    });
  });

  it("tells its methods", async () => {
    const told = await send("/v1/evaluate/stream", { method: "OPTIONS" });
    expect(told).toMatchObject({ status: 204, headers: { allow: "POST, OPTIONS" } });
  });
});

describe("the body of a stream", () => {
  it.each([
    ["another type", { "content-type": "text/plain" }],
    ["one JSON text", { "content-type": "application/json" }],
    ["another charset", { "content-type": "application/x-ndjson; charset=latin1" }],
    ["a content encoding", { ...ndjson, "content-encoding": "gzip" }],
    ["no type", {}],
  ])("is refused as %s: 415", async (_, headers) => {
    expect((await send("/v1/evaluate/stream", { headers: { ...headers } })).status).toBe(415);
  });

  it("may name its charset, and have the character that stands for unreadable ones", async () => {
    const headers = { "content-type": "application/x-ndjson; charset=UTF-8" };
    const body = '{"open": {}}\n{"delta": "a \ufffd sign"}\n{"finish": true}';
    const { status, text } = await send("/v1/evaluate/stream", { headers, body });
    expect(status).toBe(200);
    expect(text).not.toContain("error");
  });
});

describe("a stream beyond the max number", () => {
  it("is 503, and says when to try again", async () => {
    const authorization = `Bearer ${stage.tokenOf("runtime")}`;
    const opening = { method: "POST", headers: { authorization, "content-type": "application/json" }, body: "{}" };
    const { stream_id: id } = await (await fetch(`${stage.url}/v1/evaluate/streams`, opening)).json();
    const refused = await send("/v1/evaluate/stream");
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect(JSON.parse(refused.text).detail).toMatchObject({ error: "overloaded", retry_after: 1 });
    await fetch(`${stage.url}/v1/evaluate/streams/${id}/finish`, { method: "POST", headers: { authorization } });
  });
});

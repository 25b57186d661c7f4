import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { create, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { afterEach, describe, expect, it } from "vitest";
import type { FastMethod } from "../../../gateway/fast/call.ts";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { EvaluateRequestSchema, EvaluateResponseSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { EvaluationService } from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import type { FinishedCall } from "../../../src/kit/observability/metrics.ts";
import type { Credential } from "../../../src/kit/rpc/context.ts";
import { fastCaller, fastPathOf } from "../../harness/vector/fast-path.ts";

const answer = create(EvaluateResponseSchema, { evaluationId: "e", latencyUs: 7 });

interface Given {
  readonly call?: FastMethod["call"];
  readonly isSurelyValid?: boolean;
  readonly isClosing?: boolean;
  readonly timeoutMs?: number;
  readonly authenticate?: (token: string) => Credential | undefined;
  readonly level?: "debug" | "info";
}

interface Outcome {
  readonly url: string;
  readonly calls: FinishedCall[];
  readonly lines: Record<string, unknown>[];
  /** Bodies as the ordinary handler gets them. */
  readonly ordinary: string[];
}

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(given: Given = {}): Promise<Outcome> {
  const outcome = { calls: [] as FinishedCall[], lines: [] as Record<string, unknown>[], ordinary: [] as string[] };
  const destination = { write: (line: string) => void outcome.lines.push(JSON.parse(line)) };
  const { handler } = fastPathOf({
    methods: [
      {
        method: EvaluationService.method.evaluateInput,
        isSurelyValid: () => given.isSurelyValid ?? true,
        call: given.call ?? (() => answer),
      },
    ],
    authenticate: given.authenticate ?? (() => fastCaller),
    countCall: (call) => void outcome.calls.push(call),
    ordinary: (request, response) => {
      outcome.ordinary.push(request.url ?? "");
      response.writeHead(299);
      response.end();
    },
    limits: { maxBodyBytes: 1024, timeoutMs: given.timeoutMs ?? 60_000, streamTimeoutMs: 60_000 },
    log: createLog({ name: "test", level: given.level ?? "info", destination }),
    closing: given.isClosing === true ? AbortSignal.abort() : new AbortController().signal,
  });
  const listening = createServer((request: IncomingMessage, response: ServerResponse) => handler(request, response));
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo; // it listens on TCP
  return { url: `http://127.0.0.1:${port}/v1/evaluate/input`, ...outcome };
}

function post(url: string, headers: Record<string, string> = {}, body = '{"text":"hello"}'): Promise<Response> {
  const all = { "content-type": "application/json", authorization: "Bearer t0ken", ...headers };
  return fetch(url, { method: "POST", headers: all, body });
}

describe("the fast path over Connect", () => {
  const rpc = `/${EvaluationService.typeName}/EvaluateInput`;

  it("answers a plain call by itself, in either form, and counts it", async () => {
    const { url, calls, ordinary } = await serve();
    const inJson = await post(new URL(rpc, url).href);
    expect([inJson.status, await inJson.json()]).toEqual([200, { evaluationId: "e", latencyUs: 7 }]);
    const bytes = toBinary(EvaluateRequestSchema, create(EvaluateRequestSchema, { text: "hello" }));
    const inBinary = await fetch(new URL(rpc, url), {
      method: "POST",
      headers: { "content-type": "application/proto", authorization: "Bearer t0ken" },
      body: Uint8Array.from(bytes),
    });
    expect(fromBinary(EvaluateResponseSchema, new Uint8Array(await inBinary.arrayBuffer()))).toEqual(answer);
    expect(ordinary).toEqual([]);
    expect(calls.map(({ method, code }) => [method, code])).toEqual([
      ["EvaluateInput", "ok"],
      ["EvaluateInput", "ok"],
    ]);
  });

  it.each<[string, Given, Record<string, string>]>([
    ["has a deadline", {}, { "connect-timeout-ms": "500" }],
    ["is compressed", {}, { "content-encoding": "gzip" }],
    ["is of another type", {}, { "content-type": "application/xml" }],
    ["has no token", {}, { authorization: "" }],
    ["may be invalid", { isSurelyValid: false }, {}],
    ["comes while the server closes", { isClosing: true }, {}],
    ["has a token of nobody", { authenticate: () => undefined }, {}],
  ])("leaves a call to the ordinary handler that %s", async (_, given, headers) => {
    const { url, calls, ordinary } = await serve(given);
    expect((await post(new URL(rpc, url).href, headers)).status).toBe(299);
    expect([ordinary, calls]).toEqual([[rpc], []]);
  });

  it("reports a failure after the evaluation in the form of the protocol", async () => {
    const { url, calls } = await serve({ call: () => Promise.reject(new Error("no disk")), level: "info" });
    const response = await post(new URL(rpc, url).href, { "x-request-id": "r1" });
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { code: "internal", message: "internal error, request id r1" },
    ]);
    expect(calls.map(({ code }) => code)).toEqual(["internal"]);
  });
});

describe("the fast path", () => {
  it("answers a plain call by itself, and counts it", async () => {
    const { url, calls, ordinary } = await serve();
    const response = await post(url, { "x-request-id": "mine" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ evaluation_id: "e", latency_us: 7, message: null, findings: [] });
    expect(response.headers.get("x-request-id")).toBe("mine");
    expect(ordinary).toEqual([]);
    expect(calls).toMatchObject([
      { service: "policyguard.runtime.v1.EvaluationService", method: "EvaluateInput", code: "ok" },
    ]);
  });

  it.each<[string, Given]>([
    ["an unknown token", { authenticate: () => undefined }],
    ["a token of another kind", { authenticate: () => ({ ...fastCaller, kind: CredentialKind.CI }) }],
    [
      "a token that is refused",
      {
        authenticate: () => {
          throw new Error("refused");
        },
      },
    ],
    ["a request that may break a rule", { isSurelyValid: false }],
    [
      "a method that throws",
      {
        call: () => {
          throw new Error("no bundle");
        },
      },
    ],
    ["a server that is closing", { isClosing: true }],
  ])("hands %s on to the ordinary handler, which can read the body again", async (_, given) => {
    const { url, ordinary, calls } = await serve(given);
    expect((await post(url)).status).toBe(299);
    expect(ordinary).toHaveLength(1);
    expect(calls).toEqual([]);
  });

  it.each<[string, Record<string, string>, string]>([
    ["a content encoding", { "content-encoding": "gzip" }, "{}"],
    ["another content type", { "content-type": "text/plain" }, "{}"],
    ["another scheme", { authorization: "Basic YTpi" }, "{}"],
    ["no JSON", {}, "{"],
    ["an unknown field", {}, '{"txt":"a"}'],
    ["a large body", {}, JSON.stringify({ text: "a".repeat(300_000) })],
  ])("hands on a request with %s", async (_, headers, body) => {
    const { url, ordinary } = await serve();
    expect((await post(url, headers, body)).status).toBe(299);
    expect(ordinary).toHaveLength(1);
  });

  it("answers 504 when the answer does not come in time", async () => {
    const { url, calls } = await serve({ call: () => new Promise<Message>(() => undefined), timeoutMs: 20 });
    const response = await post(url);
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ detail: { error: "deadline_exceeded" } });
    expect(calls).toMatchObject([{ code: "deadline_exceeded" }]);
  });

  it("keeps the reason of a later failure from the caller", async () => {
    const { url, lines } = await serve({ call: () => Promise.reject(new Error("secret")) });
    const response = await post(url);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret");
    expect(lines).toMatchObject([{ level: "error", msg: "internal error" }]);
  });

  it("logs calls at level debug only, with the keys of the ordinary path", async () => {
    const quiet = await serve();
    await post(quiet.url);
    expect(quiet.lines).toEqual([]);
    server?.close();
    const { url, lines } = await serve({ level: "debug" });
    await post(url, { "x-request-id": "mine", traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` });
    expect(lines).toMatchObject([
      {
        level: "debug",
        msg: "call",
        request_id: "mine",
        service: "policyguard.runtime.v1.EvaluationService",
        method: "EvaluateInput",
        trace_id: "a".repeat(32),
        code: "ok",
        org_id: "o",
        caller: "gr_rt_abcd",
        address: "127.0.0.1",
      },
    ]);
  });

  it("is not for methods whose options ask for more than it does", () => {
    const method = EvaluationService.method.getLoadedBundle;
    const make = () => fastPathOf({ methods: [{ method, isSurelyValid: () => true, call: () => answer }] });
    expect(make).toThrow(/asks for more/);
  });
});

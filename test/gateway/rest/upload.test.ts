import { connect } from "node:http2";
import { connect as connectSocket, type Socket } from "node:net";
import { Readable } from "node:stream";
import { json, text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { create, type DescMethodStreaming, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import type { MethodOptions } from "@bufbuild/protobuf/wkt";
import type { ConnectRouter, HandlerContext } from "@connectrpc/connect";
import { afterEach, describe, expect, it } from "vitest";
import type { RestRequest, RestResponse } from "../../../gateway/http/http.ts";
import { createDocument } from "../../../gateway/openapi/document.ts";
import { createUploadReader } from "../../../gateway/rest/upload.ts";
import { routesOf } from "../../../gateway/route/route.ts";
import { createInProcessTransport } from "../../../gateway/rpc/in-process.ts";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import { HttpRuleSchema } from "../../../gen/google/api/http_pb.ts";
import type { HttpBody } from "../../../gen/google/api/httpbody_pb.ts";
import { ReasonSchema } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { file_policyguard_control_v1_event_data as eventFile } from "../../../gen/policyguard/control/v1/event_data_pb.ts";
import { EventNameSchema } from "../../../gen/policyguard/control/v1/event_pb.ts";
import {
  AccessSchema,
  access,
  answer_media_types as answerMediaTypes,
  CredentialKind,
  max_upload_mebibytes as maxUploadMebibytes,
  request_media_types as requestMediaTypes,
} from "../../../gen/policyguard/options/v1/options_pb.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import { createMetrics } from "../../../src/kit/observability/metrics.ts";
import { callerOf } from "../../../src/kit/rpc/context.ts";
import { createInterceptors } from "../../../src/kit/rpc/interceptors/order.ts";
import { assertServable } from "../../../src/kit/rpc/options.ts";
import { credentials, foreignOrgId, orgId } from "../../src/kit/rpc/interceptors/call.ts";
import { describeService, methodOptions, option } from "../described-service.ts";
import { type RunningServer, startServer } from "../server.ts";

const mebibyte = 1_048_576;

type SetOption = (options: MethodOptions) => void;

const usual: readonly SetOption[] = [
  option(access, create(AccessSchema, { kinds: [CredentialKind.ADMIN], orgField: "org_id" })),
  option(requestMediaTypes, ["application/zip", "application/x-ndjson"]),
  option(answerMediaTypes, ["application/scim+json"]),
  option(maxUploadMebibytes, 1),
];

const messages = {
  PutFileRequest: [
    { name: "org_id" },
    { name: "name" },
    { name: "note" },
    { name: "file", typeName: "google.api.HttpBody" },
  ],
  PutFileResponse: [{ name: "org_id" }, { name: "said" }],
};

function uploadService(set = usual, rule: MessageInitShape<typeof HttpRuleSchema> = { body: "file" }) {
  const form = create(HttpRuleSchema, { pattern: { case: "put", value: "/v1/orgs/{org_id}/files/{name}" }, ...rule });
  const method = {
    name: "PutFile",
    input: "PutFileRequest",
    output: "PutFileResponse",
    clientStreaming: true,
    options: methodOptions(option(http, form), ...set),
  };
  return describeService(messages, [method]);
}

/** A message of the described type. */
interface PutFileRequest extends Message {
  readonly orgId: string;
  readonly name: string;
  readonly note: string;
  readonly file?: HttpBody;
}

type Handler = (requests: AsyncIterable<PutFileRequest>, context: HandlerContext) => Promise<string>;

let server: RunningServer | undefined;

afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = undefined;
});

/** The service, its handler and the interceptors of a server. */
function partsOf(handler: Handler) {
  const service = uploadService();
  assertServable([service]);
  const method = service.methods[0] as DescMethodStreaming; // as it was described
  const call = async (requests: AsyncIterable<Message>, context: HandlerContext) => ({
    orgId: callerOf(context).orgId,
    said: await handler(requests as AsyncIterable<PutFileRequest>, context), // messages of the described type
  });
  const interceptors = createInterceptors({
    authenticate: async (token) => credentials[token],
    entitlements: async () => ({ plan: "growth", billingBlocked: false }),
    log: createLog({ name: "test", level: "fatal" }),
    metrics: createMetrics(),
    maxTimeoutMs: 5_000,
  });
  const routes = (router: ConnectRouter) => void router.rpc(method, call as never); // its types are not generated
  return { service, method, interceptors, routes };
}

async function start(handler: Handler, { http2 = false, timeoutMs = 10_000 } = {}): Promise<string> {
  const { service, ...parts } = partsOf(handler);
  server = await startServer({ services: [service], ...parts, http2, limits: { streamTimeoutMs: timeoutMs } });
  return `${server.url}/v1/orgs/${orgId}/files/a.zip`;
}

/** Says how many bytes came, and what else the messages say. */
const count: Handler = async (requests) => {
  let sizeBytes = 0;
  let others = "";
  for await (const { name, note, file } of requests) {
    sizeBytes += file?.data.byteLength ?? 0;
    others = `${name} ${note} ${file?.contentType ?? ""}`;
  }
  return `${sizeBytes} ${others}`;
};

/** A handler that waits for all of a body, and what became of its calls. */
function watched() {
  const [begun, ended] = [Promise.withResolvers<number>(), Promise.withResolvers<unknown>()];
  const handler: Handler = async (requests) => {
    try {
      for await (const { file } of requests) if (file !== undefined) begun.resolve(file.data.byteLength);
      ended.resolve("complete");
    } catch (error) {
      ended.resolve(error);
      throw error;
    }
    return "complete";
  };
  return { handler, begun: begun.promise, ended: ended.promise };
}

/** Sends the head of an upload over HTTP/1.1, and the first five bytes of its hundred. */
function beginUpload(url: string) {
  const { port, pathname } = new URL(url);
  const socket = connectSocket(Number(port), "127.0.0.1");
  const headers = "Host: x\r\nConnection: close\r\nAuthorization: Bearer admin\r\nContent-Type: application/zip";
  socket.write(`PUT ${pathname} HTTP/1.1\r\n${headers}\r\nContent-Length: 100\r\n\r\nfirst`);
  return socket;
}

/** The same over HTTP/2. */
function beginHttp2Upload(url: string) {
  const { origin, pathname } = new URL(url);
  const session = connect(origin);
  const headers = { ":method": "PUT", ":path": pathname, "content-type": "application/zip" };
  const stream = session.request({ ...headers, authorization: "Bearer admin" });
  stream.on("error", () => undefined); // a test that ends it knows
  stream.write("first");
  return { session, stream };
}

function put(url: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  const all = { authorization: "Bearer admin", "content-type": "application/zip", ...headers };
  return fetch(url, { method: "PUT", headers: all, body });
}

describe("a method that takes bytes", () => {
  it("gets them with what path and query say, and answers in its own media type", async () => {
    const url = await start(count);
    const response = await put(`${url}?note=new`, new Uint8Array(300_000));
    expect(await response.json()).toEqual({ org_id: orgId, said: "300000 a.zip new application/zip" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/scim+json; charset=utf-8");
  });

  it("gets exactly the bytes that were sent, and none for an empty body", async () => {
    const seen: Buffer[] = [];
    const url = await start(async (requests) => {
      for await (const { file } of requests) if (file !== undefined) seen.push(Buffer.from(file.data));
      return "";
    });
    const sent = Uint8Array.from({ length: 200_003 }, (_, i) => (i * 7) % 251);
    expect((await put(url, sent)).status).toBe(200);
    expect(Buffer.concat(seen).equals(sent)).toBe(true);
    seen.length = 0;
    expect((await put(url, "")).status).toBe(200);
    expect(seen).toEqual([]);
  });

  it.each<[string, number, string, string, Record<string, string>]>([
    ["of another organization", 403, "no_access_to_organization", foreignOrgId, {}],
    ["without a credential", 401, "unauthenticated", orgId, { authorization: "", "content-type": "text/plain" }],
    ["of another media type", 415, "unsupported_media_type", orgId, { "content-type": "text/plain" }],
    ["with a content encoding", 415, "unsupported_media_type", orgId, { "content-encoding": "gzip" }],
  ])("refuses a call %s", async (_, status, error, org, headers) => {
    let isReached = false;
    const url = await start(async (requests) => {
      for await (const { file } of requests) isReached ||= file !== undefined;
      return "";
    });
    const response = await put(url.replace(orgId, org), "bytes", headers);
    expect([response.status, await response.json()]).toMatchObject([status, { detail: { error } }]);
    expect(isReached).toBe(false);
  });

  it("names a parameter that is wrong", async () => {
    const response = await put(`${await start(count)}?note=%ff`, "bytes");
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { detail: { error: "invalid_parameter", fields: [{ field: "note" }] } },
    ]);
  });

  it("refuses more bytes than it takes, whether or not their number is told before", async () => {
    const url = await start(count);
    const told = await put(url, new Uint8Array(mebibyte + 1));
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 17; i++) controller.enqueue(new Uint8Array(65_536));
        controller.close();
      },
    });
    const headers = { authorization: "Bearer admin", "content-type": "application/zip" };
    const streamed = { method: "PUT", headers, body: stream, duplex: "half" };
    const untold = await fetch(url, streamed);
    for (const response of [told, untold]) {
      expect([response.status, await response.json()]).toMatchObject([
        413,
        { detail: { error: "too_large", limit_bytes: mebibyte } },
      ]);
    }
    expect((await put(url, new Uint8Array(mebibyte))).status).toBe(200);
  });

  it("gets them over HTTP/2 too", async () => {
    const url = new URL(await start(count, { http2: true }));
    const session = connect(url.origin);
    const stream = session.request({
      ":method": "PUT",
      ":path": url.pathname,
      authorization: "Bearer admin",
      "content-type": "application/zip",
    });
    for (let i = 0; i < 8; i++) stream.write(Buffer.alloc(50_000));
    stream.end();
    expect(await json(stream)).toMatchObject({ said: "400000 a.zip  application/zip" });
    session.close();
  });

  it("is told when the rest does not come in time, and so is the caller", async () => {
    const { handler, begun, ended } = watched();
    const socket = beginUpload(await start(handler, { timeoutMs: 300 }));
    expect(await begun).toBe(5);
    expect(await ended).toMatchObject({ message: expect.stringContaining("did not arrive within its time limit") });
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 504 [\s\S]*"error":"deadline_exceeded"/);
  });

  it("is told when the rest does not come in time over HTTP/2 too", async () => {
    const { handler, ended } = watched();
    const { session, stream } = beginHttp2Upload(await start(handler, { http2: true, timeoutMs: 300 }));
    expect(await json(stream)).toMatchObject({ detail: { error: "deadline_exceeded" } });
    expect(await ended).toMatchObject({ message: expect.stringContaining("did not arrive within its time limit") });
    session.destroy();
  });

  it.each<[string, (socket: Socket) => void]>([
    ["ends its side", (socket) => socket.end()],
    ["drops its connection", (socket) => socket.resetAndDestroy()],
  ])("never takes a part for the whole when the caller %s", async (_, leave) => {
    const { handler, begun, ended } = watched();
    const socket = beginUpload(await start(handler));
    expect(await begun).toBe(5);
    leave(socket);
    expect(await ended).toMatchObject({ message: expect.stringContaining("closed before the body was complete") });
  });

  it.each(["stream", "session"] as const)(
    "never takes a part for the whole when the caller ends the %s of HTTP/2",
    async (part) => {
      const { handler, begun, ended } = watched();
      const { session, stream } = beginHttp2Upload(await start(handler, { http2: true }));
      expect(await begun).toBe(5);
      // `stream.close` would end the body before it resets the stream.
      (part === "stream" ? stream : session).destroy();
      expect(await ended).toMatchObject({ message: expect.stringContaining("closed before the body was complete") });
      session.destroy();
    },
  );

  it("gets them from RPC callers, who cannot change the organization on the way", async () => {
    const { method, routes, interceptors } = partsOf(count);
    const transport = createInProcessTransport(routes, { interceptors });
    const upload = async (orgIds: readonly string[]) => {
      const requests = async function* () {
        for (const id of orgIds) yield create(method.input, { orgId: id, name: "a" });
      };
      const headers = { authorization: "Bearer admin" };
      const { message } = await transport.stream(method, undefined, undefined, headers, requests());
      return Array.fromAsync(message);
    };
    expect(await upload([orgId, orgId])).toMatchObject([{ orgId }]);
    await expect(upload([orgId, foreignOrgId])).rejects.toThrow("all messages of a call have the same org_id");
  });

  it("has its media types in the OpenAPI document", () => {
    const { document } = createDocument({
      services: [uploadService()],
      comments: { of: () => "" },
      reason: ReasonSchema,
      eventNames: EventNameSchema,
      messages: eventFile.messages,
      examples: {},
      version: "1",
      servers: [],
      serversOf: () => undefined,
    });
    const operation = document.paths["/v1/orgs/{org_id}/files/{name}"]?.put;
    expect(operation?.requestBody).toEqual({
      required: true,
      content: { "application/zip": { schema: {} }, "application/x-ndjson": { schema: {} } },
    });
    expect(operation?.responses["200"]).toMatchObject({ content: { "application/scim+json": {} } });
    expect(operation?.parameters.map(({ name }) => name)).toEqual(["org_id", "name", "note"]);
  });

  it("may answer before it has read everything", async () => {
    const url = await start(async (requests) => {
      for await (const { file } of requests) if (file !== undefined) return "enough";
      return "";
    });
    expect(await (await put(url, new Uint8Array(mebibyte))).json()).toMatchObject({ said: "enough" });
  });

  it("is not fed while it asks for nothing", async () => {
    const [route] = routesOf([uploadService()]);
    if (route?.facts.upload === undefined) throw new Error("no upload");
    let readBytes = 0;
    const source = new Readable({
      read() {
        readBytes += 16_384;
        this.push(Buffer.alloc(16_384));
      },
    });
    const request = Object.assign(source, { headers: { "content-type": "application/zip" } });
    const message = create(route.method.input);
    const read = createUploadReader(route, route.facts.upload, 60_000);
    const parts = read(
      { request: request as unknown as RestRequest, response: undefined as unknown as RestResponse }, // as far as it is used
      { message, fault: undefined },
    );
    await parts.next();
    expect(readBytes).toBe(0);
    await parts.next();
    const before = readBytes;
    for (let i = 0; i < 20; i++) await setImmediate();
    expect(readBytes).toBeLessThanOrEqual(before + 2 * source.readableHighWaterMark);
    await parts.return();
  });
});

describe("a server", () => {
  it.each<[string, readonly SetOption[], MessageInitShape<typeof HttpRuleSchema>, RegExp]>([
    ["an upload without a limit", usual.slice(0, -1), {}, /has no \(max_upload_mebibytes\)/],
    ["a limit without an upload", usual, { body: "*" }, /is for streams of requests/],
  ])("refuses %s", (_, set, rule, message) => {
    const open = option(access, create(AccessSchema, { public: true }));
    expect(() => assertServable([uploadService([open, ...set.slice(1)], { body: "file", ...rule })])).toThrow(message);
  });
});

// The kit's parts together, as a main puts them together: listener, Connect's adapter, interceptors.

import net from "node:net";
import { type ConnectRouter, createClient, createContextValues, type Transport } from "@connectrpc/connect";
import {
  connectNodeAdapter,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { afterEach, expect, test } from "vitest";
import { ProjectService } from "../../../../gen/policyguard/control/v1/project_service_pb.ts";
import { ReportingService } from "../../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { notFound } from "../../../../src/kit/fault/fault.ts";
import { peerAddress } from "../../../../src/kit/net/address.ts";
import { type Listener, listen } from "../../../../src/kit/net/listen.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { createMetrics } from "../../../../src/kit/observability/metrics.ts";
import { callerOf, connectionKey } from "../../../../src/kit/rpc/context.ts";
import { createInterceptors } from "../../../../src/kit/rpc/interceptors/order.ts";
import { as, collect, credentials, failureOf, orgId, projectId } from "../rpc/interceptors/call.ts";

const log = createLog({ name: "test", level: "silent" });
let listener: Listener | undefined;
const managers: Http2SessionManager[] = [];

afterEach(async () => {
  for (const manager of managers.splice(0)) manager.abort();
  await listener?.close({ graceMs: 0 });
});

function routes(router: ConnectRouter): void {
  router.service(ProjectService, {
    listProjects: () => ({ total: 3 }),
    getProject: (_, context) => {
      throw notFound(`project for ${callerOf(context).audit.address}`);
    },
  });
  router.service(ReportingService, {
    async *report(requests) {
      for await (const { message } of requests) {
        if (message.case === "status") yield { message: { case: "ack", value: { lastSeq: message.value.spoolDepth } } };
      }
    },
  });
}

async function start(): Promise<{ baseUrl: string; listener: Listener }> {
  const interceptors = createInterceptors({
    authenticate: async (token) => credentials[token],
    entitlements: async () => ({ plan: "free", billingBlocked: false }),
    log,
    metrics: createMetrics(),
    maxTimeoutMs: 5_000,
  });
  const handler = connectNodeAdapter({
    routes,
    interceptors,
    readMaxBytes: 1_000,
    contextValues: ({ socket, headers }) => {
      const facts = { socketAddress: socket.remoteAddress, forwardedFor: headers["x-forwarded-for"], trustedHops: 1 };
      return createContextValues().set(connectionKey, { address: peerAddress(facts) });
    },
  });
  listener = await listen({ port: 0, host: "127.0.0.1", handler, log });
  return { baseUrl: `http://127.0.0.1:${listener.port}`, listener };
}

function overHttp2(baseUrl: string) {
  const sessionManager = new Http2SessionManager(baseUrl);
  managers.push(sessionManager);
  return { baseUrl, sessionManager };
}

const dialects: [string, (baseUrl: string) => Transport][] = [
  ["Connect over HTTP/1.1", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect over HTTP/2", (baseUrl) => createConnectTransport({ ...overHttp2(baseUrl), httpVersion: "2" })],
  ["gRPC", (baseUrl) => createGrpcTransport(overHttp2(baseUrl))],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
];

test.each(dialects)("%s carries answers, failures with their detail, and the request id", async (_, dial) => {
  const client = createClient(ProjectService, dial((await start()).baseUrl));
  let id: string | null = null;
  const onHeader = (header: Headers) => {
    id = header.get("X-Request-Id");
  };
  const answer = await client.listProjects({ orgId }, { ...as("owner", { "X-Request-Id": "r-5" }), onHeader });
  expect([answer.total, id]).toEqual([3, "r-5"]);
  const headers = { "X-Forwarded-For": "198.51.100.1, 203.0.113.9" };
  expect(await failureOf(client.getProject({ orgId, projectId }, as("owner", headers)))).toMatchObject({
    code: "NotFound",
    reason: "NOT_FOUND",
    message: "no such project for 203.0.113.9 in this organization",
  });
  const refused = await failureOf(client.listProjects({ orgId }));
  expect(refused.error.metadata.get("WWW-Authenticate")).toBe('Bearer realm="policy-guard"');
});

test("a stream goes both ways at once, and survives while the listener closes", async () => {
  const { baseUrl, listener: served } = await start();
  const client = createClient(ReportingService, createGrpcTransport(overHttp2(baseUrl)));
  const first = Promise.withResolvers<void>();
  const closing = Promise.withResolvers<void>();
  async function* requests() {
    yield { message: { case: "status" as const, value: { spoolDepth: 1 } } };
    await closing.promise;
    yield { message: { case: "status" as const, value: { spoolDepth: 2 } } };
  }
  const acks: unknown[] = [];
  const reading = (async () => {
    for await (const { message } of client.report(requests(), as("runtime"))) {
      acks.push(message.value);
      first.resolve();
    }
  })();
  await first.promise;
  const closed = served.close({ graceMs: 3_000 });
  closing.resolve();
  await reading;
  expect(acks).toMatchObject([{ lastSeq: 1 }, { lastSeq: 2 }]);
  expect(await closed).toBe(0);
});

test("a message of a stream beyond the limit is reported as too large", async () => {
  const client = createClient(ReportingService, createGrpcTransport(overHttp2((await start()).baseUrl)));
  async function* requests() {
    yield { message: { case: "gap" as const, value: { reason: "x".repeat(2_000) } } };
  }
  expect((await failureOf(collect(client.report(requests(), as("runtime"))))).reason).toBe("TOO_LARGE");
});

test.each(["HTTP/1.0", "HTTP/1.1", "HTTP/1.1\r\nHost: a b", "HTTP/1.1\r\nHost: x:99999", "HTTP/1.1\r\nHost: [::1"])(
  "a call by %j, without a valid host, is 400 and does not end the process",
  async (rest) => {
    const { listener: served } = await start();
    const socket = net.connect(served.port, "127.0.0.1");
    socket.end(`POST /policyguard.control.v1.ProjectService/ListProjects ${rest}\r\n\r\n`);
    let answer = "";
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('{"detail":{"error":"malformed_request","message":"the request names no valid host"}}');
  },
);

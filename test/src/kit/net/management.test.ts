import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import {
  type ManagementServer,
  NotReady,
  type ReadinessCheck,
  startManagement,
} from "../../../../src/kit/net/management.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { createMetrics } from "../../../../src/kit/observability/metrics.ts";

const log = createLog({ name: "test", level: "silent" });
let server: ManagementServer | undefined;

async function start(checks: Record<string, ReadinessCheck>, to = log) {
  const metrics = createMetrics();
  server = await startManagement({ port: 0, host: "127.0.0.1", log: to, metrics, checks, checkTimeoutMs: 50 });
  const { port } = server;
  return { server, metrics, get: (path: string) => fetch(`http://127.0.0.1:${port}${path}`) };
}

afterEach(() => server?.close());

test("a live process answers /livez, even when it is not ready", async () => {
  const { get } = await start({ database: () => Promise.reject(new Error("away")) });
  expect((await get("/livez")).status).toBe(200);
});

test("ready means that every check passes", async () => {
  const { get } = await start({ database: () => undefined, bundle: () => Promise.resolve() });
  const response = await get("/readyz");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: "ready", checks: { database: "ok", bundle: "ok" } });
});

test("a proxy that speaks HTTP/2 in plain text to the other port is answered too", async () => {
  const { server } = await start({});
  const session = connectHttp2(`http://127.0.0.1:${server.port}`);
  const request = session.request({ ":path": "/readyz" });
  const [headers] = await once(request, "response");
  expect(headers).toMatchObject({ ":status": 200 });
  expect(JSON.parse(await text(request))).toEqual({ status: "ready", checks: {} });
  session.close();
});

test("a probe of HTTP/1.0 names no host", async () => {
  const { server } = await start({});
  const socket = connect(server.port, "127.0.0.1", () => socket.write("GET /readyz HTTP/1.0\r\n\r\n"));
  expect(await text(socket)).toMatch(/^HTTP\/1\.[01] 200 [\s\S]*"status":"ready"/);
});

test("a failing check is named with its code, in 503", async () => {
  const { get } = await start({
    database: () => undefined,
    bundle: () => Promise.reject(new NotReady("no_bundle", "no bundle yet")),
  });
  const response = await get("/readyz");
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ status: "not_ready", checks: { database: "ok", bundle: "no_bundle" } });
});

test("the cause of a failure goes to the log, once, and not to /readyz", async () => {
  const lines: string[] = [];
  const { get } = await start(
    { database: () => Promise.reject(new Error("password authentication failed for user app at 10.1.2.3")) },
    createLog({ name: "test", level: "info", destination: { write: (line: string) => void lines.push(line) } }),
  );
  for (let n = 0; n < 3; n++) {
    const text = await (await get("/readyz")).text();
    expect(JSON.parse(text)).toEqual({ status: "not_ready", checks: { database: "failed" } });
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("password authentication failed");
});

test("a check that hangs fails after its time limit and is told to stop", async () => {
  let aborted = false;
  const hang: ReadinessCheck = (signal) =>
    new Promise(() => {
      signal.addEventListener("abort", () => {
        aborted = true;
      });
    });
  const { get } = await start({ database: hang });
  expect(await (await get("/readyz")).json()).toEqual({
    status: "not_ready",
    checks: { database: "timeout" },
  });
  expect(aborted).toBe(true);
});

test("a draining process is not ready, without asking any check", async () => {
  const asked: string[] = [];
  const { server, get } = await start({ database: () => void asked.push("database") });
  server.drain();
  const response = await get("/readyz");
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ status: "draining", checks: {} });
  expect(asked).toEqual([]);
});

test("metrics carry the calls, the process and its event loop", async () => {
  const { metrics, get } = await start({});
  metrics.countCall({ service: "s.S", method: "M", code: "ok", durationMs: 3 });
  const text = await (await get("/metrics")).text();
  expect(text).toContain('rpc_requests_total{service="s.S",method="M",code="ok"} 1');
  expect(text).toContain('rpc_duration_seconds_bucket{le="0.005",service="s.S",method="M",code="ok"} 1');
  expect(text).toContain("process_resident_memory_bytes");
  expect(text).toContain("nodejs_eventloop_lag_p99_seconds");
});

test("any other path is 404 in the envelope", async () => {
  const { get } = await start({});
  const response = await get("/debug");
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ detail: "Not Found" });
});

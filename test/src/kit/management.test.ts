import { afterEach, expect, test } from "vitest";
import { createLog } from "../../../src/kit/log.ts";
import { type ManagementServer, type ReadinessCheck, startManagement } from "../../../src/kit/management.ts";
import { createMetrics } from "../../../src/kit/metrics.ts";

const log = createLog({ name: "test", level: "silent" });
let server: ManagementServer | undefined;

async function start(checks: Record<string, ReadinessCheck>) {
  const metrics = createMetrics();
  server = await startManagement({ port: 0, host: "127.0.0.1", log, metrics, checks, checkTimeoutMs: 50 });
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

test("a failing check is named with its reason, in 503", async () => {
  const { get } = await start({ database: () => undefined, bundle: () => Promise.reject(new Error("no bundle yet")) });
  const response = await get("/readyz");
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ status: "not_ready", checks: { database: "ok", bundle: "no bundle yet" } });
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
    checks: { database: "no answer within 50 ms" },
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

// The management port: liveness, readiness and measurements. It belongs inside the cluster, never on the internet.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "./log.ts";
import type { Metrics } from "./metrics.ts";

/** Whether one thing that the process needs is there. Throws, with a reason, when it is not. */
export type ReadinessCheck = (signal: AbortSignal) => Promise<void> | void;

/** What the management server needs. */
export interface ManagementOptions {
  readonly port: number;
  readonly host?: string;
  readonly log: Logger;
  readonly metrics: { readonly registry: Pick<Metrics["registry"], "contentType" | "metrics"> };
  /** Readiness checks by name. */
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** Time limit of one check. */
  readonly checkTimeoutMs?: number;
}

/** A listening management server. */
export interface ManagementServer {
  readonly port: number;
  /** Answers "not ready" from now on, so that balancers send nothing new. */
  drain(): void;
  close(): Promise<void>;
}

/** What /readyz answers. */
interface Readiness {
  readonly status: "ready" | "not_ready" | "draining";
  /** "ok" or the reason of the failure, by name of the check. */
  readonly checks: Readonly<Record<string, string>>;
}

/** Serves /livez, /readyz and /metrics. */
export async function startManagement(options: ManagementOptions): Promise<ManagementServer> {
  const state = { draining: false };
  const server = createServer((request, response) => {
    answer(request, response, options, state).catch((err: unknown) => {
      options.log.error({ err, url: request.url }, "management request failed");
      send(response, 500, { status: "failed" });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port, options.host ?? "0.0.0.0", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port, // listens on TCP, so the address is no pipe name
    drain() {
      state.draining = true;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ManagementOptions,
  { draining }: { readonly draining: boolean },
): Promise<void> {
  switch (request.url?.split("?", 1)[0]) {
    case "/livez":
      return send(response, 200, { status: "live" });
    case "/readyz": {
      const readiness = draining ? ({ status: "draining", checks: {} } as const) : await checkReadiness(options);
      return send(response, readiness.status === "ready" ? 200 : 503, readiness);
    }
    case "/metrics": {
      const { registry } = options.metrics;
      response.writeHead(200, { "content-type": registry.contentType }).end(await registry.metrics());
      return;
    }
    default:
      return send(response, 404, { detail: "Not Found" });
  }
}

async function checkReadiness({ checks, checkTimeoutMs = 2_000 }: ManagementOptions): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await resultOf(check, checkTimeoutMs)] as const),
  );
  const isReady = results.every(([, result]) => result === "ok");
  return { status: isReady ? "ready" : "not_ready", checks: Object.fromEntries(results) };
}

async function resultOf(check: ReadinessCheck, timeoutMs: number): Promise<string> {
  const abort = new AbortController();
  const limit = Promise.withResolvers<string>();
  const timer = setTimeout(() => {
    abort.abort();
    limit.resolve(`no answer within ${timeoutMs} ms`);
  }, timeoutMs);
  try {
    return await Promise.race([limit.promise, passed(check, abort.signal)]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}

async function passed(check: ReadinessCheck, signal: AbortSignal): Promise<string> {
  await check(signal);
  return "ok";
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(`${JSON.stringify(body)}\n`);
}

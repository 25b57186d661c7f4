// The management port: liveness, readiness and measurements. It belongs inside the cluster, never on the internet. It
// speaks HTTP/2 in plain text as well, since a proxy that speaks it to the port for callers (Caddy) does so in its probes.

import type { Logger } from "../observability/log.ts";
import type { Metrics } from "../observability/metrics.ts";
import { listen } from "./listen.ts";
import type { HttpRequest, HttpResponse } from "./request-handler.ts";

/** Whether one thing that the process needs is there. Throws when it is not: a NotReady, or whatever went wrong. */
export type ReadinessCheck = (signal: AbortSignal) => Promise<void> | void;

/**
 * Why a process is not ready. /readyz shows the code; the message, which may name addresses and logins, is for the log.
 */
export class NotReady extends Error {
  override readonly name = "NotReady";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** What the management server needs. */
export interface ManagementOptions {
  readonly port: number;
  readonly host: string;
  readonly log: Logger;
  readonly metrics: { readonly registry: Pick<Metrics["registry"], "contentType" | "metrics"> };
  /** Readiness checks by name. */
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** What /readyz says besides, and what is no reason not to be ready. */
  readonly notes?: () => Readonly<Record<string, unknown>>;
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
  /** "ok", "timeout", "failed" or the code of a NotReady, by name of the check. */
  readonly checks: Readonly<Record<string, string>>;
}

/** Serves /livez, /readyz and /metrics. */
export async function startManagement(options: ManagementOptions): Promise<ManagementServer> {
  const state = { draining: false, results: new Map<string, string>() };
  const { port, host, log } = options;
  const handler = (request: HttpRequest, response: HttpResponse) => {
    answer(request, response, options, state).catch((err: unknown) => {
      log.error({ err, url: request.url }, "management request failed");
      send(response, 500, { status: "failed" });
    });
  };
  const listener = await listen({ port, host, handler, log, isHostOptional: true });
  return {
    port: listener.port,
    drain() {
      state.draining = true;
    },
    async close() {
      await listener.close({ graceMs: 0 });
    },
  };
}

async function answer(
  request: HttpRequest,
  response: HttpResponse,
  options: ManagementOptions,
  { draining, results }: { readonly draining: boolean; readonly results: Map<string, string> },
): Promise<void> {
  switch (request.url?.split("?", 1)[0]) {
    case "/livez":
      return send(response, 200, { status: "live" });
    case "/readyz": {
      const readiness = draining
        ? ({ status: "draining", checks: {} } as const)
        : await checkReadiness(options, results);
      return send(response, readiness.status === "ready" ? 200 : 503, readiness);
    }
    case "/metrics": {
      const { registry } = options.metrics;
      const text = await registry.metrics();
      response.setHeader("content-type", registry.contentType);
      return void response.end(text);
    }
    default:
      return send(response, 404, { detail: "Not Found" });
  }
}

async function checkReadiness(
  { checks, checkTimeoutMs = 2_000, log, notes }: ManagementOptions,
  before: Map<string, string>,
): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const { code, err } = await resultOf(check, checkTimeoutMs);
      // Probes come every few seconds; only what is new is worth a line.
      if (err !== undefined && before.get(name) !== code) log.warn({ check: name, code, err }, "not ready");
      before.set(name, code);
      return [name, code] as const;
    }),
  );
  const isReady = results.every(([, code]) => code === "ok");
  return { status: isReady ? "ready" : "not_ready", checks: Object.fromEntries(results), ...notes?.() };
}

async function resultOf(check: ReadinessCheck, timeoutMs: number): Promise<{ code: string; err?: unknown }> {
  const abort = new AbortController();
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    abort.abort();
    limit.reject(new NotReady("timeout", `no answer within ${timeoutMs} ms`));
  }, timeoutMs);
  try {
    await Promise.race([limit.promise, passed(check, abort.signal)]);
    return { code: "ok" };
  } catch (err) {
    return { code: err instanceof NotReady ? err.code : "failed", err };
  } finally {
    clearTimeout(timer);
  }
}

async function passed(check: ReadinessCheck, signal: AbortSignal): Promise<void> {
  await check(signal);
}

function send(response: HttpResponse, status: number, body: unknown): void {
  if (response.headersSent) return void response.destroy();
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-store");
  response.end(`${JSON.stringify(body)}\n`);
}

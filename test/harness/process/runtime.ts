// A connected runtime in this process: real sockets, a folder of its own.

import { BundleBuilder } from "../../../runtime/bundle/builder.ts";
import { runtimeSchema } from "../../../runtime/config.ts";
import { connect } from "../../../runtime/connected.ts";
import { startRuntime } from "../../../runtime/runtime.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import type { Clock } from "../../../src/kit/process/clock.ts";
import { systemClock } from "../../../src/kit/process/clock.ts";
import { readConfig } from "../../../src/kit/process/config.ts";
import { shutDown } from "../../../src/kit/process/shutdown.ts";

/** Builds the engines of all runtimes of this process. It ends by itself when it has nothing to do. */
const commonBuilder = new BundleBuilder();

/** What a runtime needs. */
export interface TestRuntimeOptions {
  /** The control plane. */
  readonly url: string;
  /** The runtime's own token; callers use it as well. */
  readonly token: string;
  readonly folder: string;
  readonly clock?: Clock;
  /** Builds its engines. Default: one for all. */
  readonly builder?: BundleBuilder;
  /** Further environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** An answer over REST. */
export interface RuntimeAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they want.
  readonly body: any;
}

/** A running runtime. */
export interface TestRuntime {
  readonly port: number;
  readonly managementUrl: string;
  /** Evaluates with the runtime's own token, or another. */
  evaluate(request: object, options?: { readonly token?: string; readonly stage?: string }): Promise<RuntimeAnswer>;
  /** What `GET /v1/evaluate/bundle` says. */
  loaded(): Promise<RuntimeAnswer["body"]>;
  /** Value of a measurement, such as "spool_records". */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a runtime that follows a control plane. */
export async function startTestRuntime(options: TestRuntimeOptions): Promise<TestRuntime> {
  const { url, token, folder, clock = systemClock, builder = commonBuilder, env } = options;
  const log = createLog({ name: "runtime", level: "silent" });
  const config = readConfig(runtimeSchema, {
    RUNTIME_PORT: "0",
    RUNTIME_MANAGEMENT_PORT: "0",
    HOST: "127.0.0.1",
    POLL_INTERVAL: "10m",
    POLICY_GUARD_DATA: folder,
    POLICY_GUARD_URL: url,
    POLICY_GUARD_TOKEN: token,
    ...env,
  });
  const source = await connect(config, { url, token }, { log, clock, builder });
  const runtime = await startRuntime(config, source, { log, clock });
  const base = `http://127.0.0.1:${runtime.port}/v1/evaluate`;
  const managementUrl = `http://127.0.0.1:${runtime.managementPort}`;
  return {
    port: runtime.port,
    managementUrl,
    async evaluate(request, { token: caller = token, stage = "input" } = {}) {
      return call(`${base}/${stage}`, caller, request);
    },
    loaded: async () => (await call(`${base}/bundle`, token)).body,
    async metric(name) {
      const text = await (await fetch(`${managementUrl}/metrics`)).text();
      return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(text)?.[1]);
    },
    stop: async () => void (await shutDown({ log, steps: runtime.shutdownSteps })),
  };
}

async function call(url: string, token: string, request?: object): Promise<RuntimeAnswer> {
  const response = await fetch(url, {
    method: request === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: request && JSON.stringify(request),
  });
  return { status: response.status, body: await response.json() };
}

// Starts a runtime: one process or several, and their source of bundles.

import { join } from "node:path";
import { createLog, type Logger } from "../src/kit/observability/log.ts";
import { createMetrics } from "../src/kit/observability/metrics.ts";
import { systemClock } from "../src/kit/process/clock.ts";
import type { Config } from "../src/kit/process/config.ts";
import { endWithParent } from "../src/kit/process/end-with-parent.ts";
import { shutDownOnSignal } from "../src/kit/process/shutdown.ts";
import { startTelemetry } from "../src/kit/telemetry/telemetry.ts";
import { runtimeVersion } from "./bundle/version.ts";
import { type ChildMessage, startProcesses } from "./cluster/primary.ts";
import { readWorkerSlot, type WorkerSlot } from "./cluster/worker-slot.ts";
import type { Arguments, runtimeSchema } from "./config.ts";
import { connect } from "./connected.ts";
import { readBackendOrigins } from "./evaluate/backend/origin.ts";
import { ModelClient, modelNotes } from "./model-host/client.ts";
import { readModelSettings } from "./model-host/model-settings.ts";
import { ModelHostSupervisor } from "./model-host/supervisor.ts";
import { type Runtime, type RuntimeConfig, type Source, startRuntime } from "./runtime.ts";
import { standalone } from "./standalone.ts";

const clock = systemClock;

/** Starts the runtime, in one process or several. */
export async function start(args: Arguments, config: Config<typeof runtimeSchema>): Promise<void> {
  const log = createLog({ name: "runtime", level: config.logLevel });
  const own = args.noAuth ? { ...config, host: "127.0.0.1" } : config;
  // A wrong setting is reported once, by this process, before others start.
  readBackendOrigins(config);
  const slot = readWorkerSlot(process.env);
  const models = readModelSettings(config);
  // Without its primary nobody would end this process, and it would keep the port.
  if (slot !== undefined) endWithParent();
  // One host for all processes of the machine: weights are in memory once.
  const host = models === undefined || slot !== undefined ? undefined : new ModelHostSupervisor({ ...models, log });
  const hostSteps = host === undefined ? [] : [{ name: "models", timeoutMs: 2_000, run: () => host.stop() }];
  const modelSocket = slot?.modelSocket ?? host?.socket;
  const client = modelSocket === undefined ? undefined : new ModelClient(modelSocket);
  if (config.processes > 1 && slot === undefined) {
    const notes = () => modelNotes(client);
    const group = await startProcesses({ ...own, count: config.processes, modelSocket, notes, log });
    const clientStep = { name: "model client", timeoutMs: 100, run: () => client?.close() };
    shutDownOnSignal({ log, steps: [...group.shutdownSteps, clientStep, ...hostSteps], totalTimeoutMs: 28_000 });
    log.info({ port: group.port, managementPort: group.managementPort }, "runtime is listening");
    return;
  }
  const settings = slot === undefined ? own : workerConfig(own, slot, args);
  const metrics = createMetrics();
  // Before the first call to the control plane, which is a span too.
  const telemetry = await startTelemetry(settings, { name: "runtime", version: runtimeVersion, log, metrics });
  const source = await sourceOf(settings, args, { log, models: client });
  const runtime = await startRuntime(settings, source, { log, clock, slot, models: client, metrics });
  shutDownOnSignal({ log, steps: [...runtime.shutdownSteps, ...telemetry.shutdownSteps, ...hostSteps] });
  if (slot === undefined) {
    log.info({ port: runtime.port, managementPort: runtime.managementPort }, "runtime is listening");
  } else {
    log.info({ index: slot.index }, "runtime process is listening");
    answerPrimary(runtime);
  }
}

/** The settings of one of several processes. Its management port is for the primary only. */
function workerConfig(config: RuntimeConfig, { index }: WorkerSlot, { bundle }: Arguments): RuntimeConfig {
  // A standalone runtime keeps only the key of its fingerprints, which all processes have in common.
  const dataFolder = bundle === undefined ? join(config.dataFolder, `process-${index}`) : config.dataFolder;
  return { ...config, dataFolder, managementHost: "127.0.0.1" };
}

function answerPrimary({ managementPort, metrics }: Runtime): void {
  const send = (message: ChildMessage) => process.send?.(message, undefined, undefined, () => undefined);
  process.on("message", async (message) => {
    if (message === "metrics") send({ metrics: await metrics() });
  });
  send({ managementPort });
}

function sourceOf(
  settings: RuntimeConfig,
  { bundle, key, noAuth, isRepinned }: Arguments,
  { log, models }: { readonly log: Logger; readonly models: ModelClient | undefined },
): Promise<Source> {
  if (bundle !== undefined) {
    if (key === undefined) throw new Error("--bundle needs --key: the public keys that may sign it");
    return standalone(settings, { bundle, key }, { noAuth, clock });
  }
  const { controlPlaneUrl: url, token } = settings;
  if (noAuth) throw new Error("--no-auth is for a runtime with --bundle");
  if (url === undefined || token === undefined) {
    throw new Error("set POLICY_GUARD_URL and POLICY_GUARD_TOKEN, or pass --bundle and --key");
  }
  return connect(settings, { url, token }, { log, clock, models, isRepinned });
}

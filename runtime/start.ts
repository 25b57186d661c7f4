// What a runtime consists of: one process or several, with a source of bundles.

import { join } from "node:path";
import { systemClock } from "../src/kit/clock.ts";
import type { Config } from "../src/kit/config.ts";
import { createLog, type Logger } from "../src/kit/log.ts";
import { shutDownOnSignal } from "../src/kit/shutdown.ts";
import type { Arguments, runtimeSchema } from "./config.ts";
import { connect } from "./connected.ts";
import { type ChildMessage, startProcesses } from "./process/parent.ts";
import { type Place, readPlace } from "./process/place.ts";
import { type Runtime, type RuntimeConfig, type Source, startRuntime } from "./runtime.ts";
import { standalone } from "./standalone.ts";

const clock = systemClock;

/** Starts the runtime, in one process or several. */
export async function start(args: Arguments, config: Config<typeof runtimeSchema>): Promise<void> {
  const log = createLog({ name: "runtime", level: config.logLevel });
  const own = args.noAuth ? { ...config, host: "127.0.0.1" } : config;
  const place = readPlace(process.env);
  if (place !== undefined) endWithParent();
  if (config.processes > 1 && place === undefined) {
    const group = await startProcesses({ ...own, count: config.processes, log });
    shutDownOnSignal({ log, steps: group.shutdownSteps, totalTimeoutMs: 28_000 });
    log.info({ port: group.port, managementPort: group.managementPort }, "runtime is listening");
    return;
  }
  const settings = place === undefined ? own : placed(own, place, args);
  const source = await sourceOf(settings, args, log);
  const runtime = await startRuntime(settings, source, { log, clock, place });
  shutDownOnSignal({ log, steps: runtime.shutdownSteps });
  if (place === undefined) {
    log.info({ port: runtime.port, managementPort: runtime.managementPort }, "runtime is listening");
  } else {
    log.info({ index: place.index }, "runtime process is listening");
    answerParent(runtime);
  }
}

/** What differs for one of several processes. Its management port is for its parent. */
function placed(config: RuntimeConfig, { index }: Place, { bundle }: Arguments): RuntimeConfig {
  // A standalone runtime keeps only the key of its fingerprints, which all processes have in common.
  const dataFolder = bundle === undefined ? join(config.dataFolder, `process-${index}`) : config.dataFolder;
  return { ...config, dataFolder, managementHost: "127.0.0.1" };
}

/** Without its parent nobody would end this process, and it would keep the port. The parent may be gone before this one is here. */
function endWithParent(): void {
  const end = () => process.kill(process.pid, "SIGTERM");
  process.once("disconnect", end);
  if (!process.connected) end();
}

function answerParent({ managementPort, metrics }: Runtime): void {
  const send = (message: ChildMessage) => process.send?.(message, undefined, undefined, () => undefined);
  process.on("message", async (message) => {
    if (message === "metrics") send({ metrics: await metrics() });
  });
  send({ managementPort });
}

function sourceOf(settings: RuntimeConfig, { bundle, key, noAuth }: Arguments, log: Logger): Promise<Source> {
  if (bundle !== undefined) {
    if (key === undefined) throw new Error("--bundle needs --key: the public key that may have signed it");
    return standalone(settings, { bundle, key }, { noAuth, clock });
  }
  const { controlPlaneUrl: url, token } = settings;
  if (noAuth) throw new Error("--no-auth is for a runtime with --bundle");
  if (url === undefined || token === undefined) {
    throw new Error("set POLICY_GUARD_URL and POLICY_GUARD_TOKEN, or pass --bundle and --key");
  }
  return connect(settings, { url, token }, { log, clock });
}

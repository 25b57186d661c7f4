// `npm start`: everything on one machine. A supervisor of four parts (database, control plane, worker, runtime) that
// are started in order, kept running, and stopped in the opposite order on Ctrl-C.

import { accessSync, constants, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Lock } from "../src/kit/process/lock-file.ts";
import { isRunning } from "../src/kit/process/process-stamp.ts";
import { whyNotListening, whyNotStarted } from "../src/kit/process/start-failure.ts";
import { listenFailure } from "./postgres/port.ts";
import { callingNpm } from "./process.ts";
import { takeLock } from "./supervisor/lock.ts";
import { rotateLogs } from "./supervisor/log-file.ts";
import { Parts } from "./supervisor/parts.ts";
import { readSettings, type Settings } from "./supervisor/settings.ts";
import { createTeller } from "./supervisor/teller.ts";
import { ownEnvironment } from "./supervisor/variables.ts";
import { welcome } from "./supervisor/welcome.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** How long the children of a killed supervisor may hold their ports while they drain. */
const leftoverLimitMs = 30_000;

process.exitCode = await main();

async function main(): Promise<number> {
  let lock: Lock | undefined;
  try {
    const settings = readSettings(ownEnvironment(), root);
    lock = claim(settings.dataFolder);
    await assertPortsFree(settings, lock.wasStale);
    return await run(settings);
  } catch (error) {
    console.error(`policy-guard: ${whyNotStarted(error)}`);
    return 1;
  } finally {
    lock?.release();
  }
}

async function run(settings: Settings): Promise<number> {
  const logFolder = join(settings.dataFolder, "log");
  mkdirSync(logFolder, { recursive: true, mode: 0o755 });
  const rotation = setInterval(() => rotateLogs(logFolder), 60_000).unref();
  const tell = createTeller(join(logFolder, "supervisor.log"));
  const stop = stopSignal();
  const parts = new Parts({ root, env: ownEnvironment(), settings, logFolder, tell, signal: stop });
  try {
    const bootstrap = await parts.start();
    console.log(welcome(settings, bootstrap, { isTerminal: process.stdout.isTTY }));
    await untilAborted(stop);
    return 0;
  } catch (error) {
    if (stop.aborted) return 0;
    throw error;
  } finally {
    if (stop.aborted) tell("Stopping: requests in flight are finished first…");
    await parts.stop();
    clearInterval(rotation);
    if (stop.aborted) tell("Stopped.");
  }
}

function claim(dataFolder: string): Lock {
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o755 });
    accessSync(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw new Error(
      `the data folder ${dataFolder} cannot be written by this user; choose another with POLICY_GUARD_DATA`,
    );
  }
  const lock = takeLock(dataFolder);
  if ("release" in lock) return lock;
  throw new Error(
    `already running on ${dataFolder} (process ${lock.heldBy}); stop it, or choose another folder with POLICY_GUARD_DATA`,
  );
}

async function assertPortsFree(settings: Settings, isWaiting: boolean): Promise<void> {
  const deadline = performance.now() + (isWaiting ? leftoverLimitMs : 0);
  for (const [name, port] of Object.entries(settings.ports)) {
    const variable = name.endsWith("MANAGEMENT_PORT") ? "MANAGEMENT_HOST" : "HOST";
    const host = variable === "HOST" ? settings.host : settings.managementHost;
    for (;;) {
      const code = await listenFailure(port, host);
      if (code === undefined) break;
      if (code !== "EADDRINUSE" || performance.now() > deadline)
        throw new Error(whyNotListening(code, { shown: `port ${port} (${name})`, host, ports: name, hosts: variable }));
      await sleep(200);
    }
  }
}

/**
 * Aborts on the first request to stop, or when npm has ended. Further requests change nothing: npm repeats a Ctrl-C.
 */
function stopSignal(): AbortSignal {
  const abort = new AbortController();
  const npm = callingNpm();
  const watch = setInterval(() => {
    if (npm !== undefined && !isRunning(npm)) abort.abort();
  }, 500).unref();
  abort.signal.addEventListener("abort", () => clearInterval(watch));
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => abort.abort());
  return abort.signal;
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  // A timer keeps the process alive while it waits: children that are adopted do not.
  const alive = setInterval(() => {}, 2 ** 30);
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  clearInterval(alive);
}

// `npm run runtime`: evaluates inside the customer's boundary. With POLICY_GUARD_URL and POLICY_GUARD_TOKEN it follows a
// control plane; with --bundle and --key it runs alone.

import { systemClock } from "../src/kit/clock.ts";
import { productVariables, readConfig } from "../src/kit/config.ts";
import { createLog, type Logger } from "../src/kit/log.ts";
import { shutDownOnSignal } from "../src/kit/shutdown.ts";
import { type Arguments, readArguments, runtimeSchema } from "./config.ts";
import { connect } from "./connected.ts";
import { type RuntimeConfig, type Source, startRuntime } from "./runtime.ts";
import { standalone } from "./standalone.ts";
import { whyNotStarted } from "./start-failure.ts";

const clock = systemClock;

try {
  await start();
} catch (error) {
  process.stderr.write(`the runtime does not start: ${whyNotStarted(error)}\n`);
  process.exit(1);
}

async function start(): Promise<void> {
  const args = readArguments(process.argv.slice(2));
  const config = readConfig(runtimeSchema, process.env, productVariables);
  const log = createLog({ name: "runtime", level: config.logLevel });
  const source = await sourceOf(config, args, log);
  const runtime = await startRuntime(args.noAuth ? { ...config, host: "127.0.0.1" } : config, source, { log, clock });
  shutDownOnSignal({ log, steps: runtime.shutdownSteps });
  log.info({ port: runtime.port, managementPort: runtime.managementPort }, "runtime is listening");
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

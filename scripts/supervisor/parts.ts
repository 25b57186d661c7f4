// The four parts of an installation on one machine: their settings, and the order in which they start and stop.

import { accessSync, constants, readFileSync } from "node:fs";
import { join } from "node:path";
import { runtimeSchema } from "../../runtime/config.ts";
import { runtimeNodeOptions } from "../../runtime/node-option.ts";
import { controlPlaneSchema } from "../../src/config.ts";
import { hostToCall } from "../../src/kit/net/host.ts";
import type { Schema } from "../../src/kit/process/config.ts";
import { newestBuild } from "../console/builds.ts";
import { type EmbeddedDatabase, openEmbeddedDatabase } from "../postgres/embedded.ts";
import type { DatabaseUrls } from "../postgres/urls.ts";
import { signalProcess } from "../process.ts";
import { type Running, startChild } from "./child.ts";
import { type Kept, keepRunning } from "./keeper.ts";
import { lastLines, sizeOf } from "./log-file.ts";
import { masterKey } from "./master-key.ts";
import { untilReady } from "./ready.ts";
import type { Settings } from "./settings.ts";

/** The options for starting the parts. */
export interface PartsOptions {
  /** The repository. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly settings: Settings;
  readonly logFolder: string;
  tell(line: string): void;
  /** Aborted when the user wants to stop while we start. */
  readonly signal: AbortSignal;
}

/** What the first start writes for the user, in bootstrap.json. */
export interface Bootstrap {
  readonly org_id: string;
  readonly admin_token: string;
  readonly runtime_token: string;
  readonly runtime_url: string;
}

/** How long each part may take to end. Longer than the part's own limit for draining. */
const stopLimitsMs: Readonly<Record<string, number>> = {
  runtime: 30_000,
  "control plane": 30_000,
  worker: 30_000,
  database: 60_000,
};

/** The parts of one installation, in the order in which they were started. */
export class Parts {
  readonly #options: PartsOptions;
  readonly #kept: Kept[] = [];

  constructor(options: PartsOptions) {
    this.#options = options;
  }

  /** Starts everything; returns the facts that the user needs. */
  async start(): Promise<Bootstrap> {
    const { settings, tell, signal } = this.#options;
    const [urls, consoleFolder] = await Promise.all([this.#startDatabase(), this.#buildConsole()]);
    signal.throwIfAborted();
    // Each process gets its own login and no other.
    const base = this.#environment();
    const application = { ...base, DATABASE_URL: urls.applicationUrl, ...consoleFolder };
    tell("Bringing the database up to date…");
    await this.#runOnce("migrate", "src/migrate.ts", { ...base, DATABASE_MIGRATION_URL: urls.migrationUrl });
    await this.#runOnce("bootstrap", "src/bootstrap.ts", application);
    const bootstrap = readBootstrap(settings.dataFolder);
    tell("Starting control plane, worker and runtime…");
    const named = { POLICY_GUARD_RUNTIME_URL: bootstrap.runtime_url };
    const { MANAGEMENT_PORT, WORKER_MANAGEMENT_PORT, RUNTIME_MANAGEMENT_PORT } = settings.ports;
    const outcomes = await Promise.allSettled([
      this.#keep("control plane", "src/main.ts", { ...named, ...application }, MANAGEMENT_PORT),
      this.#keep("worker", "src/worker.ts", { ...base, DATABASE_WORKER_URL: urls.workerUrl }, WORKER_MANAGEMENT_PORT),
    ]);
    // Both are waited for, so that none is still starting when the other's failure stops everything.
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    const runtime = this.#runtimeEnvironment(bootstrap);
    await this.#keep("runtime", "runtime/main.ts", runtime, RUNTIME_MANAGEMENT_PORT, runtimeNodeOptions);
    return bootstrap;
  }

  /** Stops everything: callers before those that they call. */
  async stop(): Promise<void> {
    const order = ["runtime", "control plane", "worker", "database"];
    for (const name of order) {
      const kept = this.#kept.find((part) => part.name === name);
      await kept?.stop(stopLimitsMs[name] ?? 30_000);
    }
  }

  /** The console's page, built anew when its sources changed. When that fails, an older build is served, or none. */
  async #buildConsole(): Promise<{ readonly CONSOLE_FOLDER?: string }> {
    const { root, env, settings, tell, signal } = this.#options;
    if (env.CONSOLE_FOLDER) return { CONSOLE_FOLDER: env.CONSOLE_FOLDER };
    const inCheckout = join(root, "build", "console");
    const into = isWritable(root) ? inCheckout : join(settings.dataFolder, "console");
    try {
      await this.#runOnce("console", "scripts/console.ts", { ...env, ...this.#compileCache() }, [into]);
    } catch (error) {
      signal.throwIfAborted();
      tell(`The console could not be built: ${error instanceof Error ? error.message : String(error)}`);
    }
    const built = newestBuild(into);
    return built === undefined ? {} : { CONSOLE_FOLDER: built };
  }

  async #startDatabase(): Promise<DatabaseUrls> {
    const { settings, tell, logFolder } = this.#options;
    if (settings.database !== undefined) return settings.database;
    tell("Starting the database…");
    const database: EmbeddedDatabase = await openEmbeddedDatabase(settings.dataFolder, join(logFolder, "postgres.log"));
    this.#kept.push(await keepRunning({ name: "database", start: () => database.start(), tell }));
    return database.urls;
  }

  async #keep(
    name: string,
    script: string,
    env: NodeJS.ProcessEnv,
    managementPort: number,
    nodeOptions: readonly string[] = [],
  ): Promise<void> {
    const { root, settings, signal, tell } = this.#options;
    const logFile = this.#logFile(name);
    const fromByte = sizeOf(logFile);
    const start = () => startChild({ script, root, env, logFile, nodeOptions });
    let first: Running | undefined = await start();
    try {
      const management = `${hostToCall(settings.managementHost)}:${managementPort}`;
      await untilReady(`the ${name}`, management, first, { signal, tell });
    } catch (error) {
      await first.stop(5_000);
      throw failure(error, logFile, fromByte);
    }
    const kept = await keepRunning({
      name,
      tell,
      async start() {
        const running = first ?? (await start());
        first = undefined;
        return running;
      },
    });
    this.#kept.push(kept);
  }

  async #runOnce(name: string, script: string, env: NodeJS.ProcessEnv, args: readonly string[] = []): Promise<void> {
    const { root, signal } = this.#options;
    const logFile = this.#logFile(name);
    const fromByte = sizeOf(logFile);
    const running = await startChild({ script, root, env, logFile, args });
    const onAbort = () => signalProcess(running.pid, "SIGTERM");
    signal.addEventListener("abort", onAbort);
    const ending = await running.exited;
    signal.removeEventListener("abort", onAbort);
    signal.throwIfAborted();
    if (ending !== "exit code 0") throw failure(new Error(`${name} failed (${ending})`), logFile, fromByte);
  }

  #logFile(name: string): string {
    return join(this.#options.logFolder, `${name.replaceAll(" ", "-")}.log`);
  }

  /** Node keeps what it compiled, so that every process but the first starts in two thirds of the time. */
  #compileCache(): NodeJS.ProcessEnv {
    return { NODE_COMPILE_CACHE: join(this.#options.settings.dataFolder, "compile-cache") };
  }

  /** What the control plane, the worker and the one-off scripts share. */
  #environment(): NodeJS.ProcessEnv {
    const { env, settings } = this.#options;
    return {
      ...this.#compileCache(),
      ...without(env, [...databaseVariables, ...namesOnlyIn(runtimeSchema, controlPlaneSchema)]),
      ...portsAsText(settings),
      POLICY_GUARD_DATA: settings.dataFolder,
      POLICY_GUARD_REGISTRATION: settings.registration,
      POLICY_GUARD_MASTER_KEY: masterKey(env, settings.dataFolder),
    };
  }

  /** The runtime has neither database nor master key: it knows the control plane and its own token. */
  #runtimeEnvironment(bootstrap: Bootstrap): NodeJS.ProcessEnv {
    const { env, settings } = this.#options;
    return {
      ...this.#compileCache(),
      ...without(env, [...databaseVariables, ...namesOnlyIn(controlPlaneSchema, runtimeSchema)]),
      ...portsAsText(settings),
      POLICY_GUARD_DATA: join(settings.dataFolder, "runtime"),
      POLICY_GUARD_URL: `${env.TLS_CERTIFICATE_FILE ? "https" : "http"}://${hostToCall(settings.host)}:${settings.ports.PORT}`,
      POLICY_GUARD_TOKEN: bootstrap.runtime_token,
    };
  }
}

const databaseVariables = ["DATABASE_URL", "DATABASE_MIGRATION_URL", "DATABASE_WORKER_URL"];

/**
 * Variables of the product that this process reads and that one does not: the other process would refuse them as
 * misspelt.
 */
function namesOnlyIn(schema: Schema, other: Schema): readonly string[] {
  const elsewhere = new Set(Object.values(other).map(({ name }) => name));
  return Object.values(schema).flatMap(({ name }) => (elsewhere.has(name) ? [] : [name]));
}

function without(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

function portsAsText({ ports }: Settings): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readBootstrap(dataFolder: string): Bootstrap {
  return JSON.parse(readFileSync(join(dataFolder, "bootstrap.json"), "utf8"));
}

function failure(error: unknown, logFile: string, fromByte: number): Error {
  const message = error instanceof Error ? error.message : String(error);
  const said = lastLines(logFile, fromByte);
  return new Error(said === "" ? message : `${message}. The end of ${logFile}:\n${said}`, { cause: error });
}

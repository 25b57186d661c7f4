// What `npm start` reads from the environment.

import { resolve } from "node:path";

/** The settings of the supervisor. */
export interface Settings {
  readonly dataFolder: string;
  readonly ports: Ports;
  /** URLs of a database of the operator's own; undefined for the embedded one. */
  readonly database: ExternalDatabase | undefined;
}

/** The ports of the processes on this machine. */
export interface Ports {
  readonly PORT: number;
  readonly RUNTIME_PORT: number;
  readonly MANAGEMENT_PORT: number;
  readonly RUNTIME_MANAGEMENT_PORT: number;
  readonly WORKER_MANAGEMENT_PORT: number;
}

/** The three URLs of ruling roles: application, owner, worker. */
export interface ExternalDatabase {
  readonly applicationUrl: string;
  readonly migrationUrl: string;
  readonly workerUrl: string;
}

/** The environment cannot be used as it is; the message lists every problem. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** Reads the settings; throws one SettingsError that lists everything that is wrong. */
export function readSettings(env: NodeJS.ProcessEnv, root: string): Settings {
  const problems: string[] = [];
  const ports = readPorts(env, problems);
  const database = readDatabase(env, problems);
  if (problems.length > 0) throw new SettingsError(problems.join("\n"));
  return { dataFolder: resolve(root, env.POLICY_GUARD_DATA || "var"), ports, database };
}

function readPorts(env: NodeJS.ProcessEnv, problems: string[]): Ports {
  const read = (name: keyof Ports, standard: number): number => {
    const text = env[name] || String(standard);
    const port = Number(text);
    if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
    problems.push(`${name}: "${text}"; expected a port from 1 to 65535`);
    return standard;
  };
  const PORT = read("PORT", 8080);
  const RUNTIME_PORT = read("RUNTIME_PORT", 8081);
  const ports = {
    PORT,
    RUNTIME_PORT,
    MANAGEMENT_PORT: read("MANAGEMENT_PORT", PORT + 1000),
    RUNTIME_MANAGEMENT_PORT: read("RUNTIME_MANAGEMENT_PORT", RUNTIME_PORT + 1000),
    WORKER_MANAGEMENT_PORT: read("WORKER_MANAGEMENT_PORT", PORT + 1002),
  };
  const names = Object.entries(ports);
  for (const [index, [name, port]] of names.entries()) {
    const twin = names.slice(0, index).find(([, other]) => other === port);
    if (twin !== undefined) problems.push(`${twin[0]} and ${name} are both ${port}`);
  }
  return ports;
}

function readDatabase(env: NodeJS.ProcessEnv, problems: string[]): ExternalDatabase | undefined {
  const { DATABASE_URL, DATABASE_MIGRATION_URL, DATABASE_WORKER_URL } = env;
  const given = { DATABASE_URL, DATABASE_MIGRATION_URL, DATABASE_WORKER_URL };
  const missing = Object.entries(given).flatMap(([name, value]) => (value ? [] : [name]));
  if (missing.length === 3) return undefined;
  if (!DATABASE_URL || !DATABASE_MIGRATION_URL || !DATABASE_WORKER_URL) {
    problems.push(`${missing.join(", ")}: unset; a database of your own needs all three logins (docs/operations.md)`);
    return undefined;
  }
  return { applicationUrl: DATABASE_URL, migrationUrl: DATABASE_MIGRATION_URL, workerUrl: DATABASE_WORKER_URL };
}

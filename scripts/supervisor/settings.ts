// What `npm start` reads from the environment.

import { resolve } from "node:path";
import { isPlan, type Plan } from "../../src/domain/billing/plan.ts";
import { isLoopback } from "../../src/kit/net/host.ts";
import { variableProblems } from "./variables.ts";

/** The settings of the supervisor. */
export interface Settings {
  readonly dataFolder: string;
  readonly ports: Ports;
  /** Where control plane and runtime listen. */
  readonly host: string;
  /** Where the management ports listen. */
  readonly managementHost: string;
  /** Whether anybody who reaches the control plane may register. */
  readonly registration: string;
  /** The plan of organizations at their creation. */
  readonly defaultPlan: Plan;
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

/** Reads the settings; throws one error that lists everything that is wrong, in a line each. */
export function readSettings(env: NodeJS.ProcessEnv, root: string): Settings {
  const problems: string[] = [];
  const ports = readPorts(env, problems);
  const database = readDatabase(env, problems);
  problems.push(...variableProblems(env, Object.keys(ports)));
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const host = env.HOST || "127.0.0.1";
  return {
    dataFolder: resolve(root, env.POLICY_GUARD_DATA || "var"),
    ports,
    host,
    managementHost: env.MANAGEMENT_HOST || "127.0.0.1",
    // On one's own machine one tries things; elsewhere strangers would.
    registration: env.POLICY_GUARD_REGISTRATION || (isLoopback(host) ? "open" : "invite_only"),
    defaultPlan: readPlan(env.POLICY_GUARD_DEFAULT_PLAN),
    database,
  };
}

// Another value is among the problems already.
function readPlan(plan = ""): Plan {
  return isPlan(plan) ? plan : "free";
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

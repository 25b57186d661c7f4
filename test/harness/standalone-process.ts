// A runtime as a customer starts it, with a bundle from disk and callers known by the hashes of their tokens: in one process or several.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import { shippedModels } from "../../src/kit/model-file.ts";
import { newToken, tokenDigest } from "../../src/kit/token.ts";
import { signedBundle } from "./bundle.ts";

const main = fileURLToPath(new URL("../../runtime/main.ts", import.meta.url));

/** A runtime under load. */
export interface Standalone {
  readonly url: string;
  readonly token: string;
  /** A measurement, by its name. */
  readonly metric: (name: string) => Promise<number>;
  /** CPU time of all its processes, in seconds. */
  readonly cpuSeconds: () => number;
  /** Resident memory of all its processes, in bytes. */
  readonly residentBytes: () => number;
  readonly stop: () => Promise<void>;
}

/** Starts one with the policy of this source, and resolves when it is ready. */
export async function startStandalone(policy: string, processes = 1): Promise<Standalone> {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-standalone-"));
  const { json, key } = await signedBundle([policy], { models: shippedModels() });
  writeFileSync(join(folder, "bundle.json"), json);
  writeFileSync(join(folder, "key.json"), JSON.stringify(key.publicJwk));
  const token = newToken(CredentialKind.RUNTIME);
  const [port, managementPort] = [await freePort(), await freePort()];
  const child = spawn(
    process.execPath,
    [main, "--bundle", join(folder, "bundle.json"), "--key", join(folder, "key.json")],
    {
      env: {
        PATH: process.env.PATH,
        HOST: "127.0.0.1",
        RUNTIME_PORT: String(port),
        RUNTIME_MANAGEMENT_PORT: String(managementPort),
        RUNTIME_PROCESSES: String(processes),
        POLICY_GUARD_TOKEN_HASHES: tokenDigest(token).toString("hex"),
        POLICY_GUARD_DATA: join(folder, "data"),
        LOG_LEVEL: "warn",
      },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  while (!(await isReady(managementPort))) await sleep(50);
  const pids = () => familyOf(child.pid ?? 0);
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    metric: async (name) => {
      const text = await (await fetch(`http://127.0.0.1:${managementPort}/metrics`)).text();
      const lines = text.split("\n").filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
    },
    cpuSeconds: () => pids().reduce((sum, pid) => sum + cpuSecondsOf(pid), 0),
    residentBytes: () => pids().reduce((sum, pid) => sum + residentBytesOf(pid), 0),
    stop: async () => {
      await ended(child);
      rmSync(folder, { recursive: true });
    },
  };
}

async function isReady(managementPort: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${managementPort}/readyz`)).ok;
  } catch {
    return false; // not listening yet
  }
}

/** A process and those that it started. */
function familyOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(familyOf)];
}

// Clock ticks of proc_pid_stat(5); 100 a second on every Linux that Node runs on.
const ticksPerSecond = 100;

function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function residentBytesOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill();
  });
}

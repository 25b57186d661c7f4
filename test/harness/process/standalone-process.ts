// A runtime as a customer starts it, with a bundle from disk and callers known by the hashes of their tokens: in one
// process or several.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { runtimeNodeOptions } from "../../../runtime/node-option.ts";
import { newToken, tokenDigest } from "../../../src/kit/crypto/token.ts";
import { shippedModels } from "../../../src/kit/process/model-file.ts";
import { signedBundle } from "../bundle.ts";
import { type NodeProcess, startNodeProcess } from "./node-process.ts";

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
  /** What it said when it became ready: ports, process id. */
  readonly facts: NodeProcess["facts"];
  /** Returns the exit code. */
  readonly stop: () => Promise<number | null>;
}

/** Starts one with the policy of this source, and resolves when it is ready. */
export async function startStandalone(policy: string, processes = 1): Promise<Standalone> {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-standalone-"));
  const { json, key } = await signedBundle([policy], { models: shippedModels() });
  writeFileSync(join(folder, "bundle.json"), json);
  writeFileSync(join(folder, "key.json"), JSON.stringify(key.publicJwk));
  const token = newToken(CredentialKind.RUNTIME);
  const runtime = await startNodeProcess({
    script: "runtime/main.ts",
    nodeOptions: runtimeNodeOptions,
    args: ["--bundle", join(folder, "bundle.json"), "--key", join(folder, "key.json")],
    env: {
      HOST: "127.0.0.1",
      RUNTIME_PORT: "0",
      RUNTIME_MANAGEMENT_PORT: "0",
      RUNTIME_PROCESSES: String(processes),
      POLICY_GUARD_TOKEN_HASHES: tokenDigest(token).toString("hex"),
      POLICY_GUARD_DATA: join(folder, "data"),
    },
    readyMessage: "runtime is listening",
  });
  const { port, managementPort } = runtime.facts;
  const pids = () => familyOf(runtime.pid);
  return {
    facts: runtime.facts,
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
      const code = await runtime.stop();
      rmSync(folder, { recursive: true });
      return code;
    },
  };
}

/** The ids of a process and of those that it started. */
export function familyOf(pid: number): number[] {
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

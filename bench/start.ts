// A runtime of its own with a bundle from disk, packed and from its sources: from the start of its process to its first
// answer, and the memory that it holds then and after some thousand evaluations. The first of the starts compiles the
// program, the others take what Node kept of that.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { runtimeNodeOptions } from "../runtime/node-option.ts";
import { packRuntime } from "../scripts/pack/runtime.ts";
import { shippedModels } from "../src/kit/process/model-file.ts";
import { signedBundle } from "../test/harness/bundle.ts";
import { workLoadBodies } from "./load/bodies.ts";
import { workLoadPolicy } from "./load/policy.ts";
import { type Bench, cpuSecondsOf, median, type Row } from "./measure.ts";

const starts = 5;
const evaluations = 4_000;
const sources = fileURLToPath(new URL("../runtime/main.ts", import.meta.url));

interface Start {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly firstMegabytes: number;
  readonly laterMegabytes: number;
}

/** Measures starts of a runtime with the bundle of W. */
export const startBench: Bench = async () => {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-bench-"));
  const { json, key } = await signedBundle([stringify(workLoadPolicy())], { models: shippedModels() });
  writeFileSync(join(folder, "bundle.json"), json);
  writeFileSync(join(folder, "key.json"), JSON.stringify(key.publicJwk));
  try {
    await packRuntime(join(folder, "packed"));
    const packed: Start[] = [];
    const unpacked: Start[] = [];
    for (let i = 0; i < starts; i++) {
      packed.push(await startOnce(folder, join(folder, "packed", "lib", "main.js")));
      unpacked.push(await startOnce(folder, sources));
    }
    return [rowOf("packed", packed), rowOf("from its sources", unpacked)];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

function rowOf(form: string, all: readonly Start[]): Row {
  const middle = (read: (start: Start) => number) => median(all.map(read));
  const [first, later] = [middle((start) => start.firstMegabytes), middle((start) => start.laterMegabytes)];
  const seconds = middle((start) => start.seconds);
  const memory = `${Math.round(first)} MB resident then, ${Math.round(later)} MB after ${evaluations} evaluations`;
  return {
    name: `${form}: cold start to the first answer in ${Math.round(seconds * 1000)} ms; ${memory}`,
    perSecond: 1 / seconds,
    cpuUs: middle((start) => start.cpuSeconds) * 1e6,
  };
}

async function startOnce(folder: string, main: string): Promise<Start> {
  const [port, managementPort] = [await freePort(), await freePort()];
  const startedAtMs = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...runtimeNodeOptions,
      main,
      "--bundle",
      join(folder, "bundle.json"),
      "--key",
      join(folder, "key.json"),
      "--no-auth",
    ],
    {
      env: {
        PATH: process.env.PATH,
        RUNTIME_PORT: String(port),
        RUNTIME_MANAGEMENT_PORT: String(managementPort),
        POLICY_GUARD_DATA: join(folder, "data"),
        LOG_LEVEL: "warn",
      },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  const url = `http://127.0.0.1:${port}/v1/evaluate/input`;
  try {
    const bodies = workLoadBodies();
    while (!(await isAnswered(url, bodies[0] ?? ""))) await sleep(5);
    const seconds = (performance.now() - startedAtMs) / 1000;
    const pid = child.pid ?? 0;
    const cpuSeconds = cpuSecondsOf(pid);
    const firstMegabytes = residentMegabytes(pid);
    for (let i = 0; i < evaluations; i++) await isAnswered(url, bodies[i % bodies.length] ?? "");
    return { seconds, cpuSeconds, firstMegabytes, laterMegabytes: residentMegabytes(pid) };
  } finally {
    await ended(child);
  }
}

async function isAnswered(url: string, body: string): Promise<boolean> {
  try {
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false; // not listening yet
  }
}

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
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

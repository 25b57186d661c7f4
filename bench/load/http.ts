// Load over HTTP on a server in a child process, whose CPU time is counted.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { runtimeNodeOptions } from "../../runtime/node-option.ts";
import { cpuSecondsOf, type Round } from "../measure.ts";

const roundSeconds = 3;
const connections = 32;
/** A runtime closes a connection after 1,000 requests, which autocannon does not heed by itself. */
export const reconnectRate = 500;

/** A server in a child process, and what it said when it was ready. */
export interface BenchServer<Told> {
  readonly child: ChildProcess;
  readonly told: Told;
}

/** Starts bench/server/<name>.ts; a runtime with the options of Node that every runtime has. */
export async function startServer<Told>(name: string, ...args: string[]): Promise<BenchServer<Told>> {
  const execArgv = name === "runtime" ? [...runtimeNodeOptions] : [];
  const child = fork(fileURLToPath(new URL(`../server/${name}.ts`, import.meta.url)), args, { execArgv });
  const [told] = await once(child, "message");
  return { child, told };
}

/** A request. */
export interface LoadRequest {
  readonly method: "GET" | "POST" | "PATCH";
  readonly headers: Record<string, string>;
  readonly body?: string;
}

let sent = 0;

/** A request whose body has another number in the place of `<id>` each time that it is sent. */
export function numbered(
  request: LoadRequest,
): LoadRequest & { readonly setupRequest: <R>(each: R) => R & { readonly body: string } } {
  const parts = (request.body ?? "").split("<id>");
  return { ...request, setupRequest: (each) => ({ ...each, body: parts.join(String(sent++)) }) };
}

/** What is asked for, over and over. */
export interface Load {
  readonly url: string;
  readonly requests: readonly LoadRequest[];
  /** The only status that is no failure. */
  readonly status: number;
}

/** Asks for three seconds over 32 connections. */
export async function underLoad(child: ChildProcess, { url, requests, status }: Load): Promise<Round> {
  const pid = child.pid ?? 0;
  const cpuBefore = cpuSecondsOf(pid);
  const result = await autocannon({
    url,
    connections,
    duration: roundSeconds,
    reconnectRate,
    requests: [...requests],
  });
  const others = Object.entries(result.statusCodeStats ?? {}).filter(([code]) => code !== String(status));
  if (others.length > 0 || result.errors > 0) {
    throw new Error(`${result.errors} calls failed, and answers had the statuses ${others.map(([code]) => code)}`);
  }
  return {
    operations: result.requests.total,
    seconds: result.duration,
    cpuSeconds: cpuSecondsOf(pid) - cpuBefore,
  };
}

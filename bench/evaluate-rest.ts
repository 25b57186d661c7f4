// `POST /v1/evaluate/input` against a bare node:http JSON echo, the same body over and over and 128 different ones.
// Authentication, the policy of W and the spool are on.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import { newToken } from "../src/kit/token.ts";
import { workLoadBodies } from "./load/bodies.ts";
import { type Bench, type Case, cpuSecondsOf, measure, type Round } from "./measure.ts";

const roundSeconds = 3;
const connections = 32;

interface Target {
  readonly child: ChildProcess;
  readonly port: number;
}

/** Measures evaluations over REST. */
export const evaluateRestBench: Bench = async () => {
  const token = newToken(CredentialKind.RUNTIME);
  const echo = await start("echo");
  const runtime = await start("runtime", token);
  const bodies = workLoadBodies();
  const same = bodies.slice(0, 1);
  try {
    return await measure([
      loadCase("echo, same body", echo, token, same),
      loadCase("evaluate, same body", runtime, token, same, "echo, same body"),
      loadCase("echo, 128 bodies", echo, token, bodies),
      loadCase("evaluate, 128 bodies", runtime, token, bodies, "echo, 128 bodies"),
    ]);
  } finally {
    echo.child.kill();
    runtime.child.kill();
  }
};

async function start(name: string, ...args: string[]): Promise<Target> {
  const child = fork(fileURLToPath(new URL(`./server/${name}.ts`, import.meta.url)), args);
  const [port] = await once(child, "message");
  return { child, port };
}

function loadCase(name: string, target: Target, token: string, bodies: readonly string[], against?: string): Case {
  return { name, against, run: () => load(target, token, bodies) };
}

async function load({ child, port }: Target, token: string, bodies: readonly string[]): Promise<Round> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const pid = child.pid ?? 0;
  const cpuBefore = cpuSecondsOf(pid);
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/v1/evaluate/input`,
    connections,
    duration: roundSeconds,
    requests: bodies.map((body) => ({ method: "POST", headers, body })),
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers were no success and ${result.errors} calls failed`);
  }
  return {
    operations: result.requests.total,
    seconds: result.duration,
    cpuSeconds: cpuSecondsOf(pid) - cpuBefore,
  };
}

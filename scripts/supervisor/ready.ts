// Waiting for a part to be ready.

import { setTimeout as sleep } from "node:timers/promises";
import type { Running } from "./child.ts";

const pollMs = 50;
const limitMs = 60_000;

/**
 * Waits until the management port, given as host and port, says ready. Throws when the process ends first, when it
 * takes too long, or on `signal`.
 */
export async function untilReady(
  name: string,
  management: string,
  running: Running,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: (line: string) => void },
): Promise<void> {
  let ending: string | undefined;
  void running.exited.then((how) => {
    ending = how;
  });
  let deadline = performance.now() + limitMs;
  let last = "no answer";
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    if (ending !== undefined) throw new Error(`${name} ended before it was ready (${ending})`);
    const before = last;
    last = await readiness(management);
    if (last === "ready") return;
    if (last.includes('"restored"')) {
      // A person has to say how to go on, for which the database has to run.
      deadline = performance.now() + limitMs;
      if (before !== last) tell(`The database was restored: ${name} waits for npm run operator -- after-restore`);
    }
    await sleep(pollMs);
  }
  throw new Error(`${name} is not ready after ${limitMs / 1000} s: ${last}`);
}

async function readiness(management: string): Promise<string> {
  try {
    const response = await fetch(`http://${management}/readyz`, { signal: AbortSignal.timeout(5_000) });
    const body = await response.text();
    return response.ok ? "ready" : body.trim();
  } catch {
    return "no answer";
  }
}

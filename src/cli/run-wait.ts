// Waits for runs on the server.

import { setTimeout as sleep } from "node:timers/promises";
import { RunState } from "../../gen/policyguard/control/v1/run_pb.ts";
import { refusal } from "./failure.ts";

const pollMs = 500;

/** What every kind of run says of itself. */
interface ServerRun {
  readonly id: string;
  readonly state: RunState;
  readonly finishedAt?: unknown;
  readonly error?: { readonly message: string } | undefined;
}

/** How to wait. */
export interface RunWait {
  /** What callers call it, such as "replay". */
  readonly noun: string;
  readonly seconds: number;
  /** Where it can be read later. */
  readonly path: string;
}

/** The run when it has succeeded. A run that fails, is canceled or takes longer is a failure. */
export async function waitForRun<Run extends ServerRun>(
  read: () => Promise<Run>,
  { noun, seconds, path }: RunWait,
): Promise<Run> {
  const endMs = performance.now() + seconds * 1000;
  for (;;) {
    const run = await read();
    if (run.state === RunState.SUCCEEDED) return run;
    if (run.finishedAt !== undefined) {
      const why = run.error?.message ?? "it was canceled";
      throw refusal(`${noun}_ended`, `the ${noun} ${run.id} has no whole report: ${why}`);
    }
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) {
      const hint = `Wait longer, or read it later: GET ${path}.`;
      throw refusal("not_finished", `the ${noun} ${run.id} still works after ${seconds} s`, { hint });
    }
    await sleep(Math.min(pollMs, leftMs));
  }
}

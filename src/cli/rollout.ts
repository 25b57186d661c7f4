// The progress of an activation: which of the environment's connected runtimes enforce it.

import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { type RuntimeInstance, RuntimeState } from "../../gen/policyguard/control/v1/runtime_instance_pb.ts";
import { integerOf, type Options, type Values } from "./command.ts";
import { type ExitCode, exitCodes } from "./failure.ts";
import { columns, counted, type Output, shown } from "./output.ts";
import { allPages, type Organization } from "./server.ts";

/** The option of commands that gates may refuse, and that put a bundle into force. */
export const waitOption = {
  wait: {
    type: "string",
    value: "SECONDS",
    whenBare: "60",
    help: "Wait for gates, and until every connected runtime enforces it; at most 60 seconds without a value.",
  },
} as const satisfies Options;

const pollMs = 500;

/** Until when a command waits. */
export interface Deadline {
  /** Not above 0 when the time is over. */
  readonly leftMs: () => number;
}

/** Until when to wait, from now on; undefined when that was not asked for. */
export function waitOf({ wait }: Pick<Values<typeof waitOption>, "wait">): Deadline | undefined {
  const seconds = integerOf(wait, "wait", 1);
  if (seconds === undefined) return undefined;
  const endMs = performance.now() + seconds * 1_000;
  return { leftMs: () => endMs - performance.now() };
}

/** An activation in an environment. */
export interface Activation {
  readonly projectId: string;
  readonly envName: string;
  readonly activationSeq: number;
}

/** The connected runtimes of an environment. */
export interface Rollout {
  readonly connected: readonly RuntimeInstance[];
  /** Those that enforce an older activation, or none. */
  readonly lagging: readonly RuntimeInstance[];
}

/** Waits until no connected runtime lags, or the time is over. */
export async function waitForRuntimes(
  server: Organization,
  activation: Activation,
  deadline: Deadline,
): Promise<Rollout> {
  for (;;) {
    const rollout = await rolloutOf(server, activation);
    const leftMs = deadline.leftMs();
    if (rollout.lagging.length === 0 || leftMs <= 0) return rollout;
    await sleep(Math.min(pollMs, leftMs));
  }
}

async function rolloutOf({ runtimes, orgId }: Organization, activation: Activation): Promise<Rollout> {
  const { projectId, envName, activationSeq } = activation;
  const all = await allPages<RuntimeInstance>(async (page) => {
    const { runtimes: items, total } = await runtimes.listRuntimeInstances({ orgId, projectId, envName, ...page });
    return { items, total };
  });
  const connected = all.filter((runtime) => runtime.connected);
  // Somebody else's later activation has replaced ours.
  return { connected, lagging: connected.filter((runtime) => (runtime.activationSeq ?? 0) < activationSeq) };
}

/** Prints the progress. A runtime that lags makes the command fail. */
export function reportRollout({ connected, lagging }: Rollout, envName: string, output: Output): ExitCode {
  if (connected.length === 0) {
    output.line(`no runtime is connected to ${shown(envName)}`);
    return exitCodes.fine;
  }
  const enforcing = connected.length - lagging.length;
  output.line(`enforced by ${enforcing} of ${counted(connected.length, "connected runtime")}`);
  const rows = lagging.map(({ instanceId, bundleVersion, rejection }) => [
    `  ${instanceId}`,
    bundleVersion === undefined ? "no bundle" : `version ${bundleVersion}`,
    rejection === undefined ? "lags" : shown(`rejected the bundle: ${rejection}`),
  ]);
  for (const row of columns(rows)) output.line(row);
  return lagging.length === 0 ? exitCodes.fine : exitCodes.refused;
}

const stateNames: ReadonlyMap<RuntimeState, string> = new Map([
  [RuntimeState.ACTIVE, "active"],
  [RuntimeState.BEHIND, "behind"],
  [RuntimeState.REJECTED, "rejected"],
]);

/** The progress, for programs; null when the command did not wait. */
export function rolloutJson(rollout: Rollout | undefined): JsonObject | null {
  if (rollout === undefined) return null;
  const { connected, lagging } = rollout;
  return {
    connected: connected.length,
    enforcing: connected.length - lagging.length,
    lagging: lagging.map(({ instanceId, softwareVersion, bundleVersion, state, rejection }) => ({
      instance_id: instanceId,
      software_version: softwareVersion,
      bundle_version: bundleVersion ?? null,
      state: stateNames.get(state) ?? "unknown",
      rejection: rejection ?? null,
    })),
  };
}

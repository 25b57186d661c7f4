// What publish, activate and promote share: the output about the bundle, the wait for runtimes, and the error for an
// environment or a version that does not exist.

import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorDetailSchema, Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { type Bundle, BundleState } from "../../gen/policyguard/control/v1/bundle_pb.ts";
import type { Environment } from "../../gen/policyguard/control/v1/environment_pb.ts";
import { integerOf, type Options, type Values } from "./command.ts";
import { type ExitCode, exitCodes, type Failure, refusal } from "./failure.ts";
import { type Output, shown } from "./output.ts";
import { bundleJson } from "./resource-json.ts";
import { type Deadline, reportRollout, rolloutJson, waitForRuntimes } from "./rollout.ts";
import { allPages, type Organization } from "./server.ts";

/** The option of commands that put a bundle into force. */
export const inForceOption = {
  "expected-activation-seq": {
    type: "string",
    value: "N",
    help: "The activation in force there, as `activations list` shows it; 0 for none.",
  },
} as const satisfies Options;

/** The activation that a command expects to be in force; undefined for whichever. */
export function expectedInForce(values: Values<typeof inForceOption>): number | undefined {
  return integerOf(values["expected-activation-seq"], "expected-activation-seq", 0);
}

/** Whether a bundle is in force, as the end of a sentence. */
export function stateText({ state }: Bundle): string {
  if (state === BundleState.ACTIVE) return "active";
  return state === BundleState.SUPERSEDED ? "not active any more" : "not active yet";
}

/**
 * Makes a call that gates may refuse. With a time to wait it is made again while a gate is pending: the server never
 * waits for one.
 */
export async function callThroughGates<T>(
  deadline: Deadline | undefined,
  { output, call }: { readonly output: Output; readonly call: () => Promise<T> },
): Promise<T> {
  for (let said = ""; ; ) {
    try {
      return await call();
    } catch (error) {
      const pending = pendingGates(error);
      const leftMs = deadline?.leftMs() ?? 0;
      if (pending === undefined || leftMs <= 0) throw error;
      const words = pending.names.map(shown).join(", ");
      if (words !== said) output.note(`waiting for ${words}`);
      said = words;
      await sleep(Math.min(pending.retryAfterMs, leftMs));
    }
  }
}

/** The gates that a refused call may wait for: none when it takes a person to go on. */
function pendingGates(error: unknown): { readonly names: string[]; readonly retryAfterMs: number } | undefined {
  const [detail] = ConnectError.from(error).findDetails(ErrorDetailSchema);
  if (detail?.reason !== Reason.GATE_PENDING) return undefined;
  const { gates, retry_after: seconds } = detail.extra ?? {};
  const names = (Array.isArray(gates) ? gates : []).flatMap((gate) => {
    const { gate: name, state } = Object(gate); // an object of the answer
    return state === "pending" ? [String(name)] : [];
  });
  return names.length === 0 ? undefined : { names, retryAfterMs: 1_000 * (typeof seconds === "number" ? seconds : 1) };
}

/**
 * Ends a command that may have put a bundle into force: waits for runtimes if that was asked for, and prints the JSON.
 */
export async function finishRelease(
  server: Organization,
  bundle: Bundle,
  { deadline, output }: { readonly deadline: Deadline | undefined; readonly output: Output },
): Promise<ExitCode> {
  const { projectId, environment: envName, activationSeq = 0 } = bundle;
  const isWaited = deadline !== undefined && bundle.state === BundleState.ACTIVE;
  const rollout = isWaited ? await waitForRuntimes(server, { projectId, envName, activationSeq }, deadline) : undefined;
  const code = rollout === undefined ? exitCodes.fine : reportRollout(rollout, envName, output);
  output.json({ ...bundleJson(bundle), runtimes: rolloutJson(rollout) });
  return code;
}

/** The resources that a call names. */
export interface Named {
  readonly projectId: string;
  /** The environment that has the version comes first. */
  readonly environments: readonly string[];
  readonly version?: number | undefined;
}

/** Makes the call. When the server does not find a resource that it names, the failure says which ones exist. */
export async function callNaming<T>(server: Organization, named: Named, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (ConnectError.from(error).code !== Code.NotFound) throw error;
    throw (await missing(server, named)) ?? error;
  }
}

async function missing(server: Organization, named: Named): Promise<Failure | undefined> {
  const { projectId, environments, version } = named;
  const names = await environmentNames(server, projectId);
  if (names === undefined) return undefined;
  const unknown = environments.find((name) => !names.includes(name));
  if (unknown !== undefined) return notThere(`the project has no environment "${unknown}"`, names);
  const [envName] = environments;
  if (version === undefined || envName === undefined) return undefined;
  const { bundles } = await server.bundles.listBundles({
    orgId: server.orgId,
    projectId,
    envName,
    limit: shownVersions,
  });
  const versions = bundles.map((bundle) => String(bundle.version));
  if (versions.includes(String(version))) return undefined;
  return notThere(`${envName} has no version ${version}`, versions, "Newest versions");
}

const shownVersions = 10;

function notThere(message: string, names: readonly string[], label = "There are"): Failure {
  const hint = names.length === 0 ? "There are none yet." : `${label}: ${names.map(shown).join(", ")}.`;
  return refusal("not_found", message, { hint });
}

/** Undefined when there is no such project. */
async function environmentNames(
  { environments, orgId }: Organization,
  projectId: string,
): Promise<string[] | undefined> {
  try {
    const all = await allPages<Environment>(async (page) => {
      const { environments: items, total } = await environments.listEnvironments({ orgId, projectId, ...page });
      return { items, total };
    });
    return all.map(({ name }) => name);
  } catch (error) {
    if (ConnectError.from(error).code === Code.NotFound) return undefined;
    throw error;
  }
}

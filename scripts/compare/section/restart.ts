// The data folder of one version under the other, and runtimes of one version at the control plane of the other: what
// they answer has to be what the version itself answered.

import { call, demand, until } from "../call.ts";
import { uuidOf } from "../input/random.ts";
import type { Agents } from "../input/requests.ts";
import { at, listAt, textAt } from "../json.ts";
import type { Checkout } from "../process/checkout.ts";
import { type Runtime, startRuntime } from "../process/runtime.ts";
import type { Recording } from "../recording.ts";
import type { World } from "../world.ts";
import { answered, recordBatches } from "./evaluations.ts";

/** What is asked of a world beside what was asked of it before. */
export interface Probe {
  readonly texts: readonly string[];
  readonly agents: Agents;
  readonly folder: string;
}

/**
 * Starts a runtime of a checkout at the world's control plane: it enrols, fetches the bundle, evaluates, and its
 * evaluations arrive.
 */
export async function recordPairing(
  world: World,
  checkout: Checkout,
  { name, probe }: { readonly name: string; readonly probe: Probe },
  recording: Recording,
): Promise<void> {
  const { facts } = world.installation;
  const runtime = await startRuntime({
    checkout,
    dataFolder: `${probe.folder}/${name}`,
    controlPlaneUrl: facts.base_url,
    token: world.runtimeToken,
  });
  try {
    await runtime.enforces(world.bundleVersion);
    await recordProbe(world, runtime, { name, probe }, recording);
  } finally {
    await runtime.stop();
  }
}

/** Evaluates the texts under the name, waits for the trace of the last one, and reads what the control plane has. */
export async function recordProbe(
  world: World,
  runtime: Runtime,
  { name, probe }: { readonly name: string; readonly probe: Probe },
  recording: Recording,
): Promise<void> {
  await recordBatches(runtime, probe.texts, probe.agents, recording, name);
  const { orgUrl, facts } = world.installation;
  const token = facts.admin_token;
  const last = uuidOf(`${name} ${probe.texts.length - 1}`);
  const trace = await until(`the trace of ${name}`, 120_000, async () => {
    const answer = await call(`${orgUrl}/traces/${last}`, { token });
    return answer.status === 200 ? answer : undefined;
  });
  recording.add("reported", "last trace", answered(trace));
}

/** What an installation knows of the past: bundles, policies, traces, evidence. */
export async function recordPast(world: World, traces: readonly string[], recording: Recording): Promise<void> {
  const { orgUrl, facts } = world.installation;
  const token = facts.admin_token;
  const read = async (name: string, path: string) =>
    recording.add("past", name, answered(await call(`${orgUrl}/${path}`, { token })));
  await read("bundles", `projects/${world.projectId}/envs/${world.environment}/bundles`);
  await read("bundle", `projects/${world.projectId}/envs/${world.environment}/bundles/${world.bundleVersion}`);
  await read("policies", "policies?limit=200");
  await read("lists", "lists");
  await read("schemas", "schemas");
  await read("tokens", "tokens");
  await read("projects", "projects");
  await read("evidence", "evidence/0");
  for (const name of traces) await read(`trace ${name}`, `traces/${uuidOf(name)}`);
  const { body } = await call(`${orgUrl}/evidence?limit=1`, { token });
  recording.add("past", "newest evidence is readable", listAt(body, "evidence").length);
}

/** Which bundle the runtime enforces, as it says itself. */
export async function recordEnforced(runtime: Runtime, recording: Recording): Promise<void> {
  const body = await demand(`${runtime.url}/v1/evaluate/bundle`, { token: runtime.token });
  const { version, digest } = { version: at(body, "bundle", "version"), digest: textAt(body, "bundle", "digest") };
  recording.add("enforced", "bundle", { version: version ?? null, hasDigest: digest !== "" });
  recording.add("enforced", "policies", listAt(body, "policies").length);
}

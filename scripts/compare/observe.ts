// Everything that one version does, recorded.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { randomOf, shuffled } from "./input/random.ts";
import type { Agents } from "./input/requests.ts";
import { isObject, type Json, parsed } from "./json.ts";
import type { Checkout } from "./process/checkout.ts";
import { type Installation, startInstallation } from "./process/installation.ts";
import { type Runtime, startRuntime } from "./process/runtime.ts";
import { Recording } from "./recording.ts";
import { recordBundle } from "./section/bundle.ts";
import { recordCommandLine } from "./section/command-line.ts";
import { recordContract } from "./section/contract.ts";
import { recordDatabase } from "./section/database.ts";
import { recordEvaluations } from "./section/evaluations.ts";
import { recordLogKeys, recordMetrics } from "./section/observed.ts";
import { recordPolicies } from "./section/policies.ts";
import { recordEnforced, recordPairing, recordPast, recordProbe } from "./section/restart.ts";
import { recordSessions } from "./section/sessions.ts";
import { recordStreams } from "./section/streams.ts";
import { recordEvidence, recordTraces, recordUsage } from "./section/traces.ts";
import type { Sizes } from "./sizes.ts";
import { makeWorld, type World, type WorldInput } from "./world.ts";

/** What both versions get. */
export interface Input {
  readonly world: WorldInput;
  readonly texts: readonly string[];
  readonly agents: Agents;
  readonly sizes: Sizes;
  readonly hasMessages: boolean;
}

/** What is left of a version when its own installation has ended. */
export interface Observed {
  readonly checkout: Checkout;
  readonly recording: Recording;
  /** The other version's runtime at this control plane. */
  readonly pairing: Recording;
  /** What the installation knew at its end. */
  readonly past: Recording;
  readonly dataFolder: string;
  readonly runtimeFolder: string;
  readonly world: World;
  readonly traces: readonly string[];
}

/** How an observation goes on, for the person who waits. */
export type Tell = (step: string) => void;

/** Plays everything on an installation of a version, and the other version's runtime at it. */
export async function observe(
  checkout: Checkout,
  other: Checkout,
  { input, folder, tell }: { readonly input: Input; readonly folder: string; readonly tell: Tell },
): Promise<Observed> {
  const { label } = checkout;
  const recording = new Recording(join(folder, label), input);
  const pairing = new Recording(join(folder, `${label}-with-${other.label}`), input);
  const past = new Recording(join(folder, `${label}-past`), { ...input, isSameData: true });
  const dataFolder = join(folder, `${label}-data`);
  const runtimeFolder = join(folder, `${label}-runtime`);
  recording.places = [
    [checkout.root, "<checkout>"],
    [folder, "<folder>"],
    [dataFolder, "<data>"],
  ];
  const installation = await startInstallation(checkout, dataFolder);
  try {
    tell("policies and their bundle");
    const world = await makeWorld(installation, input.world, recording);
    pairing.places = recording.places;
    const controlPlaneUrl = installation.facts.base_url;
    const runtime = await startRuntime({
      checkout,
      dataFolder: runtimeFolder,
      controlPlaneUrl,
      token: world.runtimeToken,
    });
    try {
      await runtime.enforces(world.bundleVersion);
      await recordAll({ installation, world, runtime, input, folder: join(folder, `${label}-files`), tell }, recording);
      const traces = tracedNames(recording, input.sizes.traces);
      tell("traces");
      await recordTraces(world, traces, recording);
      tell("the other version's runtime");
      const probe = { texts: input.texts.slice(0, input.sizes.probes), agents: input.agents, folder };
      await recordPairing(world, other, { name: `${label}-with-${other.label}`, probe }, pairing);
      await recordPast(world, traces.slice(0, 50), past);
      await recordEnforced(runtime, past);
      recordLogKeys(installation, runtime, recording);
      return { checkout, recording, pairing, past, dataFolder, runtimeFolder, world, traces };
    } finally {
      await runtime.stop();
    }
  } finally {
    await installation.stop();
  }
}

interface Playing {
  readonly installation: Installation;
  readonly world: World;
  readonly runtime: Runtime;
  readonly input: Input;
  readonly folder: string;
  readonly tell: Tell;
}

async function recordAll({ installation, world, runtime, input, folder, tell }: Playing, recording: Recording) {
  const { texts, agents, sizes } = input;
  const { documents } = input.world;
  tell("bundle, contract, database");
  await recordBundle(installation.facts.base_url, runtime.token, recording);
  await recordContract(installation, runtime, recording);
  await recordDatabase(installation, recording);
  tell("evaluations");
  await recordEvaluations(runtime, texts, agents, recording);
  tell("sessions");
  await recordSessions(runtime, texts, { agents, count: sizes.sessions }, recording);
  tell("streams");
  await recordStreams(runtime, texts, { agents, count: sizes.streams }, recording);
  tell("policies: problems, tests, differences, explanations");
  await recordPolicies(world, { documents, texts, sizes }, recording);
  tell("commands");
  await recordCommandLine(world, { documents, folder, hasMessages: input.hasMessages }, recording);
  await recordEvidence(world, recording);
  await recordUsage(world, recording);
  await recordMetrics(installation, runtime, recording);
}

/** Some of the evaluations that were decided, and so have a trace. */
function tracedNames(recording: Recording, count: number): string[] {
  // Answers come in the order in which they are ready.
  const names = shuffled(randomOf("traces"), [...recording.entries("evaluations").keys()].toSorted()).slice(
    0,
    2 * count,
  );
  const decided = [...recording.read("evaluations", names)].filter(([, text]) => {
    const value: Json = parsed(text);
    return isObject(value) && typeof value.outcome === "string";
  });
  return decided.map(([name]) => `evaluations ${name}`).slice(0, count);
}

/** Starts the other version on the data folders that are left, and records what it knows and does. */
export async function reopen(
  { recording, dataFolder, runtimeFolder, world, traces }: Observed,
  checkout: Checkout,
  { input, folder, tell }: { readonly input: Input; readonly folder: string; readonly tell: Tell },
): Promise<{ readonly past: Recording; readonly probe: Recording }> {
  const past = new Recording(join(folder, `${checkout.label}-reopened-past`), { ...input, isSameData: true });
  const probe = new Recording(join(folder, `${checkout.label}-reopened`), input);
  probe.places = recording.places;
  tell("on the data folder of the other version");
  const installation = await startInstallation(checkout, dataFolder);
  try {
    const reopened = { ...world, installation };
    const controlPlaneUrl = installation.facts.base_url;
    const runtime = await startRuntime({
      checkout,
      dataFolder: runtimeFolder,
      controlPlaneUrl,
      token: world.runtimeToken,
    });
    try {
      await runtime.enforces(world.bundleVersion);
      await recordPast(reopened, traces.slice(0, 50), past);
      await recordEnforced(runtime, past);
      const texts = input.texts.slice(0, input.sizes.probes);
      await recordProbe(reopened, runtime, { name: "reopened", probe: { texts, agents: input.agents, folder } }, probe);
    } finally {
      await runtime.stop();
    }
  } finally {
    await installation.stop();
  }
  return { past, probe };
}

/** Removes the data folders; what was recorded stays. */
export function removeData(observed: readonly Observed[]): void {
  for (const { dataFolder, runtimeFolder } of observed) {
    rmSync(dataFolder, { recursive: true, force: true });
    rmSync(runtimeFolder, { recursive: true, force: true });
  }
}

// The operator's settings for models: MODEL_FOLDER and MODEL_THREADS.

import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { addonMissing, isAddonInstalled } from "./addon.ts";

/** The variables that matter here. */
export interface ModelVariables {
  readonly modelFolder?: string | undefined;
  readonly modelThreads?: number | undefined;
  readonly processes: number;
}

/** What a host of models needs. */
export interface ModelHostSettings {
  readonly folder: string;
  readonly threads: number;
}

/**
 * The settings of the host of models; undefined for a runtime without models. Throws an error for the operator when they
 * are not valid, or when the add-on is not installed.
 */
export function readModelSettings({
  modelFolder,
  modelThreads,
  processes,
}: ModelVariables): ModelHostSettings | undefined {
  if (modelFolder === undefined) return undefined;
  if (!statSync(modelFolder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`MODEL_FOLDER: ${modelFolder} is no folder; expected one with a folder for each model`);
  if (!isAddonInstalled()) throw new Error(`MODEL_FOLDER is set, and ${addonMissing}`);
  // Evaluations keep their cores.
  return { folder: modelFolder, threads: modelThreads ?? Math.max(1, availableParallelism() - processes) };
}

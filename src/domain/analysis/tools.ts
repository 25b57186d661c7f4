// Data that the jobs of analysis use besides their input. It ships with the product and is read in the process that
// runs the job.

import type { PackLibrary } from "../../../runtime/engine/authoring/pack/library.ts";
import { packSource } from "../../../runtime/engine/authoring/pack/source.ts";
import type { Models } from "../../../runtime/engine/detectors/detector-plan.ts";
import type { PackSource } from "../../../runtime/engine/policy/extend.ts";
import { shippedModels } from "../../kit/process/model-file.ts";
import { shippedPacks } from "./shipped-packs.ts";

/** The tools of a job. */
export interface Tools {
  /** The packs that policies may extend. */
  readonly packs: PackSource;
  /** The packs that may be applied. */
  readonly library: () => PackLibrary;
  /** Weights of the detectors' models. */
  readonly models: Models;
  /** Names the step that begins, so that an error can say which step took too long. */
  readonly enter: (phase: string) => void;
}

/** The tools that ship with the product. The packs are read when a job first needs one. */
export function productTools(): Omit<Tools, "enter"> {
  let source: PackSource | undefined;
  return {
    library: shippedPacks,
    packs: (reference) => {
      source ??= packSource(shippedPacks());
      return source(reference);
    },
    models: shippedModels(),
  };
}

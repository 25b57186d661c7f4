// Runs the jobs of analysis on the caller's own thread, without limits: for documents of the product itself, and for
// tests of the code around them.

import type { PackSource } from "../../../runtime/engine/policy/extend.ts";
import type { Analysis } from "./analysis.ts";
import { type JobInput, type JobName, type JobOutput, jobs } from "./jobs.ts";
import { productTools, type Tools } from "./tools.ts";

/** Runs the jobs on this thread. `packs` replace those that ship with the product. */
export function ownAnalysis({ packs }: { readonly packs?: PackSource } = {}): Analysis {
  const product = productTools();
  const tools: Tools = { ...product, packs: packs ?? product.packs, enter: () => undefined };
  return {
    async run<Name extends JobName>(name: Name, input: JobInput<Name>) {
      // A union of functions takes no union of inputs; the name pairs them.
      const job = jobs[name] as unknown as (input: JobInput<Name>, tools: Tools) => JobOutput<Name>;
      return job(input, tools);
    },
  };
}

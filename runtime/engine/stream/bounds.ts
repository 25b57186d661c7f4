// Which detectors streams can follow: those that say of everything written as code what is settled (`open` in plan.ts). The others are
// judged at the end of a text.

import { reads } from "../normalize.ts";
import type { Plan } from "../plan.ts";

const planKeys: ReadonlySet<string> = new Set([
  ...["reads", "phrases", "patterns", "triggers", "sweeps", "window", "settle"],
]);

/** The plan of a detector as streams use it; undefined when a stream cannot follow it. */
export function streamPlan(plan: Plan): Plan | undefined {
  if (Object.keys(plan).some((key) => !planKeys.has(key))) return undefined;
  // Whether something is a disguise shows in parts of the text that are longer than a stream should hold back.
  if ((plan.reads & reads.disguised) !== 0) return undefined;
  if (plan.patterns.some(({ pattern }) => pattern.gates.length === 0 && pattern.dfa === undefined)) return undefined;
  return [...plan.triggers, ...plan.sweeps].some(({ open }) => open === undefined) ? undefined : plan;
}

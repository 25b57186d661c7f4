// Which detectors streams can follow: those that say of everything written as code what is settled (`open` in plan.ts). The others are
// judged at the end of a text.

import type { DetectorDefinition } from "../detector.ts";
import { reads } from "../normalize.ts";
import type { Plan } from "../plan.ts";

const planKeys: ReadonlySet<string> = new Set([
  ...["reads", "phrases", "patterns", "triggers", "sweeps", "window", "settle"],
]);

/** What is told of a detector that has a backend. */
export const asksBackend = "asks a detector backend, which sees the whole text";

/** Why a stream cannot follow a detector, as the end of a sentence about it; undefined when it can. */
export function unfollowable({ scope, costClass }: DetectorDefinition, plan: Plan): string | undefined {
  if (costClass === "backend") return asksBackend;
  if (scope === "whole") return "is about the text as a whole";
  // Whether something is a disguise shows in parts of the text that are longer than a stream should hold back.
  if ((plan.reads & reads.disguised) !== 0)
    return "looks behind disguises, which show in the whole text only; with disguises: false it follows a stream";
  if (plan.patterns.some(({ pattern }) => pattern.gates.length === 0 && pattern.dfa === undefined))
    return "has a pattern that is too large to be followed";
  const isCovered = Object.keys(plan).every((key) => planKeys.has(key));
  return isCovered && [...plan.triggers, ...plan.sweeps].every(({ open }) => open !== undefined)
    ? undefined
    : "finds things of no bounded length; without them it follows a stream";
}

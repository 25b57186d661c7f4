// Decides which detectors a stream can follow: those whose triggers and sweeps all have an `open` function
// (detector-plan.ts), which says up to where their findings are settled. The others are judged at the end of the text.

import type { DetectorDefinition } from "../detectors/detector.ts";
import type { Plan } from "../detectors/detector-plan.ts";
import { reads } from "../text/normalize.ts";

const planKeys: ReadonlySet<string> = new Set([
  ...["reads", "phrases", "patterns", "triggers", "sweeps", "window", "settle", "settleFaint"],
]);

/** Why a stream cannot follow a detector with a backend. */
export const asksBackend = "asks a detector backend, which sees the whole text";

/** Why a stream cannot follow a detector, as the end of a sentence about it; undefined when it can. */
export function unfollowable({ scope, costClass }: DetectorDefinition, plan: Plan): string | undefined {
  if (costClass === "backend") return asksBackend;
  if (scope === "whole") return "is about the text as a whole";
  // Recognizing an obfuscation takes longer parts of the text than a stream should hold back.
  if ((plan.reads & reads.obfuscated) !== 0)
    return "needs the whole text, since it looks behind disguises; set disguises: false to stream";
  if (plan.patterns.some(({ pattern }) => pattern.requiredLiterals.length === 0 && pattern.dfa === undefined))
    return "has a pattern that is too large to be followed";
  const isCovered = Object.keys(plan).every((key) => planKeys.has(key));
  return isCovered && [...plan.triggers, ...plan.sweeps].every(({ open }) => open !== undefined)
    ? undefined
    : "looks for things of unlimited length; without them it can follow a stream";
}

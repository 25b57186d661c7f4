// The rules of a bundle as its runtimes have them, those of packs included.

import { type BundleTarget, judgeOf } from "./replay-trace.ts";
import type { Tools } from "./tools.ts";

/** A rule of a policy, as findings name it. */
export interface RuleInForce {
  readonly policyId: string;
  readonly policy: string;
  readonly ruleId: string;
  /** What its findings may name as their detector. */
  readonly detectors: readonly string[];
  /** Its pack forbids to weaken it. */
  readonly isLocked: boolean;
  /** It is written as one that enforces nothing, now or later. */
  readonly isOff: boolean;
}

/** The rules of all policies of the bundle that apply in the environment. */
export function rulesInForce(target: BundleTarget, tools: Tools): readonly RuleInForce[] {
  return judgeOf(target, tools).engine.rules;
}

// Roll-out: a rule takes effect for a stable share of sessions, users, agents or requests.

import { createHash } from "node:crypto";
import { Mode } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { CompiledRule } from "./compiled-policy.ts";

/**
 * The mode of a rule at a point in time: the written mode until its shadow ends, then the mode that follows; shadow
 * while an override demotes it.
 */
export function modeAt(
  { mode, shadowEnd, demotedUntilMs = 0 }: Pick<CompiledRule, "mode" | "shadowEnd" | "demotedUntilMs">,
  nowMs: number,
): Mode {
  const written = shadowEnd === undefined || nowMs < shadowEnd.atMs ? mode : shadowEnd.becomes;
  return written === Mode.ENFORCE && nowMs < demotedUntilMs ? Mode.SHADOW : written;
}

/** True for `percent` of all values, always the same values for a rule. */
export function isInRollout(ruleId: string, value: string, percent: number): boolean {
  return isBelow(rolloutPosition(ruleId, value), percent);
}

/** The place of a value among all values, from 0 to 2^48. */
export function rolloutPosition(ruleId: string, value: string): number {
  return createHash("sha256").update(`${ruleId}\u0000${value}`).digest().readUIntBE(0, 6);
}

/** Whether a roll-out to `percent` reaches a place. */
export function isBelow(position: number, percent: number): boolean {
  return (position / 2 ** 48) * 100 < percent;
}

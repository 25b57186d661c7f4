// Roll-out: a rule takes effect for a stable share of sessions, users, agents or requests.

import { createHash } from "node:crypto";

/** True for `percent` of all values, always the same ones for a rule. */
export function isInRollout(ruleId: string, value: string, percent: number): boolean {
  const digest = createHash("sha256").update(`${ruleId}\u0000${value}`).digest();
  return (digest.readUIntBE(0, 6) / 2 ** 48) * 100 < percent;
}

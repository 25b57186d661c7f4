// Edges of growing texts for findings of triggers (see `OpenEdge`).

import type { OpenEdge, Trigger } from "./detector-plan.ts";

const space = Uint8Array.from({ length: 65_536 }, (_, unit) => (/\s/.test(String.fromCharCode(unit)) ? 1 : 0));

/**
 * For findings without white space: the last run without white space is open, as far back as a finding of maximum
 * length reaches, and with it the `maxUnitsBefore` units before it in which a trigger's literal may stand.
 */
export function openRun(maxLength: number, maxUnitsBefore = 0): OpenEdge {
  return (text, from, seen = 0) => {
    const least = Math.max(from, seen, text.length - maxLength);
    let at = text.length;
    while (at > least && space[text.charCodeAt(at - 1)] !== 1) at--;
    // A run that continues keeps its start, which is at most `maxUnitsBefore` units after `from`.
    if (at === seen) at = Math.min(at, Math.max(from, text.length - maxLength));
    return Math.max(from, at - maxUnitsBefore);
  };
}

/** For findings that depend on a fixed number of units after their start. */
export function openTail(reach: number): OpenEdge {
  return (text, from) => Math.min(text.length, Math.max(from, text.length - reach));
}

/** The triggers with the same edge. For `maxUnitsBefore` see detector-plan.ts. */
export function withEdge(triggers: readonly Trigger[], open: OpenEdge, maxUnitsBefore?: number): Trigger[] {
  return triggers.map((trigger) => ({ ...trigger, open, ...(maxUnitsBefore !== undefined && { maxUnitsBefore }) }));
}

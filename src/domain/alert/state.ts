// The states of one group of a rule, minute by minute: a pure function, so that a preview and the job are the same. The
// words are those of Prometheus and Grafana: a value beyond the threshold makes the group pending for `forMinutes` and
// then firing; one on the quiet side of the recovery threshold makes it recovering for `keepFiringMinutes` and then ok.

import type { AlertNoData, AlertOperator, GroupState } from "../../store/alert/alert-rule.ts";

const minuteMs = 60_000;

/** What a rule says about states. */
export interface StateRule {
  readonly operator: AlertOperator;
  readonly threshold: number;
  readonly recoveryThreshold?: number | null | undefined;
  readonly forMinutes: number;
  readonly keepFiringMinutes: number;
  readonly noData: AlertNoData;
}

/** The state of a group. */
export interface Standing {
  readonly state: GroupState;
  /** End of the window with which it began. */
  readonly sinceMs: number;
}

/** The state before anything was compared. */
export const quiet: Standing = { state: "ok", sinceMs: 0 };

/** Whether an alert is open in this state. */
export function isOpen(state: GroupState): boolean {
  return state === "firing" || state === "recovering";
}

/** The state after a window that ended at this moment and had this value; undefined for none. */
export function nextStanding(rule: StateRule, before: Standing, atMs: number, value: number | undefined): Standing {
  if (value === undefined && rule.noData === "keep") return withoutValue(before, atMs);
  const isBeyond = value === undefined ? rule.noData === "fire" : compares(rule.operator, value, rule.threshold);
  const isLoud =
    value === undefined ? isBeyond : compares(rule.operator, value, rule.recoveryThreshold ?? rule.threshold);
  const lastedMinutes = (atMs - before.sinceMs) / minuteMs;
  switch (before.state) {
    case "ok":
    case "no_data":
      if (isBeyond) return { state: rule.forMinutes === 0 ? "firing" : "pending", sinceMs: atMs };
      return before.state === "ok" ? before : { state: "ok", sinceMs: atMs };
    case "pending":
      if (!isBeyond) return { state: "ok", sinceMs: atMs };
      return lastedMinutes >= rule.forMinutes ? { state: "firing", sinceMs: atMs } : before;
    case "firing":
      if (isLoud) return before;
      return { state: rule.keepFiringMinutes === 0 ? "ok" : "recovering", sinceMs: atMs };
    case "recovering":
      if (isLoud) return { state: "firing", sinceMs: atMs };
      return lastedMinutes >= rule.keepFiringMinutes ? { state: "ok", sinceMs: atMs } : before;
  }
}

// What was under way stays as it is.
function withoutValue(before: Standing, atMs: number): Standing {
  return before.state === "ok" ? { state: "no_data", sinceMs: atMs } : before;
}

function compares(operator: AlertOperator, value: number, limit: number): boolean {
  switch (operator) {
    case "gt":
      return value > limit;
    case "gte":
      return value >= limit;
    case "lt":
      return value < limit;
    case "lte":
      return value <= limit;
  }
}

/** Whether a recovery threshold lies on the quiet side of the threshold, or is equal to it. */
export function isOnQuietSide(operator: AlertOperator, threshold: number, recovery: number): boolean {
  return operator === "gt" || operator === "gte" ? recovery <= threshold : recovery >= threshold;
}

/** Whether a value from 0 to `max` can be beyond the limit, and whether one can be on its quiet side. */
export function reachOf(operator: AlertOperator, limit: number, max: number): { canFire: boolean; canRest: boolean } {
  const beyond = [0, max].map((value) => compares(operator, value, limit));
  return { canFire: beyond.includes(true), canRest: beyond.includes(false) };
}

/** Of two values the one that is further beyond the threshold. */
export function furtherBeyond(operator: AlertOperator, one: number | null, other: number | undefined): number | null {
  if (one === null || other === undefined) return one ?? other ?? null;
  return operator === "gt" || operator === "gte" ? Math.max(one, other) : Math.min(one, other);
}

const urgency: readonly GroupState[] = ["ok", "no_data", "pending", "recovering", "firing"];

/** The more urgent of two states. */
export function moreUrgent(one: GroupState, other: GroupState): GroupState {
  return urgency.indexOf(one) >= urgency.indexOf(other) ? one : other;
}

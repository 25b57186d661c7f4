// Matches of rules: which of them take effect, and in what order they count.

import { type FailMode, type Mode, Outcome, type Severity } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { BackendFailure, BackendLimit } from "../backend/backend.ts";
import type { ConditionFailure } from "../policy/condition-guard.ts";
import type { CompiledPolicy, CompiledRule } from "../policy-plan/compiled-policy.ts";
import type { Joinable, Truth } from "./truth.ts";

/**
 * One rule that accepted one detection. Offsets are UTF-16 code units of the segment's text: in "a😀b", "b" starts at
 * 3.
 */
export interface Match<D extends Joinable<D> = never> {
  /** Whether the rule matches here at all; in an evaluation always true. */
  readonly isThere: Truth<D>;
  /**
   * Whether the match takes effect where it is there: its rule is enforced and rolled out, and no exemption covers it.
   */
  readonly takesEffect: Truth<D>;
  readonly policy: CompiledPolicy;
  readonly rule: CompiledRule;
  /** Index of the segment in the request. */
  readonly segment: number;
  readonly detector: string;
  readonly category: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  readonly threshold: number;
  readonly layer: string;
  /** "enforce" or "shadow", after the roll-out was applied. */
  readonly mode: Mode;
  readonly severity: Severity;
  readonly exemptedBy: string | undefined;
}

/** The detector that a match of a rule without detectors names. */
export const conditionName = "condition";

/**
 * Why a detector's finding nothing says nothing: its backend failed or read a part of the text, or it does not know the
 * language of the text.
 */
export type Silence = BackendFailure | BackendLimit | "unsupported_language";

/** A detector or rule that could not be judged. */
export interface Gap {
  readonly detector: string;
  readonly reason: ConditionFailure | "condition_limit" | "session_unknown" | Silence;
  readonly onError: FailMode;
}

/** The matches of a request, and what could not be judged. */
export interface Decision<D extends Joinable<D> = never> {
  readonly matches: readonly Match<D>[];
  readonly gaps: readonly Gap[];
}

/** True when the match takes effect: it is enforced and not exempted. */
export function isEnforced({ takesEffect }: Match): boolean {
  return takesEffect;
}

/** The strictest action among matches; ALLOW when there are none. */
export function strictest(matches: readonly Match[]): Outcome {
  return matches.reduce<Outcome>((outcome, { rule }) => (rule.action > outcome ? rule.action : outcome), Outcome.ALLOW);
}

/** The match that decides an outcome: highest severity first, then policy by name, then rule by its position. */
export function decidingMatch(matches: readonly Match[], outcome: Outcome): Match | undefined {
  if (outcome === Outcome.ALLOW) return undefined;
  return matches.filter((match) => isEnforced(match) && match.rule.action === outcome).sort(byWeight)[0];
}

function byWeight(a: Match, b: Match): number {
  return b.severity - a.severity || compare(a.policy.name, b.policy.name) || a.rule.index - b.rule.index;
}

type Placed = Pick<Match, "segment" | "start" | "end" | "policy" | "rule" | "detector" | "category">;

/** The order of matches: by position in the text, then by policy, rule, detector and category. */
export function byPosition(a: Placed, b: Placed): number {
  return (
    a.segment - b.segment ||
    a.start - b.start ||
    a.end - b.end ||
    compare(a.policy.name, b.policy.name) ||
    a.rule.index - b.rule.index ||
    compare(a.detector, b.detector) ||
    compare(a.category, b.category)
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

// What rules made of detections: matches, which of them take effect, and in what order they count.

import { type FailMode, Mode, Outcome, type Severity } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { BackendFailure } from "./backend.ts";
import type { CompiledPolicy, CompiledRule } from "./compiled-policy.ts";

/** What one rule made of one detection. Offsets are UTF-16 code units of the piece. */
export interface Match {
  readonly policy: CompiledPolicy;
  readonly rule: CompiledRule;
  /** Position of the piece in the request. */
  readonly piece: number;
  readonly detector: string;
  readonly category: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  readonly threshold: number;
  readonly layer: string;
  /** "enforce" or "shadow", after roll-out. */
  readonly mode: Mode;
  readonly severity: Severity;
  readonly exemptedBy: string | undefined;
}

/** Something that could not be judged. */
export interface Gap {
  readonly detector: string;
  readonly reason: "timeout" | "condition_error" | "condition_limit" | "session_unknown" | BackendFailure;
  readonly onError: FailMode;
}

/** What the rules made of a request. */
export interface Decision {
  readonly matches: readonly Match[];
  readonly gaps: readonly Gap[];
}

/** True when the match takes effect. */
export function isEnforced({ mode, exemptedBy }: Match): boolean {
  return mode === Mode.ENFORCE && exemptedBy === undefined;
}

/** The strictest action among matches. */
export function strictest(matches: readonly Match[]): Outcome {
  return matches.reduce<Outcome>((outcome, { rule }) => (rule.action > outcome ? rule.action : outcome), Outcome.ALLOW);
}

/** The match that decides an outcome: gravest severity, then policy by name, then rule by its place. */
export function decidingMatch(matches: readonly Match[], outcome: Outcome): Match | undefined {
  if (outcome === Outcome.ALLOW) return undefined;
  return matches.filter((match) => isEnforced(match) && match.rule.action === outcome).sort(byWeight)[0];
}

function byWeight(a: Match, b: Match): number {
  return b.severity - a.severity || compare(a.policy.name, b.policy.name) || a.rule.index - b.rule.index;
}

/** The order of matches: by their place, then by policy, rule, detector and category. */
export function byPlace(a: Match, b: Match): number {
  return (
    a.piece - b.piece ||
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

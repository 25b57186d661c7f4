// Decides for which detectors a stream holds text back, and which rules make it wait for the verdict: rules that can
// enforce BLOCK or REDACT, depending on what they read.

import { FailMode, Mode, Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Ask } from "../decide/decide.ts";
import type { Condition } from "../policy/condition.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import type { CompiledExemption, CompiledPolicy, CompiledRule } from "../policy-plan/compiled-policy.ts";
import { isInRollout, modeAt } from "../policy-plan/rollout.ts";
import { matchesGlob } from "../text/glob.ts";

/** Why a rule can be judged only at the end of a text. */
export type VerdictReason =
  | "quorum"
  | "detector"
  | "condition"
  | "exemption"
  | "rollout"
  | "whole_text"
  | "output_schema"
  | "language";

/** A rule that makes a stream wait for the verdict. */
export interface VerdictRule {
  readonly policy: string;
  readonly rule: string;
  readonly reason: VerdictReason;
  /** The detector that is the reason: its name and its key. */
  readonly detector?: { readonly name: string; readonly specKey: string };
}

/** The stages whose texts can be streamed. */
export const streamedStages: readonly Stage[] = [Stage.INPUT, Stage.OUTPUT, Stage.TOOL_RESULT];

/** What a stream has to wait for. */
export interface HoldBacks {
  /** Keys of the detectors whose findings may hold text back. */
  readonly keys: ReadonlySet<string>;
  /** When not empty, nothing is released before the verdict. */
  readonly untilVerdict: readonly VerdictRule[];
}

/** The facts that are known when a stream opens. */
export interface StreamFacts {
  readonly stage: Stage;
  readonly nowMs: number;
  /** Whether a stream can follow a detector. */
  readonly canFollow: (specKey: string) => boolean;
  /**
   * The value by which a roll-out selects requests; undefined when the request does not state it. The function is
   * absent when no request is concerned.
   */
  readonly rolloutValue?: (by: NonNullable<CompiledRule["rollout"]>["by"]) => string | undefined;
  /** Evaluates the conditions of a policy for the text's segment. */
  readonly ask?: (policy: CompiledPolicy) => Ask | undefined;
}

/** Variables that are known before the text. `finding` is known with each finding. */
const early: ReadonlySet<string> = new Set(["request", "subject", "lists", "session", "segment", "finding", "tool"]);
const textOfSegment = /\bsegment\b(?!\s*\.\s*(?:id|role|origin|trust)\b)/;

/** What a stream has to wait for. */
export function holdBacksOf(applicable: readonly Pick<ApplicablePolicy, "policy">[], facts: StreamFacts): HoldBacks {
  const keys = new Set<string>();
  const untilVerdict: VerdictRule[] = [];
  for (const { policy } of applicable) {
    const ask = facts.ask?.(policy);
    for (const rule of policy.rules) {
      if (!canTakeEffect(rule, facts) || isRuledOut(rule, ask)) continue;
      const why = verdictReason(policy, rule, facts);
      if (why === undefined) for (const { specKey } of rule.terms) keys.add(specKey);
      else untilVerdict.push({ policy: policy.name, rule: rule.id, ...why });
    }
  }
  return { keys, untilVerdict };
}

function canTakeEffect(rule: CompiledRule, { stage, nowMs, rolloutValue }: StreamFacts): boolean {
  if (!rule.stages.has(stage) || modeAt(rule, nowMs) !== Mode.ENFORCE) return false;
  if (rule.action !== Outcome.BLOCK && rule.action !== Outcome.REDACT) return false;
  // The text of a stream belongs to no tool call.
  if (rule.when?.reads.has("tool") === true || rule.unless?.reads.has("tool") === true) return false;
  const value = rule.rollout && rolloutValue?.(rule.rollout.by);
  return rule.rollout === undefined || value === undefined || isInRollout(rule.id, value, rule.rollout.percent);
}

// A condition that reads only the request may already exclude the rule.
function isRuledOut({ when, unless }: CompiledRule, ask: Ask | undefined): boolean {
  if (ask === undefined) return false;
  if (when !== undefined && isAboutRequest(when) && ask(when, 0) === false) return true;
  return unless !== undefined && isAboutRequest(unless) && ask(unless, 0) === true;
}

function verdictReason(
  policy: CompiledPolicy,
  rule: CompiledRule,
  facts: StreamFacts,
): Pick<VerdictRule, "reason" | "detector"> | undefined {
  if (rule.terms.length === 0) return { reason: "whole_text" };
  if (rule.atLeast > 1) return { reason: "quorum" };
  const whole = rule.terms.find(({ specKey }) => !facts.canFollow(specKey));
  if (whole !== undefined) return { reason: "detector", detector: { name: whole.detector, specKey: whole.specKey } };
  if (rule.terms.some(({ known }) => known?.onError === FailMode.FAIL_CLOSED)) return { reason: "language" };
  if ([rule.when, rule.unless].some((condition) => condition !== undefined && readsText(condition)))
    return { reason: "condition" };
  if (rule.rollout !== undefined && facts.rolloutValue?.(rule.rollout.by) === undefined && facts.rolloutValue)
    return { reason: "rollout" };
  const isExempted = policy.exemptions.some((exemption) => covers(exemption, rule) && readsText(exemption.when));
  return isExempted ? { reason: "exemption" } : undefined;
}

function covers({ rules, prefix }: CompiledExemption, { id }: CompiledRule): boolean {
  return rules.some((glob) => matchesGlob(glob, id) || matchesGlob(glob, id.slice(prefix.length)));
}

function readsText({ reads, source }: Condition): boolean {
  return [...reads].some((name) => !early.has(name)) || (reads.has("segment") && textOfSegment.test(source));
}

function isAboutRequest(condition: Condition): boolean {
  return !condition.reads.has("finding") && !readsText(condition);
}

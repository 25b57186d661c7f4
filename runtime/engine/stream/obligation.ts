// Which detectors a stream has to wait for, and what makes it wait for the verdict: rules that can enforce BLOCK or REDACT, and what
// they depend on.

import { Mode, Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { ApplicablePolicy } from "../applicability.ts";
import type { CompiledExemption, CompiledPolicy, CompiledRule } from "../compiled-policy.ts";
import type { Ask } from "../decide.ts";
import { matchesGlob } from "../glob.ts";
import type { Condition } from "../policy/condition.ts";
import { isInRollout, modeAt } from "../rollout.ts";

/** Why a rule is judged at the end of a text only. */
export type VerdictReason =
  | "quorum"
  | "detector"
  | "condition"
  | "exemption"
  | "rollout"
  | "whole_text"
  | "output_schema";

/** A rule that makes a stream wait for the verdict. */
export interface VerdictRule {
  readonly policy: string;
  readonly rule: string;
  readonly reason: VerdictReason;
  /** The detector that is why: its name, and its key. */
  readonly detector?: { readonly name: string; readonly specKey: string };
}

/** The stages whose texts come as streams. */
export const streamedStages: readonly Stage[] = [Stage.INPUT, Stage.OUTPUT, Stage.TOOL_RESULT];

/** What a stream has to wait for. */
export interface Obligations {
  /** Keys of the detectors whose findings may hold text back. */
  readonly keys: ReadonlySet<string>;
  /** Not empty: nothing is released before the verdict. */
  readonly untilVerdict: readonly VerdictRule[];
}

/** What is known when a stream opens. */
export interface OpeningFacts {
  readonly stage: Stage;
  readonly nowMs: number;
  /** Whether a stream can follow a detector. */
  readonly canFollow: (specKey: string) => boolean;
  /** What a roll-out counts by; undefined when the request does not say. Absent: when nobody asks about a request. */
  readonly rolloutValue?: (by: NonNullable<CompiledRule["rollout"]>["by"]) => string | undefined;
  /** Asks the conditions of a policy about the text's segment. */
  readonly ask?: (policy: CompiledPolicy) => Ask | undefined;
}

/** What rules may read without knowing the text. `finding` is known with each finding. */
const early: ReadonlySet<string> = new Set(["request", "subject", "lists", "session", "segment", "finding", "tool"]);
const textOfSegment = /\bsegment\b(?!\s*\.\s*(?:id|role|origin|trust)\b)/;

/** What a stream has to wait for. */
export function obligationsOf(
  applicable: readonly Pick<ApplicablePolicy, "policy">[],
  facts: OpeningFacts,
): Obligations {
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

function canTakeEffect(rule: CompiledRule, { stage, nowMs, rolloutValue }: OpeningFacts): boolean {
  if (!rule.stages.has(stage) || modeAt(rule, nowMs) !== Mode.ENFORCE) return false;
  if (rule.action !== Outcome.BLOCK && rule.action !== Outcome.REDACT) return false;
  // The text of a stream belongs to no call.
  if (rule.when?.reads.has("tool") === true || rule.unless?.reads.has("tool") === true) return false;
  const value = rule.rollout && rolloutValue?.(rule.rollout.by);
  return rule.rollout === undefined || value === undefined || isInRollout(rule.id, value, rule.rollout.percent);
}

// A condition that is about the request alone may say already that the rule does not apply.
function isRuledOut({ when, unless }: CompiledRule, ask: Ask | undefined): boolean {
  if (ask === undefined) return false;
  if (when !== undefined && isAboutRequest(when) && ask(when, 0) === false) return true;
  return unless !== undefined && isAboutRequest(unless) && ask(unless, 0) === true;
}

function verdictReason(
  policy: CompiledPolicy,
  rule: CompiledRule,
  facts: OpeningFacts,
): Pick<VerdictRule, "reason" | "detector"> | undefined {
  if (rule.terms.length === 0) return { reason: "whole_text" };
  if (rule.atLeast > 1) return { reason: "quorum" };
  const whole = rule.terms.find(({ specKey }) => !facts.canFollow(specKey));
  if (whole !== undefined) return { reason: "detector", detector: { name: whole.detector, specKey: whole.specKey } };
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

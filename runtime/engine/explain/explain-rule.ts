// Explains one rule: what it matched, and why it did not match elsewhere. Matches and refusals come from the decision;
// only what the decision does not compute is computed here, such as the distance of a score from its threshold.

import { create } from "@bufbuild/protobuf";
import type { Finding } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import {
  type ExplainedCondition,
  type ExplainedJudgement,
  ExplainedJudgementSchema,
  type ExplainedRollout,
  ExplainedRolloutSchema,
  type ExplainedRule,
  ExplainedRuleSchema,
  type ExplainedTerm,
  ExplainedTermSchema,
} from "../../../gen/policyguard/policy/v1/explanation_pb.ts";
import { Mode, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { NoMatchReason } from "../decide/decide.ts";
import { isEnforced, type Match } from "../decide/match.ts";
import { fits, type RuleHit } from "../decide/rule-hits.ts";
import type { SegmentDetections } from "../detectors/detector.ts";
import type { RolloutKey } from "../policy/document.ts";
import { nameOf, stages } from "../policy/enum-names.ts";
import type { CompiledRule, CompiledTerm } from "../policy-plan/compiled-policy.ts";
import { isInRollout, modeAt } from "../policy-plan/rollout.ts";
import type { TextSegment } from "../segment/segment.ts";
import type { ConditionExplainer } from "./explain-condition.ts";

/** A match with its finding. */
export interface FoundMatch {
  readonly match: Match;
  readonly finding: Finding;
}

/** The state of a decision when its rules are explained. */
export interface RuleContext {
  readonly stage: Stage;
  readonly nowMs: number;
  readonly segments: readonly TextSegment[];
  readonly detections: readonly SegmentDetections[];
  readonly found: readonly FoundMatch[];
  /** Why the rule does not match a segment; undefined where it matched in time or was not evaluated. */
  readonly passed: (rule: CompiledRule, segment: number) => NoMatchReason | undefined;
  readonly deciding: Match | undefined;
  readonly conditions: ConditionExplainer;
  readonly rolloutValue: (by: RolloutKey) => string;
}

/** A rule nearly matched when a score is below its threshold by at most this much. */
const nearBelow = 0.15;

const maxJudgements = 100;

/** Explains one rule of a policy that applies. */
export function explainRule(rule: CompiledRule, about: RuleContext): ExplainedRule {
  const found = about.found.filter(({ match }) => match.rule === rule);
  const views = isJudged(rule, about) ? viewsOf(rule, about, found) : [];
  const shown = views.toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, maxJudgements);
  const judgements = shown.map((view) => explainSegment(rule, about, view));
  const effective = found.some(({ match }) => isEnforced(match));
  const nearly = found.length === 0 && views.some(isNear);
  const rollout = rolloutOf(rule, about);
  return create(ExplainedRuleSchema, {
    ruleId: rule.id,
    action: rule.action,
    severity: rule.severity,
    mode: rule.mode,
    matched: found.length > 0,
    effective,
    decided: about.deciding?.rule === rule,
    nearly,
    reason: reasonOf(rule, about, { found, first: judgements[0], rollout }),
    rollout,
    judgements,
    judgementsLeftOut: views.length - shown.length,
    unjudged: views.some(({ why }) => why === "timeout") || judgements.some(({ unjudged }) => unjudged),
    controls: [...rule.controls],
  });
}

function isJudged(rule: CompiledRule, { stage, nowMs }: RuleContext): boolean {
  return modeAt(rule, nowMs) !== Mode.OFF && rule.stages.has(stage);
}

/** A segment for which the explanation has something to say about a rule. */
interface SegmentView {
  readonly index: number;
  readonly here: readonly FoundMatch[];
  readonly why: NoMatchReason | undefined;
  readonly terms: readonly ExplainedTerm[];
}

/** The segments in which something was found, or a condition was evaluated. */
function viewsOf(rule: CompiledRule, about: RuleContext, found: readonly FoundMatch[]): SegmentView[] {
  const bySegment = Map.groupBy(found, ({ match }) => match.segment);
  return [...about.segments.keys()].flatMap((index) => {
    const here = bySegment.get(index) ?? [];
    const why = about.passed(rule, index);
    const isAbout = here.length > 0 || why === "condition" || why === "timeout" || why === "not_found";
    if (!isAbout) return [];
    const terms = rule.terms.map((term) => explainTerm(term, about.detections[index]));
    const isNothing = why === "not_found" && terms.every(({ accepted, nearly }) => accepted === 0 && !nearly);
    return isNothing ? [] : [{ index, here, why, terms }];
  });
}

function explainSegment(
  rule: CompiledRule,
  about: RuleContext,
  { index, here, why, terms }: SegmentView,
): ExplainedJudgement {
  const detections = about.detections[index];
  const isScanned = detections !== undefined;
  const conditions = isScanned ? about.conditions.conditionsOf(rule, index, consideredOf(rule, detections)) : [];
  const parts = { terms, conditions, why, isUnjudged: why === "timeout" };
  return create(ExplainedJudgementSchema, {
    segment: about.segments[index]?.id ?? "",
    matched: here.length > 0,
    reason: here.length > 0 ? whyMatched(rule, parts) : whyPassed(rule, parts),
    terms: [...terms],
    conditions,
    findings: here.map(({ finding }) => finding),
    unjudged: why === "timeout" || conditions.some(({ problem }) => problem !== "" && problem !== "not_asked"),
  });
}

interface JudgementParts {
  readonly terms: readonly ExplainedTerm[];
  readonly conditions: readonly ExplainedCondition[];
  readonly why: NoMatchReason | undefined;
  readonly isUnjudged: boolean;
}

/** The detections in a segment that a term covers, whatever their score. */
function subjectsOf({ specKey, categories }: CompiledTerm, detections: SegmentDetections) {
  return (detections?.get(specKey) ?? []).filter(({ category }) => fits(categories, category));
}

function explainTerm(term: CompiledTerm, detections: SegmentDetections): ExplainedTerm {
  const { detector, threshold } = term;
  const scores = subjectsOf(term, detections).map(({ score }) => score);
  const best = scores.length === 0 ? undefined : Math.max(...scores);
  const lacking = best === undefined || best >= threshold ? undefined : rounded(threshold - best);
  return create(ExplainedTermSchema, {
    detector,
    threshold,
    accepted: scores.filter((score) => score >= threshold).length,
    bestScore: best,
    lacking,
    nearly: lacking !== undefined && lacking <= nearBelow,
  });
}

/** The detections for which conditions are shown: the accepted ones, else those that nearly were. */
function consideredOf(rule: CompiledRule, detections: SegmentDetections): RuleHit[] {
  const scoringAtLeast = (term: CompiledTerm, slack: number): RuleHit[] =>
    subjectsOf(term, detections)
      .filter(({ score }) => score >= term.threshold - slack)
      .map((detection) => ({ term, detection }));
  const accepted = rule.terms.flatMap((term) => scoringAtLeast(term, 0));
  return accepted.length > 0 ? accepted : rule.terms.flatMap((term) => scoringAtLeast(term, nearBelow));
}

function whyMatched(rule: CompiledRule, { terms, isUnjudged }: JudgementParts): string {
  if (isUnjudged) return "it could not be judged in time, and fails closed";
  if (rule.terms.length === 0) return "its condition holds";
  const found = terms.filter(({ accepted }) => accepted > 0);
  return found.map((term) => `${term.detector} scored ${term.bestScore}, threshold ${term.threshold}`).join("; ");
}

function whyPassed(rule: CompiledRule, { terms, conditions, why }: JudgementParts): string {
  if (why === "timeout") return "it could not be judged in time, and fails open";
  if (why === "condition") return refusal(conditions);
  const found = terms.filter(({ accepted }) => accepted > 0);
  if (found.length > 0) {
    const names = found.map(({ detector }) => detector).join(", ");
    return `${rule.atLeast} of its detectors have to find something, ${found.length} did: ${names}`;
  }
  const near = terms.filter(({ nearly }) => nearly);
  return near
    .map(
      ({ detector, bestScore, lacking, threshold }) =>
        `${detector} scored ${bestScore}, ${lacking} below the threshold ${threshold}`,
    )
    .join("; ");
}

function refusal(conditions: readonly ExplainedCondition[]): string {
  const refusing = conditions.find(({ kind, value }) => value === undefined || value === (kind === "unless"));
  if (refusing === undefined) return "its conditions leave too few detections";
  const { kind, source, value, problem, joint, parts } = refusing;
  if (value === undefined) return `\`${kind}\` has no value (${problem}): ${source}`;
  const culprit = joint === "" ? undefined : parts.find((part) => part.value === value);
  const isReported = culprit !== undefined && joint === (value ? "||" : "&&");
  return `\`${kind}\` is ${value}: ${isReported ? culprit.source : source}`;
}

function rolloutOf({ id, rollout }: CompiledRule, { rolloutValue }: RuleContext): ExplainedRollout | undefined {
  if (rollout === undefined) return undefined;
  const { percent, by } = rollout;
  return create(ExplainedRolloutSchema, { percent, by, included: isInRollout(id, rolloutValue(by), percent) });
}

interface RuleParts {
  readonly found: readonly FoundMatch[];
  readonly first: ExplainedJudgement | undefined;
  readonly rollout: ExplainedRollout | undefined;
}

function reasonOf(rule: CompiledRule, { stage, nowMs }: RuleContext, { found, first, rollout }: RuleParts): string {
  if (rule.mode === Mode.OFF) return "its mode is off";
  const mode = modeAt(rule, nowMs);
  if (mode === Mode.OFF) return `its shadow mode ended ${endOf(rule)}, and it has been off since`;
  if (!rule.stages.has(stage)) {
    const names = [...rule.stages].map((each) => nameOf(stages, each)).join(", ");
    return `it does not run at the stage ${nameOf(stages, stage)}; it runs at ${names}`;
  }
  if (found.length > 0) return effectOf({ ...rule, mode }, { found, first, rollout, nowMs });
  if (first !== undefined) return first.reason;
  if (rule.terms.length === 0) return "there is nothing for its condition to judge";
  return `nothing was found by ${[...new Set(rule.terms.map(({ detector }) => detector))].join(", ")}`;
}

function effectOf(
  rule: CompiledRule,
  { found, first, rollout, nowMs }: RuleParts & { readonly nowMs: number },
): string {
  const why = first?.reason ?? "";
  if (found.some(({ match }) => isEnforced(match))) return why;
  if (rule.demotedUntilMs !== undefined && nowMs < rule.demotedUntilMs) {
    const end = new Date(rule.demotedUntilMs).toISOString();
    return `${why}; without effect, since an override keeps the rule in shadow until ${end}`;
  }
  if (rule.mode === Mode.SHADOW) {
    const end = rule.shadowEnd === undefined ? "" : ` until ${endOf(rule)}`;
    return `${why}; without effect, since it is a shadow rule${end}`;
  }
  if (rollout?.included === false) {
    return `${why}; without effect, since the roll-out of ${rollout.percent} percent leaves this request out`;
  }
  const exemptions = [...new Set(found.flatMap(({ match }) => match.exemptedBy ?? []))];
  return `${why}; without effect, since it is exempted by ${exemptions.join(", ")}`;
}

function endOf({ shadowEnd }: CompiledRule): string {
  return shadowEnd === undefined ? "" : new Date(shadowEnd.atMs).toISOString();
}

function weightOf(view: SegmentView): number {
  return (view.here.length > 0 ? 2 : 0) + (isNear(view) ? 1 : 0);
}

function isNear({ terms }: SegmentView): boolean {
  return terms.some(({ nearly }) => nearly);
}

function rounded(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}

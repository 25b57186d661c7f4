// What one rule made of a request, and why it did not match where it did not. Matches and refusals are those of the decision;
// only what the decision had no need to know is worked out here, such as how far a score was from its threshold.

import { create } from "@bufbuild/protobuf";
import type { Finding } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
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
} from "../../gen/policyguard/policy/v1/explanation_pb.ts";
import { Mode, type Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type Candidate, fits } from "./candidate.ts";
import type { CompiledRule, CompiledTerm } from "./compiled-policy.ts";
import type { Passed } from "./decide.ts";
import type { ConditionExplainer } from "./explain-condition.ts";
import { isEnforced, type Match } from "./match.ts";
import type { Piece } from "./piece.ts";
import type { PieceDetections } from "./piece-scan.ts";
import type { RolloutKey } from "./policy/document.ts";
import { isInRollout, modeAt } from "./rollout.ts";
import { nameOf, stages } from "./wire.ts";

/** A match with the finding that was made of it. */
export interface FoundMatch {
  readonly match: Match;
  readonly finding: Finding;
}

/** What is known of a decision when its rules are explained. */
export interface RuleCase {
  readonly stage: Stage;
  readonly nowMs: number;
  readonly pieces: readonly Piece[];
  readonly detections: readonly PieceDetections[];
  readonly found: readonly FoundMatch[];
  /** Why the rule does not match a piece; undefined where it matched in time, or was not asked. */
  readonly passed: (rule: CompiledRule, piece: number) => Passed | undefined;
  readonly deciding: Match | undefined;
  readonly conditions: ConditionExplainer;
  readonly rolloutValue: (by: RolloutKey) => string;
}

/** A score that lacks no more than this to its threshold has nearly made the rule match. */
export const nearBelow = 0.15;

const mostJudgements = 100;

/** Explains one rule of a policy that applies. */
export function explainRule(rule: CompiledRule, about: RuleCase): ExplainedRule {
  const found = about.found.filter(({ match }) => match.rule === rule);
  const places = isJudged(rule, about) ? placesOf(rule, about, found) : [];
  const shown = places.toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, mostJudgements);
  const judgements = shown.map((place) => explainPlace(rule, about, place));
  const effective = found.some(({ match }) => isEnforced(match));
  const nearly = found.length === 0 && places.some(isNear);
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
    judgementsLeftOut: places.length - shown.length,
    unjudged: places.some(({ why }) => why === "timeout") || judgements.some(({ unjudged }) => unjudged),
    controls: [...rule.controls],
  });
}

function isJudged(rule: CompiledRule, { stage, nowMs }: RuleCase): boolean {
  return modeAt(rule, nowMs) !== Mode.OFF && rule.stages.has(stage);
}

/** A segment on which there is something to say about a rule. */
interface Place {
  readonly index: number;
  readonly here: readonly FoundMatch[];
  readonly why: Passed | undefined;
  readonly terms: readonly ExplainedTerm[];
}

/** Segments in which something was found, or asked. */
function placesOf(rule: CompiledRule, about: RuleCase, found: readonly FoundMatch[]): Place[] {
  const byPiece = Map.groupBy(found, ({ match }) => match.piece);
  return [...about.pieces.keys()].flatMap((index) => {
    const here = byPiece.get(index) ?? [];
    const why = about.passed(rule, index);
    const isAbout = here.length > 0 || why === "condition" || why === "timeout" || why === "not_found";
    if (!isAbout) return [];
    const terms = rule.terms.map((term) => explainTerm(term, about.detections[index]));
    const isNothing = why === "not_found" && terms.every(({ accepted, nearly }) => accepted === 0 && !nearly);
    return isNothing ? [] : [{ index, here, why, terms }];
  });
}

function explainPlace(rule: CompiledRule, about: RuleCase, { index, here, why, terms }: Place): ExplainedJudgement {
  const detections = about.detections[index];
  const isScanned = detections !== undefined;
  const conditions = isScanned ? about.conditions.conditionsOf(rule, index, consideredOf(rule, detections)) : [];
  const parts = { terms, conditions, why, isUnjudged: why === "timeout" };
  return create(ExplainedJudgementSchema, {
    segment: about.pieces[index]?.id ?? "",
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
  readonly why: Passed | undefined;
  readonly isUnjudged: boolean;
}

/** What a term is about of the detections in a piece, however certain. */
function subjectsOf({ specKey, categories }: CompiledTerm, detections: PieceDetections) {
  return (detections?.get(specKey) ?? []).filter(({ category }) => fits(categories, category));
}

function explainTerm(term: CompiledTerm, detections: PieceDetections): ExplainedTerm {
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

/** The detections that conditions are shown for: those accepted, else those that nearly were. */
function consideredOf(rule: CompiledRule, detections: PieceDetections): Candidate[] {
  const least = (term: CompiledTerm, slack: number): Candidate[] =>
    subjectsOf(term, detections)
      .filter(({ score }) => score >= term.threshold - slack)
      .map((detection) => ({ term, detection }));
  const accepted = rule.terms.flatMap((term) => least(term, 0));
  return accepted.length > 0 ? accepted : rule.terms.flatMap((term) => least(term, nearBelow));
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
  const isTold = culprit !== undefined && joint === (value ? "||" : "&&");
  return `\`${kind}\` is ${value}: ${isTold ? culprit.source : source}`;
}

function rolloutOf({ id, rollout }: CompiledRule, { rolloutValue }: RuleCase): ExplainedRollout | undefined {
  if (rollout === undefined) return undefined;
  const { percent, by } = rollout;
  return create(ExplainedRolloutSchema, { percent, by, included: isInRollout(id, rolloutValue(by), percent) });
}

interface RuleParts {
  readonly found: readonly FoundMatch[];
  readonly first: ExplainedJudgement | undefined;
  readonly rollout: ExplainedRollout | undefined;
}

function reasonOf(rule: CompiledRule, { stage, nowMs }: RuleCase, { found, first, rollout }: RuleParts): string {
  if (rule.mode === Mode.OFF) return "its mode is off";
  const mode = modeAt(rule, nowMs);
  if (mode === Mode.OFF) return `its shadow ended ${endOf(rule)}, and it is off since`;
  if (!rule.stages.has(stage)) {
    const names = [...rule.stages].map((each) => nameOf(stages, each)).join(", ");
    return `it does not run at the stage ${nameOf(stages, stage)}; it runs at ${names}`;
  }
  if (found.length > 0) return effectOf({ ...rule, mode }, found, first, rollout);
  if (first !== undefined) return first.reason;
  if (rule.terms.length === 0) return "there is nothing that its condition is asked of";
  return `nothing was found by ${[...new Set(rule.terms.map(({ detector }) => detector))].join(", ")}`;
}

function effectOf(
  rule: CompiledRule,
  found: readonly FoundMatch[],
  first: ExplainedJudgement | undefined,
  rollout: ExplainedRollout | undefined,
): string {
  const why = first?.reason ?? "";
  if (found.some(({ match }) => isEnforced(match))) return why;
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

function weightOf(place: Place): number {
  return (place.here.length > 0 ? 2 : 0) + (isNear(place) ? 1 : 0);
}

function isNear({ terms }: Place): boolean {
  return terms.some(({ nearly }) => nearly);
}

function rounded(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}

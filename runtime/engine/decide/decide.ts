// Applies rules to detections; pure and total. A rule that accepts a detection makes a match. A rule that could not be
// judged is listed as a gap, and its `on_error` says how it counts. Nothing here throws, waits or reads a clock.

import { FailMode, Mode, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { BackendFailure } from "../backend/backend.ts";
import type { Detection } from "../detectors/detector.ts";
import type { Condition } from "../policy/condition.ts";
import { ConditionFailed } from "../policy/condition-guard.ts";
import { listCaps } from "../policy/condition-size.ts";
import type { RolloutKey } from "../policy/document.ts";
import type { Lists } from "../policy/list.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import type { CompiledPolicy, CompiledRule, CompiledTerm } from "../policy-plan/compiled-policy.ts";
import { isInRollout, modeAt } from "../policy-plan/rollout.ts";
import type { TextSegment } from "../segment/segment.ts";
import { Exemptions } from "./exemptions.ts";
import type { FactSheet, LocatedDetection } from "./fact-sheet.ts";
import { byPosition, type Decision, type Gap, type Match } from "./match.ts";
import { distinct, type RuleHit, ruleHitsOf, termCount } from "./rule-hits.ts";

/** The request that rules judge, with everything that was found in it. */
export interface DecisionInput {
  readonly stage: Stage;
  readonly segments: readonly TextSegment[];
  /** Detections of each segment by detector; undefined for a segment that was not scanned because time ran out. */
  readonly detections: readonly (ReadonlyMap<string, readonly Detection[]> | undefined)[];
  /** Why a backend has no answer for a segment; undefined when it has one. */
  readonly backendFailure: (backend: string, segment: number) => BackendFailure | undefined;
  readonly facts: FactSheet;
  readonly nowMs: number;
  /** When the findings of a segment were complete, in milliseconds since the evaluation began. */
  readonly foundAtMs: (segment: number) => number;
  /** True after the time budget of a policy, in milliseconds, is used up. */
  readonly isOverdue: (timeoutMs: number) => boolean;
  /** The value by which a roll-out selects requests, such as the session id. */
  readonly rolloutValue: (by: RolloutKey) => string;
  /** Notified of each step when the decision is to be explained. */
  readonly observer?: DecisionObserver;
}

/** Why a rule does not match a segment. */
export type NoMatchReason = "argument" | "no_tool_call" | "not_found" | "condition" | "timeout";

/** Evaluates a condition for a segment, and for a detection in it: its value, or why it has none. */
export type Ask = (condition: Condition, segment: number, hit?: RuleHit) => boolean | Gap["reason"];

/** Observes a decision. It receives only what the decision itself does not contain. */
export interface DecisionObserver {
  /** A policy is about to be judged. `ask` evaluates its conditions. */
  readonly judging: (policy: CompiledPolicy, ask: Ask) => void;
  /** A rule of the stage does not match a segment, or matches only because time ran out and it fails closed. */
  readonly passed: (policy: CompiledPolicy, rule: CompiledRule, segment: number, why: NoMatchReason) => void;
}

/** Judges a request by every policy that applies to it. */
export function decide(applicable: readonly ApplicablePolicy[], request: DecisionInput): Decision {
  const matches: Match[] = [];
  const gaps = new Map<string, Gap>();
  for (const each of applicable) {
    const { policy } = each;
    const judge = new PolicyDecider(each, request, (gap) => gaps.set(JSON.stringify(gap), gap));
    request.observer?.judging(policy, (condition, segment, hit) => judge.ask(condition, segment, hit));
    matches.push(...judge.matches());
  }
  return { matches: matches.sort(byPosition), gaps: [...gaps.values()] };
}

/** Judges by one policy. */
class PolicyDecider {
  readonly #policy: CompiledPolicy;
  readonly #lists: Lists;
  readonly #case: DecisionInput;
  readonly #report: (gap: Gap) => void;
  readonly #exempting: Exemptions<RuleHit>;
  readonly #isOver: () => boolean;
  #all: readonly LocatedDetection[] | undefined;

  constructor({ policy, lists, outerLists }: ApplicablePolicy, request: DecisionInput, report: (gap: Gap) => void) {
    this.#policy = policy;
    this.#lists = lists;
    this.#case = request;
    this.#report = report;
    this.#isOver = () => request.isOverdue(policy.timeoutMs);
    this.#exempting = new Exemptions<RuleHit>(policy.exemptions, request.nowMs, (exemption, segment, hit) =>
      this.#holds(exemption.when, segment, hit, {
        detector: exemption.id,
        onError: FailMode.FAIL_CLOSED,
        failed: false,
        lists: exemption.level === 0 ? lists : outerLists[exemption.level - 1],
      }),
    );
  }

  matches(): Match[] {
    const { stage, nowMs } = this.#case;
    // Each turn of a transcript is judged at its own stage.
    const isAsked = ({ stages }: CompiledRule, segment: TextSegment) => stages.has(segment.stage ?? stage);
    const rules = this.#policy.rules.filter((rule) => modeAt(rule, nowMs) !== Mode.OFF);
    return rules.flatMap((rule) =>
      this.#case.segments.flatMap((segment, index) =>
        isAsked(rule, segment) ? this.#judge(rule, segment, index) : [],
      ),
    );
  }

  #judge(rule: CompiledRule, segment: TextSegment, index: number): Match[] {
    if (rule.terms.length === 0 && segment.isArgument) return this.#pass(rule, index, "argument");
    // A request with tool calls may also contain text; rules that read `tool` do not judge that text.
    if (segment.call === undefined && readsTool(rule)) return this.#pass(rule, index, "no_tool_call");
    const detections = this.#case.detections[index];
    const late = detections === undefined || segment.text === "" ? [] : this.#lateTerms(rule, index);
    const found = detections === undefined ? [] : ruleHitsOf(rule, detections);
    const hits = late.length === 0 ? found : found.filter(({ term }) => !late.includes(term));
    const silent =
      detections === undefined ? [] : this.#silentTerms(rule, hits, index).filter((term) => !late.includes(term));
    const open = [...late, ...silent].filter(({ onError }) => onError === FailMode.FAIL_CLOSED).length;
    if (detections !== undefined && rule.terms.length > 0 && termCount(hits) + open < rule.atLeast)
      return this.#pass(rule, index, late.length === 0 ? "not_found" : "timeout");
    if (detections === undefined || this.#case.isOverdue(this.#policy.timeoutMs))
      return this.#overdue(rule, segment, index);
    if (rule.terms.length === 0) {
      if (!this.#applies(rule, index, undefined)) return this.#pass(rule, index, "condition");
      return [this.#wholeSegment(rule, segment, index, "condition")];
    }
    const perFinding = rule.when?.reads.has("finding") || rule.unless?.reads.has("finding");
    if (!perFinding && !this.#applies(rule, index, undefined)) return this.#pass(rule, index, "condition");
    const accepted = perFinding ? hits.filter((hit) => this.#applies(rule, index, hit)) : hits;
    if (termCount(accepted) >= rule.atLeast) return distinct(accepted).map((hit) => this.#match(rule, index, hit));
    const nothing = this.#pass(rule, index, late.length === 0 ? "condition" : "timeout");
    // A detector that fails closed counts as if it had found something.
    return open > 0 && termCount(accepted) + open >= rule.atLeast
      ? [this.#wholeSegment(rule, segment, index, "unjudged")]
      : nothing;
  }

  #pass(rule: CompiledRule, segment: number, why: NoMatchReason): Match[] {
    this.#case.observer?.passed(this.#policy, rule, segment, why);
    return [];
  }

  #overdue(rule: CompiledRule, segment: TextSegment, index: number): Match[] {
    if (segment.text === "" && rule.terms.length > 0) return this.#pass(rule, index, "not_found");
    const modes = rule.terms.length === 0 ? [rule.onError] : rule.terms.map((term) => term.onError);
    const onError = modes.includes(FailMode.FAIL_CLOSED) ? FailMode.FAIL_CLOSED : FailMode.FAIL_OPEN;
    const names = rule.terms.length === 0 ? [rule.id] : rule.terms.map(({ detector }) => detector);
    for (const detector of names) this.#report({ detector, reason: "timeout", onError });
    const nothing = this.#pass(rule, index, "timeout");
    return onError === FailMode.FAIL_CLOSED ? [this.#wholeSegment(rule, segment, index, "unjudged")] : nothing;
  }

  /**
   * The detectors of a rule whose own time budget had ended before their findings arrived. Each is reported as a gap.
   */
  #lateTerms({ terms }: CompiledRule, segment: number): CompiledTerm[] {
    const late = terms.filter(({ timeoutMs }) => timeoutMs !== undefined && this.#case.foundAtMs(segment) > timeoutMs);
    for (const { detector, onError } of late) this.#report({ detector, reason: "timeout", onError });
    return late;
  }

  /**
   * The detectors of a rule that found nothing while their backend gave no answer. The missing answer is reported even
   * when other detectors found something.
   */
  #silentTerms({ terms }: CompiledRule, hits: readonly RuleHit[], segment: number): CompiledTerm[] {
    return terms.filter((term) => {
      const { backend, detector, onError } = term;
      if (backend === undefined || this.#case.segments[segment]?.text === "") return false;
      const reason = this.#case.backendFailure(backend, segment);
      if (reason === undefined) return false;
      this.#report({ detector, reason, onError });
      return !hits.some((hit) => hit.term === term);
    });
  }

  #applies(rule: CompiledRule, segment: number, hit: RuleHit | undefined): boolean {
    // For a finding, the mode of its detector decides. Otherwise the gap is reported under the first detector that has
    // the joint mode.
    const { onError } = hit?.term ?? rule;
    const failsClosed = onError === FailMode.FAIL_CLOSED;
    const term = hit?.term ?? rule.terms.find((each) => each.onError === onError);
    const about = { detector: term?.detector ?? rule.id, onError };
    // A rule that fails closed matches when it cannot be judged: `when` then counts as true, `unless` as false.
    if (rule.when !== undefined && !this.#holds(rule.when, segment, hit, { ...about, failed: failsClosed }))
      return false;
    return rule.unless === undefined || !this.#holds(rule.unless, segment, hit, { ...about, failed: !failsClosed });
  }

  #holds(
    condition: Condition,
    segment: number,
    hit: RuleHit | undefined,
    about: { readonly detector: string; readonly onError: FailMode; readonly failed: boolean; readonly lists?: Lists },
  ): boolean {
    const { detector, onError, failed, lists } = about;
    const value = this.ask(condition, segment, hit, lists);
    if (typeof value === "boolean") return value;
    this.#report({ detector, reason: value, onError });
    return failed;
  }

  /** The value of a condition, or why it has none. */
  ask(condition: Condition, segment: number, hit: RuleHit | undefined, lists = this.#lists): boolean | Gap["reason"] {
    const { reads } = condition;
    if (reads.has("session") && !this.#case.facts.isSessionKnown) return "session_unknown";
    const findings = reads.has("findings") ? this.#findings() : [];
    if (findings.length > listCaps.findings || this.#case.facts.exceedsCaps(reads, segment)) return "condition_limit";
    try {
      const finding = hit === undefined ? undefined : { ...hit, detector: hit.term.detector };
      const facts = this.#case.facts.of(segment, { lists, findings, finding });
      return condition.holds(facts, this.#isOver);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      return error.reason;
    }
  }

  /** Everything that the policy's detectors found in the request, for conditions that read `findings`. */
  #findings(): readonly LocatedDetection[] {
    this.#all ??= this.#case.detections.flatMap((detections, segment) =>
      distinct(this.#policy.rules.flatMap((rule) => ruleHitsOf(rule, detections ?? new Map()))).map(
        ({ term, detection }) => ({ segment, detector: term.detector, detection }),
      ),
    );
    return this.#all;
  }

  #match(rule: CompiledRule, segment: number, hit: RuleHit): Match {
    const { term, detection } = hit;
    const { category, start, end, score, layer } = detection;
    return {
      ...this.#effect(rule, segment, hit),
      detector: term.detector,
      category: rule.category ?? category,
      start,
      end,
      score,
      threshold: term.threshold,
      layer,
    };
  }

  /** A match without a detection: the rule has only conditions, or could not be judged. */
  #wholeSegment(rule: CompiledRule, segment: TextSegment, index: number, category: string): Match {
    return {
      ...this.#effect(rule, index, undefined),
      detector: rule.terms[0]?.detector ?? "condition",
      category: rule.category ?? category,
      start: 0,
      end: segment.text.length,
      score: 1,
      threshold: 0,
      layer: "plain",
    };
  }

  #effect(rule: CompiledRule, segment: number, hit: RuleHit | undefined) {
    const { rollout } = rule;
    const isRolledOut =
      rollout === undefined || isInRollout(rule.id, this.#case.rolloutValue(rollout.by), rollout.percent);
    const exemptedBy = this.#exempting.exemptionOf(rule, segment, hit);
    const mode = isRolledOut ? modeAt(rule, this.#case.nowMs) : Mode.SHADOW;
    return { policy: this.#policy, rule, segment, mode, severity: rule.severity, exemptedBy };
  }
}

function readsTool({ when, unless }: CompiledRule): boolean {
  return when?.reads.has("tool") === true || unless?.reads.has("tool") === true;
}

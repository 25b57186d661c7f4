// Rules over detections: pure and total. What a rule makes of a detection is a match; what it could not judge is listed,
// and its `on_error` says what that means. Nothing here throws, waits or looks at a clock of its own.

import { FailMode, Mode, type Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { ApplicablePolicy } from "./applicability.ts";
import type { BackendFailure } from "./backend.ts";
import { type Candidate, candidatesOf, distinct, termCount } from "./candidate.ts";
import type { CompiledPolicy, CompiledRule, CompiledTerm } from "./compiled-policy.ts";
import type { Detection } from "./detector.ts";
import { Exempting } from "./exempt.ts";
import type { FactSheet, PlacedDetection } from "./fact-sheet.ts";
import { byPlace, type Decision, type Gap, type Match } from "./match.ts";
import type { Piece } from "./piece.ts";
import { type Condition, ConditionFailed } from "./policy/condition.ts";
import { listCaps } from "./policy/condition-syntax.ts";
import type { RolloutKey } from "./policy/document.ts";
import type { Lists } from "./policy/list.ts";
import { isInRollout, modeAt } from "./rollout.ts";

/** What the rules judge. */
export interface Case {
  readonly stage: Stage;
  readonly pieces: readonly Piece[];
  /** Detections of each piece by detector; undefined for a piece that time did not suffice for. */
  readonly detections: readonly (ReadonlyMap<string, readonly Detection[]> | undefined)[];
  /** Why a backend says nothing about a piece; undefined when it does. */
  readonly backendFailure: (backend: string, piece: number) => BackendFailure | undefined;
  readonly facts: FactSheet;
  readonly nowMs: number;
  /** When what was found in a piece was known, in milliseconds since the evaluation began. */
  readonly foundAtMs: (piece: number) => number;
  /** True when the time budget of a policy, in milliseconds, is used up. */
  readonly isOverdue: (timeoutMs: number) => boolean;
  /** The value that a roll-out counts by. */
  readonly rolloutValue: (by: RolloutKey) => string;
  /** Told of each step, when the decision is to be explained. */
  readonly watch?: DecisionWatch;
}

/** Why a rule does not match a piece of text. */
export type Passed = "argument" | "no_tool_call" | "not_found" | "condition" | "timeout";

/** Asks a condition about a piece, and about a detection in it: its value, or why it has none. */
export type Ask = (condition: Condition, piece: number, candidate?: Candidate) => boolean | Gap["reason"];

/** Follows a decision. It learns only what is not in the decision itself. */
export interface DecisionWatch {
  /** A policy is about to be judged. */
  readonly judging: (policy: CompiledPolicy, ask: Ask) => void;
  /** A rule of the stage does not match a piece, or only because time ran out and it fails closed. */
  readonly passed: (policy: CompiledPolicy, rule: CompiledRule, piece: number, why: Passed) => void;
}

/** Judges a request by every policy that applies to it. */
export function decide(applicable: readonly ApplicablePolicy[], request: Case): Decision {
  const matches: Match[] = [];
  const gaps = new Map<string, Gap>();
  for (const each of applicable) {
    const { policy } = each;
    const judge = new PolicyJudge(each, request, (gap) => gaps.set(JSON.stringify(gap), gap));
    request.watch?.judging(policy, (condition, piece, candidate) => judge.ask(condition, piece, candidate));
    matches.push(...judge.matches());
  }
  return { matches: matches.sort(byPlace), gaps: [...gaps.values()] };
}

/** Judges by one policy. */
class PolicyJudge {
  readonly #policy: CompiledPolicy;
  readonly #lists: Lists;
  readonly #case: Case;
  readonly #report: (gap: Gap) => void;
  readonly #exempting: Exempting<Candidate>;
  #all: readonly PlacedDetection[] | undefined;

  constructor({ policy, lists, outerLists }: ApplicablePolicy, request: Case, report: (gap: Gap) => void) {
    this.#policy = policy;
    this.#lists = lists;
    this.#case = request;
    this.#report = report;
    this.#exempting = new Exempting<Candidate>(policy.exemptions, request.nowMs, (exemption, piece, candidate) =>
      this.#holds(exemption.when, piece, candidate, {
        detector: exemption.id,
        onError: FailMode.FAIL_CLOSED,
        failed: false,
        lists: exemption.level === 0 ? lists : outerLists[exemption.level - 1],
      }),
    );
  }

  matches(): Match[] {
    const { stage, nowMs } = this.#case;
    // A turn of a transcript is judged as at its own moment.
    const isAsked = ({ stages }: CompiledRule, piece: Piece) => stages.has(piece.stage ?? stage);
    const rules = this.#policy.rules.filter((rule) => modeAt(rule, nowMs) !== Mode.OFF);
    return rules.flatMap((rule) =>
      this.#case.pieces.flatMap((piece, index) => (isAsked(rule, piece) ? this.#judge(rule, piece, index) : [])),
    );
  }

  #judge(rule: CompiledRule, piece: Piece, index: number): Match[] {
    if (rule.terms.length === 0 && piece.isArgument) return this.#pass(rule, index, "argument");
    // Beside the calls there may be text; a rule about tools is not about that.
    if (piece.call === undefined && readsTool(rule)) return this.#pass(rule, index, "no_tool_call");
    const detections = this.#case.detections[index];
    const late = detections === undefined || piece.text === "" ? [] : this.#lateTerms(rule, index);
    const found = detections === undefined ? [] : candidatesOf(rule, detections);
    const candidates = late.length === 0 ? found : found.filter(({ term }) => !late.includes(term));
    const silent =
      detections === undefined ? [] : this.#silentTerms(rule, candidates, index).filter((term) => !late.includes(term));
    const open = [...late, ...silent].filter(({ onError }) => onError === FailMode.FAIL_CLOSED).length;
    if (detections !== undefined && rule.terms.length > 0 && termCount(candidates) + open < rule.atLeast)
      return this.#pass(rule, index, late.length === 0 ? "not_found" : "timeout");
    if (detections === undefined || this.#case.isOverdue(this.#policy.timeoutMs))
      return this.#overdue(rule, piece, index);
    if (rule.terms.length === 0) {
      if (!this.#applies(rule, index, undefined)) return this.#pass(rule, index, "condition");
      return [this.#wholePiece(rule, piece, index, "condition")];
    }
    const perFinding = rule.when?.reads.has("finding") || rule.unless?.reads.has("finding");
    if (!perFinding && !this.#applies(rule, index, undefined)) return this.#pass(rule, index, "condition");
    const accepted = perFinding ? candidates.filter((candidate) => this.#applies(rule, index, candidate)) : candidates;
    if (termCount(accepted) >= rule.atLeast)
      return distinct(accepted).map((candidate) => this.#match(rule, index, candidate));
    const nothing = this.#pass(rule, index, late.length === 0 ? "condition" : "timeout");
    // A detector that fails closed counts as if it had found something.
    return open > 0 && termCount(accepted) + open >= rule.atLeast
      ? [this.#wholePiece(rule, piece, index, "unjudged")]
      : nothing;
  }

  #pass(rule: CompiledRule, piece: number, why: Passed): Match[] {
    this.#case.watch?.passed(this.#policy, rule, piece, why);
    return [];
  }

  #overdue(rule: CompiledRule, piece: Piece, index: number): Match[] {
    if (piece.text === "" && rule.terms.length > 0) return this.#pass(rule, index, "not_found");
    const modes = rule.terms.length === 0 ? [rule.onError] : rule.terms.map((term) => term.onError);
    const onError = modes.includes(FailMode.FAIL_CLOSED) ? FailMode.FAIL_CLOSED : FailMode.FAIL_OPEN;
    const names = rule.terms.length === 0 ? [rule.id] : rule.terms.map(({ detector }) => detector);
    for (const detector of names) this.#report({ detector, reason: "timeout", onError });
    const nothing = this.#pass(rule, index, "timeout");
    return onError === FailMode.FAIL_CLOSED ? [this.#wholePiece(rule, piece, index, "unjudged")] : nothing;
  }

  /** The detectors of a rule whose own time was up when their findings came. They are reported. */
  #lateTerms({ terms }: CompiledRule, piece: number): CompiledTerm[] {
    const late = terms.filter(({ timeoutMs }) => timeoutMs !== undefined && this.#case.foundAtMs(piece) > timeoutMs);
    for (const { detector, onError } of late) this.#report({ detector, reason: "timeout", onError });
    return late;
  }

  /** The detectors of a rule that found nothing while their backend said nothing. Whatever was found, the silence is reported. */
  #silentTerms({ terms }: CompiledRule, candidates: readonly Candidate[], piece: number): CompiledTerm[] {
    return terms.filter((term) => {
      const { backend, detector, onError } = term;
      if (backend === undefined || this.#case.pieces[piece]?.text === "") return false;
      const reason = this.#case.backendFailure(backend, piece);
      if (reason === undefined) return false;
      this.#report({ detector, reason, onError });
      return !candidates.some((candidate) => candidate.term === term);
    });
  }

  #applies(rule: CompiledRule, piece: number, candidate: Candidate | undefined): boolean {
    const { onError, id } = rule;
    const failsClosed = onError === FailMode.FAIL_CLOSED;
    const about = { detector: candidate?.term.detector ?? rule.terms[0]?.detector ?? id, onError };
    // A rule that fails closed matches when it cannot be judged: `when` counts as true, `unless` as false.
    if (rule.when !== undefined && !this.#holds(rule.when, piece, candidate, { ...about, failed: failsClosed }))
      return false;
    return rule.unless === undefined || !this.#holds(rule.unless, piece, candidate, { ...about, failed: !failsClosed });
  }

  #holds(
    condition: Condition,
    piece: number,
    candidate: Candidate | undefined,
    about: { readonly detector: string; readonly onError: FailMode; readonly failed: boolean; readonly lists?: Lists },
  ): boolean {
    const { detector, onError, failed, lists } = about;
    const value = this.ask(condition, piece, candidate, lists);
    if (typeof value === "boolean") return value;
    this.#report({ detector, reason: value, onError });
    return failed;
  }

  /** The value of a condition, or why it has none. */
  ask(
    condition: Condition,
    piece: number,
    candidate: Candidate | undefined,
    lists = this.#lists,
  ): boolean | Gap["reason"] {
    const { reads } = condition;
    if (reads.has("session") && !this.#case.facts.isSessionKnown) return "session_unknown";
    const findings = reads.has("findings") ? this.#findings() : [];
    if (findings.length > listCaps.findings || this.#case.facts.exceedsCaps(reads, piece)) return "condition_limit";
    try {
      const finding = candidate === undefined ? undefined : { ...candidate, detector: candidate.term.detector };
      return condition.holds(this.#case.facts.of(piece, { lists, findings, finding }));
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      return "condition_error";
    }
  }

  /** What the policy's detectors found in the whole request, for conditions that read `findings`. */
  #findings(): readonly PlacedDetection[] {
    this.#all ??= this.#case.detections.flatMap((detections, piece) =>
      distinct(this.#policy.rules.flatMap((rule) => candidatesOf(rule, detections ?? new Map()))).map(
        ({ term, detection }) => ({ piece, detector: term.detector, detection }),
      ),
    );
    return this.#all;
  }

  #match(rule: CompiledRule, piece: number, candidate: Candidate): Match {
    const { term, detection } = candidate;
    const { category, start, end, score, layer } = detection;
    return {
      ...this.#effect(rule, piece, candidate),
      detector: term.detector,
      category: rule.category ?? category,
      start,
      end,
      score,
      threshold: term.threshold,
      layer,
    };
  }

  /** A match without a detection: the rule has conditions only, or could not be judged. */
  #wholePiece(rule: CompiledRule, piece: Piece, index: number, category: string): Match {
    return {
      ...this.#effect(rule, index, undefined),
      detector: rule.terms[0]?.detector ?? "condition",
      category: rule.category ?? category,
      start: 0,
      end: piece.text.length,
      score: 1,
      threshold: 0,
      layer: "plain",
    };
  }

  #effect(rule: CompiledRule, piece: number, candidate: Candidate | undefined) {
    const { rollout } = rule;
    const isRolledOut =
      rollout === undefined || isInRollout(rule.id, this.#case.rolloutValue(rollout.by), rollout.percent);
    const exemptedBy = this.#exempting.exemptionOf(rule, piece, candidate);
    const mode = isRolledOut ? modeAt(rule, this.#case.nowMs) : Mode.SHADOW;
    return { policy: this.#policy, rule, piece, mode, severity: rule.severity, exemptedBy };
  }
}

function readsTool({ when, unless }: CompiledRule): boolean {
  return when?.reads.has("tool") === true || unless?.reads.has("tool") === true;
}

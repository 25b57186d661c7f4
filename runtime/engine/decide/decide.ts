// Applies rules to detections; pure and total. A rule that accepts a detection makes a match. A rule that could not be
// judged is listed as a gap, and its `on_error` says how it counts. Nothing here throws, waits or reads a clock.
//
// A replay decides by the same code with less knowledge. Then detections, conditions and roll-outs may be in doubt, and
// so may a match be. `D` is the type of a doubt; an evaluation has none.

import { FailMode, Mode, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Detection } from "../detectors/detector.ts";
import type { Condition } from "../policy/condition.ts";
import type { Lists } from "../policy/list.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import type { CompiledPolicy, CompiledRule, CompiledTerm } from "../policy-plan/compiled-policy.ts";
import { modeAt } from "../policy-plan/rollout.ts";
import { Exemptions } from "./exemptions.ts";
import type { ConditionFacts, LocatedDetection, NamedDetection } from "./fact-sheet.ts";
import { byPosition, conditionName, type Decision, type Gap, type Match, type Silence } from "./match.ts";
import { distinct, type RuleHit, ruleHitsOf, termCount } from "./rule-hits.ts";
import { and, type Joinable, not, type Truth } from "./truth.ts";

/** A piece of a request as rules see it: a text segment, or what a record keeps of one. */
export interface JudgedPiece {
  readonly text: { readonly length: number };
  /** The tool call that it belongs to. */
  readonly call?: object;
  readonly isArgument: boolean;
  readonly stage?: Stage;
}

/** What is not known of a detector's findings in a piece. */
export interface TermDoubt<D> {
  /** The findings that are given may not count. */
  readonly hits: D | undefined;
  /** There may be more of them, or the detector may count without one. */
  readonly more: D | undefined;
}

/** The request that rules judge, with everything that was found in it. */
export interface DecisionInput<D extends Joinable<D> = never> {
  readonly stage: Stage;
  readonly segments: readonly JudgedPiece[];
  /** Detections of each segment by detector; undefined for a segment that was not scanned because time ran out. */
  readonly detections: readonly (ReadonlyMap<string, readonly Detection[]> | undefined)[];
  /** What is not known of the detections; absent when all of them are known. */
  readonly doubtOf?: (term: CompiledTerm, segment: number) => TermDoubt<D> | undefined;
  /** Why a detector's finding nothing in a segment says nothing; undefined when it does. */
  readonly silenceOf: (term: CompiledTerm, segment: number) => Silence | undefined;
  readonly facts: ConditionFacts<D>;
  readonly nowMs: number;
  /** When the findings of a segment were complete, in milliseconds since the evaluation began. */
  readonly foundAtMs: (segment: number) => number;
  /** True after the time budget of a policy, in milliseconds, is used up. */
  readonly isOverdue: (timeoutMs: number) => Truth<D>;
  /** Whether the roll-out of a rule selects the request. */
  readonly isRolledOut: (rule: CompiledRule, rollout: NonNullable<CompiledRule["rollout"]>) => Truth<D>;
  /** Notified of each step when the decision is to be explained. */
  readonly observer?: DecisionObserver<D>;
}

/** Why a rule does not match a segment. */
export type NoMatchReason = "argument" | "no_tool_call" | "not_found" | "condition" | "timeout";

/** Evaluates a condition for a segment, and for a detection in it: its value, or why it has none. */
export type Ask<D extends Joinable<D> = never> = (
  condition: Condition,
  segment: number,
  hit?: RuleHit,
  lists?: Lists,
) => Truth<D> | Gap["reason"];

/** Observes a decision. It receives only what the decision itself does not contain. */
export interface DecisionObserver<D extends Joinable<D> = never> {
  /** A policy is about to be judged. `ask` evaluates its conditions. */
  readonly judging: (applicable: ApplicablePolicy, ask: Ask<D>) => void;
  /** A rule of the stage does not match a segment, or matches only because time ran out and it fails closed. */
  readonly passed: (policy: CompiledPolicy, rule: CompiledRule, segment: number, why: NoMatchReason) => void;
}

/** Judges a request by every policy that applies to it. */
export function decide<D extends Joinable<D> = never>(
  applicable: readonly ApplicablePolicy[],
  request: DecisionInput<D>,
): Decision<D> {
  const matches: Match<D>[] = [];
  const gaps = new Map<string, Gap>();
  for (const each of applicable) {
    const judge = new PolicyDecider(each, request, (gap) => gaps.set(JSON.stringify(gap), gap));
    request.observer?.judging(each, (condition, segment, hit, lists) => judge.ask(condition, segment, hit, lists));
    matches.push(...judge.matches());
  }
  return { matches: matches.sort(byPosition), gaps: [...gaps.values()] };
}

/** A hit that the conditions accept, and whether it counts. */
interface JudgedHit<D extends Joinable<D>> extends RuleHit {
  readonly isThere: Truth<D>;
}

/** What is not known about a rule's detectors in one segment. */
interface RuleDoubts<D> {
  /** Terms whose hits may not count. */
  readonly hits: ReadonlyMap<CompiledTerm, D>;
  /** Terms that may have further hits, or may count without one. */
  readonly more: ReadonlyMap<CompiledTerm, D>;
}

/** What a rule is judged by in one segment. */
interface RuleCase<D extends Joinable<D>> {
  readonly rule: CompiledRule;
  readonly segment: JudgedPiece;
  readonly index: number;
  readonly hits: readonly RuleHit[];
  /** How many detectors without an answer count because they fail closed. */
  readonly open: number;
  readonly isLate: boolean;
  readonly doubts: RuleDoubts<D> | undefined;
}

/** Judges by one policy. */
class PolicyDecider<D extends Joinable<D>> {
  readonly #policy: CompiledPolicy;
  readonly #lists: Lists;
  readonly #case: DecisionInput<D>;
  readonly #report: (gap: Gap) => void;
  readonly #exempting: Exemptions<RuleHit | D, D>;
  readonly #isOver: () => boolean;
  #all: { readonly all: readonly LocatedDetection[]; readonly more: D | undefined } | undefined;

  constructor({ policy, lists, outerLists }: ApplicablePolicy, request: DecisionInput<D>, report: (gap: Gap) => void) {
    this.#policy = policy;
    this.#lists = lists;
    this.#case = request;
    this.#report = report;
    this.#isOver = () => request.isOverdue(policy.timeoutMs) === true;
    this.#exempting = new Exemptions(policy.exemptions, request.nowMs, (exemption, segment, hit) =>
      this.#holds(exemption.when, segment, hit, {
        detector: exemption.id,
        onError: FailMode.FAIL_CLOSED,
        failed: false,
        lists: exemption.level === 0 ? lists : outerLists[exemption.level - 1],
      }),
    );
  }

  matches(): Match<D>[] {
    const { stage, nowMs } = this.#case;
    // Each turn of a transcript is judged at its own stage.
    const isAsked = ({ stages }: CompiledRule, segment: JudgedPiece) => stages.has(segment.stage ?? stage);
    const rules = this.#policy.rules.filter((rule) => modeAt(rule, nowMs) !== Mode.OFF);
    return rules.flatMap((rule) =>
      this.#case.segments.flatMap((segment, index) =>
        isAsked(rule, segment) ? this.#judge(rule, segment, index) : [],
      ),
    );
  }

  #judge(rule: CompiledRule, segment: JudgedPiece, index: number): Match<D>[] {
    if (rule.terms.length === 0 && segment.isArgument) return this.#pass(rule, index, "argument");
    // A request with tool calls may also contain text; rules that read `tool` do not judge that text.
    if (segment.call === undefined && readsTool(rule)) return this.#pass(rule, index, "no_tool_call");
    const detections = this.#case.detections[index];
    if (detections === undefined) return this.#overdue(rule, segment, index);
    const late = segment.text.length === 0 ? [] : this.#lateTerms(rule, index);
    const found = ruleHitsOf(rule, detections);
    const hits = late.length === 0 ? found : found.filter(({ term }) => !late.includes(term));
    const silent = this.#silentTerms(rule, hits, index).filter(({ term }) => !late.includes(term));
    const open = [...late, ...silent].filter(({ onError }) => onError === FailMode.FAIL_CLOSED).length;
    const isLate = late.length > 0;
    const doubts = this.#doubtsOf(rule, index);
    if (rule.terms.length > 0 && reachable(hits, doubts) + open < rule.atLeast)
      return this.#pass(rule, index, isLate ? "timeout" : "not_found");
    const overdue = this.#case.isOverdue(this.#policy.timeoutMs);
    if (overdue === true) return this.#overdue(rule, segment, index);
    const matches = this.#inTime({ rule, segment, index, hits, open, isLate, doubts });
    if (overdue === false) return matches;
    // Either may be so: there was time for the rule, or there was not.
    return [...matches, ...this.#overdue(rule, segment, index)].map((match) => doubted(match, overdue));
  }

  /** What is not known about the rule's detectors; undefined when everything is. */
  #doubtsOf({ terms }: CompiledRule, segment: number): RuleDoubts<D> | undefined {
    const { doubtOf } = this.#case;
    if (doubtOf === undefined) return undefined;
    const hits = new Map<CompiledTerm, D>();
    const more = new Map<CompiledTerm, D>();
    for (const term of terms) {
      const doubt = doubtOf(term, segment);
      if (doubt?.hits !== undefined) hits.set(term, doubt.hits);
      if (doubt?.more !== undefined) more.set(term, doubt.more);
    }
    return { hits, more };
  }

  /** Judges a rule for which time sufficed. */
  #inTime(about: RuleCase<D>): Match<D>[] {
    const { rule, segment, index, hits, open, isLate, doubts } = about;
    if (rule.terms.length === 0) {
      const applies = this.#applies(rule, index, undefined);
      if (applies === false) return this.#pass(rule, index, "condition");
      return [this.#wholeSegment(rule, segment, index, { category: "condition", applies })];
    }
    const perFinding = readsFinding(rule);
    const applies = perFinding ? true : this.#applies(rule, index, undefined);
    if (applies === false) return this.#pass(rule, index, "condition");
    const accepted = hits.flatMap((hit): JudgedHit<D>[] => {
      const own = perFinding ? this.#applies(rule, index, hit) : applies;
      const isThere = and(own, doubts?.hits.get(hit.term) ?? true);
      return isThere === false ? [] : [{ ...hit, isThere }];
    });
    const sure = doubts === undefined ? accepted : accepted.filter(({ isThere }) => isThere === true);
    if (termCount(sure) >= rule.atLeast) {
      const matches = distinct(surestFirst(accepted)).map((hit) => this.#match(rule, index, hit));
      return doubts === undefined ? matches : [...matches, ...this.#further(about, accepted)];
    }
    const nothing = this.#pass(rule, index, isLate ? "timeout" : "condition");
    // A detector that fails closed counts as if it had found something.
    if (open > 0 && termCount(sure) + open >= rule.atLeast)
      return [this.#wholeSegment(rule, segment, index, { category: "unjudged", applies })];
    return doubts === undefined ? nothing : this.#perhaps(about, accepted, applies);
  }

  /** The matches of a rule that may match, but need not. */
  #perhaps(about: RuleCase<D>, accepted: readonly JudgedHit<D>[], applies: Truth<D>): Match<D>[] {
    const { rule, segment, index, open } = about;
    const more = this.#acceptable(about);
    if (reachable(accepted, { more }) + open < rule.atLeast) return [];
    let doubt = applies;
    for (const each of [...more.values(), ...accepted.map(({ isThere }) => isThere)]) doubt = and(doubt, each);
    const matches = distinct(accepted).map((hit) => this.#match(rule, index, { ...hit, isThere: doubt }));
    if (open > 0) matches.push(this.#wholeSegment(rule, segment, index, { category: "unjudged", applies: doubt }));
    return [...matches, ...this.#further(about, accepted)];
  }

  /** What else a rule may match: findings that are not known. An exemption may cover the known ones and not these. */
  #further(about: RuleCase<D>, accepted: readonly JudgedHit<D>[]): Match<D>[] {
    const { rule, segment, index } = about;
    let finding: D | undefined;
    for (const each of this.#acceptable(about).values()) finding = finding?.with(each) ?? each;
    if (finding === undefined) return [];
    let isThere: Truth<D> = finding;
    for (const hit of accepted) isThere = and(isThere, hit.isThere);
    return [this.#wholeSegment(rule, segment, index, { category: "unknown", applies: isThere, finding })];
  }

  /** The terms whose unknown findings the conditions of the rule may accept. */
  #acceptable({ rule, index, doubts }: RuleCase<D>): Map<CompiledTerm, D> {
    const accepted = new Map<CompiledTerm, D>();
    for (const [term, doubt] of doubts?.more ?? []) {
      // Without an answer of its backend a detector that fails closed counts, and there is no finding to ask about.
      const isAsked = !(readsFinding(rule) && term.backend !== undefined && term.onError === FailMode.FAIL_CLOSED);
      const truth = isAsked ? and(doubt, this.#applies(rule, index, doubt)) : doubt;
      if (typeof truth !== "boolean") accepted.set(term, truth);
    }
    return accepted;
  }

  #pass(rule: CompiledRule, segment: number, why: NoMatchReason): Match<D>[] {
    this.#case.observer?.passed(this.#policy, rule, segment, why);
    return [];
  }

  #overdue(rule: CompiledRule, segment: JudgedPiece, index: number): Match<D>[] {
    if (segment.text.length === 0 && rule.terms.length > 0) return this.#pass(rule, index, "not_found");
    const modes = rule.terms.length === 0 ? [rule.onError] : rule.terms.map((term) => term.onError);
    const onError = modes.includes(FailMode.FAIL_CLOSED) ? FailMode.FAIL_CLOSED : FailMode.FAIL_OPEN;
    const names = rule.terms.length === 0 ? [rule.id] : rule.terms.map(({ detector }) => detector);
    for (const detector of names) this.#report({ detector, reason: "timeout", onError });
    const nothing = this.#pass(rule, index, "timeout");
    if (onError !== FailMode.FAIL_CLOSED) return nothing;
    return [this.#wholeSegment(rule, segment, index, { category: "unjudged", applies: true })];
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
   * The detectors of a rule that found nothing while their backend gave no answer, or in a language that they do not
   * know, each with what that means for the rule. A missing answer is reported even when other detectors found
   * something.
   */
  #silentTerms({ terms }: CompiledRule, hits: readonly RuleHit[], segment: number) {
    if (this.#case.segments[segment]?.text.length === 0) return [];
    return terms.flatMap((term) => {
      if (term.backend === undefined && term.known === undefined) return [];
      const hasHit = hits.some((hit) => hit.term === term);
      // What was found counts in every language, so there is nothing to look up.
      const reason = hasHit && term.backend === undefined ? undefined : this.#case.silenceOf(term, segment);
      if (reason === undefined || (hasHit && reason === "unsupported_language")) return [];
      const onError = reason === "unsupported_language" ? (term.known?.onError ?? term.onError) : term.onError;
      this.#report({ detector: term.detector, reason, onError });
      return hasHit ? [] : [{ term, onError }];
    });
  }

  /**
   * Whether the conditions of a rule accept a segment, or a finding in it: one that is known, or one that may be there.
   */
  #applies(rule: CompiledRule, segment: number, hit: RuleHit | D | undefined): Truth<D> {
    // For a finding, the mode of its detector decides. Otherwise the gap is reported under the first detector that has
    // the joint mode.
    const own = isHit(hit) ? hit.term : undefined;
    const { onError } = own ?? rule;
    const failsClosed = onError === FailMode.FAIL_CLOSED;
    const term = own ?? rule.terms.find((each) => each.onError === onError);
    const about = { detector: term?.detector ?? rule.id, onError };
    // A rule that fails closed matches when it cannot be judged: `when` then counts as true, `unless` as false.
    const when = rule.when === undefined || this.#holds(rule.when, segment, hit, { ...about, failed: failsClosed });
    if (when === false || rule.unless === undefined) return when;
    return and(when, not(this.#holds(rule.unless, segment, hit, { ...about, failed: !failsClosed })));
  }

  #holds(
    condition: Condition,
    segment: number,
    hit: RuleHit | D | undefined,
    about: { readonly detector: string; readonly onError: FailMode; readonly failed: boolean; readonly lists?: Lists },
  ): Truth<D> {
    const { detector, onError, failed, lists } = about;
    const value = this.ask(condition, segment, hit, lists);
    if (typeof value !== "string") return value;
    this.#report({ detector, reason: value, onError });
    return failed;
  }

  /** The value of a condition, or why it has none. */
  ask(
    condition: Condition,
    segment: number,
    hit: RuleHit | D | undefined,
    lists: Lists = this.#lists,
  ): Truth<D> | Gap["reason"] {
    const finding: NamedDetection | D | undefined = isHit(hit) ? { ...hit, detector: hit.term.detector } : hit;
    return this.#case.facts.ask(condition, segment, {
      lists,
      findings: () => this.#findings(),
      finding,
      isOver: this.#isOver,
    });
  }

  /** Everything that the policy's detectors found in the request, for conditions that read `findings`. */
  #findings(): { readonly all: readonly LocatedDetection[]; readonly more: D | undefined } {
    if (this.#all !== undefined) return this.#all;
    const { rules } = this.#policy;
    const { detections: found, doubtOf } = this.#case;
    const all = found.flatMap((detections, segment) =>
      distinct(rules.flatMap((rule) => ruleHitsOf(rule, detections ?? new Map()))).map(({ term, detection }) => ({
        segment,
        detector: term.detector,
        detection,
      })),
    );
    let more: D | undefined;
    for (const [segment, term] of doubtOf === undefined ? [] : pairsOf(found.length, rules)) {
      const doubt = doubtOf?.(term, segment)?.more;
      if (doubt !== undefined) more = more?.with(doubt) ?? doubt;
    }
    this.#all = { all, more };
    return this.#all;
  }

  #match(rule: CompiledRule, segment: number, hit: JudgedHit<D>): Match<D> {
    const { term, detection, isThere } = hit;
    const { category, start, end, score, layer } = detection;
    return {
      ...this.#effect(rule, segment, hit),
      isThere,
      detector: term.detector,
      category: rule.category ?? category,
      start,
      end,
      score,
      threshold: term.threshold,
      layer,
    };
  }

  /**
   * A match without a detection: the rule has only conditions, or could not be judged, or may have a finding that is
   * not known.
   */
  #wholeSegment(
    rule: CompiledRule,
    segment: JudgedPiece,
    index: number,
    about: { readonly category: string; readonly applies: Truth<D>; readonly finding?: D },
  ): Match<D> {
    return {
      ...this.#effect(rule, index, about.finding),
      isThere: about.applies,
      detector: rule.terms[0]?.detector ?? conditionName,
      category: rule.category ?? about.category,
      start: 0,
      end: segment.text.length,
      score: 1,
      threshold: 0,
      layer: "plain",
    };
  }

  #effect(rule: CompiledRule, segment: number, hit: RuleHit | D | undefined) {
    const { rollout } = rule;
    const isRolledOut = rollout === undefined || this.#case.isRolledOut(rule, rollout);
    const exempting = this.#exempting.exemptionOf(rule, segment, hit);
    const mode = isRolledOut === false ? Mode.SHADOW : modeAt(rule, this.#case.nowMs);
    const isOpen = exempting === undefined ? true : not(exempting.truth);
    const takesEffect = mode === Mode.ENFORCE ? and(isRolledOut, isOpen) : false;
    return {
      policy: this.#policy,
      rule,
      segment,
      mode,
      severity: rule.severity,
      exemptedBy: exempting?.id,
      takesEffect,
    };
  }
}

function isHit(hit: RuleHit | object | undefined): hit is RuleHit {
  return hit !== undefined && "term" in hit;
}

/** How many terms have a hit, or may have one. */
function reachable<D>(hits: readonly RuleHit[], doubts: Pick<RuleDoubts<D>, "more"> | undefined): number {
  if (doubts === undefined || doubts.more.size === 0) return termCount(hits);
  return new Set([...hits.map(({ term }) => term), ...doubts.more.keys()]).size;
}

/** Of two hits that are the same to a reader, the one that surely counts has to be kept. */
function surestFirst<D extends Joinable<D>>(hits: readonly JudgedHit<D>[]): readonly JudgedHit<D>[] {
  if (hits.every(({ isThere }) => isThere === true)) return hits;
  return hits.toSorted((a, b) => Number(b.isThere === true) - Number(a.isThere === true));
}

function doubted<D extends Joinable<D>>(match: Match<D>, doubt: D): Match<D> {
  return { ...match, isThere: and(match.isThere, doubt) };
}

/** Each term of the rules, in each segment. */
function* pairsOf(segments: number, rules: readonly CompiledRule[]): Generator<readonly [number, CompiledTerm]> {
  for (let segment = 0; segment < segments; segment++)
    for (const { terms } of rules) for (const term of terms) yield [segment, term];
}

function readsFinding({ when, unless }: CompiledRule): boolean {
  return when?.reads.has("finding") === true || unless?.reads.has("finding") === true;
}

function readsTool({ when, unless }: CompiledRule): boolean {
  return when?.reads.has("tool") === true || unless?.reads.has("tool") === true;
}

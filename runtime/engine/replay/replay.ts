// Judges a recorded evaluation by other policies, with the code that judges requests. What the record does not tell is
// a doubt. The outcome is the strictest action of all matches that take effect: `least` counts those that surely do,
// `most` also those that may. Where both are the same, the answer is exact.

import type { Finding } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { decide } from "../decide/decide.ts";
import type { Match } from "../decide/match.ts";
import { and, or, type Truth } from "../decide/truth.ts";
import type { CompiledPolicy, CompiledRule } from "../policy-plan/compiled-policy.ts";
import { modeAt } from "../policy-plan/rollout.ts";
import { useOf } from "../scan/spec-table.ts";
import type { OutputSchema } from "../schema/output-schema.ts";
import { schemaOutcomeOf } from "../schema/schema-check.ts";
import { Doubt, type DoubtReason, doubt } from "./doubt.ts";
import { RecordedCase, type ScanTools } from "./recorded-case.ts";
import { RecordedFacts } from "./recorded-facts.ts";
import { type Answer, answerOf, compareFindings, type PlacedMatch, type ReplayedFinding } from "./replayed-finding.ts";

/** Why the answer about a rule is what it is: a doubt, or a threshold that no score can fall below. */
export type ReplayReason = DoubtReason | "below_floor";

/** How to replay. */
export interface ReplayOptions {
  /** The time at which modes and exemptions are judged. */
  readonly nowMs: number;
  /** Whether to read the text that the record has. */
  readonly useText: boolean;
  /** The policies replace only the one of this name; what others found is kept. Undefined: they replace all. */
  readonly replaces?: string | undefined;
}

/** One rule in a replay. */
export interface ReplayedRule {
  readonly policy: string;
  readonly ruleId: string;
  /** Whether the record says that it matched. */
  readonly was: Answer;
  /** Whether it matches now. */
  readonly match: Answer;
  /** Whether its match takes effect now. */
  readonly effect: Answer;
  /** The best score of a match that takes effect; null when there is none, "unknown" while one is in doubt. */
  readonly score: number | "unknown" | null;
  readonly reasons: readonly ReplayReason[];
}

/** The least and the most strict outcome that is possible. */
export interface OutcomeRange {
  readonly least: Outcome;
  readonly most: Outcome;
}

/** The result of a replay. */
export interface Replayed {
  readonly range: OutcomeRange;
  /** The same with rules that only observe. */
  readonly wouldBe: OutcomeRange;
  /** The rule and policy that decide; undefined for ALLOW, and while the outcome is not exact. */
  readonly decidedBy: { readonly policy: string; readonly ruleId: string } | undefined;
  /** Every rule of the policies, and those that the record says matched and that are no more. */
  readonly rules: readonly ReplayedRule[];
  /** What the record says the policies found, beside what they find now. */
  readonly findings: readonly ReplayedFinding[];
  /** Why the outcome is not exact; empty when it is. */
  readonly reasons: readonly DoubtReason[];
  /** Whether any text was read. */
  readonly usedText: boolean;
}

/** What an engine gives to its replays. */
export interface ReplayTools extends ScanTools {
  readonly environment: string;
  readonly schemas: ReadonlyMap<string, OutputSchema>;
}

/** A match as far as an outcome depends on it. */
type ReplayMatch = Pick<Match<Doubt>, "policy" | "rule" | "severity" | "score" | "isThere" | "takesEffect">;

/** One reason for an outcome. */
interface Weight {
  readonly action: Outcome;
  readonly isThere: Truth<Doubt>;
  readonly takesEffect: Truth<Doubt>;
  readonly policy: string;
  readonly ruleId: string;
  readonly severity: number;
  readonly index: number;
}

/** Judges a record. */
export function replay(record: EvaluationRecord, options: ReplayOptions, tools: ReplayTools): Replayed {
  const recorded = new RecordedCase(record, tools, options);
  const placed = recorded.isReplayable ? matchesOf(recorded, options, tools) : undefined;
  const matches = placed ?? unknownMatches(options, tools);
  const kept = options.replaces === undefined ? [] : keptWeights(record, options.replaces);
  const weights = [...matches.map(weightOf), ...kept, ...schemaWeights(recorded, options, tools)];
  const effects = weights.map((weight) => ({ ...weight, truth: and(weight.isThere, weight.takesEffect) }));
  const range = rangeOf(effects);
  return {
    range,
    wouldBe: rangeOf(weights.map((weight) => ({ ...weight, truth: weight.isThere }))),
    decidedBy: range.least === range.most ? decidingOf(effects, range.least) : undefined,
    rules: [...rulesOf(record, matches, tools), ...lostRules(record, options, tools)],
    findings: compareFindings(placed, { record, replaces: options.replaces, pieces: comparedPieces(recorded) }),
    reasons: reasonsOf(effects, range.least),
    usedText: recorded.texts.some((text) => text !== undefined),
  };
}

function comparedPieces({ pieces, texts }: RecordedCase) {
  return pieces.map(({ id }, at) => ({ id, isShifted: texts[at] !== undefined && texts[at].whole === undefined }));
}

function matchesOf(
  recorded: RecordedCase,
  options: ReplayOptions,
  tools: ReplayTools,
): readonly (ReplayMatch & PlacedMatch)[] {
  const { record } = recorded;
  const { matches } = decide<Doubt>(tools.applicable, {
    stage: record.stage,
    segments: recorded.pieces.map((piece) => ({ ...piece, text: { length: piece.length } })),
    detections: recorded.detections,
    doubtOf: (term, piece) => recorded.doubtOf(term, piece),
    silenceOf: (term, piece) => recorded.silenceOf(term, piece),
    facts: new RecordedFacts(recorded, tools.environment),
    nowMs: options.nowMs,
    foundAtMs: () => 0,
    isOverdue: (timeoutMs) => recorded.isOverdue(timeoutMs),
    isRolledOut: (rule, rollout) => recorded.isRolledOut(rule, rollout),
  });
  return matches;
}

/** Any rule may match a record that says neither what was judged nor what was found. */
function unknownMatches({ nowMs }: ReplayOptions, { applicable }: ReplayTools): ReplayMatch[] {
  const isThere = doubt("facts_missing");
  return applicable.flatMap(({ policy }) =>
    policy.rules.map((rule) => {
      const takesEffect = modeAt(rule, nowMs) === Mode.ENFORCE;
      return { policy, rule, severity: rule.severity, score: 0, isThere, takesEffect };
    }),
  );
}

function weightOf({ rule, policy, isThere, takesEffect, severity }: ReplayMatch): Weight {
  const { id: ruleId, action, index } = rule;
  return { action, isThere, takesEffect, policy: policy.name, ruleId, severity, index };
}

/** What the other policies found, as the record has it. */
function keptWeights({ findings, findingsOmitted }: EvaluationRecord, replaced: string): Weight[] {
  const weights = findings
    .filter(({ policy }) => policy !== replaced)
    .map(
      ({ action, policy, ruleId, severity, ...finding }, index): Weight => ({
        ...{ action, policy, ruleId, severity, index },
        isThere: true,
        takesEffect: isInEffect(finding),
      }),
    );
  if (findingsOmitted === 0) return weights;
  // Those without effect are left out first, and of the others the milder ones.
  const takesEffect = findings.every(isInEffect);
  const actions = findings.map(({ action }) => action).sort((x, y) => x - y);
  const action = takesEffect ? (actions[0] ?? Outcome.BLOCK) : Outcome.BLOCK;
  weights.push({
    ...{ policy: "", ruleId: "", severity: 0, index: 0, action, takesEffect },
    isThere: doubt("findings_omitted"),
  });
  return weights;
}

function isInEffect({ mode, exemptedBy }: Pick<Finding, "mode" | "exemptedBy">): boolean {
  return mode === Mode.ENFORCE && exemptedBy === undefined;
}

/** An output that does not satisfy its schema is blocked. */
function schemaWeights(recorded: RecordedCase, { replaces }: ReplayOptions, { schemas }: ReplayTools): Weight[] {
  const { record } = recorded;
  const isInvalid = (isThere: Truth<Doubt>): Weight[] => {
    const about = { policy: "", ruleId: "output_schema", severity: 0, index: 0 };
    return [{ ...about, action: Outcome.BLOCK, isThere, takesEffect: true }];
  };
  if (recorded.isBare) return record.decidedByRule === "output_schema" ? isInvalid(doubt("schema_missing")) : [];
  if (record.schema === undefined || record.stage !== Stage.OUTPUT) return [];
  const { name, version, valid } = record.schema;
  const current = schemas.get(name);
  if (replaces !== undefined || (current !== undefined && current.version === version)) return isInvalid(!valid);
  if (current === undefined || recorded.texts.some((text) => text?.whole === undefined))
    return isInvalid(doubt("schema_missing"));
  const request = { ...recorded.request, outputSchema: name };
  return isInvalid(schemaOutcomeOf(request, recorded.pieces, record.stage, schemas)?.valid === false);
}

interface Effect extends Weight {
  readonly truth: Truth<Doubt>;
}

function rangeOf(effects: readonly Effect[]): OutcomeRange {
  let least: Outcome = Outcome.ALLOW;
  let most: Outcome = Outcome.ALLOW;
  for (const { action, truth } of effects) {
    if (truth === true && action > least) least = action;
    if (truth !== false && action > most) most = action;
  }
  return { least, most };
}

/** The doubts about everything that could make the outcome stricter than it surely is. */
function reasonsOf(effects: readonly Effect[], least: Outcome): DoubtReason[] {
  const reasons = new Set<DoubtReason>();
  for (const { action, truth } of effects)
    if (truth instanceof Doubt && action > least) for (const reason of truth.reasons) reasons.add(reason);
  return [...reasons].sort();
}

/** Highest severity first, then policy by name, then rule by its position, as for an evaluation. */
function decidingOf(effects: readonly Effect[], outcome: Outcome): Replayed["decidedBy"] {
  if (outcome === Outcome.ALLOW) return undefined;
  const [first] = effects
    .filter(({ action, truth, policy }) => truth === true && action === outcome && policy !== "")
    .sort((a, b) => b.severity - a.severity || compare(a.policy, b.policy) || a.index - b.index);
  if (first !== undefined) return { policy: first.policy, ruleId: first.ruleId };
  return effects.some(({ truth, ruleId }) => truth === true && ruleId === "output_schema")
    ? { policy: "", ruleId: "output_schema" }
    : undefined;
}

function rulesOf(record: EvaluationRecord, matches: readonly ReplayMatch[], tools: ReplayTools): ReplayedRule[] {
  const byRule = Map.groupBy(matches, ({ rule }) => rule);
  return tools.applicable.flatMap(({ policy }) =>
    [...policy.rules, ...policy.offRules].map((rule) =>
      replayedRule(record, policy, rule, byRule.get(rule) ?? [], tools),
    ),
  );
}

function replayedRule(
  record: EvaluationRecord,
  policy: CompiledPolicy,
  rule: CompiledRule,
  matches: readonly ReplayMatch[],
  { definitions }: ReplayTools,
): ReplayedRule {
  let match: Truth<Doubt> = false;
  let effect: Truth<Doubt> = false;
  for (const { isThere, takesEffect } of matches) {
    match = or(match, isThere);
    effect = or(effect, and(isThere, takesEffect));
  }
  const reasons = new Set<ReplayReason>();
  for (const truth of [match, effect]) if (truth instanceof Doubt) for (const each of truth.reasons) reasons.add(each);
  const isBelowFloor = rule.terms.some(({ specKey, threshold, backend }) => {
    const floor = definitions.get(useOf(specKey))?.floor;
    return backend === undefined && floor !== undefined && threshold < floor;
  });
  if (isBelowFloor) reasons.add("below_floor");
  return {
    policy: policy.name,
    ruleId: rule.id,
    was: wasFound(record, policy.name, rule.id),
    match: answerOf(match),
    effect: answerOf(effect),
    score: scoreOf(matches),
    reasons: [...reasons].sort(),
  };
}

/** Rules that matched and that the policies do not have anymore. */
function lostRules(
  { findings }: EvaluationRecord,
  { replaces }: ReplayOptions,
  { applicable }: ReplayTools,
): ReplayedRule[] {
  const present = new Set(
    applicable.flatMap(({ policy: { name, rules, offRules } }) =>
      [...rules, ...offRules].map(({ id }) => ruleName(name, id)),
    ),
  );
  const lost = new Map<string, ReplayedRule>();
  for (const { policy, ruleId } of findings) {
    const name = ruleName(policy, ruleId);
    if (present.has(name) || (replaces !== undefined && policy !== replaces)) continue;
    lost.set(name, { policy, ruleId, was: "yes", match: "no", effect: "no", score: null, reasons: [] });
  }
  return [...lost.values()];
}

function wasFound({ findings, findingsOmitted }: EvaluationRecord, policy: string, ruleId: string): Answer {
  if (findings.some((finding) => finding.policy === policy && finding.ruleId === ruleId)) return "yes";
  return findingsOmitted > 0 ? "unknown" : "no";
}

function scoreOf(matches: readonly ReplayMatch[]): ReplayedRule["score"] {
  let best: number | null = null;
  for (const { isThere, takesEffect, score } of matches) {
    const truth = and(isThere, takesEffect);
    if (typeof truth !== "boolean") return "unknown";
    if (truth && (best === null || score > best)) best = score;
  }
  return best;
}

function ruleName(policy: string, ruleId: string): string {
  return `${policy}\u0000${ruleId}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

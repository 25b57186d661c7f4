// What a record keeps of an evaluation beyond its answer, so that other policies can be judged by it later, without the
// text: what was judged, by which detectors, and the values of conditions that read what no record keeps.

import type { EvaluateRequest, SchemaOutcome } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  ConditionValue,
  type EvaluationRecord,
  type RecordedCondition,
  type RecordedPiece,
  type RecordedRollout,
  type SilentBackend,
} from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { answerOf, silenceOfAnswer, type UnaskedReason } from "../backend/backend.ts";
import type { Ask } from "../decide/decide.ts";
import { isOversized } from "../decide/fact-sheet.ts";
import type { Gap } from "../decide/match.ts";
import type { Detection, SegmentDetections } from "../detectors/detector.ts";
import type { RolloutKey } from "../policy/document.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import { rolloutPosition } from "../policy-plan/rollout.ts";
import type { TextSegment } from "../segment/segment.ts";
import { asksAt } from "./backend-question.ts";
import { recordedVoice, voicesOf } from "./backend-voice.ts";
import type { EvaluationContext, EvaluationTools } from "./context.ts";
import { engineDigest } from "./record-digest.ts";
import type { RecordedSignals } from "./record-signals.ts";
import { digestOf, type WatchedCondition, type WatchedRule, watchedRulesOf } from "./watched-rules.ts";

/** The facts of a record that a replay reads, and what came of backends. */
export type ReplayFacts = Pick<
  EvaluationRecord,
  | "engine"
  | "specs"
  | "pieces"
  | "conditions"
  | "rollouts"
  | "unscanned"
  | "requestTimeoutMs"
  | "silentBackends"
  | "backends"
  | "schema"
  | "languageDetected"
  | "sessionKnown"
  | "oversized"
>;

/** A record without them. */
export const noReplayFacts: ReplayFacts = {
  engine: "",
  specs: [],
  pieces: [],
  conditions: [],
  rollouts: [],
  unscanned: [],
  requestTimeoutMs: 0,
  silentBackends: [],
  backends: [],
  schema: undefined,
  languageDetected: false,
  sessionKnown: false,
  oversized: false,
};

/** Why a backend gave no answer that no rule of the stage asked. */
export const notAsked = "not_asked";
/** Why a backend gave no answer that the policy did not want: its own conditions (`ask`) left the text to the detector. */
export const notWanted = "not_wanted";

/** Maximum number of conditions in a record. Where there are more, a replay has to do without their values. */
const maxConditions = 1_000;

/** An evaluation, as far as its facts depend on it. */
export interface FactSource {
  readonly request: EvaluateRequest;
  readonly context: EvaluationContext;
  readonly tools: EvaluationTools;
  readonly segments: readonly TextSegment[];
  readonly detections: readonly SegmentDetections[];
  /** Why the policy of a detector asks no backend about a segment, by the index of the segment. */
  readonly unasked: readonly ReadonlyMap<string, UnaskedReason>[];
  readonly signals: RecordedSignals;
  readonly schema: SchemaOutcome | undefined;
  readonly language: string | undefined;
  /** Evaluates the conditions of each policy. */
  readonly asks: readonly (readonly [ApplicablePolicy, Ask])[];
  readonly rolloutValue: (by: RolloutKey) => { readonly value: string; readonly isText: boolean };
}

/** The facts of an evaluation. */
export function replayFactsOf(source: FactSource): ReplayFacts {
  const { request, context, tools, segments, detections, schema } = source;
  const unscanned: number[] = [];
  for (const [index, found] of detections.entries()) if (found === undefined) unscanned.push(index);
  return {
    engine: engineDigest,
    specs: tools.applicable.length === 0 ? [] : [...tools.recorded.digests],
    pieces: segments.map(pieceOf),
    conditions: source.asks.length === 0 ? [] : conditionsOf(source),
    rollouts: rolloutsOf(source),
    unscanned,
    requestTimeoutMs: request.options?.timeoutMs ?? 0,
    silentBackends: tools.backed === undefined || tools.backed.length === 0 ? [] : silentBackendsOf(source),
    backends: voicesOf(source).map((voice) => recordedVoice(voice, segments)),
    schema: schema && { ...schema, problems: [] },
    languageDetected: request.language === "auto" && source.language !== undefined,
    sessionKnown: context.session?.known === true,
    oversized: isOversized(request),
  };
}

// Written out: create would look at every field anew.
function pieceOf({ id, role, origin, trust, stage, text, call }: TextSegment): RecordedPiece {
  return {
    $typeName: "policyguard.policy.v1.RecordedPiece",
    ...{ id, role, origin, trust, stage: stage ?? Stage.UNSPECIFIED },
    length: text.length,
    tool: call?.name ?? "",
  };
}

function conditionsOf(source: FactSource): RecordedCondition[] {
  const conditions = new Map<string, RecordedCondition>();
  for (const [applicable, ask] of source.asks) {
    for (const watched of watchedRulesOf(applicable)) {
      for (const piece of source.segments.keys()) {
        if (conditions.size >= maxConditions) return [...conditions.values()];
        if (!isConcerned(watched, source, piece)) continue;
        for (const condition of watched.conditions) askAbout(condition, piece, { watched, ask, source, conditions });
      }
    }
  }
  return [...conditions.values()];
}

/**
 * Whether a detector of the rule gave any signal in the piece, or could not answer and may fail closed. A rule without
 * detectors judges every whole piece.
 */
function isConcerned({ rule: { terms } }: WatchedRule, source: FactSource, piece: number): boolean {
  const { segments, detections, context } = source;
  const { text = "", isArgument } = segments[piece] ?? {};
  if (terms.length === 0) return isArgument === false;
  const found = detections[piece];
  if (found === undefined || text === "") return false;
  return terms.some(
    ({ specKey, backend }) =>
      found.has(specKey) ||
      (backend !== undefined && silenceOfAnswer(answerOf(context.backends, backend, text)) !== undefined),
  );
}

interface AskContext {
  readonly watched: WatchedRule;
  readonly ask: Ask;
  readonly source: FactSource;
  readonly conditions: Map<string, RecordedCondition>;
}

function askAbout(watched: WatchedCondition, piece: number, about: AskContext): void {
  const { source } = about;
  const { reads } = watched.leaf.condition;
  if (reads.has("session") && source.context.session?.known !== true) return;
  if (reads.has("tool") && source.segments[piece]?.call === undefined) return;
  if (!reads.has("finding")) {
    record(watched, { piece, signal: undefined, hit: undefined }, about);
    return;
  }
  for (const term of about.watched.rule.terms) {
    for (const detection of source.detections[piece]?.get(term.specKey) ?? []) {
      const signal = source.signals.indexOf(piece, term.specKey, detection);
      if (signal !== undefined) record(watched, { piece, signal, hit: { term, detection } }, about);
    }
  }
}

interface Asked {
  readonly piece: number;
  readonly signal: number | undefined;
  readonly hit: { readonly term: WatchedRule["rule"]["terms"][number]; readonly detection: Detection } | undefined;
}

function record(watched: WatchedCondition, { piece, signal, hit }: Asked, about: AskContext): void {
  const { source, conditions, ask } = about;
  const { digest, key: name } = digestOf(watched, source.tools.environment, hit?.term.detector ?? "");
  const key = `${name}/${piece}/${signal ?? ""}`;
  if (conditions.has(key) || conditions.size >= maxConditions) return;
  const value = conditionValueOf(ask(watched.leaf.condition, piece, hit, watched.lists));
  if (value === undefined) return;
  conditions.set(key, { $typeName: "policyguard.policy.v1.RecordedCondition", digest, piece, signal, value });
}

/** A value that depends on time or on the whole condition is not one of the part, and is not kept. */
function conditionValueOf(value: boolean | Gap["reason"]): ConditionValue | undefined {
  if (typeof value === "boolean") return value ? ConditionValue.TRUE : ConditionValue.FALSE;
  return value === "condition_error" || value === "condition_too_expensive" ? ConditionValue.NONE : undefined;
}

/** The places of roll-outs that select by the text: the other values are in the record themselves. */
function rolloutsOf({ tools: { applicable }, rolloutValue }: FactSource): RecordedRollout[] {
  const positions = new Map<string, RecordedRollout>();
  for (const { policy } of applicable) {
    for (const { id, rollout } of policy.rules) {
      if (rollout === undefined || positions.has(id)) continue;
      const { value, isText } = rolloutValue(rollout.by);
      if (!isText) continue;
      const position = rolloutPosition(id, value);
      positions.set(id, { $typeName: "policyguard.policy.v1.RecordedRollout", ruleId: id, position });
    }
  }
  return [...positions.values()];
}

function silentBackendsOf({ context, tools, segments, detections, unasked }: FactSource): SilentBackend[] {
  const asking = { applicable: tools.applicable, nowMs: context.now.getTime() };
  const silent = new Map<string, SilentBackend>();
  for (const { key, use } of tools.backed ?? []) {
    const spec = tools.recorded.indexOf.get(key);
    if (spec === undefined) continue;
    for (const [piece, { text, stage = context.stage }] of segments.entries()) {
      if (text === "" || detections[piece] === undefined) continue;
      const silence = silenceOfAnswer(answerOf(context.backends, use.key, text));
      const isUnwanted = unasked[piece]?.has(key) === true;
      if (silence === undefined && !isUnwanted) continue;
      const wasAsked = silence !== "backend_unavailable" || asksAt(use.key, stage, asking);
      const reason = isUnwanted ? notWanted : wasAsked && silence !== undefined ? silence : notAsked;
      const name = `${spec}/${reason}`;
      const known = silent.get(name) ?? {
        ...{ $typeName: "policyguard.policy.v1.SilentBackend" as const, spec, pieces: [] },
        reason,
      };
      known.pieces.push(piece);
      silent.set(name, known);
    }
  }
  return [...silent.values()];
}

// One evaluation: split into segments, scan, decide, redact, respond. The same bundle and request give the same answer.

import { create } from "@bufbuild/protobuf";
import {
  type EvaluateRequest,
  type EvaluateResponse,
  type Finding,
  type SchemaOutcome,
  type Unjudged,
  UnjudgedSchema,
} from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { OffsetUnit, Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { answerOf, silenceOfAnswer } from "../backend/backend.ts";
import { type Ask, type DecisionInput, decide } from "../decide/decide.ts";
import { FactSheet, type LocatedDetection } from "../decide/fact-sheet.ts";
import { type Decision, decidingMatch, isEnforced, type Match, strictest } from "../decide/match.ts";
import { blockedItems, itemOf, sessionUpdateOf } from "../decide/session-update.ts";
import type { SegmentDetections } from "../detectors/detector.ts";
import type { RolloutKey } from "../policy/document.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import { defaultTimeoutMs } from "../policy-plan/compiled-policy.ts";
import { isInRollout } from "../policy-plan/rollout.ts";
import { Fingerprints } from "../respond/fingerprint.ts";
import { Redactor, redact } from "../respond/redact.ts";
import { releasedText } from "../respond/release.ts";
import { answerLimits, findingsOf, respond, severest } from "../respond/respond.ts";
import { schemaOutcomeOf } from "../schema/schema-check.ts";
import { segmentsOf, type TextSegment, textSourceOf } from "../segment/segment.ts";
import type { SessionUpdate, VaultEntry } from "../segment/session.ts";
import type { EvaluationContext, EvaluationTools } from "./context.ts";
import { knownLanguage } from "./detected-language.ts";
import { quietScores } from "./quiet-score.ts";
import { type FactSource, type ReplayFacts, replayFactsOf } from "./record-facts.ts";
import { type RecordedSignals, recordSignals } from "./record-signals.ts";
import { budgetMsOf } from "./scan-in-time.ts";
import { type Scanned, scanSegments } from "./segment-scan.ts";
import { TextLanguages } from "./text-languages.ts";
import { watchedRulesOf } from "./watched-rules.ts";

/** The answer to a request, with the data for its record. */
export interface Evaluation {
  readonly response: EvaluateResponse;
  /** Language of the text, stated or detected; undefined when unknown. */
  readonly language: string | undefined;
  /**
   * The rule and policy that decided; "" when the outcome is ALLOW. When an output schema decides, the rule is
   * "output_schema" and the policy is "".
   */
  readonly decidedByRule: string;
  readonly decidedByPolicy: string;
  /**
   * The strictest findings, at most `answerLimits.findings`, with offsets in UTF-16 code units whatever unit the answer
   * uses.
   */
  readonly findings: readonly Finding[];
  /** How many findings there are beyond those. */
  readonly findingsOmitted: number;
  /** The strongest scores of each detector for each segment, and how many were left out. */
  readonly signals: Pick<RecordedSignals, "signals" | "omitted">;
  readonly unjudged: readonly Unjudged[];
  readonly segments: readonly TextSegment[];
  /**
   * The text of each segment with every finding replaced, including findings without effect; undefined for a segment
   * that was not scanned.
   */
  readonly redactedTexts: () => readonly (string | undefined)[];
  /**
   * The text that a stream of the first segment releases: its redacted text up to the enforced BLOCK match that ends
   * first.
   */
  readonly released: () => string;
  /** The largest part of the text that the policies in scope allow to be reported. */
  readonly recordLimit: "none" | "redacted" | "full";
  /** The changes to the session. */
  readonly sessionUpdate: () => SessionUpdate;
  /** Originals of the answer's reversible placeholders. Never recorded, never part of an answer. */
  readonly vault: readonly VaultEntry[];
  /** What a record keeps for replays. */
  readonly replayFacts: () => ReplayFacts;
}

/** Evaluates a request. */
export function runEvaluation(
  request: EvaluateRequest,
  context: EvaluationContext,
  tools: EvaluationTools,
): Evaluation {
  const judged = judge(request, context, tools);
  const { segments, detections, matches, schema, outcome, deciding } = judged;
  const fingerprints = new Fingerprints(context.fingerprintKey);
  // An explanation pairs each match with its finding, so it needs them all.
  const reported = tools.observer === undefined ? severest(matches, answerLimits.findings) : matches;
  const texts = segments.map(({ text }) => text);
  const spans = shownRedactions(matches, segments, context.stage, outcome).map(spanOf);
  const entries: VaultEntry[] = [];
  const vault = { kept: context.session?.vault ?? [], add: (entry: VaultEntry) => entries.push(entry) };
  const signals = recordSignals(segments, detections, tools);
  const parts = {
    ...{ request, segments, matches, outcome, deciding, schema, fingerprints, reported },
    evaluationId: context.evaluationId,
    hits: hitsOf(detections, tools),
    quiet: () => quietHits(segments, detections, request, { context, tools }),
    unjudged: judged.gaps.map((gap) => create(UnjudgedSchema, gap)),
    stage: context.stage,
    findings: findingsOf({ matches: reported, segments, fingerprints }, OffsetUnit.UTF16),
    rewritten: spans.length > 0 ? redact(texts, spans, fingerprints, vault) : new Map<number, string>(),
    bundle: context.bundle,
    language: knownLanguage(request, segments),
  };
  return {
    response: respond({ ...parts, latencyUs: Math.min(2 ** 31 - 1, Math.round(context.elapsedUs())) }),
    language: parts.language,
    decidedByRule: deciding?.rule.id ?? (schema?.valid === false ? "output_schema" : ""),
    decidedByPolicy: deciding?.policy.name ?? "",
    findings: parts.findings,
    findingsOmitted: matches.length - Math.min(matches.length, answerLimits.findings),
    signals,
    unjudged: parts.unjudged,
    segments,
    redactedTexts: () => redactedTextsOf(judged, fingerprints),
    released: () => (schema?.valid === false ? "" : releasedOf(judged, context, fingerprints)),
    recordLimit: recordLimitOf(tools.applicable),
    vault: entries,
    replayFacts: () => replayFactsOf({ ...judged, request, context, tools, signals, language: parts.language }),
    // A function, since only runtimes that keep sessions need it. As a getter of this object it would give each
    // evaluation a shape of its own, which lives until the whole heap is collected, and keeps the evaluation alive.
    sessionUpdate: () => sessionUpdateOf(context.stage, segments, matches, outcome),
  };
}

/** A request after its scan, its decision and the check of its schema. */
interface Judged extends Decision {
  readonly segments: readonly TextSegment[];
  readonly detections: readonly SegmentDetections[];
  readonly unasked: Scanned["unasked"];
  readonly schema: SchemaOutcome | undefined;
  readonly outcome: Outcome;
  readonly deciding: Match | undefined;
  readonly asks: FactSource["asks"];
  readonly rolloutValue: FactSource["rolloutValue"];
}

function judge(request: EvaluateRequest, context: EvaluationContext, tools: EvaluationTools): Judged {
  const segments = segmentsOf(request, context);
  const scanned = scanSegments(segments, request, context, tools);
  const { detections, unasked } = scanned;
  tools.observer?.scanned(segments, scanned);
  const { asks, observer } = askers(tools);
  const rollouts = (by: RolloutKey) => rolloutValue(by, request, segments, context.evaluationId);
  const input = decisionInputOf(request, segments, scanned, { context, tools });
  const { matches, gaps } = decide(tools.applicable, {
    ...input,
    isRolledOut: ({ id }, { by, percent }) => isInRollout(id, rollouts(by).value, percent),
    observer,
  });
  const isOver = () => context.elapsedUs() > limitMsOf(request, tools) * 1000;
  const schema = schemaOutcomeOf(request, segments, context.stage, tools.schemas ?? new Map(), isOver);
  const outcome = schema?.valid === false ? Outcome.BLOCK : strictest(matches.filter(isEnforced));
  const deciding = decidingMatch(matches, outcome);
  tools.observer?.decided(matches, deciding);
  return { segments, detections, unasked, matches, gaps, schema, outcome, deciding, asks, rolloutValue: rollouts };
}

/** Keeps what asks the conditions of those policies whose values a record needs. */
function askers({ applicable, observer }: EvaluationTools) {
  const asks: [ApplicablePolicy, Ask][] = [];
  if (observer !== undefined || applicable.every((each) => watchedRulesOf(each).length === 0))
    return { asks, observer };
  const judging = (each: ApplicablePolicy, ask: Ask) => {
    if (watchedRulesOf(each).length > 0) asks.push([each, ask]);
  };
  return { asks, observer: { judging, passed: () => undefined } };
}

function redactedTextsOf({ segments, detections, matches }: Judged, fingerprints: Fingerprints) {
  const hidden = matches.map((match) => ({ ...spanOf(match), style: "placeholder" as const, reversible: undefined }));
  const texts = segments.map(({ text }) => text);
  const rewritten = redact(texts, hidden, fingerprints);
  return texts.map((text, index) => (detections[index] === undefined ? undefined : (rewritten.get(index) ?? text)));
}

function releasedOf({ segments, matches }: Judged, { session }: EvaluationContext, fingerprints: Fingerprints): string {
  const first = matches.filter(({ segment }) => segment === 0);
  const redacting = first.filter((match) => isEnforced(match) && match.rule.action === Outcome.REDACT);
  const redactor = new Redactor(fingerprints, { kept: session?.vault ?? [], add: () => undefined });
  return releasedText(segments[0]?.text ?? "", { matches: first, spans: redacting.map(spanOf) }, redactor);
}

/**
 * The time limit for work that belongs to no single policy: the longest limit of the policies, or the request's own
 * limit if that is shorter.
 */
function limitMsOf({ options }: EvaluateRequest, { applicable }: EvaluationTools): number {
  const policies = applicable.map(({ policy }) => policy.timeoutMs);
  const maxMs = policies.length === 0 ? defaultTimeoutMs : Math.max(...policies);
  return Math.min(maxMs, options?.timeoutMs ?? maxMs);
}

function decisionInputOf(
  request: EvaluateRequest,
  segments: readonly TextSegment[],
  { detections, foundAtMs, unasked }: Scanned,
  { context, tools }: { context: EvaluationContext; tools: EvaluationTools },
): Omit<DecisionInput, "isRolledOut" | "observer"> {
  const { stage, now, elapsedUs, session, backends } = context;
  const requestedMs = request.options?.timeoutMs ?? Number.POSITIVE_INFINITY;
  const languages = new TextLanguages((segment) => segments[segment]?.text);
  return {
    stage,
    segments,
    detections,
    silenceOf: ({ backend, known, specKey }, segment) => {
      if (backend === undefined || unasked[segment]?.has(specKey) === true)
        return known === undefined ? undefined : languages.silenceOf(known, segment);
      return silenceOfAnswer(answerOf(backends, backend, segments[segment]?.text ?? ""));
    },
    facts: new FactSheet(request, segments, { stage, env: tools.environment, session }),
    nowMs: now.getTime(),
    foundAtMs: (segment) => foundAtMs[segment] ?? 0,
    isOverdue: (timeoutMs) => elapsedUs() > Math.min(timeoutMs, requestedMs) * 1000,
  };
}

/**
 * The value by which a roll-out selects requests; the text itself when the request does not state it, so that the
 * answer stays repeatable.
 */
export function rolloutValue(
  by: RolloutKey,
  request: EvaluateRequest,
  segments: readonly TextSegment[],
  evaluationId: string,
): { readonly value: string; readonly isText: boolean } {
  const values: Record<RolloutKey, string | undefined> = {
    session_id: request.sessionId,
    user_id: request.subject?.userId,
    agent_id: request.agentId,
    evaluation_id: evaluationId,
  };
  const value = values[by];
  if (value !== undefined) return { value, isText: false };
  return { value: segments.map(({ text }) => text).join("\u0000"), isText: true };
}

/**
 * The matches whose text is rewritten in the answer. When a call or chunk is blocked, only the matches in the other
 * calls and chunks.
 */
function shownRedactions(
  matches: readonly Match[],
  segments: readonly TextSegment[],
  stage: Stage,
  outcome: Outcome,
): readonly Match[] {
  if (outcome < Outcome.REDACT) return [];
  const redacting = matches.filter((match) => isEnforced(match) && match.rule.action === Outcome.REDACT);
  if (outcome === Outcome.REDACT) return redacting;
  const blocked = blockedItems(segments, matches);
  const isItem = (segment: TextSegment | undefined) => segment?.call !== undefined || stage === Stage.RETRIEVAL;
  return redacting.filter(({ segment }) => isItem(segments[segment]) && !blocked.has(itemOf(segments, segment)));
}

function spanOf({ segment, start, end, category, rule }: Match) {
  return { segment, start, end, category, style: rule.style, reversible: rule.reversible };
}

function hitsOf(detections: readonly SegmentDetections[], { namesOf }: EvaluationTools): LocatedDetection[] {
  return detections.flatMap((found, segment) =>
    [...(found ?? [])].flatMap(([key, list]) =>
      namesOf(key).flatMap((detector) => list.map((detection) => ({ detector, detection, segment }))),
    ),
  );
}

/** The scores of detectors that found nothing, within the time limit of the evaluation. */
export function quietHits(
  segments: readonly TextSegment[],
  detections: readonly SegmentDetections[],
  request: EvaluateRequest,
  { context, tools }: { context: EvaluationContext; tools: EvaluationTools },
): LocatedDetection[] {
  const { scanner, namesOf, backed = [], applicable } = tools;
  if (applicable.length === 0) return [];
  const budgetMs = budgetMsOf(request, applicable);
  return segments.flatMap((segment, index) => {
    const { text } = segment;
    if (context.elapsedUs() > budgetMs * 1000) return [];
    const asked = backed.map((detector) => ({
      detector,
      hasAnswered: !("failure" in answerOf(context.backends, detector.use.key, text)),
    }));
    const about = { text, source: textSourceOf(segment, context.stage), found: detections[index] };
    return [...quietScores(about, scanner, asked)].flatMap(([key, detection]) =>
      namesOf(key).map((detector) => ({ detector, detection, segment: index })),
    );
  });
}

function recordLimitOf(applicable: readonly ApplicablePolicy[]): Evaluation["recordLimit"] {
  const limits = applicable.map(({ policy }) => policy.record);
  if (limits.includes("none")) return "none";
  return limits.includes("redacted") ? "redacted" : "full";
}

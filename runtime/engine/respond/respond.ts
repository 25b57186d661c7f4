// Turns a decision into an answer, with the detail and offset unit that the caller asked for.

import { create, type JsonObject } from "@bufbuild/protobuf";
import {
  type BundleReference,
  ChunkDecision,
  type ChunkOutcome,
  ChunkOutcomeSchema,
  type EvaluateRequest,
  type EvaluateResponse,
  EvaluateResponseSchema,
  type Finding,
  FindingSchema,
  type SchemaOutcome,
  SchemaOutcomeSchema,
  type Signal,
  SignalSchema,
  type ToolCall,
  type ToolCallOutcome,
  ToolCallOutcomeSchema,
  type Unjudged,
} from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { DetailLevel, OffsetUnit, Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { LocatedDetection } from "../decide/fact-sheet.ts";
import { isEnforced, type Match, strictest } from "../decide/match.ts";
import { rewriteArguments } from "../segment/argument.ts";
import { callSegmentId, type TextSegment } from "../segment/segment.ts";
import { codePointOffsets } from "../text/offset.ts";
import type { Fingerprints } from "./fingerprint.ts";

/** The maximum number of findings and signals in an answer; it also says how many were left out. */
export const answerLimits = { findings: 1_000, signals: 1_000 } as const;

/** The parts of an answer. */
export interface AnswerParts {
  readonly stage: Stage;
  readonly request: EvaluateRequest;
  readonly evaluationId: string;
  readonly segments: readonly TextSegment[];
  readonly matches: readonly Match[];
  /** The matches that become findings. */
  readonly reported: readonly Match[];
  readonly outcome: Outcome;
  readonly deciding: Match | undefined;
  readonly fingerprints: Fingerprints;
  /** With offsets in UTF-16 code units: in "a😀b", "b" starts at 3. */
  readonly findings: readonly Finding[];
  readonly hits: readonly LocatedDetection[];
  /** Scores of detectors that found nothing; computing them costs a scan. */
  readonly quiet: () => readonly LocatedDetection[];
  readonly unjudged: readonly Unjudged[];
  readonly schema: SchemaOutcome | undefined;
  /** New text by the index of the segment. */
  readonly rewritten: ReadonlyMap<number, string>;
  readonly bundle: BundleReference;
  /** Stated, or detected when the request says "auto". */
  readonly language: string | undefined;
  readonly latencyUs: number;
}

/** The answer to a request. */
export function respond(parts: AnswerParts): EvaluateResponse {
  const { request, matches, outcome, rewritten } = parts;
  const detail = request.options?.detail || DetailLevel.FINDINGS;
  const unit = request.options?.offsets || OffsetUnit.UTF16;
  const isReasoned = detail >= DetailLevel.OUTCOME;
  const scored = detail >= DetailLevel.FULL ? [...parts.hits, ...parts.quiet()] : [];
  return create(EvaluateResponseSchema, {
    evaluationId: parts.evaluationId,
    outcome,
    blocked: outcome === Outcome.BLOCK,
    wouldBeOutcome: parts.schema?.valid === false ? Outcome.BLOCK : strictest(matches),
    message: isReasoned ? messageIn(parts.deciding, parts.language) : undefined,
    // The text of the short form is the first segment.
    text: outcome === Outcome.REDACT && request.text !== undefined ? (rewritten.get(0) ?? request.text) : undefined,
    findings: detail >= DetailLevel.FINDINGS ? shownFindings(parts, unit) : [],
    redactedSegments: outcome === Outcome.REDACT ? redactedSegmentsOf(parts) : [],
    toolCalls: toolCallOutcomes(parts, isReasoned),
    unjudged: isReasoned ? [...parts.unjudged] : [],
    bundle: isReasoned ? parts.bundle : undefined,
    language: isReasoned ? parts.language : undefined,
    latencyUs: parts.latencyUs,
    signals: signalsOf({ hits: scored.slice(0, answerLimits.signals), segments: parts.segments }, unit),
    schema: parts.schema && shownSchema(parts.schema, isReasoned),
    chunks: chunkOutcomes(parts, isReasoned),
    findingsOmitted: detail >= DetailLevel.FINDINGS ? Math.max(0, matches.length - answerLimits.findings) : 0,
    signalsOmitted: Math.max(0, scored.length - answerLimits.signals),
  });
}

function shownSchema(schema: SchemaOutcome, isReasoned: boolean): SchemaOutcome {
  return isReasoned ? schema : create(SchemaOutcomeSchema, { ...schema, problems: [] });
}

function shownFindings(parts: AnswerParts, unit: OffsetUnit): Finding[] {
  const all = unit === OffsetUnit.UTF16 ? [...parts.findings] : findingsOf({ ...parts, matches: parts.reported }, unit);
  return all.length > answerLimits.findings ? all.slice(0, answerLimits.findings) : all;
}

/**
 * At most `limit` matches, in their order. Matches that take effect are kept first, then those with the stricter
 * action, then those with the higher severity.
 */
export function severest(matches: readonly Match[], limit: number): readonly Match[] {
  if (matches.length <= limit) return matches;
  const weight = (match: Match) => (isEnforced(match) ? 64 : 0) + match.rule.action * 8 + match.severity;
  const kept = new Set(matches.toSorted((a, b) => weight(b) - weight(a)).slice(0, limit));
  return matches.filter((match) => kept.has(match));
}

function redactedSegmentsOf({ segments, rewritten }: AnswerParts): { id: string; text: string }[] {
  return [...rewritten].flatMap(([index, text]) => {
    const segment = segments[index];
    return segment === undefined || segment.call !== undefined ? [] : [{ id: segment.id, text }];
  });
}

/** The findings of matches, for the answer or the record. */
export function findingsOf(
  parts: Pick<AnswerParts, "matches" | "segments" | "fingerprints">,
  unit: OffsetUnit,
): Finding[] {
  const { matches, segments, fingerprints } = parts;
  const offsets = offsetsIn(segments, unit);
  return matches.map((match) => {
    const segment = segments[match.segment];
    return create(FindingSchema, {
      ruleId: match.rule.id,
      policy: match.policy.name,
      detector: match.detector,
      category: match.category,
      severity: match.severity,
      action: match.rule.action,
      mode: match.mode,
      segment: segment?.id ?? "",
      start: offsets(match.segment, match.start),
      end: offsets(match.segment, match.end),
      score: match.score,
      threshold: match.threshold,
      fingerprint: fingerprints.of(segment?.text.slice(match.start, match.end) ?? ""),
      exemptedBy: match.exemptedBy,
      layer: match.layer,
    });
  });
}

/** The score of every detection, for the answer. */
function signalsOf({ hits, segments }: Pick<AnswerParts, "hits" | "segments">, unit: OffsetUnit): Signal[] {
  const offsets = offsetsIn(segments, unit);
  return hits.map(({ detector, segment, detection: { category, score, start, end, layer } }) =>
    create(SignalSchema, {
      detector,
      segment: segments[segment]?.id ?? "",
      category,
      score,
      start: offsets(segment, start),
      end: offsets(segment, end),
      layer: category === "" ? "" : layer,
    }),
  );
}

function offsetsIn(segments: readonly TextSegment[], unit: OffsetUnit): (segment: number, offset: number) => number {
  if (unit !== OffsetUnit.CODE_POINTS) return (_segment, offset) => offset;
  const counters = new Map<number, (offset: number) => number>();
  return (segment, offset) => {
    const count = counters.get(segment) ?? codePointOffsets(segments[segment]?.text ?? "");
    counters.set(segment, count);
    return count(offset);
  };
}

function toolCallOutcomes(parts: AnswerParts, withRules: boolean): ToolCallOutcome[] {
  const { request, segments, matches } = parts;
  if (request.toolCalls.length === 0) return [];
  const byCall = Map.groupBy(matches.filter(isEnforced), ({ segment }) => segments[segment]?.call);
  return request.toolCalls.map((call) => {
    const enforced = byCall.get(call) ?? [];
    const outcome = strictest(enforced);
    return create(ToolCallOutcomeSchema, {
      id: call.id,
      outcome,
      ruleIds: withRules ? ruleIdsOf(enforced) : [],
      arguments: outcome === Outcome.REDACT ? rewrittenArguments(call, parts) : undefined,
    });
  });
}

function rewrittenArguments(call: ToolCall, { segments, rewritten }: AnswerParts): JsonObject {
  const texts = new Map<string, string>();
  for (const [index, text] of rewritten) {
    const segment = segments[index];
    if (segment?.call === call) texts.set(segment.id, text);
  }
  return rewriteArguments(call.arguments ?? {}, callSegmentId(call), texts);
}

const chunkDecisions: Readonly<Record<Outcome, ChunkDecision>> = {
  [Outcome.UNSPECIFIED]: ChunkDecision.KEEP,
  [Outcome.ALLOW]: ChunkDecision.KEEP,
  [Outcome.FLAG]: ChunkDecision.KEEP,
  [Outcome.REDACT]: ChunkDecision.REDACT,
  [Outcome.BLOCK]: ChunkDecision.DROP,
};

function chunkOutcomes({ stage, segments, matches, rewritten }: AnswerParts, withRules: boolean): ChunkOutcome[] {
  if (stage !== Stage.RETRIEVAL) return [];
  const bySegment = Map.groupBy(matches.filter(isEnforced), ({ segment }) => segment);
  return segments.flatMap((segment, index) => {
    if (segment.call !== undefined) return [];
    const enforced = bySegment.get(index) ?? [];
    const decision = chunkDecisions[strictest(enforced)];
    const text = decision === ChunkDecision.REDACT ? (rewritten.get(index) ?? segment.text) : undefined;
    return [
      create(ChunkOutcomeSchema, { id: segment.id, decision, text, ruleIds: withRules ? ruleIdsOf(enforced) : [] }),
    ];
  });
}

function ruleIdsOf(matches: readonly Match[]): string[] {
  return [...new Set(matches.map(({ rule }) => rule.id))];
}

/** The rule's message in the language, else in a broader language, else in English, else the first by language tag. */
function messageIn(match: Match | undefined, language: string | undefined): string | undefined {
  if (match === undefined) return undefined;
  const { messages } = match.rule;
  const parts = (language?.toLowerCase() ?? "").split("-");
  // "zh-hant-tw", "zh-hant", "zh" (RFC 4647, section 3.4).
  const order = [...parts.keys()].reverse().map((last) => parts.slice(0, last + 1).join("-"));
  const key = [...order, "en"].find((tag) => messages.has(tag)) ?? messages.keys().next().value;
  return key === undefined ? undefined : messages.get(key);
}

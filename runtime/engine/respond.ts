// From a decision to an answer, in the detail and the offsets that the caller asked for.

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
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { DetailLevel, OffsetUnit, Outcome, Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { rewriteArguments } from "./argument.ts";
import { languageOf, type PlacedDetection } from "./fact-sheet.ts";
import type { Fingerprints } from "./fingerprint.ts";
import { isEnforced, type Match, strictest } from "./match.ts";
import { codePointOffsets } from "./offset.ts";
import { callPieceId, type Piece } from "./piece.ts";

/** How many reasons an answer carries; it says how many there were besides. */
export const answerLimits = { findings: 1_000, signals: 1_000 } as const;

/** Everything that an answer is made of. */
export interface AnswerParts {
  readonly stage: Stage;
  readonly request: EvaluateRequest;
  readonly evaluationId: string;
  readonly pieces: readonly Piece[];
  readonly matches: readonly Match[];
  /** Those of the matches that become findings. */
  readonly told: readonly Match[];
  readonly outcome: Outcome;
  readonly deciding: Match | undefined;
  readonly fingerprints: Fingerprints;
  /** With offsets in UTF-16 code units. */
  readonly findings: readonly Finding[];
  readonly hits: readonly PlacedDetection[];
  readonly unjudged: readonly Unjudged[];
  readonly schema: SchemaOutcome | undefined;
  /** New text by the position of the piece. */
  readonly rewritten: ReadonlyMap<number, string>;
  readonly bundle: BundleReference;
  readonly latencyUs: number;
}

/** The answer to a request. */
export function respond(parts: AnswerParts): EvaluateResponse {
  const { request, matches, outcome, rewritten } = parts;
  const detail = request.options?.detail || DetailLevel.FINDINGS;
  const unit = request.options?.offsets || OffsetUnit.UTF16;
  const isReasoned = detail >= DetailLevel.OUTCOME;
  return create(EvaluateResponseSchema, {
    evaluationId: parts.evaluationId,
    outcome,
    blocked: outcome === Outcome.BLOCK,
    wouldBeOutcome: parts.schema?.valid === false ? Outcome.BLOCK : strictest(matches),
    message: isReasoned ? messageIn(parts.deciding, languageOf(request)) : undefined,
    // The text of the short form is the first piece.
    text: outcome === Outcome.REDACT && request.text !== undefined ? (rewritten.get(0) ?? request.text) : undefined,
    findings: detail >= DetailLevel.FINDINGS ? shownFindings(parts, unit) : [],
    redactedSegments: outcome === Outcome.REDACT ? redactedSegmentsOf(parts) : [],
    toolCalls: toolCallOutcomes(parts, isReasoned),
    unjudged: isReasoned ? [...parts.unjudged] : [],
    bundle: isReasoned ? parts.bundle : undefined,
    language: isReasoned ? languageOf(request) : undefined,
    latencyUs: parts.latencyUs,
    signals: detail >= DetailLevel.FULL ? signalsOf(parts, unit).slice(0, answerLimits.signals) : [],
    schema: parts.schema && shownSchema(parts.schema, isReasoned),
    chunks: chunkOutcomes(parts, isReasoned),
    findingsOmitted: detail >= DetailLevel.FINDINGS ? Math.max(0, matches.length - answerLimits.findings) : 0,
    signalsOmitted: detail >= DetailLevel.FULL ? Math.max(0, parts.hits.length - answerLimits.signals) : 0,
  });
}

function shownSchema(schema: SchemaOutcome, isReasoned: boolean): SchemaOutcome {
  return isReasoned ? schema : create(SchemaOutcomeSchema, { ...schema, problems: [] });
}

function shownFindings(parts: AnswerParts, unit: OffsetUnit): Finding[] {
  const all = unit === OffsetUnit.UTF16 ? [...parts.findings] : findingsOf({ ...parts, matches: parts.told }, unit);
  return all.length > answerLimits.findings ? all.slice(0, answerLimits.findings) : all;
}

/** As many matches as are told, in their order: those that take effect first, then the stricter, then the graver. */
export function weightiest(matches: readonly Match[], limit: number): readonly Match[] {
  if (matches.length <= limit) return matches;
  const weight = (match: Match) => (isEnforced(match) ? 64 : 0) + match.rule.action * 8 + match.severity;
  const kept = new Set(matches.toSorted((a, b) => weight(b) - weight(a)).slice(0, limit));
  return matches.filter((match) => kept.has(match));
}

function redactedSegmentsOf({ pieces, rewritten }: AnswerParts): { id: string; text: string }[] {
  return [...rewritten].flatMap(([index, text]) => {
    const piece = pieces[index];
    return piece === undefined || piece.call !== undefined ? [] : [{ id: piece.id, text }];
  });
}

/** What the rules made of the detections, for the answer or the record. */
export function findingsOf(
  parts: Pick<AnswerParts, "matches" | "pieces" | "fingerprints">,
  unit: OffsetUnit,
): Finding[] {
  const { matches, pieces, fingerprints } = parts;
  const offsets = offsetsIn(pieces, unit);
  return matches.map((match) => {
    const piece = pieces[match.piece];
    return create(FindingSchema, {
      ruleId: match.rule.id,
      policy: match.policy.name,
      detector: match.detector,
      category: match.category,
      severity: match.severity,
      action: match.rule.action,
      mode: match.mode,
      segment: piece?.id ?? "",
      start: offsets(match.piece, match.start),
      end: offsets(match.piece, match.end),
      score: match.score,
      threshold: match.threshold,
      fingerprint: fingerprints.of(piece?.text.slice(match.start, match.end) ?? ""),
      exemptedBy: match.exemptedBy,
      layer: match.layer,
    });
  });
}

/** The score of every detection, for the answer or the record. */
export function signalsOf({ hits, pieces }: Pick<AnswerParts, "hits" | "pieces">, unit: OffsetUnit): Signal[] {
  const offsets = offsetsIn(pieces, unit);
  return hits.map(({ detector, piece, detection: { category, score, start, end } }) =>
    create(SignalSchema, {
      detector,
      segment: pieces[piece]?.id ?? "",
      category,
      score,
      start: offsets(piece, start),
      end: offsets(piece, end),
    }),
  );
}

function offsetsIn(pieces: readonly Piece[], unit: OffsetUnit): (piece: number, offset: number) => number {
  if (unit !== OffsetUnit.CODE_POINTS) return (_piece, offset) => offset;
  const counters = new Map<number, (offset: number) => number>();
  return (piece, offset) => {
    const count = counters.get(piece) ?? codePointOffsets(pieces[piece]?.text ?? "");
    counters.set(piece, count);
    return count(offset);
  };
}

function toolCallOutcomes(parts: AnswerParts, withRules: boolean): ToolCallOutcome[] {
  const { request, pieces, matches } = parts;
  if (request.toolCalls.length === 0) return [];
  const byCall = Map.groupBy(matches.filter(isEnforced), ({ piece }) => pieces[piece]?.call);
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

function rewrittenArguments(call: ToolCall, { pieces, rewritten }: AnswerParts): JsonObject {
  const texts = new Map<string, string>();
  for (const [index, text] of rewritten) {
    const piece = pieces[index];
    if (piece?.call === call) texts.set(piece.id, text);
  }
  return rewriteArguments(call.arguments ?? {}, callPieceId(call), texts);
}

const chunkDecisions: Readonly<Record<Outcome, ChunkDecision>> = {
  [Outcome.UNSPECIFIED]: ChunkDecision.KEEP,
  [Outcome.ALLOW]: ChunkDecision.KEEP,
  [Outcome.FLAG]: ChunkDecision.KEEP,
  [Outcome.REDACT]: ChunkDecision.REDACT,
  [Outcome.BLOCK]: ChunkDecision.DROP,
};

function chunkOutcomes({ stage, pieces, matches, rewritten }: AnswerParts, withRules: boolean): ChunkOutcome[] {
  if (stage !== Stage.RETRIEVAL) return [];
  const byPiece = Map.groupBy(matches.filter(isEnforced), ({ piece }) => piece);
  return pieces.flatMap((piece, index) => {
    if (piece.call !== undefined) return [];
    const enforced = byPiece.get(index) ?? [];
    const decision = chunkDecisions[strictest(enforced)];
    const text = decision === ChunkDecision.REDACT ? (rewritten.get(index) ?? piece.text) : undefined;
    return [
      create(ChunkOutcomeSchema, { id: piece.id, decision, text, ruleIds: withRules ? ruleIdsOf(enforced) : [] }),
    ];
  });
}

function ruleIdsOf(matches: readonly Match[]): string[] {
  return [...new Set(matches.map(({ rule }) => rule.id))];
}

/** The rule's message in the language, else in its base language, in English, or in the first one that there is. */
function messageIn(match: Match | undefined, language: string | undefined): string | undefined {
  if (match === undefined) return undefined;
  const { messages } = match.rule;
  const wanted = language?.toLowerCase() ?? "";
  const order = [wanted, wanted.split("-", 1)[0] ?? "", "en"];
  const key = order.find((candidate) => messages.has(candidate)) ?? messages.keys().next().value;
  return key === undefined ? undefined : messages.get(key);
}

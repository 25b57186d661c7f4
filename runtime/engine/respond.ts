// From a decision to an answer, in the detail and the offsets that the caller asked for.

import { create } from "@bufbuild/protobuf";
import {
  type BundleReference,
  type EvaluateRequest,
  type EvaluateResponse,
  EvaluateResponseSchema,
  type Finding,
  FindingSchema,
  type Signal,
  SignalSchema,
  type ToolCallOutcome,
  ToolCallOutcomeSchema,
  type Unjudged,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { DetailLevel, OffsetUnit, Outcome } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { isEnforced, type Match, strictest } from "./decide.ts";
import { languageOf, type PlacedDetection } from "./fact-sheet.ts";
import type { Fingerprints } from "./fingerprint.ts";
import { codePointOffsets } from "./offset.ts";
import type { Piece } from "./piece.ts";

/** Everything that an answer is made of. */
export interface AnswerParts {
  readonly request: EvaluateRequest;
  readonly evaluationId: string;
  readonly pieces: readonly Piece[];
  readonly matches: readonly Match[];
  readonly outcome: Outcome;
  readonly deciding: Match | undefined;
  readonly fingerprints: Fingerprints;
  /** With offsets in UTF-16 code units. */
  readonly findings: readonly Finding[];
  readonly hits: readonly PlacedDetection[];
  readonly unjudged: readonly Unjudged[];
  /** New text by the position of the piece; empty unless the outcome is REDACT. */
  readonly rewritten: ReadonlyMap<number, string>;
  readonly bundle: BundleReference;
  readonly latencyUs: number;
}

/** The answer to a request. */
export function respond(parts: AnswerParts): EvaluateResponse {
  const { request, pieces, matches, outcome, rewritten } = parts;
  const detail = request.options?.detail || DetailLevel.FINDINGS;
  const unit = request.options?.offsets || OffsetUnit.UTF16;
  const redactedSegments = [...rewritten].map(([index, text]) => ({ id: pieces[index]?.id ?? "", text }));
  const isReasoned = detail >= DetailLevel.OUTCOME;
  return create(EvaluateResponseSchema, {
    evaluationId: parts.evaluationId,
    outcome,
    blocked: outcome === Outcome.BLOCK,
    wouldBeOutcome: strictest(matches),
    message: isReasoned ? messageIn(parts.deciding, languageOf(request)) : undefined,
    // The text of the short form is the first piece.
    text: outcome === Outcome.REDACT && request.text !== undefined ? (rewritten.get(0) ?? request.text) : undefined,
    findings: detail >= DetailLevel.FINDINGS ? shownFindings(parts, unit) : [],
    redactedSegments,
    toolCalls: toolCallOutcomes(parts, isReasoned),
    unjudged: isReasoned ? [...parts.unjudged] : [],
    bundle: isReasoned ? parts.bundle : undefined,
    language: isReasoned ? languageOf(request) : undefined,
    latencyUs: parts.latencyUs,
    signals: detail >= DetailLevel.FULL ? signalsOf(parts, unit) : [],
  });
}

function shownFindings(parts: AnswerParts, unit: OffsetUnit): Finding[] {
  return unit === OffsetUnit.UTF16 ? [...parts.findings] : findingsOf(parts, unit);
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

function toolCallOutcomes({ request, pieces, matches }: AnswerParts, withRules: boolean): ToolCallOutcome[] {
  const byCall = Map.groupBy(matches.filter(isEnforced), ({ piece }) => pieces[piece]?.call);
  return request.toolCalls.map((call) => {
    const enforced = byCall.get(call) ?? [];
    const ruleIds = withRules ? [...new Set(enforced.map(({ rule }) => rule.id))] : [];
    return create(ToolCallOutcomeSchema, { id: call.id, outcome: strictest(enforced), ruleIds });
  });
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

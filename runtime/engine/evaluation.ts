// One evaluation: pieces, scan, decide, redact, respond. Same bundle and same request give the same answer.

import { create } from "@bufbuild/protobuf";
import {
  type BundleReference,
  type EvaluateRequest,
  type EvaluateResponse,
  type Finding,
  type Signal,
  type Unjudged,
  UnjudgedSchema,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { OffsetUnit, Outcome, type Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { ApplicablePolicy } from "./applicability.ts";
import { type Case, type DecisionWatch, decide, decidingMatch, isEnforced, type Match, strictest } from "./decide.ts";
import type { Detection, Scanner } from "./detector.ts";
import { FactSheet, type PlacedDetection } from "./fact-sheet.ts";
import { Fingerprints } from "./fingerprint.ts";
import { type Piece, piecesOf } from "./piece.ts";
import type { RolloutKey } from "./policy/document.ts";
import { redact } from "./redact.ts";
import { findingsOf, respond, signalsOf } from "./respond.ts";

/** What an evaluation needs besides the request. */
export interface EvaluationContext {
  readonly stage: Stage;
  readonly now: Date;
  readonly evaluationId: string;
  /** Key of the organization's fingerprints. */
  readonly fingerprintKey: Uint8Array;
  readonly bundle: BundleReference;
  /** Microseconds since the evaluation began. */
  readonly elapsedUs: () => number;
}

/** The answer to a request, and what its record needs. */
export interface Evaluation {
  readonly response: EvaluateResponse;
  /** Rule and policy that decided; "" when the outcome is ALLOW. */
  readonly decidedByRule: string;
  readonly decidedByPolicy: string;
  /** All findings with offsets in UTF-16 code units, whatever the answer shows. */
  readonly findings: readonly Finding[];
  readonly signals: readonly Signal[];
  readonly unjudged: readonly Unjudged[];
  readonly segments: readonly Piece[];
  /** The text of each segment with every finding replaced, those without effect included; undefined if not scanned. */
  readonly redactedTexts: () => readonly (string | undefined)[];
  /** The most of the text that the policies in scope allow to be reported. */
  readonly recordLimit: "none" | "redacted" | "full";
}

/** What an engine gives to each of its evaluations. */
export interface EvaluationTools {
  readonly scanner: Scanner;
  readonly environment: string;
  readonly applicable: readonly ApplicablePolicy[];
  readonly namesOf: (specKey: string) => readonly string[];
  /** Told of each step, when the evaluation is to be explained. */
  readonly watch?: EvaluationWatch;
}

/** Follows an evaluation. */
export interface EvaluationWatch extends DecisionWatch {
  readonly scanned: (pieces: readonly Piece[], detections: readonly PieceDetections[]) => void;
  readonly decided: (matches: readonly Match[], deciding: Match | undefined) => void;
}

/** Detections in one piece by the key of their spec; undefined when time did not suffice. */
export type PieceDetections = ReadonlyMap<string, readonly Detection[]> | undefined;

/** Evaluates a request. */
export function runEvaluation(
  request: EvaluateRequest,
  context: EvaluationContext,
  tools: EvaluationTools,
): Evaluation {
  const pieces = piecesOf(request, context.stage);
  const detections = scanPieces(pieces, request, context, tools);
  tools.watch?.scanned(pieces, detections);
  const { matches, gaps } = decide(tools.applicable, caseOf(request, pieces, detections, { context, tools }));
  const outcome = strictest(matches.filter(isEnforced));
  const deciding = decidingMatch(matches, outcome);
  tools.watch?.decided(matches, deciding);
  const fingerprints = new Fingerprints(context.fingerprintKey);
  const texts = pieces.map(({ text }) => text);
  const spans = matches.filter((match) => isEnforced(match) && match.rule.action === Outcome.REDACT).map(spanOf);
  const parts = {
    request,
    evaluationId: context.evaluationId,
    pieces,
    matches,
    outcome,
    deciding,
    fingerprints,
    hits: hitsOf(detections, tools),
    unjudged: gaps.map((gap) => create(UnjudgedSchema, gap)),
    findings: findingsOf({ matches, pieces, fingerprints }, OffsetUnit.UTF16),
    rewritten: outcome === Outcome.REDACT ? redact(texts, spans, fingerprints) : new Map<number, string>(),
    bundle: context.bundle,
  };
  const hidden = matches.map((match) => ({ ...spanOf(match), style: "placeholder" as const }));
  return {
    response: respond({ ...parts, latencyUs: Math.min(2 ** 31 - 1, Math.round(context.elapsedUs())) }),
    decidedByRule: deciding?.rule.id ?? "",
    decidedByPolicy: deciding?.policy.name ?? "",
    findings: parts.findings,
    signals: signalsOf(parts, OffsetUnit.UTF16),
    unjudged: parts.unjudged,
    segments: pieces,
    redactedTexts: () => {
      const rewritten = redact(texts, hidden, fingerprints);
      return texts.map((text, index) => (detections[index] === undefined ? undefined : (rewritten.get(index) ?? text)));
    },
    recordLimit: recordLimitOf(tools.applicable),
  };
}

function scanPieces(
  pieces: readonly Piece[],
  request: EvaluateRequest,
  context: EvaluationContext,
  { applicable, scanner }: EvaluationTools,
): PieceDetections[] {
  const longestMs = Math.max(0, ...applicable.map(({ policy }) => policy.timeoutMs));
  const budgetMs = Math.min(longestMs, request.options?.timeoutMs ?? longestMs);
  return pieces.map(({ text }) => {
    if (text === "" || applicable.length === 0) return new Map();
    if (context.elapsedUs() > budgetMs * 1000) return undefined;
    return new Map([...scanner.scan(text)].map(([key, found]) => [key, inOrder(found)]));
  });
}

/** Sorted, so that an answer does not depend on the order in which a scanner finds things. */
function inOrder(detections: readonly Detection[]): Detection[] {
  return [...detections].sort(
    (a, b) => a.start - b.start || a.end - b.end || b.score - a.score || (a.category < b.category ? -1 : 1),
  );
}

function caseOf(
  request: EvaluateRequest,
  pieces: readonly Piece[],
  detections: readonly PieceDetections[],
  { context, tools }: { context: EvaluationContext; tools: EvaluationTools },
): Case {
  const { stage, now, elapsedUs, evaluationId } = context;
  const requestedMs = request.options?.timeoutMs ?? Number.POSITIVE_INFINITY;
  return {
    stage,
    pieces,
    detections,
    facts: new FactSheet(request, pieces, { stage, env: tools.environment }),
    nowMs: now.getTime(),
    isOverdue: (timeoutMs) => elapsedUs() > Math.min(timeoutMs, requestedMs) * 1000,
    rolloutValue: (by) => rolloutValue(by, request, pieces, evaluationId),
    watch: tools.watch,
  };
}

/** What a roll-out counts by; the text itself when the request does not say, so that an answer stays repeatable. */
export function rolloutValue(
  by: RolloutKey,
  request: EvaluateRequest,
  pieces: readonly Piece[],
  evaluationId: string,
): string {
  const values: Record<RolloutKey, string | undefined> = {
    session_id: request.sessionId,
    user_id: request.subject?.userId,
    agent_id: request.agentId,
    evaluation_id: evaluationId,
  };
  return values[by] ?? pieces.map(({ text }) => text).join("\u0000");
}

function spanOf({ piece, start, end, category, rule }: Match) {
  return { piece, start, end, category, style: rule.style };
}

function hitsOf(detections: readonly PieceDetections[], { namesOf }: EvaluationTools): PlacedDetection[] {
  return detections.flatMap((found, piece) =>
    [...(found ?? [])].flatMap(([key, list]) =>
      namesOf(key).flatMap((detector) => list.map((detection) => ({ detector, detection, piece }))),
    ),
  );
}

function recordLimitOf(applicable: readonly ApplicablePolicy[]): Evaluation["recordLimit"] {
  const limits = applicable.map(({ policy }) => policy.record);
  if (limits.includes("none")) return "none";
  return limits.includes("redacted") ? "redacted" : "full";
}

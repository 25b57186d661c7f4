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
import { OffsetUnit, Outcome, Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { ApplicablePolicy } from "./applicability.ts";
import { answerOf, type BackedDetector, type BackendAnswers } from "./backend.ts";
import { type Case, type DecisionWatch, decide } from "./decide.ts";
import type { Scanner } from "./detector.ts";
import { FactSheet, type PlacedDetection } from "./fact-sheet.ts";
import { Fingerprints } from "./fingerprint.ts";
import { decidingMatch, isEnforced, type Match, strictest } from "./match.ts";
import type { OutputSchema } from "./output-schema.ts";
import { type Piece, piecesOf } from "./piece.ts";
import { type PieceDetections, type Scanned, scanPieces } from "./piece-scan.ts";
import type { KnownWindows } from "./plan.ts";
import type { RolloutKey } from "./policy/document.ts";
import { Redactor, redact } from "./redact.ts";
import { answerLimits, findingsOf, respond, signalsOf, weightiest } from "./respond.ts";
import type { ScanMemory } from "./scan-memory.ts";
import { schemaOutcomeOf } from "./schema-check.ts";
import type { SessionUpdate, SessionView, VaultEntry } from "./session.ts";
import { blockedItems, itemOf, sessionUpdateOf } from "./session-update.ts";
import { releasedText } from "./stream/release.ts";

/** What an evaluation needs besides the request. */
export interface EvaluationContext {
  readonly stage: Stage;
  /** The request is a whole transcript: each turn is judged as at its own moment, and user turns also together. */
  readonly isTranscript?: boolean;
  readonly now: Date;
  readonly evaluationId: string;
  /** Key of the organization's fingerprints. */
  readonly fingerprintKey: Uint8Array;
  readonly bundle: BundleReference;
  /** Microseconds since the evaluation began. */
  readonly elapsedUs: () => number;
  /** What is known of the request's session. Default: nothing. */
  readonly session?: SessionView | undefined;
  /** What backends said of the texts of the request. Default: nothing, and what asks them is unjudged. */
  readonly backends?: BackendAnswers | undefined;
  /** What a stream knows of the windows of the first text. Default: nothing. */
  readonly windows?: KnownWindows;
  /** What was found in texts before. Default: nothing. */
  readonly memory?: ScanMemory | undefined;
  /** Told how long each detector took, in microseconds, by its name in the catalog; "shared" for what is done for all of them. */
  readonly onDetectorTime?: ((detector: string, us: number) => void) | undefined;
}

/** The answer to a request, and what its record needs. */
export interface Evaluation {
  readonly response: EvaluateResponse;
  /** Rule and policy that decided; "" when the outcome is ALLOW. An output schema decides as the rule "output_schema" of no policy. */
  readonly decidedByRule: string;
  readonly decidedByPolicy: string;
  /** The findings with offsets in UTF-16 code units, whatever the answer shows: the strictest, at most `answerLimits.findings`. */
  readonly findings: readonly Finding[];
  readonly signals: readonly Signal[];
  readonly unjudged: readonly Unjudged[];
  readonly segments: readonly Piece[];
  /** The text of each segment with every finding replaced, those without effect included; undefined if not scanned. */
  readonly redactedTexts: () => readonly (string | undefined)[];
  /** What a stream of the first piece lets through: its redacted text up to the enforced BLOCK match that ends first. */
  readonly released: () => string;
  /** The most of the text that the policies in scope allow to be reported. */
  readonly recordLimit: "none" | "redacted" | "full";
  /** What the session has seen by it. */
  readonly sessionUpdate: SessionUpdate;
  /** Originals behind placeholders of the answer that may be put back. Never recorded, never in an answer. */
  readonly vault: readonly VaultEntry[];
}

/** What an engine gives to each of its evaluations. */
export interface EvaluationTools {
  readonly scanner: Scanner;
  readonly environment: string;
  readonly applicable: readonly ApplicablePolicy[];
  readonly namesOf: (specKey: string) => readonly string[];
  readonly schemas?: ReadonlyMap<string, OutputSchema>;
  /** Detectors that have a backend. */
  readonly backed?: readonly BackedDetector[];
  /** Told of each step, when the evaluation is to be explained. */
  readonly watch?: EvaluationWatch;
}

/** Follows an evaluation. */
export interface EvaluationWatch extends DecisionWatch {
  readonly scanned: (pieces: readonly Piece[], detections: readonly PieceDetections[]) => void;
  readonly decided: (matches: readonly Match[], deciding: Match | undefined) => void;
}

/** Evaluates a request. */
export function runEvaluation(
  request: EvaluateRequest,
  context: EvaluationContext,
  tools: EvaluationTools,
): Evaluation {
  const pieces = piecesOf(request, context);
  const { detections, foundAtMs } = scanPieces(pieces, request, context, tools);
  tools.watch?.scanned(pieces, detections);
  const { matches, gaps } = decide(
    tools.applicable,
    caseOf(request, pieces, { detections, foundAtMs }, { context, tools }),
  );
  const schema = schemaOutcomeOf(request, pieces, context.stage, tools.schemas ?? new Map());
  const outcome = schema?.valid === false ? Outcome.BLOCK : strictest(matches.filter(isEnforced));
  const deciding = decidingMatch(matches, outcome);
  tools.watch?.decided(matches, deciding);
  const fingerprints = new Fingerprints(context.fingerprintKey);
  // An explanation pairs each match with its finding.
  const told = tools.watch === undefined ? weightiest(matches, answerLimits.findings) : matches;
  const texts = pieces.map(({ text }) => text);
  const spans = shownRedactions(matches, pieces, context.stage, outcome).map(spanOf);
  const entries: VaultEntry[] = [];
  const vault = { kept: context.session?.vault ?? [], add: (entry: VaultEntry) => entries.push(entry) };
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
    stage: context.stage,
    schema,
    told,
    findings: findingsOf({ matches: told, pieces, fingerprints }, OffsetUnit.UTF16),
    rewritten: spans.length > 0 ? redact(texts, spans, fingerprints, vault) : new Map<number, string>(),
    bundle: context.bundle,
  };
  const hidden = matches.map((match) => ({ ...spanOf(match), style: "placeholder" as const, reversible: undefined }));
  return {
    response: respond({ ...parts, latencyUs: Math.min(2 ** 31 - 1, Math.round(context.elapsedUs())) }),
    decidedByRule: deciding?.rule.id ?? (schema?.valid === false ? "output_schema" : ""),
    decidedByPolicy: deciding?.policy.name ?? "",
    findings: parts.findings,
    signals: signalsOf(parts, OffsetUnit.UTF16),
    unjudged: parts.unjudged,
    segments: pieces,
    redactedTexts: () => {
      const rewritten = redact(texts, hidden, fingerprints);
      return texts.map((text, index) => (detections[index] === undefined ? undefined : (rewritten.get(index) ?? text)));
    },
    released: () => {
      if (schema?.valid === false) return "";
      const first = matches.filter(({ piece }) => piece === 0);
      const redacting = first.filter((match) => isEnforced(match) && match.rule.action === Outcome.REDACT);
      const redactor = new Redactor(fingerprints, { kept: context.session?.vault ?? [], add: () => undefined });
      return releasedText(texts[0] ?? "", { matches: first, spans: redacting.map(spanOf) }, redactor);
    },
    recordLimit: recordLimitOf(tools.applicable),
    vault: entries,
    // Made only where somebody keeps sessions.
    get sessionUpdate() {
      return sessionUpdateOf(context.stage, pieces, matches, outcome);
    },
  };
}

function caseOf(
  request: EvaluateRequest,
  pieces: readonly Piece[],
  { detections, foundAtMs }: Scanned,
  { context, tools }: { context: EvaluationContext; tools: EvaluationTools },
): Case {
  const { stage, now, elapsedUs, evaluationId, session, backends } = context;
  const requestedMs = request.options?.timeoutMs ?? Number.POSITIVE_INFINITY;
  return {
    stage,
    pieces,
    detections,
    backendFailure: (backend, piece) => {
      const answer = answerOf(backends, backend, pieces[piece]?.text ?? "");
      return "failure" in answer ? answer.failure : undefined;
    },
    facts: new FactSheet(request, pieces, { stage, env: tools.environment, session }),
    nowMs: now.getTime(),
    foundAtMs: (piece) => foundAtMs[piece] ?? 0,
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

/** The matches whose text is rewritten in the answer: all of them, or, beside a call or a chunk that is blocked, those of the others. */
function shownRedactions(
  matches: readonly Match[],
  pieces: readonly Piece[],
  stage: Stage,
  outcome: Outcome,
): readonly Match[] {
  if (outcome < Outcome.REDACT) return [];
  const redacting = matches.filter((match) => isEnforced(match) && match.rule.action === Outcome.REDACT);
  if (outcome === Outcome.REDACT) return redacting;
  const blocked = blockedItems(pieces, matches);
  const isItem = (piece: Piece | undefined) => piece?.call !== undefined || stage === Stage.RETRIEVAL;
  return redacting.filter(({ piece }) => isItem(pieces[piece]) && !blocked.has(itemOf(pieces, piece)));
}

function spanOf({ piece, start, end, category, rule }: Match) {
  return { piece, start, end, category, style: rule.style, reversible: rule.reversible };
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

// A record as `decide` takes it: what was judged and found, as far as the record or its text says, and a doubt for
// everything else.

import type { EvaluateRequest, Signal } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { FailMode, Stage, Trust } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { BackedDetector } from "../backend/backend.ts";
import type { TermDoubt } from "../decide/decide.ts";
import type { Silence } from "../decide/match.ts";
import type { Truth } from "../decide/truth.ts";
import type { Detection, DetectorDefinition, Scanner } from "../detectors/detector.ts";
import { asksAt } from "../evaluate/backend-question.ts";
import { digestKey, engineDigest } from "../evaluate/record-digest.ts";
import { notAsked, notWanted } from "../evaluate/record-facts.ts";
import type { SpecIndex } from "../evaluate/record-signals.ts";
import { withSplitPayloads } from "../evaluate/split-payloads.ts";
import { minLetters, TextLanguages } from "../evaluate/text-languages.ts";
import type { ApplicablePolicy } from "../policy-plan/applicability.ts";
import type { CompiledRule, CompiledTerm } from "../policy-plan/compiled-policy.ts";
import { isBelow, isInRollout } from "../policy-plan/rollout.ts";
import { useOf } from "../scan/spec-table.ts";
import { type TextSegment, textSourceOf } from "../segment/segment.ts";
import { type Doubt, doubt } from "./doubt.ts";
import { type KnownText, knownTextsOf, withoutPlaceholders } from "./known-text.ts";

/** What an engine gives to a replay. */
export interface ScanTools {
  readonly scanner: Scanner;
  readonly recorded: SpecIndex;
  readonly backed: readonly BackedDetector[];
  readonly definitions: ReadonlyMap<string, DetectorDefinition>;
  readonly applicable: readonly ApplicablePolicy[];
}

/** A piece of a record as a segment; its text is "" where it is not known, and `length` is that of the original. */
export interface RecordedSegmentPiece extends TextSegment {
  readonly length: number;
}

/** How a record is read. */
export interface RecordReading {
  readonly useText: boolean;
  /** The time at which the policies are judged. */
  readonly nowMs: number;
}

type Status = "known" | Doubt;

const noDetections: ReadonlyMap<string, readonly Detection[]> = new Map();

/** Reads one record for one engine. */
export class RecordedCase {
  readonly record: EvaluationRecord;
  readonly pieces: readonly RecordedSegmentPiece[];
  /** What is known of the text of each piece; undefined for nothing. */
  readonly texts: readonly (KnownText | undefined)[];
  readonly detections: readonly ReadonlyMap<string, readonly Detection[]>[];
  /** The record names no detection that saw the text: it is one of an older runtime, or holds no facts. */
  readonly isBare: boolean;
  readonly #tools: ScanTools;
  readonly #specOf = new Map<string, number>();
  readonly #isSameEngine: boolean;
  /** The signals of each piece and detector, by "<piece>/<spec>". */
  readonly #signals = new Map<string, Signal[]>();
  readonly #numbers = new Map<Signal, number>();
  readonly #signalOf = new Map<Detection, number>();
  readonly #scanned = new Set<Detection>();
  readonly #shifted = new Set<Detection>();
  readonly #mostSignals: number;
  readonly #isTranscript: boolean;
  /** Turns of a transcript are also scanned together, which takes the text of all of them. */
  readonly #isScannable: boolean;
  readonly #languages = new TextLanguages((piece) => this.texts[piece]?.whole);
  readonly #limitMs: number;
  readonly #nowMs: number;

  constructor(record: EvaluationRecord, tools: ScanTools, { useText, nowMs }: RecordReading) {
    this.record = record;
    this.#tools = tools;
    this.#nowMs = nowMs;
    this.isBare = record.engine === "";
    this.#isSameEngine = record.engine === engineDigest;
    const bySpec = new Map(record.specs.map((digest, index) => [digestKey(digest), index]));
    for (const [key, index] of tools.recorded.indexOf) {
      const found = bySpec.get(tools.recorded.names[index] ?? "");
      if (found !== undefined) this.#specOf.set(key, found);
    }
    this.#limitMs = record.requestTimeoutMs === 0 ? Number.POSITIVE_INFINITY : record.requestTimeoutMs;
    const known = piecesOf(record);
    this.texts = useText ? knownTextsOf(record, known) : known.map(() => undefined);
    this.pieces = known.map((piece, index) => ({ ...piece, text: this.texts[index]?.whole ?? "" }));
    this.#isTranscript = record.pieces.some(({ stage }) => stage !== Stage.UNSPECIFIED);
    this.#isScannable = !this.#isTranscript || this.texts.every((text) => text?.whole !== undefined);
    this.#mostSignals = this.#sortSignals();
    this.detections = this.#find();
  }

  /** Whether the record says what was judged: piece by piece, or by the whole text. */
  get isReplayable(): boolean {
    return !this.isBare || (this.pieces.length > 0 && this.texts.every((text) => text?.whole !== undefined));
  }

  /** What is not known of a detector's findings in a piece. */
  doubtOf(term: CompiledTerm, piece: number): TermDoubt<Doubt> | undefined {
    if (this.pieces[piece]?.length === 0) return undefined;
    const late = term.timeoutMs !== undefined && !this.#isWithin(term.timeoutMs) ? doubt("timeout") : undefined;
    let more: Doubt | undefined = late;
    for (const each of this.#missing(term, piece)) more = more?.with(each) ?? each;
    return more === undefined ? undefined : { hits: late, more };
  }

  /** Why finding nothing in a piece says nothing; undefined when it does, or when that is not known. */
  silenceOf(term: CompiledTerm, piece: number): Silence | undefined {
    const reason = term.backend === undefined ? notWanted : this.#silence(term.specKey, piece);
    if (reason === notWanted)
      return term.known === undefined ? undefined : this.#languages.silenceOf(term.known, piece);
    if (reason === notAsked) return this.#isAsked(term, piece) ? undefined : "backend_unavailable";
    return reason as Silence | undefined; // what an engine recorded
  }

  isOverdue(timeoutMs: number): Truth<Doubt> {
    if (this.record.unscanned.length === 0 && this.#isWithin(timeoutMs)) return false;
    return doubt("timeout");
  }

  isRolledOut({ id }: CompiledRule, { by, percent }: NonNullable<CompiledRule["rollout"]>): Truth<Doubt> {
    const { sessionId, userId, agentId, evaluationId, rollouts } = this.record;
    const values = { session_id: sessionId, user_id: userId, agent_id: agentId, evaluation_id: evaluationId };
    const value = values[by];
    if (value !== "") return isInRollout(id, value, percent);
    const known = rollouts.find(({ ruleId }) => ruleId === id);
    if (known !== undefined) return isBelow(known.position, percent);
    if (percent <= 0 || percent >= 100) return percent >= 100;
    const texts = this.texts.flatMap((text) => text?.whole ?? []);
    // An empty user id may be one that the request stated.
    if (by !== "user_id" && texts.length === this.texts.length) return isInRollout(id, texts.join("\u0000"), percent);
    return doubt("rollout_by_text");
  }

  /** The number of the signal of a detection in the record. */
  signalOf(detection: Detection): number | undefined {
    return this.#signalOf.get(detection);
  }

  /** Whether a detection comes from the text, so that its attributes are known. */
  isScanned(detection: Detection): boolean {
    return this.#scanned.has(detection);
  }

  /** Whether the offsets of a detection are those of a redacted text. */
  isShifted(detection: Detection): boolean {
    return this.#shifted.has(detection);
  }

  /** The request as far as the record has it. */
  get request(): EvaluateRequest {
    const { agentId, sessionId, userId, metadata, language, languageDetected } = this.record;
    // Written out: create would look at every field anew.
    return {
      $typeName: "policyguard.policy.v1.EvaluateRequest",
      ...(agentId !== "" && { agentId }),
      ...(sessionId !== "" && { sessionId }),
      ...(userId !== "" && { subject: { $typeName: "policyguard.policy.v1.Subject", userId, roles: [] } }),
      ...(language !== "" && !languageDetected && { language }),
      ...(metadata !== undefined && { metadata }),
      ...{ messages: [], segments: [], tools: [], toolCalls: [], stage: Stage.UNSPECIFIED, transcript: false },
    };
  }

  #isWithin(timeoutMs: number): boolean {
    const { latencyUs, unjudged } = this.record;
    if (this.isBare && unjudged.some(({ reason }) => reason === "timeout")) return false;
    return latencyUs < Math.min(timeoutMs, this.#limitMs) * 1_000;
  }

  /** Why a detector may have found more in a piece than is given. */
  *#missing(term: CompiledTerm, piece: number): Generator<Doubt> {
    const { specKey, detector, threshold, backend, known } = term;
    if (this.record.unjudged.some((gap) => gap.detector === detector && gap.reason === "hold_limit"))
      yield doubt("hold_limit");
    if (this.isBare && this.pieces.length > 1) yield doubt("facts_missing");
    if (this.#isScannable && this.texts[piece]?.whole !== undefined && backend === undefined) return;
    // A record does not say which languages its texts are in; short texts are in none.
    const isLong = (this.pieces[piece]?.length ?? 0) >= minLetters;
    const isAlone = backend === undefined || this.#silence(specKey, piece) === notWanted;
    if (known?.onError === FailMode.FAIL_CLOSED && isAlone && isLong && this.texts[piece]?.whole === undefined)
      yield doubt("facts_missing");
    const status = this.#statusOf(specKey);
    if (status !== "known") {
      yield this.#isScannable && this.texts[piece] !== undefined && backend === undefined
        ? doubt("text_redacted")
        : status;
      return;
    }
    if (this.record.unscanned.includes(piece)) yield doubt("timeout");
    if (this.#isAmbiguous(piece)) yield doubt("facts_missing");
    if (this.#lacksSignals(specKey, piece, threshold)) yield doubt("signals_omitted");
    if (this.#silence(specKey, piece) === notAsked && this.#isAsked(term, piece)) yield doubt("backend_missing");
  }

  /** Whether the record says what a detector of the engine found. */
  #statusOf(specKey: string): Status {
    if (this.isBare) return doubt("facts_missing");
    const backed = this.#tools.backed.find(({ key }) => key === specKey);
    if (!this.#specOf.has(specKey)) return doubt(backed === undefined ? "detector_changed" : "backend_missing");
    const isLocal = backed === undefined || backed.inner !== undefined;
    return this.#isSameEngine || !isLocal ? "known" : doubt("engine_changed");
  }

  #isAmbiguous(piece: number): boolean {
    const id = this.pieces[piece]?.id;
    return this.pieces.some((each, index) => index !== piece && each.id === id);
  }

  /** Whether signals of a detector that reach the threshold may have been left out. */
  #lacksSignals(specKey: string, piece: number, threshold: number): boolean {
    if (this.record.signalsOmitted === 0) return false;
    const kept = this.#signals.get(`${piece}/${this.#specOf.get(specKey)}`) ?? [];
    // Those that have fewer than the most lost none, as long as each has at least one.
    if (this.#mostSignals > 1 && perName(kept) < this.#mostSignals) return false;
    return kept.length === 0 || Math.min(...kept.map(({ score }) => score)) >= threshold;
  }

  #silence(specKey: string, piece: number): string | undefined {
    const spec = this.#specOf.get(specKey);
    if (spec === undefined) return undefined;
    return this.record.silentBackends.find((each) => each.spec === spec && each.pieces.includes(piece))?.reason;
  }

  /** Whether the policies ask the backend of a detector about a piece. */
  #isAsked({ backend = "" }: CompiledTerm, piece: number): boolean {
    const stage = this.pieces[piece]?.stage ?? this.record.stage;
    return asksAt(backend, stage, { applicable: this.#tools.applicable, nowMs: this.#nowMs });
  }

  /** Sorts the signals by piece and detector. Returns how many the largest group has under one name. */
  #sortSignals(): number {
    const indices = new Map(this.pieces.map(({ id }, index) => [id, index]));
    for (const [index, signal] of this.record.signals.entries()) {
      const piece = indices.get(signal.segment);
      if (piece === undefined || signal.spec === undefined) continue;
      const key = `${piece}/${signal.spec}`;
      const group = this.#signals.get(key) ?? [];
      group.push(signal);
      this.#signals.set(key, group);
      this.#numbers.set(signal, index);
    }
    return Math.max(0, ...[...this.#signals.values()].map(perName));
  }

  #find(): ReadonlyMap<string, readonly Detection[]>[] {
    const scanned = this.#scanTexts();
    return this.pieces.map((_, piece) => {
      const found = new Map<string, readonly Detection[]>();
      for (const [key] of this.#tools.recorded.indexOf) {
        const own = this.#detectionsOf(key, piece, scanned[piece]);
        if (own.length > 0) found.set(key, own);
      }
      return found;
    });
  }

  #detectionsOf(
    key: string,
    piece: number,
    scanned: ReadonlyMap<string, readonly Detection[]> | undefined,
  ): readonly Detection[] {
    const isBacked = this.#tools.backed.some((each) => each.key === key);
    const isKnown = this.#statusOf(key) === "known";
    const text = this.texts[piece];
    if (scanned !== undefined && !isBacked && (text?.whole !== undefined || !isKnown)) {
      const own = scanned.get(key) ?? [];
      for (const each of own) this.#scanned.add(each);
      if (text?.whole === undefined) for (const each of own) this.#shifted.add(each);
      else if (isKnown) this.#linkSignals(key, piece, own);
      return own;
    }
    return isKnown ? this.#recordedDetections(key, piece) : [];
  }

  #recordedDetections(key: string, piece: number): readonly Detection[] {
    const group = this.#signals.get(`${piece}/${this.#specOf.get(key)}`) ?? [];
    const [first] = group;
    const own = group.filter(({ detector }) => detector === first?.detector);
    const detections = own.map((signal): Detection => {
      const { category, start, end, score, layer } = signal;
      const detection = { category, start, end, score, layer };
      const number = this.#numbers.get(signal);
      if (number !== undefined) this.#signalOf.set(detection, number);
      return detection;
    });
    return detections.sort(
      (a, b) => a.start - b.start || a.end - b.end || b.score - a.score || (a.category < b.category ? -1 : 1),
    );
  }

  #linkSignals(key: string, piece: number, detections: readonly Detection[]): void {
    const group = this.#signals.get(`${piece}/${this.#specOf.get(key)}`) ?? [];
    for (const each of detections) {
      const same = group.find(
        ({ category, start, end, score, layer }) =>
          each.category === category &&
          each.start === start &&
          each.end === end &&
          each.score === score &&
          each.layer === layer,
      );
      const number = same && this.#numbers.get(same);
      if (number !== undefined) this.#signalOf.set(each, number);
    }
  }

  /** What the engine finds in the texts: all of it, or in a redacted text what no placeholder can have changed. */
  #scanTexts(): readonly (ReadonlyMap<string, readonly Detection[]> | undefined)[] {
    if (!this.#isScannable || this.texts.every((text) => text === undefined)) return this.texts.map(() => undefined);
    const { scanner, definitions } = this.#tools;
    const scanned = this.pieces.map((piece, index) => {
      const known = this.texts[index];
      if (known === undefined) return undefined;
      const source = textSourceOf(piece, this.record.stage);
      if (known.whole === undefined) {
        const found = scanner.scan(known.redacted, undefined, source);
        const isLocal = (key: string) => definitions.get(useOf(key))?.scope === "local";
        return new Map(
          [...found]
            .filter(([key]) => isLocal(key))
            .map(([key, list]) => [key, withoutPlaceholders(list, known.redacted)] as const),
        );
      }
      return known.whole === "" ? noDetections : scanner.scan(known.whole, undefined, source);
    });
    if (!this.#isTranscript) return scanned;
    return withSplitPayloads(this.pieces, scanned, (text) => scanner.scan(text));
  }
}

/** How many signals of a group stand under one name of the detector. */
function perName(group: readonly Signal[]): number {
  const [first] = group;
  return group.filter(({ detector }) => detector === first?.detector).length;
}

function piecesOf(record: EvaluationRecord): RecordedSegmentPiece[] {
  if (record.pieces.length === 0) return record.segments.map(pieceOfText);
  return record.pieces.map(({ id, role, origin, trust, stage, length, tool }) => ({
    ...{ id, role, origin, trust, text: "", length },
    ...(stage !== Stage.UNSPECIFIED && { stage }),
    ...callOf(id, tool),
  }));
}

function pieceOfText({ id, role, trust, text }: EvaluationRecord["segments"][number]): RecordedSegmentPiece {
  // An older runtime recorded no tool; the id says that there was one.
  const tool = id.startsWith(callPrefix) ? " " : "";
  return { id, role, origin: "", trust: trust || Trust.UNTRUSTED, text: "", length: text.length, ...callOf(id, tool) };
}

const callPrefix = "tool_calls/";

function callOf(id: string, name: string): Pick<TextSegment, "call" | "isArgument"> {
  if (name === "") return { isArgument: false };
  const rest = id.slice(callPrefix.length);
  return { isArgument: rest.includes("/"), call: { $typeName: "policyguard.policy.v1.ToolCall", id: rest, name } };
}

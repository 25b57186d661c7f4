// Lines of uploaded predictions: what somebody else says of samples. Whatever is wrong with a line is told with its
// place; it never quotes a text.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { outcomes } from "../../../../runtime/engine/policy/enum-names.ts";
import type { FoundSpan, Prediction } from "../../analysis/benchmark/prediction.ts";
import type { FileRecord } from "../dataset/import-record.ts";

/** The score from which on a prediction without outcome and labels counts as found. */
const usualThreshold = 0.5;
const maxLabels = 32;
const maxSpans = 200;
const maxNameLength = 128;
/** Labels and spans of a line together, as JSON: 200 spans with usual labels take a third of it. */
const maxFoundBytes = 32 << 10;
const maxErrorLength = 500;
const members = ["sample_id", "outcome", "score", "labels", "spans", "latency_us", "error"];

/** What a line says. */
export interface PredictionLine {
  readonly line: number;
  readonly sampleId: string;
  readonly prediction: Prediction;
}

/** Why a line was refused. */
export interface PredictionProblem {
  readonly line: number;
  readonly sampleId: string | null;
  readonly code: "malformed" | "too_long" | "invalid" | "missing" | "unknown_sample";
  readonly message: string;
}

/** A line that cannot be read throws one of these; nothing else does. */
class LineError extends Error {
  readonly code: PredictionProblem["code"];

  constructor(code: PredictionProblem["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The prediction in a line of JSON, or why there is none. */
export function readPrediction({ line, text, problem }: FileRecord): PredictionLine | PredictionProblem {
  if (problem !== undefined) return { line, sampleId: null, ...problem };
  let sampleId: string | null = null;
  try {
    const json = objectOf(text);
    sampleId = idOf(json.sample_id);
    return { line, sampleId, prediction: predictionOf(json) };
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    return { line, sampleId, code: error.code, message: error.message };
  }
}

function objectOf(text: string): JsonObject {
  let json: JsonValue;
  try {
    json = JSON.parse(text);
  } catch {
    throw new LineError("malformed", "is no JSON");
  }
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new LineError("malformed", "expected a JSON object");
  const unknown = Object.keys(json).find((name) => !members.includes(name));
  if (unknown !== undefined)
    throw new LineError("invalid", `has a member that is unknown; expected ${members.join(", ")}`);
  return json;
}

function idOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) throw new LineError("missing", "sample_id is missing");
  if (typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value))
    return value.toLowerCase();
  throw new LineError("invalid", "sample_id is not the id of a sample");
}

function predictionOf(json: JsonObject): Prediction {
  const error = textOf(json, "error", maxErrorLength);
  const score = numberOf(json, "score", 1);
  const latency = numberOf(json, "latency_us", Number.MAX_SAFE_INTEGER);
  const labels = labelsOf(json.labels);
  const stated = textOf(json, "outcome", maxNameLength);
  if (stated !== null && !Object.hasOwn(outcomes, stated))
    throw new LineError("invalid", `outcome is one of ${Object.keys(outcomes).join(", ")}`);
  if (error === null && stated === null && score === null && labels === null)
    throw new LineError("missing", "says nothing: expected outcome, labels, score or error");
  const spans = spansOf(json.spans);
  if (Buffer.byteLength(JSON.stringify([labels, spans])) > maxFoundBytes)
    throw new LineError("too_long", `labels and spans take more than ${maxFoundBytes} bytes together`);
  const isFound = labels === null ? (score ?? 0) >= usualThreshold : labels.length > 0;
  return {
    outcome: error === null ? (stated ?? (isFound ? "BLOCK" : "ALLOW")) : null,
    score: score === null ? null : Math.round(score * 1e6) / 1e6,
    ...{ scores: {}, labels: [...new Set(labels ?? [])].sort(), rules: [], detectors: [], unjudged: [] },
    ...{ spans, error },
    latencyUs: latency === null ? null : Math.round(latency),
  };
}

function textOf(json: JsonObject, name: string, maxLength: number): string | null {
  const value = json[name] ?? null;
  if (value === null) return null;
  if (typeof value === "string" && value !== "" && value.length <= maxLength && isStorable(value)) return value;
  throw new LineError("invalid", `${name} is a text of 1 to ${maxLength} characters`);
}

function numberOf(json: JsonObject, name: string, max: number): number | null {
  const value = json[name] ?? null;
  if (value === null) return null;
  if (typeof value === "number" && value >= 0 && value <= max) return value;
  throw new LineError("invalid", `${name} is a number from 0 to ${max}`);
}

function labelsOf(value: JsonValue | undefined): string[] | null {
  if (value === undefined || value === null) return null;
  const isList = Array.isArray(value) && value.length <= maxLabels;
  if (isList && value.every(isName)) return value;
  throw new LineError("invalid", `labels are at most ${maxLabels} texts of 1 to ${maxNameLength} characters`);
}

function spansOf(value: JsonValue | undefined): FoundSpan[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > maxSpans) throw new LineError("invalid", `spans are at most ${maxSpans}`);
  return value.map((span): FoundSpan => {
    const { segment = 0, start, end, label } = (typeof span === "object" && !Array.isArray(span) ? span : null) ?? {};
    if (isOffset(segment) && isOffset(start) && isOffset(end) && start < end && isName(label))
      return { segment, start, end, label };
    throw new LineError("invalid", "a span has start < end in UTF-16 code units, a label, and a segment from 0");
  });
}

function isOffset(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxNameLength && isStorable(value);
}

// PostgreSQL has no text with NUL in it, and none with half of a surrogate pair.
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

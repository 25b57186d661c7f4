// Detector backends as an evaluation sees them. The caller asks the questions, and the answers arrive as an argument.

import type { Detection } from "../detectors/detector.ts";

/** The protocols that backends may speak. */
export const backendShapes = [
  "policy-guard",
  "openai-moderation",
  "presidio",
  "hf-text-classification",
  "fms",
] as const;
/** A protocol between runtimes and detectors. */
export type BackendShape = (typeof backendShapes)[number];

/** Headers that belong to the connection or to the call itself: none of them carries a secret. */
const callHeaders = new Set([
  "host",
  "connection",
  "content-length",
  "content-type",
  "transfer-encoding",
  "upgrade",
  "te",
]);

/** Whether the header belongs to the call to a backend itself. */
export function isCallHeader(name: string): boolean {
  return callHeaders.has(name.toLowerCase());
}

/** A backend as a bundle carries it. */
export interface BackendReference {
  readonly key: string;
  readonly url: string;
  readonly shape: BackendShape;
  readonly timeoutMs: number;
  /** The header that carries the secret of the backend. The operator of a runtime configures its value. */
  readonly authHeader: string | undefined;
}

/** The backend of a detector, as a policy describes it. */
export interface BackendUse {
  readonly key: string;
  /** Categories by the backend's labels; other labels are ignored. When absent, every label is a finding. */
  readonly categories?: Readonly<Record<string, string>>;
}

/** A finding of a backend in a text. Without offsets it covers the whole text. */
export interface BackendFinding {
  readonly label: string;
  readonly score: number;
  readonly start?: number;
  readonly end?: number;
}

/** Why a backend gave no answer. It is unavailable when nobody asks it. */
export type BackendFailure = "timeout" | "error" | "circuit_open" | "backend_origin_refused" | "backend_unavailable";

/** The answer of a backend for one text. */
export type BackendAnswer = { readonly findings: readonly BackendFinding[] } | { readonly failure: BackendFailure };

/** A question of an evaluation to a backend. */
export interface BackendQuestion {
  readonly backend: string;
  /** Distinct and not empty. */
  readonly texts: readonly string[];
  /** The time that the evaluation has in total. */
  readonly budgetMs: number;
}

/** The answers of backends; undefined where nobody asked. */
export type BackendAnswers = (backend: string, text: string) => BackendAnswer | undefined;

/** A detector of an engine that has a backend. */
export interface BackedDetector {
  /** The key under which rules look up its detections. */
  readonly key: string;
  /** The detector of the scanner that reads the same text; undefined when there is none. */
  readonly inner: string | undefined;
  readonly use: BackendUse;
}

/** The answer for a text, or a failure when there is none. */
export function answerOf(answers: BackendAnswers | undefined, backend: string, text: string): BackendAnswer {
  return answers?.(backend, text) ?? { failure: "backend_unavailable" };
}

/** The detections of an answer. Strict readers have already turned offsets outside the text into an error. */
export function detectionsOfAnswer(answer: BackendAnswer, { categories }: BackendUse, text: string): Detection[] {
  if ("failure" in answer) return [];
  return answer.findings.flatMap(({ label, score, start = 0, end = text.length }) => {
    const category = categories === undefined ? categoryOf(label) : ownValue(categories, label);
    return category === undefined ? [] : [{ category, start, end, score, layer: "plain", attributes: { label } }];
  });
}

/** The category of a label that no policy names. For "Hate Speech" it is "backend.hate_speech". */
function categoryOf(label: string): string {
  const word = label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return `backend.${word === "" ? "finding" : word.slice(0, 48)}`;
}

function ownValue(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

// Detector backends as an evaluation sees them: questions that somebody else asks, and answers that arrive as an argument.

import type { Detection } from "./detector.ts";

/** The contracts that backends may speak. */
export const backendShapes = [
  "policy-guard",
  "openai-moderation",
  "presidio",
  "hf-text-classification",
  "fms",
] as const;
/** A contract between runtimes and detectors. */
export type BackendShape = (typeof backendShapes)[number];

/** A backend as a bundle carries it. */
export interface BackendReference {
  readonly key: string;
  readonly url: string;
  readonly shape: BackendShape;
  readonly timeoutMs: number;
  /** Header that carries its secret. */
  readonly authHeader: string | undefined;
}

/** What a policy says of the backend of a detector. */
export interface BackendUse {
  readonly key: string;
  /** Categories by the backend's labels; other labels are not findings. Absent: every label is. */
  readonly categories?: Readonly<Record<string, string>>;
}

/** Something that a backend found in a text. Without offsets it is about all of it. */
export interface BackendFinding {
  readonly label: string;
  readonly score: number;
  readonly start?: number;
  readonly end?: number;
}

/** Why a backend gave no answer. Without anybody who asks it is unavailable. */
export type BackendFailure = "timeout" | "error" | "circuit_open" | "backend_unavailable";

/** What a backend says of one text. */
export type BackendAnswer = { readonly findings: readonly BackendFinding[] } | { readonly failure: BackendFailure };

/** What an evaluation has to know of a backend. */
export interface BackendQuestion {
  readonly backend: string;
  /** Distinct and not empty. */
  readonly texts: readonly string[];
  /** Time that the evaluation has in all. */
  readonly budgetMs: number;
}

/** The answers of backends; undefined where nobody asked. */
export type BackendAnswers = (backend: string, text: string) => BackendAnswer | undefined;

/** A detector of an engine that has a backend. */
export interface BackedDetector {
  /** Under which rules look for its detections. */
  readonly key: string;
  /** The detector of the scanner that looks at the same text; undefined when there is none. */
  readonly inner: string | undefined;
  readonly use: BackendUse;
}

/** What there is to know of a text: the answer, or that there is none. */
export function answerOf(answers: BackendAnswers | undefined, backend: string, text: string): BackendAnswer {
  return answers?.(backend, text) ?? { failure: "backend_unavailable" };
}

/** What an answer means in a policy. Offsets that lie outside the text make it an error, as strict readers see to before. */
export function detectionsOf(answer: BackendAnswer, { categories }: BackendUse, text: string): Detection[] {
  if ("failure" in answer) return [];
  return answer.findings.flatMap(({ label, score, start = 0, end = text.length }) => {
    const category = categories === undefined ? categoryOf(label) : ownValue(categories, label);
    return category === undefined ? [] : [{ category, start, end, score, layer: "plain", attributes: { label } }];
  });
}

/** The category of a label that no policy names. */
export function categoryOf(label: string): string {
  const word = label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return `backend.${word === "" ? "finding" : word.slice(0, 48)}`;
}

function ownValue(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

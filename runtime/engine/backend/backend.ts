// Detector backends as an evaluation sees them. The caller asks the questions, and the answers arrive as an argument.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Detection } from "../detectors/detector.ts";
import { matchesGlob } from "../text/glob.ts";

/** The protocols that servers may speak. */
export const serverShapes = [
  ...(["policy-guard", "openai-moderation", "presidio", "hf-text-classification", "fms"] as const),
  ...(["tei-predict", "llama-guard", "qwen3-guard", "yes-no-guard"] as const),
] as const;
/** A protocol between runtimes and servers. */
export type ServerShape = (typeof serverShapes)[number];

/** What backends may be: servers, and models that the runtime runs itself. */
export const backendShapes = [...serverShapes, "onnx-text-classification"] as const;
/** A protocol between runtimes and detectors. */
export type BackendShape = (typeof backendShapes)[number];

/** Protocols in which a request says which model of the server shall answer. */
export const shapesWithModel: readonly BackendShape[] = [
  ...(["openai-moderation", "llama-guard", "qwen3-guard", "yes-no-guard"] as const),
];

/** The names of these protocols, for messages. */
export function shapesWithModelText(): string {
  return `${shapesWithModel.slice(0, -1).join(", ")} and ${shapesWithModel.at(-1)}`;
}

/** Whether only a preset can say what the backend is asked. */
export function needsQuestions(shape: BackendShape): boolean {
  return shape === "yes-no-guard";
}

/** The name of such a model. */
export const modelName = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$/;

/** What the URL of a model in the runtime begins with, as in "model:prompt-guard". */
export const modelScheme = "model:";

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

/** What the labels of a backend mean: each is a category or no finding, and others are an error. */
export interface LabelMeanings {
  /** Categories by label. */
  readonly labels: Readonly<Record<string, string>>;
  /** Labels that are no findings. */
  readonly ignore: readonly string[];
  /** For a model that is asked about each label; undefined for one that names labels itself. */
  readonly questions?: YesNoQuestions | undefined;
}

/** How a model is asked that answers with yes or no: one question for each label. */
export interface YesNoQuestions {
  /** Its two answers, to the letter. */
  readonly answers: { readonly yes: string; readonly no: string };
  /** By label: the variables with which the chat template of the model writes the question around the text. */
  readonly templates: Readonly<Record<string, JsonObject>>;
}

/** The labels that have no meaning. */
export function unknownLabels(labels: readonly string[], { labels: known, ignore }: LabelMeanings): string[] {
  return labels.filter((label) => !Object.hasOwn(known, label) && !ignore.includes(label));
}

/** A backend as a bundle carries it. */
export interface BackendReference {
  readonly key: string;
  readonly url: string;
  readonly shape: BackendShape;
  readonly timeoutMs: number;
  /** The header that carries the secret of the backend. The operator of a runtime configures its value. */
  readonly authHeader: string | undefined;
  /** For a model in the runtime: the only bytes that may judge, as "sha256:…". */
  readonly digest?: string | undefined;
  /** The model that the server is asked for, where its protocol has a place for it. */
  readonly model?: string | undefined;
  /** What its labels mean, by the preset that the organization chose; undefined without one. */
  readonly meanings?: LabelMeanings | undefined;
}

/** The backend of a detector, as a policy describes it. */
export interface BackendUse {
  readonly key: string;
  /** Categories by the backend's labels; other labels are ignored. When absent, every label is a finding. */
  readonly categories?: Readonly<Record<string, string>>;
  /** When it is asked. When absent, always. */
  readonly ask?: AskWhen;
}

/** When a backend is asked about a text; every condition must hold. */
export interface AskWhen {
  /** The score of the detector itself must be in this range, both ends included. A text without findings has 0. */
  readonly between?: readonly [number, number];
  readonly stages?: readonly string[];
  /** Globs over the origins of texts. */
  readonly origins?: readonly string[];
}

/** What decides whether a backend is asked about a text. */
export interface AskedText {
  readonly stage: string;
  readonly origin: string;
  /** What the detector itself found in the text. */
  readonly own: () => readonly Detection[];
}

/** The condition of `ask` because of which a policy does not ask its backend. */
export type UnaskedReason = "stage" | "origin" | "between";

/** Why a policy does not ask a backend about a text; undefined when it does. */
export function whyUnasked({ ask }: BackendUse, { stage, origin, own }: AskedText): UnaskedReason | undefined {
  if (ask === undefined) return undefined;
  if (ask.stages !== undefined && !ask.stages.includes(stage)) return "stage";
  if (ask.origins !== undefined && !ask.origins.some((glob) => matchesGlob(glob, origin))) return "origin";
  if (ask.between === undefined) return undefined;
  const score = Math.max(0, ...own().map((detection) => detection.score));
  return score >= ask.between[0] && score <= ask.between[1] ? undefined : "between";
}

/** A finding of a backend in a text. Without offsets it covers the whole text. */
export interface BackendFinding {
  readonly label: string;
  readonly score: number;
  readonly start?: number;
  readonly end?: number;
  /** The category that a preset or a model's own folder gives the label, for policies that do not map labels. */
  readonly category?: string;
}

/** Why a backend gave no answer. It is unavailable when nobody asks it. */
export type BackendFailure =
  | "timeout"
  | "error"
  | "circuit_open"
  | "backend_origin_refused"
  | "backend_unavailable"
  | "model_missing"
  | "model_mismatch"
  | "model_busy"
  | "model_crash";

/** Why an answer is about a part of the text only. */
export type BackendLimit = "model_text_limit";

/** What a backend found in one text. */
export interface BackendFindings {
  readonly findings: readonly BackendFinding[];
  /** Set when the text was longer than what was read. */
  readonly limit?: BackendLimit;
}

/** The answer of a backend for one text. */
export type BackendAnswer = BackendFindings | { readonly failure: BackendFailure };

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

/** Why finding nothing says nothing, or not all: there is no answer, or it is about a part of the text. */
export function silenceOfAnswer(answer: BackendAnswer): BackendFailure | BackendLimit | undefined {
  return "failure" in answer ? answer.failure : answer.limit;
}

/** The detections of an answer. Strict readers have already turned offsets outside the text into an error. */
export function detectionsOfAnswer(answer: BackendAnswer, { key, categories }: BackendUse, text: string): Detection[] {
  if ("failure" in answer) return [];
  return answer.findings.flatMap(({ label, score, start = 0, end = text.length, category: given }) => {
    const category = categories === undefined ? (given ?? categoryOf(label)) : ownValue(categories, label);
    return category === undefined
      ? []
      : [{ category, start, end, score, layer: "plain", attributes: { label, backend: key } }];
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

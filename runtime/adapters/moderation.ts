// The moderation contract of OpenAI (platform.openai.com, "Create moderation"): a verdict for each input. An answer
// always has the thirteen categories of the contract, and the categories of this product's detectors after them.

import { setImmediate as tick } from "node:timers/promises";
import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import {
  type EvaluateRequest,
  EvaluateRequestSchema,
  type EvaluateResponse,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { DetailLevel, Mode, Outcome, Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { assertValid } from "../../src/kit/fault/validation.ts";
import { newId } from "../../src/kit/process/id.ts";
import type { Evaluator } from "../evaluate/evaluator.ts";
import { invalid, isObject, textMember } from "./payload.ts";

const contractCategories = [
  "harassment",
  "harassment/threatening",
  "hate",
  "hate/threatening",
  "illicit",
  "illicit/violent",
  "self-harm",
  "self-harm/instructions",
  "self-harm/intent",
  "sexual",
  "sexual/minors",
  "violence",
  "violence/graphic",
] as const;

/** Names of the contract for categories of content safety that have other words. */
const contractNames: ReadonlyMap<string, readonly string[]> = new Map([
  ["content_safety.code_abuse", ["illicit"]],
  ["content_safety.privacy", ["illicit"]],
  ["content_safety.sex_crime", ["illicit", "illicit/violent"]],
  ["content_safety.violent_crime", ["illicit", "illicit/violent", "violence"]],
  ["content_safety.weapons", ["illicit", "illicit/violent"]],
]);

const maxInputs = 256;

/** Answers a request for a moderation. Throws validation_failed for a payload that is none. */
export async function createModeration(
  payload: JsonObject,
  evaluator: Evaluator,
  { signal }: { readonly signal: AbortSignal },
): Promise<JsonObject> {
  const model = textMember(payload, "model") ?? "policy-guard";
  const agentId = textMember(payload, "agent_id");
  const requests = inputsOf(payload.input).map((text) =>
    create(EvaluateRequestSchema, { agentId, text, options: { detail: DetailLevel.FULL } }),
  );
  for (const [index, request] of requests.entries())
    assertValid(EvaluateRequestSchema, request, (field) => payloadName(field, index, payload));
  const results: JsonObject[] = [];
  for (const request of requests) {
    results.push(await resultOf(request, evaluator));
    await tick();
    signal.throwIfAborted();
  }
  return { id: `modr-${newId()}`, model, results };
}

function inputsOf(input: JsonValue | undefined): string[] {
  if (typeof input === "string") return [input];
  if (!Array.isArray(input) || input.length === 0) throw invalid("input", "expected a string or a list of them");
  if (input.length > maxInputs) throw invalid("input", `expected at most ${maxInputs} inputs`);
  // A list of parts is one input.
  if (input.every(isObject)) return [input.map(partText).join("\n")];
  return input.map((text, index) => {
    if (typeof text === "string") return text;
    throw invalid(`input[${index}]`, "expected a string");
  });
}

function partText(part: JsonObject, index: number): string {
  if (part.type === "text" && typeof part.text === "string") return part.text;
  const message = part.type === "image_url" ? "images are not judged" : "expected a part of the type text";
  throw invalid(`input[${index}]`, message);
}

function payloadName(field: string, index: number, { input }: JsonObject): string {
  if (field !== "text") return field;
  return Array.isArray(input) && !input.every(isObject) ? `input[${index}]` : "input";
}

async function resultOf(request: EvaluateRequest, evaluator: Evaluator): Promise<JsonObject> {
  const response = await evaluator.judge(request, Stage.INPUT);
  const scores = scoresOf(response);
  const blocking = blockingCategories(response);
  const names = [...new Set([...contractCategories, ...[...scores.keys()].sort()])];
  return {
    flagged: response.outcome === Outcome.BLOCK,
    categories: Object.fromEntries(names.map((name) => [name, blocking.has(name)])),
    category_scores: Object.fromEntries(names.map((name) => [name, scores.get(name) ?? 0])),
    category_applied_input_types: Object.fromEntries(names.map((name) => [name, ["text"]])),
  };
}

/** The highest score of each category, under its own name and under those of the contract. */
function scoresOf({ signals, findings }: EvaluateResponse): Map<string, number> {
  const scores = new Map<string, number>();
  for (const { category, score } of [...signals, ...findings]) {
    for (const name of namesOf(category)) scores.set(name, Math.max(scores.get(name) ?? 0, score));
  }
  return scores;
}

function blockingCategories({ findings }: EvaluateResponse): Set<string> {
  const blocking = findings.filter(
    ({ action, mode, exemptedBy }) => action === Outcome.BLOCK && mode === Mode.ENFORCE && exemptedBy === undefined,
  );
  return new Set(blocking.flatMap(({ category }) => namesOf(category)));
}

/** "toxicity.hate.threatening" is itself, hate, and hate/threatening. */
function namesOf(category: string): string[] {
  const names = contractNames.get(category);
  if (names !== undefined) return [category, ...names];
  const words = new Set(category.toLowerCase().replaceAll("_", "-").split(/[./]/));
  return [category, ...contractCategories.filter((name) => name.split("/").every((word) => words.has(word)))];
}

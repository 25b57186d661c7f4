// The contracts of detector backends: the request that is sent, and the form that an answer must have. Any other answer
// is a failure of the backend, never an empty result. Servers in Python count code points; this product counts UTF-16
// code units.

import type { BackendFinding, ServerShape } from "../../engine/backend/backend.ts";
import { AnswerInvalid, distinct, list, member, name, optional, record, score } from "./answer.ts";
import { type Contract, inOneCall } from "./contract.ts";
import { llamaGuard, qwen3Guard, yesNoGuard } from "./guard-model.ts";

const maxFindingsPerText = 1000;
const batch = 32;

/** The contracts by their names. */
export const contracts: Readonly<Record<ServerShape, Contract>> = {
  "policy-guard": inOneCall({
    batch,
    body: (texts) => ({ texts }),
    read: (answer, texts) =>
      perText(member(answer, "results"), texts, (result, text) =>
        list(member(result, "findings")).map((found) => ({
          label: name(member(found, "label")),
          score: score(member(found, "score")),
          ...(optional(found, "start") === undefined ? {} : span(found, text.length)),
        })),
      ),
  }),
  "openai-moderation": inOneCall({
    batch,
    body: (texts, { model }) => ({ ...(model !== undefined && { model }), input: texts }),
    read: (answer, texts) =>
      perText(member(answer, "results"), texts, (result) =>
        Object.entries(record(member(result, "category_scores"))).map(([label, value]) => ({
          label: name(label),
          score: score(value),
        })),
      ),
  }),
  presidio: inOneCall({
    batch,
    body: (texts) => ({ text: texts, language: "en" }),
    read: (answer, texts) =>
      perText(answer, texts, (result, text) => {
        const toUnits = unitOffsets(text);
        return list(result).map((found) => ({
          label: name(member(found, "entity_type")),
          score: score(member(found, "score")),
          ...inUnits(span(found, toUnits.count), toUnits.at),
        }));
      }),
  }),
  "hf-text-classification": inOneCall({
    batch,
    body: (texts) => ({ inputs: texts, parameters: { top_k: null } }),
    read: (answer, texts) => perText(answer, texts, (result) => labelsOf(Array.isArray(result) ? result : [result])),
  }),
  fms: inOneCall({
    batch,
    headers: ({ key }) => ({ "detector-id": key }),
    body: (texts) => ({ contents: texts, detector_params: {} }),
    read: (answer, texts) =>
      perText(answer, texts, (result, text) => {
        const toUnits = unitOffsets(text);
        return list(result).map((found) => ({
          label: name(member(found, "detection")),
          score: score(member(found, "score")),
          ...inUnits(span(found, toUnits.count), toUnits.at),
        }));
      }),
  }),
  // Its router takes a list of two strings for one pair of texts, so that each text is a list of its own. What is too
  // long for the model is refused by it, and so unjudged: "truncate" would judge the beginning and say nothing of it.
  "tei-predict": inOneCall({
    batch,
    body: (texts) => ({ inputs: texts.map((text) => [text]), raw_scores: false, truncate: false }),
    read: (answer, texts) => perText(answer, texts, (result) => labelsOf(list(result))),
  }),
  "llama-guard": llamaGuard,
  "qwen3-guard": qwen3Guard,
  "yes-no-guard": yesNoGuard,
};

function labelsOf(found: readonly unknown[]): BackendFinding[] {
  return distinct(found.map((each) => ({ label: name(member(each, "label")), score: score(member(each, "score")) })));
}

function perText(
  results: unknown,
  texts: readonly string[],
  read: (result: unknown, text: string) => BackendFinding[],
): BackendFinding[][] {
  const given = list(results);
  if (given.length !== texts.length) throw new AnswerInvalid(`expected ${texts.length} results, got ${given.length}`);
  return texts.map((text, index) => {
    const findings = read(given[index], text);
    if (findings.length > maxFindingsPerText)
      throw new AnswerInvalid(`expected at most ${maxFindingsPerText} findings for a text`);
    return findings;
  });
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function span(found: unknown, length: number): Span {
  const start = member(found, "start");
  const end = member(found, "end");
  if (!Number.isInteger(start) || !Number.isInteger(end) || typeof start !== "number" || typeof end !== "number")
    throw new AnswerInvalid("expected whole numbers as offsets");
  if (start < 0 || start >= end || end > length) throw new AnswerInvalid("expected offsets within the text");
  return { start, end };
}

function inUnits({ start, end }: Span, at: (point: number) => number): Span {
  return { start: at(start), end: at(end) };
}

/** Where each code point of a text starts, and how many there are. In "a😀b", code point 2 starts at unit 3. */
function unitOffsets(text: string): { readonly count: number; readonly at: (point: number) => number } {
  const begins: number[] = [];
  for (let unit = 0; unit < text.length; unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1) begins.push(unit);
  return { count: begins.length, at: (point) => begins[point] ?? text.length };
}

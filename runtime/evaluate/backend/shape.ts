// The contracts of detector backends: the request that is sent, and the form that an answer must have. Any other answer
// is a failure of the backend, never an empty result. Servers in Python count code points; this product counts UTF-16
// code units.

import type { JsonValue } from "@bufbuild/protobuf";
import type { BackendFinding, BackendReference, ServerShape } from "../../engine/backend/backend.ts";
import { hasDuplicateKey } from "../../engine/schema/duplicate-key.ts";

/** One contract. */
export interface Contract {
  /** Max texts of one call. */
  readonly batch: number;
  readonly headers?: (reference: BackendReference) => Readonly<Record<string, string>>;
  readonly body: (texts: readonly string[], backend: Pick<BackendReference, "model">) => object;
  /** The findings of each text, in order. Throws AnswerInvalid. */
  readonly read: (answer: unknown, texts: readonly string[]) => BackendFinding[][];
}

/** An answer that breaks its contract. The message contains nothing of the text. */
export class AnswerInvalid extends Error {
  override readonly name = "AnswerInvalid";
}

const maxFindingsPerText = 1000;
const batch = 32;

/** The contracts by their names. */
export const contracts: Readonly<Record<ServerShape, Contract>> = {
  "policy-guard": {
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
  },
  "openai-moderation": {
    batch,
    body: (texts, { model }) => ({ ...(model !== undefined && { model }), input: texts }),
    read: (answer, texts) =>
      perText(member(answer, "results"), texts, (result) =>
        Object.entries(record(member(result, "category_scores"))).map(([label, value]) => ({
          label: name(label),
          score: score(value),
        })),
      ),
  },
  presidio: {
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
  },
  "hf-text-classification": {
    batch,
    body: (texts) => ({ inputs: texts, parameters: { top_k: null } }),
    read: (answer, texts) => perText(answer, texts, (result) => labelsOf(Array.isArray(result) ? result : [result])),
  },
  fms: {
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
  },
  // Its router takes a list of two strings for one pair of texts, so that each text is a list of its own. What is too
  // long for the model is refused by it, and so unjudged: "truncate" would judge the beginning and say nothing of it.
  "tei-predict": {
    batch,
    body: (texts) => ({ inputs: texts.map((text) => [text]), raw_scores: false, truncate: false }),
    read: (answer, texts) => perText(answer, texts, (result) => labelsOf(list(result))),
  },
  // Its verdict is text that a model wrote: whatever is not exactly one is a failure, and never "safe".
  "llama-guard": {
    batch: 1,
    body: ([content = ""], { model }) => ({
      ...(model !== undefined && { model }),
      messages: [{ role: "user", content }],
      ...{ temperature: 0, max_tokens: maxVerdictTokens, stream: false },
    }),
    read: (answer) => [verdictOf(answer)],
  },
};

/** Room for all codes. */
const maxVerdictTokens = 128;
const verdict = /^[ \t\r\n]*(?:safe|unsafe[ \t]*\r?\n[ \t]*(S[1-9][0-9]?(?:[ \t]*,[ \t]*S[1-9][0-9]?)*))[ \t\r\n]*$/;
/** How servers say that an answer has come to its end, and was not cut. */
const complete: readonly unknown[] = ["stop", "eos_token"];

/** The codes of a verdict: "safe", or "unsafe" and a line such as "S1,S10". */
function verdictOf(answer: unknown): BackendFinding[] {
  const [choice, ...others] = list(member(answer, "choices"));
  if (choice === undefined || others.length > 0) throw new AnswerInvalid("expected one choice");
  if (!complete.includes(member(choice, "finish_reason")))
    throw new AnswerInvalid("expected a verdict that is not cut");
  const content = member(member(choice, "message"), "content");
  const found = typeof content === "string" ? verdict.exec(content) : null;
  if (found === null) throw new AnswerInvalid('expected "safe", or "unsafe" and a line of codes such as "S1,S10"');
  const codes = found[1]?.split(",").map((code) => code.trim()) ?? [];
  // It says nothing of how sure it is.
  return distinct(codes.map((label) => ({ label, score: 1 })));
}

function labelsOf(found: readonly unknown[]): BackendFinding[] {
  return distinct(found.map((each) => ({ label: name(member(each, "label")), score: score(member(each, "score")) })));
}

/** Each label once: of two scores for one label, either may be wrong. */
function distinct(findings: BackendFinding[]): BackendFinding[] {
  if (new Set(findings.map(({ label }) => label)).size < findings.length)
    throw new AnswerInvalid("expected each label once");
  return findings;
}

/** The value of an answer in JSON. Throws AnswerInvalid, also for an object with a member twice. */
export function parsedAnswer(bytes: Buffer): unknown {
  const text = bytes.toString("utf8");
  let value: JsonValue;
  let isAmbiguous: boolean;
  try {
    value = JSON.parse(text);
    isAmbiguous = hasDuplicateKey(text, value);
  } catch {
    // The parser's message would quote the text. What is nested too deeply ends here, too.
    throw new AnswerInvalid("the answer is not JSON");
  }
  // JSON.parse keeps the last of two members; a score of the first would be lost.
  if (isAmbiguous) throw new AnswerInvalid("an object of the answer has a member twice");
  return value;
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

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new AnswerInvalid("expected an object");
  // The keys of a JSON object are strings.
  return value as Readonly<Record<string, unknown>>;
}

function optional(value: unknown, key: string): unknown {
  const found = record(value);
  return Object.hasOwn(found, key) ? (found[key] ?? undefined) : undefined;
}

function member(value: unknown, key: string): unknown {
  const found = optional(value, key);
  if (found === undefined) throw new AnswerInvalid(`expected "${key}"`);
  return found;
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new AnswerInvalid("expected a list");
  return value;
}

function name(value: unknown): string {
  if (typeof value !== "string" || value === "" || value.length > 128) throw new AnswerInvalid("expected a label");
  return value;
}

function score(value: unknown): number {
  if (typeof value !== "number" || !(value >= 0 && value <= 1)) throw new AnswerInvalid("expected a score from 0 to 1");
  return value;
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

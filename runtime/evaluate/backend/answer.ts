// Reads answers of detector backends strictly: whatever is not as it has to be is a failure of the backend.

import type { JsonValue } from "@bufbuild/protobuf";
import type { BackendFinding } from "../../engine/backend/backend.ts";
import { hasDuplicateKey } from "../../engine/schema/duplicate-key.ts";

/** An answer that breaks its contract. The message contains nothing of the text. */
export class AnswerInvalid extends Error {
  override readonly name = "AnswerInvalid";
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

/** Each label once: of two scores for one label, either may be wrong. */
export function distinct(findings: BackendFinding[]): BackendFinding[] {
  if (new Set(findings.map(({ label }) => label)).size < findings.length)
    throw new AnswerInvalid("expected each label once");
  return findings;
}

/** An object of an answer. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new AnswerInvalid("expected an object");
  // The keys of a JSON object are strings.
  return value as Readonly<Record<string, unknown>>;
}

/** The member of an object; undefined when it is absent or null. */
export function optional(value: unknown, key: string): unknown {
  const found = record(value);
  return Object.hasOwn(found, key) ? (found[key] ?? undefined) : undefined;
}

/** The member of an object, which has to be there. */
export function member(value: unknown, key: string): unknown {
  const found = optional(value, key);
  if (found === undefined) throw new AnswerInvalid(`expected "${key}"`);
  return found;
}

/** A list of an answer. */
export function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new AnswerInvalid("expected a list");
  return value;
}

/** A label. */
export function name(value: unknown): string {
  if (typeof value !== "string" || value === "" || value.length > 128) throw new AnswerInvalid("expected a label");
  return value;
}

/** A score. */
export function score(value: unknown): number {
  if (typeof value !== "number" || !(value >= 0 && value <= 1)) throw new AnswerInvalid("expected a score from 0 to 1");
  return value;
}

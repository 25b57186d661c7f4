// Examples of the API's documentation, recorded from vectors: `npm run record-examples` writes down what was asked and
// answered, and every run of the suite holds the form of what is written there to the answer of today.

import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { RecordedExample, RecordedExamples } from "../../../gateway/openapi/recorded.ts";
import { examplesFile, examplesVariable } from "../../../scripts/examples/file.ts";

/** A call of a vector, with its answer. */
export interface PlayedCall {
  readonly method: string;
  readonly vector: string;
  readonly request: JsonObject;
  readonly answer: JsonValue;
}

const recorded: RecordedExamples = JSON.parse(readFileSync(examplesFile, "utf8"));

/**
 * Writes the call down when this run records examples; otherwise answers how the example differs in form from the
 * answer, if it does.
 */
export function compareWithExample(call: PlayedCall, now: Date): string | undefined {
  const { method, vector } = call;
  const file = process.env[examplesVariable];
  if (file !== undefined) {
    const example = pleasant({ vector, request: call.request, answer: call.answer }, now);
    appendFileSync(file, `${JSON.stringify({ method, example })}\n`);
    return undefined;
  }
  const example = recorded[method];
  if (example?.vector !== vector) return `the example of ${method} is not of ${vector}; run: npm run record-examples`;
  if (hasSameForm(example.answer, call.answer)) return undefined;
  const [has, is] = [example.answer, call.answer].map((value) => JSON.stringify(value));
  return `the example of ${method} is ${has}, the answer ${is}; run: npm run record-examples`;
}

/**
 * Whether what does not change from one call to the next is the same: names, types, and whether lists are empty. Null
 * is as good as any type: a time such as a token's last use is written a moment after the call that it tells of.
 */
function hasSameForm(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === null || other === null) return true;
  if (typeof one !== "object" || typeof other !== "object") return typeof one === typeof other;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other)) return false;
    return one.length === 0 ? other.length === 0 : other.length > 0 && hasSameForm(one[0], other[0]);
  }
  const names = Object.keys(one).sort();
  return (
    isDeepStrictEqual(names, Object.keys(other).sort()) && names.every((name) => hasSameForm(one[name], other[name]))
  );
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const token = /\bgr_([a-z]+)_([A-Za-z0-9]{4,})/g;
/** Secrets, keys, signatures and digests. */
const random =
  /(?!gr_)(?<=whsec_|(?:sha256|hmac)[:-]|^|[="])(?=[A-Za-z0-9_+/-]*\d)[A-Za-z0-9_+/-]{22,}(?![A-Za-z0-9_+/-])/g;
const address = /http:\/\/127\.0\.0\.1:\d+/g;
const base = new Date("2026-11-20T09:00:00Z").getTime();
const minuteMs = 60_000;

/** The same with made-up ids, times, secrets and durations, always the same ones. */
function pleasant(example: RecordedExample, now: Date): RecordedExample {
  const names = new Map<string, string>();
  const idOf = (id: string) => {
    const name = names.get(id) ?? madeUpId(names.size + 1);
    names.set(id, name);
    return name;
  };
  const text = (value: string): string => {
    if (time.test(value)) {
      const passedMs = Math.round((new Date(value).getTime() - now.getTime()) / minuteMs) * minuteMs;
      return new Date(base + passedMs).toISOString().replace(".000Z", "Z");
    }
    if (value.startsWith("https://")) return value;
    return value
      .replace(address, "https://hooks.example.com")
      .replace(/\.[0-9a-f]{8}(?=@example\.com)/, "")
      .replace(token, (_, kind: string, rest: string) => `gr_${kind}_${"eXaMpLe0".repeat(8).slice(0, rest.length)}`)
      .replace(random, (match) => (uuid.test(match) ? match : madeUp(match, names)))
      .replace(uuid, idOf);
  };
  const plainMembers = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([key, child]) => [key, plain(child ?? null, key)]));
  const plain = (value: JsonValue, name: string): JsonValue => {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") return /_(us|ms)$/.test(name) && value > 0 ? 180 : value;
    if (Array.isArray(value)) return value.map((item) => plain(item, name));
    if (typeof value !== "object" || value === null) return value;
    return plainMembers(value);
  };
  const { vector, request, answer } = example;
  return { vector, request: plainMembers(request), answer: plain(answer, "") };
}

function madeUpId(number: number): string {
  const hex = createHash("sha256").update(`example ${number}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** As long, and of the same kind of letters. */
function madeUp(value: string, names: Map<string, string>): string {
  const known = names.get(value);
  if (known !== undefined) return known;
  const hash = createHash("sha512")
    .update(`example ${names.size + 1}`)
    .digest(/^[0-9a-f]+$/.test(value) ? "hex" : "base64url");
  const made = hash.repeat(Math.ceil(value.length / hash.length)).slice(0, value.length);
  names.set(value, made);
  return made;
}

// What a sample says, in the form in which it is stored, and the hashes by which samples are compared.

import { hash } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { canonicalText } from "../../../kit/crypto/canonical.ts";
import { comparableText } from "../../../kit/crypto/text-hash.ts";
import { BoundedCache } from "../../../kit/process/bounded-cache.ts";

/** A piece of a conversation. */
export interface SegmentContent {
  readonly role: string | null;
  readonly text: string;
}

/** A call that a model proposes. */
export interface ToolCallContent {
  readonly name: string;
  readonly arguments: JsonObject | null;
}

/** A part of a text and what it is. Offsets count UTF-16 code units. */
export interface SpanContent {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** What can be said about a sample. Closed sets have the spelling of the API. */
export interface SampleContent {
  readonly externalId: string | null;
  readonly text: string | null;
  readonly segments: readonly SegmentContent[];
  readonly toolCalls: readonly ToolCallContent[];
  readonly stage: string;
  readonly language: string | null;
  readonly labels: readonly string[];
  readonly expectedOutcome: string | null;
  readonly mustMatch: readonly string[];
  readonly mustNotMatch: readonly string[];
  readonly spans: readonly SpanContent[];
  readonly group: string | null;
  readonly tags: readonly string[];
  readonly split: string | null;
  readonly weight: number;
  readonly isRedacted: boolean;
  readonly isGray: boolean;
  /** The trace that it was copied from. */
  readonly source: { readonly traceId: string; readonly annotationIds: readonly string[] } | null;
  /** What a runtime recorded about the trace, when its text was not kept. */
  readonly facts: JsonObject | null;
}

/** A sample without anything but what every sample has. */
export const emptySample: SampleContent = {
  ...{ externalId: null, text: null, segments: [], toolCalls: [], stage: "input", language: null, labels: [] },
  ...{ expectedOutcome: null, mustMatch: [], mustNotMatch: [], spans: [], group: null, tags: [], split: null },
  ...{ weight: 1, isRedacted: false, isGray: false, source: null, facts: null },
};

/** A sample made ready to be stored and compared. */
export interface HashedSample {
  readonly content: SampleContent;
  /** The content as bytes, from which `readContent` makes it again. */
  readonly bytes: Uint8Array;
  /** SHA-256 of those bytes. */
  readonly digest: Buffer;
  /** What makes two samples duplicates of each other. */
  readonly contentHash: Buffer;
  /** What is right about it. */
  readonly verdict: Buffer;
  /** The texts in it, as `comparableText` has them. */
  readonly texts: readonly string[];
}

const hashBytes = 16;

/** The sample with its hashes. */
export function hashSample(content: SampleContent): HashedSample {
  const bytes = Buffer.from(storedText(content), "utf8");
  const { text, segments, toolCalls, stage, source } = content;
  const normal = text === null ? null : comparableText(text);
  const pieces = segments.map(({ role, text: piece }) => [role, comparableText(piece)] as const);
  const calls = toolCalls.map(({ name, arguments: values }) => [name, values]);
  // Samples without text are equal when they are of the same trace.
  const isBare = normal === null && pieces.length === 0 && calls.length === 0;
  const compared: JsonValue = [
    stage,
    normal,
    pieces.map((piece) => [...piece]),
    calls,
    isBare ? (source?.traceId ?? null) : null,
  ];
  const { expectedOutcome, mustMatch, mustNotMatch, labels, isGray } = content;
  const verdict = [[...labels].sort(), expectedOutcome, [...mustMatch].sort(), [...mustNotMatch].sort(), isGray];
  return {
    content,
    bytes,
    digest: sha256(bytes),
    contentHash: sha256(canonicalText(compared)).subarray(0, hashBytes),
    verdict: verdictHash(canonicalText(verdict)),
    texts: normal === null ? pieces.map(([, piece]) => piece) : [normal],
  };
}

// Most samples of a dataset have one of a few verdicts.
const verdicts = new BoundedCache<string, Buffer>({ maxEntries: 100 });
const maxKeptLength = 1_000;

function verdictHash(text: string): Buffer {
  if (text.length > maxKeptLength) return sha256(text).subarray(0, hashBytes);
  const known = verdicts.get(text);
  if (known !== undefined) return known;
  const made = sha256(text).subarray(0, hashBytes);
  verdicts.set(text, made);
  return made;
}

function sha256(bytes: string | Uint8Array): Buffer {
  return hash("sha256", bytes, "buffer");
}

/** What a stored sample says. */
export function readContent(bytes: Uint8Array): SampleContent {
  return { ...emptySample, ...JSON.parse(Buffer.from(bytes).toString("utf8")) };
}

// What is as in every sample is left out, so that a later version's fields change no digest of today's. The names are in
// the order of canonical JSON.
function storedText(content: SampleContent): string {
  let text = "";
  for (const name of storedNames) {
    const [value, usual] = [content[name], emptySample[name]];
    if (Array.isArray(usual) ? (value as readonly unknown[]).length === 0 : value === usual) continue; // of the same type
    text += `${text === "" ? "" : ","}"${name}":${canonicalText(value as JsonValue)}`; // contents are JSON
  }
  return `{${text}}`;
}

const storedNames = (Object.keys(emptySample) as (keyof SampleContent)[]).sort(); // its own keys

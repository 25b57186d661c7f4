// The rules of a sample that concern more than one field, or its texts. Those of single fields are checked where the
// sample comes in: by the rules of the request, or by the reader of an import's lines.

import type { JsonValue } from "@bufbuild/protobuf";
import type { SampleContent } from "./sample-content.ts";

/** The largest text of a sample in UTF-8, its pieces and calls together. */
export const maxTextBytes = 256 * 1024;
/** Entries of the lists of a sample. Of pieces and spans a trace may have more than whoever adds a sample by hand. */
export const maxEntries = {
  ...{ segments: 1_024, toolCalls: 200, spans: 1_024 },
  ...{ labels: 32, tags: 32, mustMatch: 32, mustNotMatch: 32 },
} as const;
/** Characters of a label or a tag, and of an id, a group or a rule with its policy. */
export const maxNameLength = { short: 128, long: 256, rule: 257 } as const;
/** Tags of languages, such as "de" or "pt-BR". */
export const languageForm = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}$/;
/** Whether a name has 1 to so many characters, as the API counts them: code points. */
export function isWithin(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return text !== "";
  return text.length <= 2 * maxLength && [...text].length <= maxLength;
}
/** The largest facts of a sample, as JSON. */
export const maxFactBytes = 256 * 1024;
/** How deep the arguments of a tool call may be nested. */
const maxDepth = 32;

/** What is wrong with a field. */
export interface FieldProblem {
  readonly field: string | null;
  /** The kind of problem, as reports have it. */
  readonly code: "malformed" | "too_long" | "invalid" | "missing" | "withheld";
  /** Never quotes a text. */
  readonly message: string;
}

/** What is wrong with the sample; nothing when it may be stored. */
export function checkSample(content: SampleContent): FieldProblem[] {
  const problems = [...checkBody(content), ...checkEntries(content), ...checkCharacters(content)];
  return problems.length > 0 ? problems : [...checkSize(content), ...checkSpans(content), ...checkRules(content)];
}

function checkEntries(content: SampleContent): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [name, max] of lists) {
    const { length } = content[name];
    if (length <= max) continue;
    problems.push({
      field: wireName(name),
      code: "invalid",
      message: `has ${length} entries; at most ${max} are allowed`,
    });
  }
  return problems;
}

const lists = Object.entries(maxEntries) as [keyof typeof maxEntries, number][]; // by its own type

function checkBody({ text, segments, toolCalls, source, facts }: SampleContent): FieldProblem[] {
  const given = [
    text !== null ? "text" : "",
    segments.length > 0 ? "segments" : "",
    toolCalls.length > 0 ? "tool_calls" : "",
  ];
  const names = given.filter((name) => name !== "");
  if (names.length > 1)
    return [
      {
        field: names[1] ?? null,
        code: "invalid",
        message: `cannot stand beside ${names[0]}; a sample has one of the two`,
      },
    ];
  if (names.length === 0 && (source === null || facts === null))
    return [{ field: "text", code: "missing", message: "a sample has a text, segments or tool_calls" }];
  if (text === "" || (segments.length > 0 && segments.every((segment) => segment.text === "")))
    return [{ field: text === "" ? "text" : "segments", code: "missing", message: "the text is empty" }];
  return [];
}

/** What is sealed, of which the database reads nothing. */
const sealed = new Set(["text", "segments", "toolCalls"]);

const malformations = {
  deep: `is nested more than ${maxDepth} levels deep`,
  surrogate: "has half of a surrogate pair",
  nul: "has the character U+0000",
};

function checkCharacters(content: SampleContent): FieldProblem[] {
  return Object.entries(content).flatMap(([name, value]) => {
    const found = malformedIn(value, { depth: 0, isSealed: sealed.has(name) });
    if (found === undefined) return [];
    return [{ field: wireName(name), code: "malformed" as const, message: malformations[found] }];
  });
}

function malformedIn(
  value: JsonValue | undefined | object,
  place: { readonly depth: number; readonly isSealed: boolean },
): keyof typeof malformations | undefined {
  if (typeof value === "string") {
    if (!value.isWellFormed()) return "surrogate";
    return value.includes("\0") && !place.isSealed ? "nul" : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (place.depth > maxDepth) return "deep";
  const below = { ...place, depth: place.depth + 1 };
  for (const [key, each] of Object.entries(value)) {
    const found = malformedIn(key, place) ?? malformedIn(each as JsonValue, below); // contents are JSON
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkSize({ text, segments, toolCalls, facts }: SampleContent): FieldProblem[] {
  if (facts !== null && Buffer.byteLength(JSON.stringify(facts)) > maxFactBytes) {
    return [{ field: "facts", code: "too_long", message: `has more than ${maxFactBytes} bytes as JSON` }];
  }
  const bytes =
    text !== null
      ? Buffer.byteLength(text)
      : segments.reduce((sum, segment) => sum + Buffer.byteLength(segment.text), 0) +
        (toolCalls.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(toolCalls)));
  if (bytes <= maxTextBytes) return [];
  const field = text !== null ? "text" : segments.length > 0 ? "segments" : "tool_calls";
  return [{ field, code: "too_long", message: `has ${bytes} bytes in UTF-8; at most ${maxTextBytes} are allowed` }];
}

function checkSpans({ text, segments, spans }: SampleContent): FieldProblem[] {
  const lengths = text !== null ? [text.length] : segments.map((segment) => segment.text.length);
  return spans.flatMap(({ segment, start, end }, at) => {
    const length = lengths[segment];
    const field = `spans[${at}]`;
    if (length === undefined)
      return [{ field: `${field}.segment`, code: "invalid" as const, message: "there is no such segment" }];
    if (start < end && end <= length) return [];
    const message = `expected 0 <= start < end <= ${length}, the length of the text in UTF-16 code units`;
    return [{ field, code: "invalid" as const, message }];
  });
}

function checkRules({ mustMatch, mustNotMatch }: SampleContent): FieldProblem[] {
  const both = mustMatch.find((rule) => mustNotMatch.includes(rule));
  if (both === undefined) return [];
  const message = "names a rule that must_match names too";
  return [{ field: "must_not_match", code: "invalid", message }];
}

/** The name of a field in the API. */
export function wireName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

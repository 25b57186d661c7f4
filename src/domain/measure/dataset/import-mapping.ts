// How the columns of somebody's file become fields of samples.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type FieldViolation, validationFailed } from "../../../kit/fault/fault.ts";
import { stageNames } from "./sample-name.ts";

/** The fields of a sample that an import may set. */
export const importedFields = [
  ...["external_id", "text", "segments", "tool_calls", "stage", "language", "labels", "expected_outcome"],
  ...["must_match", "must_not_match", "spans", "group", "tags", "split", "weight", "is_redacted", "is_gray"],
] as const;

/** Members of an exported sample that an import ignores, so that what was exported can be imported. */
export const ignoredFields: ReadonlySet<string> = new Set([
  ...["id", "content_hash", "since_version", "trained_on", "text_withheld", "source", "facts"],
]);

/** A label for records whose column has, or begins with, a value. */
export interface LabelRule {
  readonly column: string;
  readonly equals?: string;
  readonly prefix?: string;
  readonly label: string;
}

/** How columns become fields. */
export interface ImportMapping {
  /** The column of each field; without an entry the field's own name, where the mapping names no fields at all. */
  readonly fields: Readonly<Record<string, string>> | undefined;
  readonly labels: readonly LabelRule[];
  readonly addLabels: readonly string[];
  readonly addTags: readonly string[];
  /** For records without one. */
  readonly stage: string | undefined;
  readonly language: string | undefined;
  readonly offsets: "utf16" | "code_points";
}

const usual: ImportMapping = {
  ...{ fields: undefined, labels: [], addLabels: [], addTags: [], stage: undefined, language: undefined },
  offsets: "utf16",
};

const maxRules = 100;
const maxNameLength = 256;

/** The mapping that a caller has written as JSON. Throws validation_failed. */
export function readMapping(text: string | undefined): ImportMapping {
  if (text === undefined || text === "") return usual;
  const violations: FieldViolation[] = [];
  const json = parsed(text);
  if (json === undefined) throw validationFailed([{ field: "mapping", message: "expected a JSON object" }]);
  const mapping = mappingOf(json, (member, message) => {
    violations.push({ field: member === "" ? "mapping" : `mapping.${member}`, message });
  });
  if (violations.length > 0) throw validationFailed(violations);
  return mapping;
}

type Complain = (member: string, message: string) => void;

function mappingOf(json: JsonObject, complain: Complain): ImportMapping {
  const { fields, labels, add_labels: addLabels, add_tags: addTags, stage, language, offsets, ...rest } = json;
  for (const name of Object.keys(rest)) {
    complain(name, "is unknown; a mapping has fields, labels, add_labels, add_tags, stage, language, offsets");
  }
  if (stage !== undefined && !stageNames.includes(String(stage)))
    complain("stage", `expected one of ${stageNames.join(", ")}`);
  if (language !== undefined && typeof language !== "string") complain("language", 'expected a tag, such as "de"');
  if (offsets !== undefined && offsets !== "utf16" && offsets !== "code_points")
    complain("offsets", "expected utf16 or code_points");
  return {
    fields: fieldsOf(fields, complain),
    labels: rulesOf(labels, complain),
    addLabels: namesOf(addLabels, "add_labels", complain),
    addTags: namesOf(addTags, "add_tags", complain),
    stage: stage === undefined ? undefined : String(stage),
    language: typeof language === "string" ? language : undefined,
    offsets: offsets === "code_points" ? "code_points" : "utf16",
  };
}

function fieldsOf(value: JsonValue | undefined, complain: Complain): ImportMapping["fields"] {
  if (value === undefined) return undefined;
  if (!isObject(value)) {
    complain("fields", 'expected an object of columns by field, such as {"text": "prompt"}');
    return undefined;
  }
  for (const [field, column] of Object.entries(value)) {
    if (!importedFields.some((name) => name === field)) complain(`fields.${field}`, "is no field of a sample");
    else if (!isName(column)) complain(`fields.${field}`, "expected the name of a column");
  }
  return Object.fromEntries(Object.entries(value).map(([field, column]) => [field, String(column)]));
}

function rulesOf(value: JsonValue | undefined, complain: Complain): LabelRule[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > maxRules) {
    complain("labels", `expected a list of at most ${maxRules} rules`);
    return [];
  }
  return value.flatMap((rule, at) => {
    const { column, equals, prefix, label, ...rest } = isObject(rule) ? rule : {};
    const isRight = isName(column) && isName(label) && (typeof equals === "string") !== (typeof prefix === "string");
    if (!isRight || Object.keys(rest).length > 0) {
      complain(`labels[${at}]`, "expected {column, label} and one of equals and prefix, all of them texts");
      return [];
    }
    const condition = typeof equals === "string" ? { equals } : { prefix: String(prefix) };
    return [{ column, label, ...condition }];
  });
}

function namesOf(value: JsonValue | undefined, member: string, complain: Complain): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length <= 32 && value.every(isName)) return value;
  complain(member, "expected a list of at most 32 texts");
  return [];
}

function parsed(text: string): JsonObject | undefined {
  try {
    const json: JsonValue = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxNameLength;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

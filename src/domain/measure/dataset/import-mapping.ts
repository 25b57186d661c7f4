// How the columns of somebody's file become fields of samples.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type FieldViolation, validationFailed } from "../../../kit/fault/fault.ts";
import { isWithin, languageForm, maxEntries, maxNameLength } from "./sample-check.ts";
import { stageNames } from "./sample-name.ts";

/** The fields of a sample that an import may set. */
export const importedFields = [
  ...["external_id", "text", "segments", "tool_calls", "stage", "language", "labels", "expected_outcome"],
  ...["must_match", "must_not_match", "spans", "group", "tags", "split", "weight", "is_redacted", "is_gray"],
  ...["source", "facts"],
] as const;

/** Members of an exported sample that the product makes anew, so that what was exported can be imported. */
export const ignoredFields: ReadonlySet<string> = new Set(["id", "content_hash", "since_version", "trained_on"]);

/** Says of an exported sample that whoever exported it may not see its text. */
export const withheldColumn = "text_withheld";

/** The column of an exported table that names the cells of its row to which an apostrophe was added. */
export const escapedColumn = "escaped";

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
/** Characters of the name of a column. */
const maxColumnLength = 256;

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
  if (language !== undefined && (typeof language !== "string" || !languageForm.test(language)))
    complain("language", 'expected a tag, such as "de" or "pt-BR"');
  if (offsets !== undefined && offsets !== "utf16" && offsets !== "code_points")
    complain("offsets", "expected utf16 or code_points");
  return {
    fields: fieldsOf(fields, complain),
    labels: rulesOf(labels, complain),
    addLabels: namesOf(addLabels, { member: "add_labels", max: maxEntries.labels, complain }),
    addTags: namesOf(addTags, { member: "add_tags", max: maxEntries.tags, complain }),
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
    else if (!isName(column, maxColumnLength)) complain(`fields.${field}`, "expected the name of a column");
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
    const isRight = isName(column, maxColumnLength) && (typeof equals === "string") !== (typeof prefix === "string");
    if (!isRight || typeof label !== "string" || Object.keys(rest).length > 0) {
      complain(`labels[${at}]`, "expected {column, label} and one of equals and prefix, all of them texts");
      return [];
    }
    if (!isName(label, maxNameLength.short)) {
      complain(`labels[${at}].label`, nameRule);
      return [];
    }
    const condition = typeof equals === "string" ? { equals } : { prefix: String(prefix) };
    return [{ column, label, ...condition }];
  });
}

function namesOf(
  value: JsonValue | undefined,
  { member, max, complain }: { readonly member: string; readonly max: number; readonly complain: Complain },
): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > max) {
    complain(member, `expected a list of at most ${max} texts`);
    return [];
  }
  return value.flatMap((name, at) => {
    if (isName(name, maxNameLength.short)) return [name];
    complain(`${member}[${at}]`, nameRule);
    return [];
  });
}

const nameRule = `expected 1 to ${maxNameLength.short} characters, without U+0000 or half of a surrogate pair`;

function parsed(text: string): JsonObject | undefined {
  try {
    const json: JsonValue = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function isName(value: JsonValue | undefined, maxLength: number): value is string {
  return typeof value === "string" && isWithin(value, maxLength) && value.isWellFormed() && !value.includes("\0");
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

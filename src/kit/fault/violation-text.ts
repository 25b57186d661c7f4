// The message for a violated field rule: what was expected, in the spelling of the API. The validation library would
// name the numbers of enum values, and would report a missing field as one that does not match its pattern.

import { type DescEnum, type DescField, getOption, hasOption, type Message } from "@bufbuild/protobuf";
import type { Path } from "@bufbuild/protobuf/reflect";
import type { Violation } from "@bufbuild/protovalidate";
import { type FieldRules, field as rulesOption } from "../../../gen/buf/validate/validate_pb.ts";
import { wire } from "../../../gen/policyguard/options/v1/options_pb.ts";

/** The text of a violation in a message. */
export function violationText({ field: path, ruleId, message: text }: Violation, message: Message): string {
  const field = path.findLast((part) => part.kind === "field");
  if (field === undefined) return text;
  const expected = expectedOne(field, ruleId);
  if (isMissing(field, path, message)) {
    if (path.at(-1) !== field || field.proto.proto3Optional) return "must not be empty";
    return expected === undefined ? "is required" : `is required; ${expected}`;
  }
  return expected ?? text;
}

function expectedOne(field: DescField, ruleId: string): string | undefined {
  const rules = itemRules(field);
  if (field.enum !== undefined && ruleId.startsWith("enum.")) {
    const excluded = rules?.type.case === "enum" ? rules.type.value.notIn : [];
    return `expected one of ${spellings(field.enum, excluded).join(", ")}`;
  }
  if (ruleId === "string.in" && rules?.type.case === "string")
    return `expected one of ${rules.type.value.in.join(", ")}`;
  return undefined;
}

/** The rules of the field's value, or of its items when it is a list. */
function itemRules(field: DescField): FieldRules | undefined {
  if (!hasOption(field, rulesOption)) return undefined;
  const rules = getOption(field, rulesOption);
  return rules.type.case === "repeated" ? rules.type.value.items : rules;
}

function spellings({ values }: DescEnum, excluded: readonly number[]): string[] {
  const named = values.filter(({ number }) => !excluded.includes(number));
  return named.map((value) => getOption(value, wire)).filter((name) => name !== "");
}

// A number that was left out looks the same as a 0 that was given.
function isMissing(field: DescField, path: Path, message: Message): boolean {
  const value = valueAt(path, message);
  if (value === 0) return field.enum !== undefined;
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

function valueAt(path: Path, message: Message): unknown {
  return path.reduce<unknown>((value, part) => {
    if (part.kind === "field" && part.oneof !== undefined) return member(member(value, part.oneof.localName), "value");
    if (part.kind === "field") return member(value, part.localName);
    if (part.kind === "list_sub") return member(value, part.index);
    return part.kind === "map_sub" ? member(value, String(part.key)) : value;
  }, message);
}

function member(value: unknown, name: string | number): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[name] : undefined;
}

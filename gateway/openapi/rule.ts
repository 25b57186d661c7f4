// buf.validate rules in the words of JSON Schema. What JSON Schema cannot say stays with the server.

import { type DescField, getOption, hasOption } from "@bufbuild/protobuf";
import { type FieldRules, field as rulesOption } from "../../gen/buf/validate/validate_pb.ts";
import { must_be_given as mustBeGiven } from "../../gen/policyguard/options/v1/options_pb.ts";
import type { Schema } from "./model.ts";

/** Keywords for the field's value, and for its items when it is a list. */
export interface RuleKeywords {
  readonly value: Schema;
  readonly items: Schema;
}

/** The rules of a field as JSON Schema keywords. */
export function ruleKeywords(field: DescField): RuleKeywords {
  const rules = rulesOf(field);
  if (rules === undefined) return { value: {}, items: {} };
  const items = rules.type.case === "repeated" ? rules.type.value.items : undefined;
  return { value: keywordsOf(rules), items: items === undefined ? {} : keywordsOf(items) };
}

function rulesOf(field: DescField): FieldRules | undefined {
  return hasOption(field, rulesOption) ? getOption(field, rulesOption) : undefined;
}

function keywordsOf({ type }: FieldRules): Schema {
  switch (type.case) {
    case "string":
      return stringKeywords(type.value);
    case "int32":
    case "uint32":
    case "double":
    case "float":
      return numberKeywords(type.value);
    case "repeated":
      return defined({
        minItems: positive(type.value.minItems),
        maxItems: positive(type.value.maxItems),
        uniqueItems: type.value.unique ? true : undefined,
      });
    default:
      return {};
  }
}

type RuleOf<Case> = Extract<FieldRules["type"], { case: Case }>["value"];

function stringKeywords(rules: RuleOf<"string">): Schema {
  const format = { uuid: "uuid", email: "email", uri: "uri", hostname: "hostname" }[String(rules.wellKnown.case)];
  return defined({
    minLength: positive(rules.minLen),
    // Bytes are not characters, but a text of more characters than bytes cannot be.
    maxLength: positive(rules.maxLen) ?? positive(rules.maxBytes),
    pattern: rules.pattern === "" ? undefined : rules.pattern,
    enum: rules.in.length === 0 ? undefined : rules.in,
    format: rules.wellKnown.value === true ? format : undefined,
  });
}

function numberKeywords(rules: RuleOf<"int32" | "uint32" | "double" | "float">): Schema {
  const { greaterThan, lessThan } = rules;
  return defined({
    minimum: greaterThan.case === "gte" ? greaterThan.value : undefined,
    exclusiveMinimum: greaterThan.case === "gt" ? greaterThan.value : undefined,
    maximum: lessThan.case === "lte" ? lessThan.value : undefined,
    exclusiveMaximum: lessThan.case === "lt" ? lessThan.value : undefined,
    enum: rules.in.length === 0 ? undefined : rules.in,
  });
}

function positive(count: bigint | undefined): number | undefined {
  return count === undefined || count === 0n ? undefined : Number(count);
}

function defined(keywords: Record<string, Schema[string] | undefined>): Schema {
  const entries = Object.entries(keywords).filter((entry): entry is [string, Schema[string]] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}

/** Whether a request without the field fails: it is required, or the value that it then has breaks a rule. */
export function isRequired(field: DescField): boolean {
  if (getOption(field, mustBeGiven)) return true;
  const rules = rulesOf(field);
  if (rules === undefined) return false;
  if (rules.required) return true;
  if (field.proto.proto3Optional || field.oneof !== undefined) return false;
  switch (rules.type.case) {
    case "string":
      return !allowsEmpty(keywordsOf(rules));
    case "int32":
    case "uint32":
    case "double":
    case "float":
      return !allowsZero(keywordsOf(rules));
    case "repeated":
      return rules.type.value.minItems > 0n;
    case "enum":
      return rules.type.value.notIn.includes(0);
    default:
      return false;
  }
}

function allowsEmpty({ minLength, pattern, enum: values, format }: Schema): boolean {
  if (minLength !== undefined || format !== undefined) return false;
  if (typeof pattern === "string" && !new RegExp(pattern).test("")) return false;
  return !Array.isArray(values) || values.includes("");
}

function allowsZero({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Schema): boolean {
  if (typeof minimum === "number" && minimum > 0) return false;
  if (typeof exclusiveMinimum === "number" && exclusiveMinimum >= 0) return false;
  if (typeof maximum === "number" && maximum < 0) return false;
  return !(typeof exclusiveMaximum === "number" && exclusiveMaximum <= 0);
}

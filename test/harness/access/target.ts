// What a call of the access matrix names: the caller's own organization and things, another's, or none that exist. Made
// from the request's descriptor, so that a new method has its targets without being told.

import { type DescField, type DescMethod, getOption, hasOption, type JsonObject } from "@bufbuild/protobuf";
import { field as fieldRules } from "../../../gen/buf/validate/validate_pb.ts";
import type { Access } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { methodFacts } from "../../../src/kit/rpc/options.ts";
import { filled } from "../vector/match.ts";
import type { Scene } from "../vector/scene.ts";

/** What a call names. */
export interface Target {
  readonly name: string;
  /** The organization named: the caller's own, another one, or none; the last two look alike to the caller. */
  readonly organization: "own" | "foreign" | "absent";
  /** The bill of the organization is not paid. */
  readonly isUnpaid: boolean;
  /** A field that names something else than the caller's own, and what. */
  readonly astray?: {
    readonly field: string;
    readonly how: "foreign" | "absent" | "malformed" | "sibling";
    /** Whether path or query carry the field, rather than the body. */
    readonly isParameter?: boolean;
  };
  /** The request of a vector, with this target in it. */
  request(template: JsonObject, own: Scene, other: Scene): JsonObject;
}

const plain = { organization: "own", isUnpaid: false } as const;

/** The targets of a method. */
export function targetsOf(method: DescMethod, access: Access): Target[] {
  const { orgField, projectField } = access;
  const own = { ...plain, request: (template: JsonObject, { variables }: Scene) => filled(template, variables) };
  return [
    { ...own, name: "own" },
    // What is of no organization has no bill.
    ...(access.public || access.account ? [] : [{ ...own, name: "own, bill unpaid", isUnpaid: true }]),
    ...(orgField === "" ? [] : organizationTargets(orgField)),
    ...(projectField === "" ? [] : [siblingTarget(projectField)]),
    ...referencesOf(method, orgField).flatMap((field) => referenceTargets(method, field)),
  ];
}

function organizationTargets(orgField: string): Target[] {
  const absent = (name: string, value: () => string): Target => ({
    ...plain,
    name,
    organization: "absent",
    request: (template, { variables }) => ({ ...filled(template, variables), [orgField]: value() }),
  });
  return [
    {
      ...plain,
      name: "another organization",
      organization: "foreign",
      request: (template, _own, { variables }) => filled(template, variables),
    },
    absent("no organization", () => newId()),
    absent("a malformed organization", () => "acme"),
    absent("an empty organization", () => " "),
  ];
}

function referenceTargets(method: DescMethod, field: DescField): Target[] {
  const isId = isUuid(field);
  const { path, body } = shapeOf(method);
  const isParameter = body !== "*" || path.includes(`{${field.name}}`);
  const malformed = astray({ field: field.name, how: "malformed", isParameter }, () => (isId ? "42" : "Not A Name"));
  if (!methodFacts(method).fails.includes("not_found")) return [malformed];
  const absent = astray({ field: field.name, how: "absent" }, () => (isId ? newId() : "nowhere"));
  if (!isId) return [malformed, absent];
  const foreign: Target = {
    ...plain,
    name: `foreign ${field.name}`,
    astray: { field: field.name, how: "foreign" },
    request: (template, own, other) => ({
      ...filled(template, own.variables),
      [field.name]: filled(template[field.name] ?? "", other.variables),
    }),
  };
  return [malformed, absent, foreign];
}

// A token of one project is refused whether or not the other project exists.
function siblingTarget(field: string): Target {
  return {
    ...plain,
    name: "another project",
    astray: { field, how: "sibling" },
    request: (template, { variables }) => ({
      ...filled(template, variables),
      [field]: String(variables.another_project),
    }),
  };
}

function astray(where: NonNullable<Target["astray"]>, value: () => string): Target {
  return {
    ...plain,
    name: `${where.how} ${where.field}`,
    astray: where,
    request: (template, { variables }) => ({ ...filled(template, variables), [where.field]: value() }),
  };
}

function shapeOf(method: DescMethod): { readonly path: string; readonly body: string } {
  const { http } = methodFacts(method);
  return { path: typeof http?.pattern.value === "string" ? http.pattern.value : "", body: http?.body ?? "*" };
}

/** Fields that name something below the organization: required ids, and names in the path. */
function referencesOf(method: DescMethod, orgField: string): DescField[] {
  const { path } = shapeOf(method);
  return method.input.fields.filter(
    (field) =>
      field.name !== orgField &&
      !field.proto.proto3Optional &&
      (isUuid(field) || (hasPattern(field) && path.includes(`{${field.name}}`))),
  );
}

function isUuid(field: DescField): boolean {
  const rules = stringRules(field);
  return rules?.wellKnown.case === "uuid" && rules.wellKnown.value;
}

function hasPattern(field: DescField): boolean {
  return (stringRules(field)?.pattern ?? "") !== "";
}

function stringRules(field: DescField) {
  if (!hasOption(field, fieldRules)) return undefined;
  const { type } = getOption(field, fieldRules);
  return type.case === "string" ? type.value : undefined;
}

// The project's method options, read from descriptors at run time.

import type { DescField, DescMethod, DescService } from "@bufbuild/protobuf";
import { clone, getOption, hasOption, merge, ScalarType } from "@bufbuild/protobuf";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../../../gen/google/api/http_pb.ts";
import {
  type Access,
  AccessPreset,
  AccessPresetSchema,
  AccessSchema,
  access,
  access_preset,
  answer_media_types,
  audit,
  CredentialKind,
  type Entitlement,
  emits,
  entitlement,
  fails,
  max_upload_mebibytes,
  may_lag,
  parameter_fault,
  preset,
  Role,
  request_media_types,
  success,
} from "../../../gen/policyguard/options/v1/options_pb.ts";
import { reasonRules } from "../fault/fault.ts";
import { foreignAccess } from "./foreign-access.ts";

/** The facts that a method's options state. */
export interface MethodFacts {
  readonly access: Access;
  /** Absent for methods that only RPC callers reach. */
  readonly http: HttpRule | undefined;
  readonly successStatus: number;
  readonly entitlement: Entitlement;
  /** Audit action, or "" for a method that changes nothing. */
  readonly audit: string;
  readonly emits: readonly string[];
  /** Codes of the failures that are the method's own. */
  readonly fails: readonly string[];
  /** Whether what it reads may be some seconds old. */
  readonly mayLag: boolean;
  /** Status of a fault of a path or query parameter. */
  readonly parameterFault: 400 | 422;
  /** Media types that a request body may have over HTTP. */
  readonly requestMediaTypes: readonly string[];
  /** Media types that the body of an answer may have over HTTP, the usual one first. */
  readonly answerMediaTypes: readonly string[];
  /** How the body reaches the handler as bytes; undefined for a method that takes messages. */
  readonly upload: Upload | undefined;
}

/** A body that reaches the handler as bytes, in one message after the other. */
export interface Upload {
  /** The field of the messages that carries the bytes. */
  readonly field: DescField;
  readonly maxBytes: number;
}

/** The message type of bodies that are bytes. */
export const rawBodyType = "google.api.HttpBody";

const known = new WeakMap<DescMethod, MethodFacts>();

/** The facts of a method. Throws when it has neither `access` nor a preset: such a method must not be served. */
export function methodFacts(method: DescMethod): MethodFacts {
  const cached = known.get(method);
  if (cached !== undefined) return cached;
  if (!hasOption(method, access) && presetOf(method) === AccessPreset.UNSPECIFIED) {
    throw new Error(`${method.parent.typeName}/${method.name} has no (access) option; say who may call it`);
  }
  const facts: MethodFacts = {
    access: accessOf(method),
    http: hasOption(method, http) ? getOption(method, http) : undefined,
    successStatus: hasOption(method, success) ? getOption(method, success) : 200,
    entitlement: getOption(method, entitlement),
    audit: getOption(method, audit),
    emits: getOption(method, emits),
    fails: getOption(method, fails),
    mayLag: getOption(method, may_lag),
    parameterFault: getOption(method, parameter_fault) === 422 ? 422 : 400,
    requestMediaTypes: mediaTypes(getOption(method, request_media_types), "application/json"),
    answerMediaTypes: mediaTypes(
      getOption(method, answer_media_types),
      method.output.typeName === rawBodyType ? "*/*" : "application/json",
    ),
    upload: uploadOf(method),
  };
  known.set(method, facts);
  return facts;
}

function mediaTypes(stated: readonly string[], usual: string): readonly string[] {
  return stated.length === 0 ? [usual] : stated;
}

function uploadOf(method: DescMethod): Upload | undefined {
  if (method.methodKind !== "client_streaming" || !hasOption(method, http)) return undefined;
  const { body } = getOption(method, http);
  const field = method.input.fields.find(({ name, message }) => name === body && message?.typeName === rawBodyType);
  return field && { field, maxBytes: getOption(method, max_upload_mebibytes) * 1_048_576 };
}

function presetOf(method: DescMethod): AccessPreset {
  return foreignAccess.get(`${method.parent.typeName}/${method.name}`) ?? getOption(method, access_preset);
}

/** The method's preset, overridden by what its own (access) sets. */
function accessOf(method: DescMethod): Access {
  const stated = presetOf(method);
  const value = AccessPresetSchema.values.find(({ number }) => number === stated);
  if (value === undefined) throw refusal(method, "(access_preset) is unknown");
  const rules = clone(AccessSchema, getOption(value, preset));
  merge(AccessSchema, rules, getOption(method, access));
  return rules;
}

/** Refuses services with a method whose options are incomplete. Call it before listening. */
export function assertServable(services: readonly DescService[]): void {
  const problems: string[] = [];
  for (const service of services) {
    for (const method of service.methods) {
      try {
        checkAccess(method);
        checkFailures(method);
        checkParameterFault(method);
        checkUpload(method);
      } catch (error) {
        problems.push(String(error instanceof Error ? error.message : error));
      }
    }
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

function checkAccess(method: DescMethod): void {
  const facts = methodFacts(method).access;
  const fields = [facts.orgField, facts.projectField, facts.envField].filter((name) => name !== "");
  checkAccountAccess(method, fields);
  if (facts.orgFromCredential && (facts.orgField === "" || facts.projectField !== "" || facts.envField !== "")) {
    throw refusal(method, "(access) takes the organization from the credential, so it names its field and no other");
  }
  if (!facts.public && facts.kinds.length === 0) {
    throw refusal(method, "(access) names no credential kind and is not public");
  }
  if (facts.kinds.includes(CredentialKind.MEMBER) && !facts.account && facts.leastRole === Role.UNSPECIFIED) {
    throw refusal(method, "(access) lets members call, but names no minimum role");
  }
  for (const name of fields) {
    const field = method.input.fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw refusal(method, `(access) names the field ${name}, which the request lacks`);
    if (field.scalar !== ScalarType.STRING)
      throw refusal(method, `(access) names the field ${name}, which is not a string`);
  }
  const isStream = method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming";
  if (fields.length > 0 && isStream && methodFacts(method).upload === undefined) {
    throw refusal(
      method,
      `(access) names the field ${fields[0]}, but a stream of requests is authorized before the first`,
    );
  }
}

// An account belongs to no organization, so nothing that depends on one can be asked of it.
function checkAccountAccess(method: DescMethod, fields: readonly string[]): void {
  const facts = methodFacts(method);
  const { account, kinds, leastRole, apiKeyHeader, public: isPublic } = facts.access;
  if (!account) return;
  const wanted = isPublic ? kinds.length === 0 : kinds.length === 1 && kinds[0] === CredentialKind.MEMBER;
  if (!wanted) throw refusal(method, "(access) is about the signed-in account, so it is for members only");
  if (leastRole !== Role.UNSPECIFIED || fields.length > 0 || apiKeyHeader || facts.entitlement.plans.length > 0) {
    throw refusal(method, "(access) is about the signed-in account, which has no organization, role, project or plan");
  }
}

function refusal(method: DescMethod, problem: string): Error {
  return new Error(`${method.parent.typeName}/${method.name}: ${problem}`);
}

function checkFailures(method: DescMethod): void {
  const codes = new Set(reasonRules().map((rule) => rule.error));
  const unknown = methodFacts(method).fails.filter((code) => !codes.has(code));
  if (unknown.length > 0) throw refusal(method, `(fails) names unknown reasons: ${unknown.join(", ")}`);
}

function checkParameterFault(method: DescMethod): void {
  if (hasOption(method, parameter_fault) && getOption(method, parameter_fault) !== 422) {
    throw refusal(method, "(parameter_fault) must be 422, or absent for 400");
  }
}

function checkUpload(method: DescMethod): void {
  const { upload } = methodFacts(method);
  if (upload === undefined && hasOption(method, max_upload_mebibytes)) {
    throw refusal(method, "(max_upload_mebibytes) is for streams of requests whose HTTP body is a google.api.HttpBody");
  }
  if (upload !== undefined && upload.maxBytes === 0) {
    throw refusal(method, "takes a body as bytes and has no (max_upload_mebibytes)");
  }
}

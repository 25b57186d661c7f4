// The project's method options, read from descriptors at run time.

import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../../gen/google/api/http_pb.ts";
import {
  type Access,
  access,
  audit,
  CredentialKind,
  type Entitlement,
  emits,
  entitlement,
  fails,
  Role,
  success,
} from "../../gen/policyguard/options/v1/options_pb.ts";
import { reasonRules } from "./error.ts";

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
}

const known = new WeakMap<DescMethod, MethodFacts>();

/** The facts of a method. Throws when it has no `access`: such a method must not be served. */
export function methodFacts(method: DescMethod): MethodFacts {
  const cached = known.get(method);
  if (cached !== undefined) return cached;
  if (!hasOption(method, access)) {
    throw new Error(`${method.parent.typeName}/${method.name} has no (access) option; say who may call it`);
  }
  const facts: MethodFacts = {
    access: getOption(method, access),
    http: hasOption(method, http) ? getOption(method, http) : undefined,
    successStatus: hasOption(method, success) ? getOption(method, success) : 200,
    entitlement: getOption(method, entitlement),
    audit: getOption(method, audit),
    emits: getOption(method, emits),
    fails: getOption(method, fails),
  };
  known.set(method, facts);
  return facts;
}

/** Refuses services with a method whose options are incomplete. Call it before listening. */
export function assertServable(services: readonly DescService[]): void {
  const problems: string[] = [];
  for (const service of services) {
    for (const method of service.methods) {
      try {
        checkAccess(method);
        checkFailures(method);
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
  if (!facts.public && facts.kinds.length === 0) {
    throw refusal(method, "(access) names no credential kind and is not public");
  }
  if (facts.kinds.includes(CredentialKind.MEMBER) && !facts.account && facts.leastRole === Role.UNSPECIFIED) {
    throw refusal(method, "(access) lets members call and does not say from which role on");
  }
  for (const name of fields) {
    const field = method.input.fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw refusal(method, `(access) names the field ${name}, which the request lacks`);
    if (field.scalar !== ScalarType.STRING)
      throw refusal(method, `(access) names the field ${name}, which is no string`);
  }
  if (fields.length > 0 && (method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming")) {
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
  if (!wanted) throw refusal(method, "(access) is about the signed-in account, so it is for members and nobody else");
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
  if (unknown.length > 0) throw refusal(method, `(fails) names what the catalogue lacks: ${unknown.join(", ")}`);
}

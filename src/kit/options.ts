// The project's method options, read from descriptors at run time.

import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../../gen/google/api/http_pb.ts";
import {
  type Access,
  access,
  audit,
  type Entitlement,
  emits,
  entitlement,
  success,
} from "../../gen/policyguard/options/v1/options_pb.ts";

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
        checkFields(method, methodFacts(method).access);
      } catch (error) {
        problems.push(String(error instanceof Error ? error.message : error));
      }
    }
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

function checkFields(method: DescMethod, { public: isPublic, kinds, orgField, projectField, envField }: Access): void {
  if (!isPublic && kinds.length === 0) {
    throw new Error(`${method.parent.typeName}/${method.name}: (access) names no credential kind and is not public`);
  }
  for (const name of [orgField, projectField, envField]) {
    if (name !== "" && !method.input.fields.some((field) => field.name === name)) {
      throw new Error(
        `${method.parent.typeName}/${method.name}: (access) names the field ${name}, which the request lacks`,
      );
    }
  }
}

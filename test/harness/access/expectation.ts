// What an access option promises for a caller and a target, stated a second time and from nothing but the option. The
// order is part of the promise: a refusal tells nothing that a later question would have told.

import { clone, type DescMethod } from "@bufbuild/protobuf";
import { type Access, AccessSchema, CredentialKind, Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { methodFacts } from "../../../src/kit/rpc/options.ts";
import { isParameter } from "../../../src/kit/rpc/parameter.ts";
import type { Principal } from "./principal.ts";
import type { Target } from "./target.ts";

/** The facts of a method that decide who may call it. */
export interface Promised {
  readonly access: Access;
  readonly successStatus: number;
  readonly openWhenBillingBlocked: boolean;
  /** The body may name the organization. */
  readonly isOrgInBody: boolean;
}

/** What has to come back. */
export interface Expected {
  readonly status: number;
  readonly error: string;
}

/** The facts as they stand now, safe from later changes. */
export function promiseOf(method: DescMethod): Promised {
  const { access, successStatus, entitlement } = methodFacts(method);
  return {
    access: clone(AccessSchema, access),
    successStatus,
    openWhenBillingBlocked: entitlement.openWhenBillingBlocked,
    isOrgInBody: access.orgFromCredential && !isParameter(method, access.orgField),
  };
}

/** The answer that a caller has to get; undefined where the options do not decide. */
export function expectedOf(promised: Promised, principal: Principal, target: Target): Expected | undefined {
  const { access } = promised;
  if (!access.public) {
    if (principal.kind === undefined) return { status: 401, error: "unauthenticated" };
    const isWeak = !access.kinds.includes(principal.kind) || (principal.role ?? Role.OWNER) < access.leastRole;
    // The body is read only for callers who may call in their own organization.
    if (promised.isOrgInBody && isWeak && principal.home !== "none")
      return { status: 403, error: "insufficient_scope" };
    if (!access.account && isStranger(access, principal, target)) {
      return { status: 403, error: "no_access_to_organization" };
    }
    if (isWeak) return { status: 403, error: "insufficient_scope" };
    if (reachesNot(access, principal, target)) return { status: 403, error: "insufficient_scope" };
  }
  if (target.isUnpaid && !promised.openWhenBillingBlocked && principal.home === "own") {
    return { status: 402, error: "payment_required" };
  }
  switch (target.astray?.how) {
    case "malformed":
      return target.astray.isParameter === true
        ? { status: 400, error: "invalid_parameter" }
        : { status: 422, error: "validation_failed" };
    case "absent":
    case "foreign":
      return { status: 404, error: "not_found" };
    case "sibling":
      return undefined; // another project of the caller's own: whatever the call does there
    default:
      return { status: promised.successStatus, error: "" };
  }
}

function isStranger({ orgField }: Access, { home }: Principal, { organization }: Target): boolean {
  return home === "none" || (orgField !== "" && (home === "other" || organization !== "own"));
}

function reachesNot(access: Access, { hasProject, kind }: Principal, { astray }: Target): boolean {
  if (astray === undefined || !hasProject) return false;
  if (astray.field === access.projectField) return true;
  return astray.field === access.envField && kind === CredentialKind.RUNTIME;
}

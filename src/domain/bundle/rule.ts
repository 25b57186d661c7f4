// Rules that every way to make a version shares: who may activate, and when a call was too late.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind, Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { EnvironmentRow } from "../../store/project/environment.ts";

/** Throws unless the environment's newest version is the expected one, or none is expected. */
export function requireVersion({ latestVersion: latest }: EnvironmentRow, expected: number | undefined): void {
  if (expected === undefined || expected === latest) return;
  throw new Fault(
    Reason.BUNDLE_VERSION_CONFLICT,
    `the newest version of this environment is ${latest}, not ${expected}; look at it and publish again`,
    { extra: { current_version: latest } },
  );
}

/** Throws unless the caller may activate in the environment and it is not frozen. */
export function requireActivatable(caller: Caller, environment: EnvironmentRow): void {
  if (environment.isProtected && !passesProtection(caller)) {
    throw new Fault(
      Reason.PROTECTED_ENVIRONMENT,
      `${environment.name} is protected; activating into it needs the role admin, or a ci token`,
    );
  }
  if (environment.isFrozen) {
    throw new Fault(Reason.CONFLICT, `${environment.name} is frozen; an admin can end that with is_frozen=false`);
  }
}

// A ci token may: the environment's gates apply instead.
function passesProtection({ credential, role }: Caller): boolean {
  return credential.kind !== CredentialKind.MEMBER || (role !== undefined && role >= Role.ADMIN);
}

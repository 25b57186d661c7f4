// Who may put what into force, and what a lost race is. The same for every way in which a version comes to be.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind, Role } from "../../gen/policyguard/options/v1/options_pb.ts";
import type { Caller } from "../kit/context.ts";
import { Fault } from "../kit/error.ts";
import type { EnvironmentRow } from "../store/environment.ts";

/** The environment's newest version is the expected one, or nothing is expected. */
export function requireVersion({ latestVersion: latest }: EnvironmentRow, expected: number | undefined): void {
  if (expected === undefined || expected === latest) return;
  throw new Fault(
    Reason.BUNDLE_VERSION_CONFLICT,
    `the newest version of this environment is ${latest}, not ${expected}; look at it and publish again`,
    { extra: { current_version: latest } },
  );
}

/** The caller may activate into the environment, and it is not frozen. */
export function requireActivatable(caller: Caller, environment: EnvironmentRow): void {
  if (environment.isProtected && !passesProtection(caller)) {
    throw new Fault(
      Reason.PROTECTED_ENVIRONMENT,
      `${environment.name} is protected; activating into it needs the role admin, or a ci token`,
    );
  }
  if (environment.isFrozen) {
    throw new Fault(Reason.CONFLICT, `${environment.name} is frozen; an admin ends that with is_frozen=false`);
  }
}

// A ci token may: it passes the environment's gates instead.
function passesProtection({ credential, role }: Caller): boolean {
  return credential.kind !== CredentialKind.MEMBER || (role !== undefined && role >= Role.ADMIN);
}

// Rules that every way to make a version shares: who may activate, and when a call was too late.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind, Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { findActivation, newestVersion } from "../../store/bundle/bundle.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { EnvironmentRow } from "../../store/project/environment.ts";

/** Throws unless the environment's newest version is the expected one, or none is expected. */
export async function requireVersion(
  tx: Transaction,
  { id }: EnvironmentRow,
  expected: number | undefined,
): Promise<void> {
  if (expected === undefined) return;
  const latest = await newestVersion(tx, id);
  if (expected === latest) return;
  throw new Fault(
    Reason.BUNDLE_VERSION_CONFLICT,
    `the newest version of this environment is ${latest}, not ${expected}; look at it and publish again`,
    { extra: { current_version: latest } },
  );
}

/**
 * Throws unless the activation in force is the expected one, 0 for none, or none is expected. The environment has to be
 * locked: of two that expect the same, one is first.
 */
export async function requireInForce(
  tx: Transaction,
  environment: EnvironmentRow,
  expected: number | undefined,
): Promise<void> {
  const { id, name, activeVersion } = environment;
  // After a restore, numbers are left out also where nothing is active.
  const current = activeVersion == null ? 0 : environment.activationSeq;
  if (expected === undefined || expected === current) return;
  const activation = current === 0 ? null : await findActivation(tx, id, current);
  const there =
    activation === null
      ? `nothing is active in ${name}`
      : `activation ${current} is in force in ${name}: version ${activation.version}, by ${activation.createdBy}`;
  throw new Fault(
    Reason.CONFLICT,
    `${there}; activation ${expected} was expected. Look at what is in force, and activate again with ` +
      `expected_activation_seq ${current}`,
    { extra: { current_activation_seq: current, current_version: activeVersion ?? null } },
  );
}

/** Throws unless the caller may activate in the environment and it is not frozen. */
export function requireActivatable(caller: Caller, environment: EnvironmentRow): void {
  if (environment.isProtected && !passesProtection(caller)) {
    throw new Fault(
      Reason.PROTECTED_ENVIRONMENT,
      `${environment.name} is protected; activating into it needs the role admin, or a ci token`,
      { extra: { role: "admin" } },
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

// The gates that every environment has: tests, approvals, whether it is frozen, and who may activate.

import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../../kit/fault/fault.ts";
import { listApprovals } from "../../../store/bundle/approval.ts";
import type { BundleRow } from "../../../store/bundle/bundle.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import type { EnvironmentRow } from "../../../store/project/environment.ts";

/** The names of the gates. */
export const standingGates = ["tests", "approvals", "frozen", "protected"] as const;

/** A gate that every environment has. */
export interface StandingGate {
  readonly gate: (typeof standingGates)[number];
  readonly passed: boolean;
  readonly reason: string | undefined;
}

/** Each of them, open or closed. */
export function standingGatesOf(
  { name, requiredApprovals: required, isFrozen, isProtected }: EnvironmentRow,
  { testsPassed, testsFailed }: Pick<BundleRow, "testsPassed" | "testsFailed">,
  approvals: readonly unknown[],
): StandingGate[] {
  const given = approvals.length;
  return [
    { gate: "tests", passed: testsFailed === 0, reason: `${testsPassed} passed, ${testsFailed} failed` },
    {
      gate: "approvals",
      passed: given >= required,
      reason: required === 0 ? undefined : saidApprovals(given, required),
    },
    { gate: "frozen", passed: !isFrozen, reason: isFrozen ? `${name} is frozen` : undefined },
    { gate: "protected", passed: true, reason: isProtected ? "open for the role admin and for ci tokens" : undefined },
  ];
}

/**
 * Throws unless the version has the approvals that its environment requires. A version that is being made has none. The
 * environment has to be locked.
 */
export async function requireApproved(tx: Transaction, environment: EnvironmentRow, version?: number): Promise<void> {
  const required = environment.requiredApprovals;
  if (required === 0) return;
  const given = version === undefined ? 0 : (await listApprovals(tx, environment.id, version)).length;
  if (given >= required) return;
  const hint =
    version === undefined ? "publish or promote it without activating it, have it approved, then activate it" : "";
  const message = `${environment.name} requires approvals: ${saidApprovals(given, required)}`;
  throw new Fault(Reason.APPROVALS_MISSING, hint === "" ? message : `${message}; ${hint}`, {
    extra: { required, given },
  });
}

function saidApprovals(given: number, required: number): string {
  return `${given} of ${required}`;
}

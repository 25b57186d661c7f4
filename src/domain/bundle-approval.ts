// Approvals: people other than the publisher look at a version before it is put into force. How many is the environment's choice. Who
// published by a token is the person who had the token's value made.
// Approving, withdrawing and activating take turns at the environment's row, so that an approval which is taken back in the same
// moment either counts or does not.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { Caller } from "../kit/context.ts";
import { Fault, notFound } from "../kit/error.ts";
import { type BundleRow, findBundle } from "../store/bundle.ts";
import { BundleApprovalRow, listApprovals } from "../store/bundle-approval.ts";
import type { Database, Transaction } from "../store/database.ts";
import type { EnvironmentRow } from "../store/environment.ts";
import type { BundleView, EnvironmentPath } from "./bundle.ts";
import { gatesOf } from "./bundle-gate.ts";
import { requireLockedEnvironment } from "./lookup.ts";

/** Approves versions, and takes approvals back. */
export class BundleApprovals {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Approves a version. */
  approve(caller: Caller, path: EnvironmentPath, version: number): Promise<BundleView> {
    return this.#database.transaction(caller, async (tx) => {
      const { environment, bundle } = await requireLockedBundle(tx, path, version);
      const { id: accountId, label: approvedBy } = caller.credential;
      if (bundle.authorId === accountId) throw conflict("nobody approves what they published themselves");
      const before = await listApprovals(tx, environment.id, version);
      if (before.some((row) => row.accountId === accountId)) throw conflict("you have approved this version already");
      const key = { orgId: tx.orgId, environmentId: environment.id, version, accountId };
      tx.em.create(BundleApprovalRow, { ...key, approvedBy, approvedAt: tx.now });
      await tx.em.flush();
      tx.changed({ resource: `bundle/${bundle.id}`, before: null, after: { approved_by: approvedBy } });
      const approvals = await listApprovals(tx, environment.id, version);
      const gates = gatesOf(environment, bundle, approvals);
      return { bundle, isActive: environment.activeVersion === version, approvals, gates };
    });
  }

  /** Takes the caller's approval back. */
  withdraw(caller: Caller, path: EnvironmentPath, version: number): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const { environment, bundle } = await requireLockedBundle(tx, path, version);
      const { id: accountId, label } = caller.credential;
      const key = { orgId: tx.orgId, environmentId: environment.id, version, accountId };
      if ((await tx.em.nativeDelete(BundleApprovalRow, key)) === 0) throw notFound("approval");
      tx.changed({ resource: `bundle/${bundle.id}`, before: { approved_by: label }, after: null });
    });
  }
}

async function requireLockedBundle(
  tx: Transaction,
  path: EnvironmentPath,
  version: number,
): Promise<{ environment: EnvironmentRow; bundle: BundleRow }> {
  const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
  const bundle = await findBundle(tx, environment.id, version);
  if (bundle === null) throw notFound("bundle");
  return { environment, bundle };
}

function conflict(message: string): Fault {
  return new Fault(Reason.CONFLICT, message);
}

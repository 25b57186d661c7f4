// Approvals: before a version is activated, people other than its publisher approve it. The environment says how many.
// The publisher of a version that was published with a token is the person who had the token's value made. Approving,
// withdrawing and activating lock the environment's row one after the other, so that an approval that is withdrawn at
// the same moment either counts or does not.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, notFound } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { BundleApprovalRow, deleteApproval, listApprovals } from "../../store/bundle/approval.ts";
import { type BundleRow, findBundle } from "../../store/bundle/bundle.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { EnvironmentRow } from "../../store/project/environment.ts";
import { requireLockedEnvironment } from "../lookup.ts";
import type { BundleView } from "./bundle.ts";
import type { GateKeeper } from "./gate/gate.ts";
import type { EnvironmentPath } from "./lookup.ts";

/** Approves versions, and takes approvals back. */
export class BundleApprovals {
  readonly #database: Database;
  readonly #gates: GateKeeper;

  constructor(database: Database, gates: GateKeeper) {
    this.#database = database;
    this.#gates = gates;
  }

  /** Approves a version. */
  approve(caller: Caller, path: EnvironmentPath, version: number): Promise<BundleView> {
    return this.#database.transaction(caller, async (tx) => {
      const { environment, bundle } = await requireLockedBundle(tx, path, version);
      const { id: accountId, label: approvedBy } = caller.credential;
      if (bundle.authorId === accountId) throw conflict("you cannot approve a version that you published yourself");
      const before = await listApprovals(tx, environment.id, version);
      if (before.some((row) => row.accountId === accountId)) throw conflict("you have already approved this version");
      const key = { orgId: tx.orgId, environmentId: environment.id, version, accountId };
      tx.em.create(BundleApprovalRow, { ...key, approvedBy, approvedAt: tx.now });
      await tx.em.flush();
      tx.changed({ resource: `bundle/${bundle.id}`, before: null, after: { version, approved_by: approvedBy } });
      const approvals = await listApprovals(tx, environment.id, version);
      const gates = await this.#gates.of(tx, environment, bundle, approvals);
      return { bundle, isActive: environment.activeVersion === version, approvals, gates };
    });
  }

  /** Takes the caller's approval back. */
  withdraw(caller: Caller, path: EnvironmentPath, version: number): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const { environment, bundle } = await requireLockedBundle(tx, path, version);
      const { id: accountId, label } = caller.credential;
      const key = { environmentId: environment.id, version, accountId };
      if (!(await deleteApproval(tx, key))) throw notFound("approval");
      tx.changed({ resource: `bundle/${bundle.id}`, before: { version, approved_by: label }, after: null });
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

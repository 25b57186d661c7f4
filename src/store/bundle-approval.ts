import { defineEntity, p } from "@mikro-orm/core";
import type { Transaction } from "./database.ts";
import { tenantTable } from "./tenant.ts";

const schema = defineEntity({
  name: "BundleApproval",
  tableName: "bundle_approval",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    environmentId: p.uuid().primary(),
    version: p.integer().primary(),
    accountId: p.uuid().primary(),
    /** The person's e-mail address when they approved. */
    approvedBy: p.text(),
    approvedAt: p.datetime(3),
  },
});

/** A person's approval of a bundle. */
export class BundleApprovalRow extends schema.class {}
schema.setClass(BundleApprovalRow);

/** The approvals of a bundle, oldest first. */
export function listApprovals(tx: Transaction, environmentId: string, version: number): Promise<BundleApprovalRow[]> {
  return tx.em.find(
    BundleApprovalRow,
    { orgId: tx.orgId, environmentId, version },
    { orderBy: { approvedAt: "asc", accountId: "asc" } },
  );
}

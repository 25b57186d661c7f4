// Which detectors of the catalog the newest version of each policy uses. Kept beside the policies so that uses can be
// counted over all organizations by a role that reads nothing else of them.

import { defineEntity, p } from "@mikro-orm/core";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "PolicyDetector",
  tableName: "policy_detector",
  ...lookupTenantTable,
  properties: {
    orgId: p.uuid().primary(),
    policyId: p.uuid().primary(),
    /** Id of a catalog entry. */
    detectorId: p.text().primary(),
  },
});

/** One policy uses one detector. */
export class PolicyDetectorRow extends schema.class {}
schema.setClass(PolicyDetectorRow);

/** Stores which detectors the policy uses from now on. */
export async function replacePolicyDetectors(
  tx: Transaction,
  policyId: string,
  detectorIds: readonly string[],
): Promise<void> {
  await tx.sql("delete from policy_detector where org_id = ? and policy_id = ?", [tx.orgId, policyId]);
  if (detectorIds.length === 0) return;
  const values = detectorIds.map(() => "(?, ?, ?)").join(", ");
  const parameters = detectorIds.flatMap((detectorId) => [tx.orgId, policyId, detectorId]);
  await tx.sql(`insert into policy_detector (org_id, policy_id, detector_id) values ${values}`, parameters);
}

/** How many organizations use each detector; those that nobody uses are absent. */
export async function countInstalls(database: Lookups): Promise<ReadonlyMap<string, number>> {
  const rows = await database.lookup<{ detector_id: string; organizations: number }>("count_detector_installs", []);
  return new Map(rows.map((row) => [row.detector_id, row.organizations]));
}

// Rules that an environment keeps in shadow for a while. What has ended is no longer read, and removed with the next
// change; the log of evidence remembers it.

import { defineEntity, p } from "@mikro-orm/core";
import { runBound } from "../core/bulk.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "RuleOverride",
  tableName: "rule_override",
  ...tenantTable,
  uniques: [{ name: "rule_override_id", properties: ["orgId", "id"] }],
  properties: {
    orgId: p.uuid().primary(),
    environmentId: p.uuid().primary(),
    policyId: p.uuid().primary(),
    ruleId: p.text().primary(),
    id: p.uuid(),
    projectId: p.uuid(),
    environment: p.text(),
    /** Name of the policy. */
    policy: p.text(),
    reason: p.text(),
    calibrationId: p.uuid().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    until: p.datetime(3),
    /** Of the activation that brought it. */
    activationSeq: p.integer(),
  },
});

/** A rule in shadow. */
export class RuleOverrideRow extends schema.class {}
schema.setClass(RuleOverrideRow);

/** Overrides that have not ended, those that end first before the others. */
export function listOverrides(tx: Transaction, environmentId: string): Promise<RuleOverrideRow[]> {
  return tx.em.find(
    RuleOverrideRow,
    { orgId: tx.orgId, environmentId, until: { $gt: tx.now } },
    { orderBy: { until: "asc", policyId: "asc", ruleId: "asc" } },
  );
}

/** How many overrides have not ended, by environment; one without any is left out. */
export async function countOverrides(
  tx: Transaction,
  environmentIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await runBound<{ id: string; count: number }>(
    tx,
    `select environment_id as id, count(*)::int as count from rule_override
     where org_id = $1 and environment_id = any($2::uuid[]) and until > $3 group by environment_id`,
    [tx.orgId, environmentIds, tx.now],
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Removes the overrides of an environment that have ended. */
export async function deleteEndedOverrides(tx: Transaction, environmentId: string): Promise<void> {
  await tx.em.nativeDelete(RuleOverrideRow, { orgId: tx.orgId, environmentId, until: { $lte: tx.now } });
}

/** Removes an override. */
export async function deleteOverride(tx: Transaction, { environmentId, id }: RuleOverrideRow): Promise<void> {
  await tx.em.nativeDelete(RuleOverrideRow, { orgId: tx.orgId, environmentId, id });
}

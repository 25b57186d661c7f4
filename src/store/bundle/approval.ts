import { defineEntity, p } from "@mikro-orm/core";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";
import { MemberRow } from "../identity/member.ts";

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

/** The valid approvals of a bundle, oldest first: those of people who are members now with a role that may approve. */
export async function listApprovals(
  tx: Transaction,
  environmentId: string,
  version: number,
): Promise<readonly BundleApprovalRow[]> {
  return (await listApprovalsOf(tx, environmentId, [version])).get(version) ?? [];
}

/** The same of several bundles, by version. */
export async function listApprovalsOf(
  tx: Transaction,
  environmentId: string,
  versions: readonly number[],
): Promise<ReadonlyMap<number, readonly BundleApprovalRow[]>> {
  const { orgId } = tx;
  const orderBy = { approvedAt: "asc", accountId: "asc" } as const;
  const where = { orgId, environmentId, version: { $in: [...versions] } };
  const given = await tx.em.find(BundleApprovalRow, where, { orderBy });
  if (given.length === 0) return new Map();
  const accountId = { $in: given.map((approval) => approval.accountId) };
  const role = { $in: ["editor", "admin", "owner"] as const };
  const people = await tx.em.find(MemberRow, { orgId, accountId, role, state: "active" });
  const counted = new Set(people.map((member) => member.accountId));
  return Map.groupBy(
    given.filter((approval) => counted.has(approval.accountId)),
    ({ version }) => version,
  );
}

/** Takes a person's approval of a bundle away. Returns whether there was one. */
export async function deleteApproval(
  tx: Transaction,
  key: Pick<BundleApprovalRow, "environmentId" | "version" | "accountId">,
): Promise<boolean> {
  return (await tx.em.nativeDelete(BundleApprovalRow, { orgId: tx.orgId, ...key })) > 0;
}

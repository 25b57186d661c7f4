// Which pack made a policy, and with which values. Kept beside the policies so that uses can be counted over all
// organizations by a role that reads nothing else of them.

import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "PolicyPack",
  tableName: "policy_pack",
  ...lookupTenantTable,
  properties: {
    orgId: p.uuid().primary(),
    policyId: p.uuid().primary(),
    packId: p.text(),
    packVersion: p.text(),
    parameters: p.json<JsonObject>(),
    mode: p.text().$type<"enforce" | "shadow" | "off">(),
    appliedAt: p.datetime(3),
    /** The document as the pack made it, before any merge: the base of the next merge. */
    document: p.json<JsonObject>(),
  },
});

/** One policy was made by one pack. */
export class PolicyPackRow extends schema.class {}
schema.setClass(PolicyPackRow);

/** Where a policy applies, without the tenant. */
interface PackScope {
  readonly appId: string;
  readonly agentId: string;
  readonly env: string;
}

/** Locks a pack's scope until the commit, so that its applications happen one after the other. */
export async function lockPackScope(
  tx: Transaction,
  packId: string,
  { appId, agentId, env }: PackScope,
): Promise<void> {
  const key = JSON.stringify([tx.orgId, packId, appId, agentId, env]);
  await tx.sql("select pg_advisory_xact_lock(hashtextextended(?, 0))", [key]);
}

/** The row of the policy that the pack made in this scope, or null. */
export async function findPolicyPack(tx: Transaction, packId: string, scope: PackScope): Promise<PolicyPackRow | null> {
  const rows = await tx.sql<{ policy_id: string }>(
    `select k.policy_id from policy_pack k join policy p on p.org_id = k.org_id and p.id = k.policy_id
     where k.org_id = ? and k.pack_id = ? and p.app_id = ? and p.agent_id = ? and p.env = ?
     order by k.applied_at, k.policy_id limit 1`,
    [tx.orgId, packId, scope.appId, scope.agentId, scope.env],
  );
  const policyId = rows[0]?.policy_id;
  return policyId === undefined ? null : tx.em.findOne(PolicyPackRow, { orgId: tx.orgId, policyId });
}

/** Stores which pack made the policy. */
export async function savePolicyPack(tx: Transaction, row: Omit<PolicyPackRow, "orgId" | "appliedAt">): Promise<void> {
  await tx.sql(
    `insert into policy_pack
       (org_id, policy_id, pack_id, pack_version, parameters, mode, applied_at, document)
     values (?, ?, ?, ?, ?::jsonb, ?, ?, ?::jsonb)
     on conflict (org_id, policy_id) do update set pack_id = excluded.pack_id, pack_version = excluded.pack_version,
       parameters = excluded.parameters, mode = excluded.mode, applied_at = excluded.applied_at,
       document = excluded.document`,
    [
      ...[tx.orgId, row.policyId, row.packId, row.packVersion, JSON.stringify(row.parameters), row.mode],
      ...[tx.now.toISOString(), JSON.stringify(row.document)],
    ],
  );
}

/** How many organizations have a policy of each pack; packs that nobody uses are absent. */
export async function countPackInstalls(database: Lookups): Promise<ReadonlyMap<string, number>> {
  const rows = await database.lookup<{ pack_id: string; organizations: number }>("count_pack_installs", []);
  return new Map(rows.map((row) => [row.pack_id, row.organizations]));
}

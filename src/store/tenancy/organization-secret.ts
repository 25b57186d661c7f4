import { defineEntity, p } from "@mikro-orm/core";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "OrganizationSecret",
  tableName: "organization_secret",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** Such as "fingerprint_key". */
    name: p.text().primary(),
    sealed: p.blob(),
    createdAt: p.datetime(3),
  },
});

/** A secret that an organization has exactly one of, sealed. */
export class OrganizationSecretRow extends schema.class {}
schema.setClass(OrganizationSecretRow);

/** The sealed secret, or undefined before there is one. */
export async function readSecret(tx: Transaction, name: string): Promise<Buffer | undefined> {
  const rows = await tx.sql<{ sealed: Buffer }>(
    "select sealed from organization_secret where org_id = ? and name = ?",
    [tx.orgId, name],
  );
  return rows[0]?.sealed;
}

/** Stores the sealed secret unless there is one. Returns the stored one. */
export async function keepSecret(tx: Transaction, name: string, sealed: Uint8Array): Promise<Buffer> {
  const rows = await tx.sql<{ sealed: Buffer }>(
    `insert into organization_secret (org_id, name, sealed, created_at) values (?, ?, ?, ?)
     on conflict (org_id, name) do update set sealed = organization_secret.sealed returning sealed`,
    [tx.orgId, name, Buffer.from(sealed), tx.now],
  );
  const kept = rows[0]?.sealed;
  if (kept === undefined) throw new Error("an upsert returns its row");
  return kept;
}

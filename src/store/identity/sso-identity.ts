import { defineEntity, p } from "@mikro-orm/core";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "SsoIdentity",
  tableName: "sso_identity",
  ...tenantTable,
  indexes: [{ name: "sso_identity_account", properties: ["accountId"] }],
  properties: {
    orgId: p.uuid().primary(),
    issuer: p.text().primary(),
    /** The person's id at the provider; it never changes and is never given to somebody else. */
    subject: p.text().primary(),
    accountId: p.uuid(),
    createdAt: p.datetime(3),
  },
});

/** The account of a person at an organization's provider. */
export class SsoIdentityRow extends schema.class {}
schema.setClass(SsoIdentityRow);

/** A person at a provider. */
export interface ProviderSubject {
  readonly issuer: string;
  readonly subject: string;
}

/** The account of a person who has signed in before. */
export async function findIdentity(tx: Transaction, { issuer, subject }: ProviderSubject): Promise<string | undefined> {
  const row = await tx.em.findOne(SsoIdentityRow, { orgId: tx.orgId, issuer, subject });
  return row?.accountId;
}

/** Stores the identity; of racing first sign-ins the first counts. */
export async function addIdentity(
  tx: Transaction,
  { issuer, subject }: ProviderSubject,
  accountId: string,
): Promise<void> {
  await tx.sql(
    `insert into sso_identity (org_id, issuer, subject, account_id, created_at) values (?, ?, ?, ?, ?)
     on conflict (org_id, issuer, subject) do nothing`,
    [tx.orgId, issuer, subject, accountId, tx.now],
  );
}

// Sign-ins in progress at a provider. Only digests are stored: the nonce and the PKCE verifier are derived from the
// secret of the caller who began the sign-in.

import { defineEntity, p } from "@mikro-orm/core";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "SsoLogin",
  tableName: "sso_login",
  ...lookupTenantTable,
  indexes: [
    { name: "sso_login_state", properties: ["stateDigest"] },
    { name: "sso_login_expiry", properties: ["orgId", "expiresAt"] },
  ],
  properties: {
    orgId: p.uuid().primary(),
    stateDigest: p.blob().primary(),
    /** Of the secret that the browser, or the caller, holds. */
    holderDigest: p.blob(),
    /** The provider that it was begun at; an answer of another one is refused. */
    issuer: p.text(),
    clientId: p.text(),
    returnTo: p.text().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
  },
});

/** A sign-in that has begun. */
export class SsoLoginRow extends schema.class {}
schema.setClass(SsoLoginRow);

/** The organization at whose provider a sign-in with this state was begun. */
export async function lookUpSsoLogin(database: Lookups, stateDigest: Uint8Array): Promise<string | undefined> {
  const rows = await database.lookup<{ org_id: string }>("find_sso_login", [stateDigest]);
  return rows[0]?.org_id;
}

/** A sign-in that was used up just now. */
export interface UsedSsoLogin {
  readonly issuer: string;
  readonly client_id: string;
  readonly return_to: string | null;
}

/** Uses the sign-in up if the caller holds its secret: of racing uses one gets it. */
export async function useSsoLogin(
  tx: Transaction,
  { stateDigest, holderDigest }: { readonly stateDigest: Buffer; readonly holderDigest: Buffer },
): Promise<UsedSsoLogin | undefined> {
  const rows = await tx.sql<UsedSsoLogin>(
    `update sso_login set used_at = ? where org_id = ? and state_digest = ? and holder_digest = ?
       and used_at is null and expires_at > ? returning issuer, client_id, return_to`,
    [tx.now, tx.orgId, stateDigest, holderDigest, tx.now],
  );
  return rows[0];
}

/** Deletes the organization's sign-ins that are over. */
export async function deleteOldSsoLogins(tx: Transaction): Promise<void> {
  await tx.sql("delete from sso_login where org_id = ? and expires_at < ?", [tx.orgId, tx.now]);
}

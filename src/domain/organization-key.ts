// Keys of which an organization has exactly one, made when they are first needed.

import { randomBytes } from "node:crypto";
import type { SealBinding, Sealer } from "../platform/seal.ts";
import type { Transaction } from "../store/core/transaction.ts";
import { keepSecret, readSecret } from "../store/tenancy/organization-secret.ts";

const keyBytes = 32;

/** The organization's key of this name. When two make it at the same time, both get the one that was stored. */
export async function organizationKey(tx: Transaction, sealer: Sealer, name: string): Promise<Uint8Array> {
  const binding = organizationSecretBinding(tx.orgId, name);
  const sealed =
    (await readSecret(tx, name)) ?? (await keepSecret(tx, name, sealer.seal(randomBytes(keyBytes), binding)));
  return sealer.open(sealed, binding);
}

/** Whether the organization has a key of this name yet. */
export async function hasOrganizationKey(tx: Transaction, name: string): Promise<boolean> {
  return (await readSecret(tx, name)) !== undefined;
}

/** The seal binding of a secret of which an organization has exactly one. */
export function organizationSecretBinding(orgId: string, name: string): SealBinding {
  return { purpose: `organization.${name}`, orgId, rowId: name };
}
